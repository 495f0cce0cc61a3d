package supervise

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// TestCaveatsAreBounded: however many gaps a run has, its last step is told the first of them in short, and their number.
func TestCaveatsAreBounded(t *testing.T) {
	team, plan := crowd("plain", 1000)
	team.Workers[0].AverageLatencyMS = 5000
	team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "w", Capabilities: []string{"write"}})
	team.Synthesis = &chargehand.Synthesis{Capability: "write"}
	for i := range plan.Subtasks {
		if s := &plan.Subtasks[i]; i > 0 {
			s.TimeoutMS = 1 // nobody is so quick
		}
	}
	m := New("run", team)
	d := driver{t: t, m: m}
	d.step(Start{Order: chargehand.Order{}})
	d.step(Planned{Iteration: 1, Plan: plan})
	for m.closing.round == 0 && len(d.todo) > 0 {
		in := d.todo[0]
		d.todo = d.todo[1:]
		d.step(in)
	}
	told := m.aggregation()
	if len(told.Accepted) != 1 || told.Caveats.Gaps == nil || told.Caveats.LowConfidence != nil {
		t.Fatalf("told %+v", told)
	}
	if g := told.Caveats.Gaps; g.Count != 999 || len(g.First) != maxCaveats || g.First[0].Subtask != "s1" || g.First[199].Subtask != "s200" {
		t.Errorf("%d gaps, %d told: %+v", g.Count, len(g.First), g.First[0])
	}
	long := strings.Repeat("ä", 5000)
	k := m.board.tasks["s1"]
	k.why = long
	m.board.tasks["s2"].state, m.board.tasks["s2"].why = chargehand.SubtaskAcceptedLow, long
	c := m.caveats()
	for _, text := range []string{c.Gaps.First[0].Why, c.LowConfidence.First[0].Text} {
		if len(text) > maxClause+len("…") {
			t.Errorf("a last step is told %d bytes of one", len(text))
		}
	}
}
