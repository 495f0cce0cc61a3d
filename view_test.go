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

// TestPausedViewStandsStill: while a run is paused it has no deadline but the time left, nor have its
// attempts, and its reviews show their own. One that a restart took begins again with all of its time.
func TestPausedViewStandsStill(t *testing.T) {
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	first, second := AttemptRef{Subtask: "s", Attempt: 1}, AttemptRef{Subtask: "z", Attempt: 1}
	var v View
	apply := func(d time.Duration, facts ...Fact) {
		for _, f := range facts {
			v.Apply(Record{Run: "r", Seq: v.Seq + 1, At: at(d), Fact: f})
		}
	}
	shows := func(when string, deadline time.Time, left time.Duration, due time.Time, want ...AttemptView) {
		t.Helper()
		if r := &v.Reviews[0]; !v.DeadlineAt.Equal(deadline) || v.Left.Std() != left || !r.Due().Equal(due) {
			t.Errorf("%s: the run has until %s, %s left, its review until %s", when, v.DeadlineAt, v.Left, r.Due())
		}
		for i, w := range want {
			if a := v.Rows[i].Attempts[0]; !a.DeadlineAt.Equal(w.DeadlineAt) || a.Left != w.Left || a.Allowed() != 10*time.Minute {
				t.Errorf("%s: attempt %d has until %s, %s left of %s", when, i, a.DeadlineAt, a.Left, a.Allowed())
			}
		}
	}
	own := at(40 * time.Minute)
	apply(0, RunStarted{DeadlineAt: at(30 * time.Minute)}, SubtasksPlanned{Subtasks: []Subtask{{ID: "s"}, {ID: "z"}}},
		AttemptStarted{AttemptRef: first, DeadlineAt: at(10 * time.Minute)}, AttemptStarted{AttemptRef: second, DeadlineAt: at(10 * time.Minute)},
		ReviewOpened{Review{ID: "rev", Deadline: own}})
	apply(4*time.Minute, PauseBegan{By: "olu", Still: true})
	left := Duration(6 * time.Minute)
	shows("paused", time.Time{}, 26*time.Minute, own, AttemptView{Left: left}, AttemptView{Left: left})
	if got := v.Rows[0].Attempts[0].Taken(at(time.Hour)); got != 4*time.Minute {
		t.Errorf("it has taken %s", got)
	}
	apply(9*time.Minute, PauseEnded{By: "olu"})
	shows("resumed", at(35*time.Minute), 0, at(35*time.Minute), AttemptView{DeadlineAt: at(15 * time.Minute)}, AttemptView{DeadlineAt: at(15 * time.Minute)})
	apply(10*time.Minute, PauseBegan{By: "olu", Still: true}, Recovered{Boot: 2})
	shows("restarted", time.Time{}, 25*time.Minute, own, AttemptView{}, AttemptView{})
	apply(20*time.Minute, PauseEnded{By: "olu"}, AttemptResumed{AttemptRef: first, DeadlineAt: at(30 * time.Minute)})
	shows("gone on", at(45*time.Minute), 0, own, AttemptView{DeadlineAt: at(30 * time.Minute)}, AttemptView{})
	if got := v.Rows[0].Attempts[0].Taken(at(21 * time.Minute)); got != time.Minute {
		t.Errorf("it has taken %s", got)
	}
	if got := v.Rows[1].Attempts[0].Taken(at(21 * time.Minute)); got != 0 {
		t.Errorf("what waits to begin again has taken %s", got)
	}
	apply(21*time.Minute, PauseBegan{By: "olu", Still: true})
	apply(50*time.Minute, Forked{DeadlineAt: at(80 * time.Minute)})
	if !v.DeadlineAt.IsZero() || v.Left.Std() != 30*time.Minute {
		t.Errorf("forked: it has until %s, %s left", v.DeadlineAt, v.Left)
	}
}

// TestPausesOfEarlierRuns: before pauses stopped the time, deadlines held through them.
func TestPausesOfEarlierRuns(t *testing.T) {
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	var v View
	for i, f := range []Fact{RunStarted{DeadlineAt: noon.Add(time.Hour)}, PauseBegan{By: "olu"}, PauseEnded{By: "olu"}} {
		v.Apply(Record{Run: "r", Seq: int64(i + 1), At: noon.Add(time.Duration(i) * time.Minute), Fact: f})
		if !v.DeadlineAt.Equal(noon.Add(time.Hour)) || v.Left != 0 {
			t.Errorf("after record %d it has until %s, %s left", i+1, v.DeadlineAt, v.Left)
		}
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
