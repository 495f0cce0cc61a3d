package chargehand

import (
	"testing"
	"time"
)

// TestWhatComesAfterwards has an attempt stopped that was billed on, and another's result come late:
// both count for the attempt, and what its worker says it did is found there.
func TestWhatComesAfterwards(t *testing.T) {
	var v View
	first, second := AttemptRef{Subtask: "s", Attempt: 1}, AttemptRef{Subtask: "s", Attempt: 2}
	for i, f := range []Fact{
		RunStarted{},
		SubtasksPlanned{Subtasks: []Subtask{{ID: "s"}}},
		AttemptStarted{AttemptRef: first},
		AttemptFailed{AttemptRef: first, Cause: CauseDeadline, Usage: Usage{USD: 1}, Transcript: "sha256:a"},
		AttemptStopped{AttemptRef: first, Usage: Usage{USD: 20, InputTokens: 5}},
		AttemptStarted{AttemptRef: second},
		AttemptFailed{AttemptRef: second, Cause: CauseDeadline},
		LateResult{AttemptRef: second, Usage: Usage{USD: 300}, Transcript: "sha256:b"},
	} {
		v.Apply(Record{Run: "r", Seq: int64(i + 1), Fact: f})
	}
	a, b := v.Rows[0].Attempts[0], v.Rows[0].Attempts[1]
	if a.Usage != (Usage{USD: 21, InputTokens: 5}) || a.Transcript != "sha256:a" {
		t.Errorf("the stopped one is %+v", a)
	}
	if b.Usage != (Usage{USD: 300}) || b.Transcript != "sha256:b" {
		t.Errorf("the late one is %+v", b)
	}
	if v.Spent != a.Usage.USD+b.Usage.USD {
		t.Errorf("%s was spent, by attempts %s", v.Spent, a.Usage.USD+b.Usage.USD)
	}
}

// TestDeadlineThatActs: a review shows its own deadline, or its run's where that is earlier, and what
// follows.
func TestDeadlineThatActs(t *testing.T) {
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	own := noon.Add(time.Hour)
	for _, tt := range []struct {
		run  time.Time
		due  time.Time
		then string
	}{
		{time.Time{}, own, "policy p@1 rejects it"},
		{own, own, "policy p@1 rejects it"},
		{own.Add(time.Second), own, "policy p@1 rejects it"},
		{own.Add(-time.Second), own.Add(-time.Second), "the run's deadline ends the run"},
	} {
		var v View
		v.Apply(Record{Run: "r", Seq: 1, Fact: RunStarted{DeadlineAt: tt.run}})
		v.Apply(Record{Run: "r", Seq: 2, Fact: ReviewOpened{Review{ID: "rev", Deadline: own, Policy: "p@1"}}})
		if r := &v.Reviews[0]; !r.Due().Equal(tt.due) || r.Otherwise() != tt.then || !r.Deadline.Equal(own) {
			t.Errorf("in a run until %s it is due at %s, then %s", tt.run, r.Due(), r.Otherwise())
		}
	}
}

// TestRowsSumToTheTotal: what is charged before an attempt begins, or billed for one that a fork left to
// its parent, counts for the subtask.
func TestRowsSumToTheTotal(t *testing.T) {
	var v View
	first := AttemptRef{Subtask: "s", Attempt: 1}
	for i, f := range []Fact{
		RunStarted{},
		SubtasksPlanned{Subtasks: []Subtask{{ID: "s"}}},
		SpawnCharged{AttemptRef: first, USD: 4},
		AttemptStarted{AttemptRef: first},
		AttemptResumed{AttemptRef: first, Lost: Usage{USD: 50, InputTokens: 5}},
		Forked{},
		LateResult{AttemptRef: first, Usage: Usage{USD: 600}},
	} {
		v.Apply(Record{Run: "r", Seq: int64(i + 1), Fact: f})
	}
	if sum := v.Rows[0].Usage(); sum.USD != v.Spent || v.Spent != 654 || sum.Tokens() != v.Tokens {
		t.Errorf("the row has %+v, and %s and %d tokens were spent", sum, v.Spent, v.Tokens)
	}
}
