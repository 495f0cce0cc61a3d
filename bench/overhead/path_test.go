package main

import (
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// TestPath counts commits in a run written out by hand; the number before each record is its
// commit.
func TestPath(t *testing.T) {
	a1, a2 := chargehand.AttemptRef{Subtask: "task-9", Attempt: 1}, chargehand.AttemptRef{Subtask: "task-9", Attempt: 2}
	last := chargehand.AttemptRef{Subtask: "_synthesis", Attempt: 1}
	type step struct {
		commit int
		fact   chargehand.Fact
	}
	begin := []step{
		{1, chargehand.RunStarted{}},
		{1, chargehand.PlanAsked{}},
		{2, chargehand.PlanAdopted{}},
		{2, chargehand.AttemptStarted{AttemptRef: a1}},
		{3, chargehand.OutputChecked{AttemptRef: a1}},
		{3, chargehand.JudgeAsked{AttemptRef: a1}},
		{4, chargehand.Judged{AttemptRef: a1}},
	}
	again := []step{
		{4, chargehand.AttemptStarted{AttemptRef: a2}},
		{5, chargehand.OutputChecked{AttemptRef: a2}},
		{5, chargehand.JudgeAsked{AttemptRef: a2}},
		{6, chargehand.Judged{AttemptRef: a2}},
	}
	end := func(n int) []step {
		return []step{
			{n, chargehand.AggregateAsked{}},
			{n + 1, chargehand.Aggregated{}},
			{n + 1, chargehand.AttemptStarted{AttemptRef: last}},
			{n + 2, chargehand.OutputChecked{AttemptRef: last}},
			{n + 2, chargehand.ResultAsked{}},
			{n + 3, chargehand.RunEnded{}},
		}
	}
	late := append([]step(nil), begin...) // the reviewer is asked a commit after the output
	late[5].commit, late[6].commit = 4, 5
	for name, c := range map[string]struct {
		steps           [][]step
		whole, straight int
	}{
		"straight":        {[][]step{begin, end(4)}, 7, 7},
		"second attempt":  {[][]step{begin, again, end(6)}, 9, 7},
		"a commit wasted": {[][]step{late, end(5)}, 8, 8},
	} {
		p := newPath()
		for _, steps := range c.steps {
			for _, s := range steps {
				p.add(chargehand.Record{At: time.UnixMicro(int64(s.commit)), Fact: s.fact})
			}
		}
		if p.whole != c.whole || p.straight != c.straight {
			t.Errorf("%s: %d commits, %d without second attempts; want %d and %d", name, p.whole, p.straight, c.whole, c.straight)
		}
	}
}
