package supervise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// What an output says is left out of a record that the verdict leaves no room in, whatever the verdict
// says and however long it is.
func TestStancesFitTheirRecord(t *testing.T) {
	for _, words := range []string{strings.Repeat("long ", 3_000), strings.Repeat("\x01", 3_000), strings.Repeat(`"`, 3_000)} {
		held := 0
		for issues := range maxFindings + 1 {
			f := checkedWith(t, words, issues)
			throughJournal(t, []chargehand.Record{{Run: "run", Seq: 1, At: epoch0, Fact: f}})
			if len(f.Stances) > 0 {
				held++
			}
		}
		if held == 0 || held > maxFindings {
			t.Errorf("of %d verdicts %d leave room", maxFindings+1, held)
		}
	}
}

// checkedWith is the record of an output that says all that a record may hold, with a verdict of so
// many long findings.
func checkedWith(t *testing.T, words string, issues int) chargehand.OutputChecked {
	t.Helper()
	plan := chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "do", Capability: "x"}}}
	team := &chargehand.Team{
		Name: "test", Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"x"}}},
		Policy: chargehand.Policy{Debate: chargehand.Debate{Always: true}}, Planner: chargehand.Planner{Template: &plan},
	}
	m := New("run", team)
	m.Step(epoch0, Start{Seed: "seed"})
	m.Step(epoch0, Planned{Iteration: 1, Plan: plan})
	ref := chargehand.AttemptRef{Subtask: "s1", Attempt: 1}
	m.Step(epoch0, Granted{AttemptRef: ref, Worker: "a", Epoch: 1})
	in := Finished{
		AttemptRef: ref, Epoch: 1, Status: chargehand.StatusSucceeded, Output: "sha256:1", Summary: words,
		Verdict: chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.HumanReview, Feedback: words, Reasoning: words, Validator: words},
	}
	for range 40 {
		in.Evidence, in.Blockers = append(in.Evidence, words), append(in.Blockers, words)
		in.Verdict.Missing = append(in.Verdict.Missing, words)
	}
	for range issues {
		in.Verdict.Issues = append(in.Verdict.Issues, chargehand.Finding{
			ID: words, Rule: words, Path: words, Quote: words, Message: words, Severity: chargehand.Severity(words), Layer: chargehand.Layer(words),
			Source: &chargehand.Passage{Document: words, Quote: words},
		})
	}
	for i := range 90 {
		in.Stances = append(in.Stances, chargehand.Stance{Key: fmt.Sprintf("key no. %d", i), Says: "0123456789ab"})
	}
	for _, r := range m.Step(epoch0, in).Records {
		if f, ok := r.Fact.(chargehand.OutputChecked); ok {
			return f
		}
	}
	t.Fatal("the output was not checked")
	return chargehand.OutputChecked{}
}
