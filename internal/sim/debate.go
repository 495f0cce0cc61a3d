package sim

import (
	"bytes"
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
)

// argues draws how contested outputs are debated; every other time by a team that can.
func argues(d dice, team *chargehand.Team) {
	team.Policy.Debate = drawDebate(d, team.Policy.Judge() != "")
	if !d.one(2) {
		return
	}
	team.Policy.Debate.Always, team.Policy.Attempts = true, pick(d, 0, 4, 5)
	for i := range team.Workers {
		if w := &team.Workers[i]; w.WorkerID != team.Policy.Judge() {
			w.Capabilities, w.FailurePolicy.MaxAttempts = []string{"x", "y"}, 0
		}
	}
}

// contend makes subtasks read, and say something of the same keys.
func contend(list []chargehand.Subtask) {
	for i := range list {
		list[i].Effect, list[i].OutputContract, list[i].ToolGrants = "", "facts", nil
	}
}

func drawDebate(d dice, reviewed bool) chargehand.Debate {
	debate := chargehand.Debate{
		Rounds: d.IntN(chargehand.MaxDebateRounds + 1), Always: d.one(2),
		Adjudicate: pick(d, "", chargehand.AdjudicateByPerson, chargehand.AdjudicateByRules, chargehand.AdjudicateByRules),
	}
	if reviewed && d.one(2) {
		debate.Adjudicate = chargehand.AdjudicateByJudge
	}
	return debate
}

// alike says whether two outputs state the same.
func (w *world) alike(do supervise.Compare) supervise.Compared {
	in := supervise.Compared{AttemptRef: do.AttemptRef}
	first, second := w.insp.text(do.First), w.insp.text(do.Second)
	a := w.insp.items(do.Contract, sample{first, do.First})
	b := w.insp.items(do.Contract, sample{second, do.Second})
	if len(a)+len(b) == 0 {
		in.Agree = bytes.Equal(first, second)
		return in
	}
	said := func(list []gate.Item, key string) (out []string) {
		for _, it := range list {
			if it.Key == key {
				out = append(out, it.Value)
			}
		}
		return out
	}
	for _, it := range slices.Concat(a, b) {
		if !slices.Equal(said(a, it.Key), said(b, it.Key)) && !slices.Contains(in.Differ, it.Key) {
			in.Differ = append(in.Differ, it.Key)
		}
	}
	in.Points, in.Agree = len(a), len(in.Differ) == 0
	return in
}
