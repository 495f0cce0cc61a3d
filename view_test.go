package chargehand

import "testing"

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
