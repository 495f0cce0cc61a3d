package supervise

import (
	"slices"
	"testing"

	"github.com/chargehand/chargehand"
)

// TestSecondReadingIsAReview: in a team without a reviewer, what another accepted subtask reads too is
// reviewed, and what none does, or none that was accepted, is not (SPEC.md ·66).
func TestSecondReadingIsAReview(t *testing.T) {
	team := &chargehand.Team{
		Workers:   []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"read"}}, {WorkerID: "b", Capabilities: []string{"check"}}},
		Contracts: []chargehand.Contract{{Name: "facts", Items: &chargehand.ItemRule{}}},
		Policy:    chargehand.Policy{Reviewer: chargehand.NoReviewer},
	}
	read := func(id, capability, aspect string) chargehand.Subtask {
		return chargehand.Subtask{ID: id, Capability: capability, OutputContract: "facts", RequiredAspects: []string{aspect}}
	}
	m := New("r", team)
	m.board.add([]chargehand.Subtask{read("s1", "read", "rent"), read("s2", "check", "rent"), read("s3", "read", "term"), read("s4", "check", "term")}, 1, false)
	unreviewed := func(accepted ...string) (out []string) {
		for _, k := range m.board.order {
			k.state = chargehand.SubtaskFailed
			if slices.Contains(accepted, k.spec.ID) {
				k.state = chargehand.SubtaskAccepted
			}
		}
		for _, p := range m.Result().Provenance {
			if p.Unreviewed {
				out = append(out, p.Subtask)
			}
		}
		return out
	}
	if got := unreviewed("s1", "s2", "s3"); !slices.Equal(got, []string{"s3"}) {
		t.Errorf("without s4: %v", got)
	}
	if got := unreviewed("s1", "s2", "s3", "s4"); got != nil {
		t.Errorf("all read twice: %v", got)
	}
	team.Contracts[0].Items = nil
	if got := unreviewed("s1", "s2"); !slices.Equal(got, []string{"s1", "s2"}) {
		t.Errorf("of outputs that nothing compares: %v", got)
	}
}
