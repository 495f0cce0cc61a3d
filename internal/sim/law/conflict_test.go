package law_test

import (
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// work has a subtask's first attempt finish: with what its output says, and what the record holds of it.
func (h *history) work(id string, epoch int64, says, holds string) {
	r := chargehand.AttemptRef{Subtask: id, Attempt: 1}
	begun := started(epoch, 1)
	begun.AttemptRef = r
	l := turn.Effect{Run: "r", Do: supervise.Launch{Epoch: epoch, Task: chargehand.WorkerTask{TaskID: id, Attempt: 1, AssignedWorker: "w"}}}
	h.turn(nil, []turn.Effect{l}, queued(id, 1, 0), lease(epoch, id, 1), begun)
	in := supervise.Finished{AttemptRef: r, Epoch: epoch, Output: id, Verdict: accepts, Stances: []chargehand.Stance{{Key: "fee", Says: says}}}
	h.turn([]turn.Event{{Run: "r", Input: in}}, nil, chargehand.OutputChecked{
		AttemptRef: r, Epoch: epoch, Output: id, Verdict: accepts, Stances: []chargehand.Stance{{Key: "fee", Says: holds}},
	}, chargehand.LeaseFreed{Epoch: epoch, Outcome: chargehand.OutcomeFine})
}

// spoken has another subtask accepted, which says that the fee is 500, and then an output of s.
func (h *history) spoken(says string) {
	h.begin(chargehand.Subtask{Debate: true}, chargehand.Budget{})
	h.facts(chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{{ID: "o"}}})
	h.work("o", 9, "500", "500")
	h.facts(chargehand.SubtaskEnded{Subtask: "o", Attempt: 1, State: chargehand.SubtaskAccepted, Score: 0.8})
	h.work("s", 1, says, says)
}

// over is a debate about that output, against another's.
func over(id string, acceptable bool, score float64) chargehand.DebateOpened {
	return chargehand.DebateOpened{
		AttemptRef: ref, Cause: chargehand.CauseConflict, Rounds: 1, Against: []string{id}, Acceptable: acceptable, Score: score,
	}
}

// answer has a second attempt begin, and shows it an output as one that it is debated against.
func (h *history) answer(output string) {
	h.turn(nil, []turn.Effect{{Run: "r", Do: supervise.Launch{Epoch: 2, Task: chargehand.WorkerTask{
		TaskID: "s", Attempt: 2, AssignedWorker: "w",
		InputRefs: []chargehand.InputRef{{Hash: output, Name: "dissent", From: chargehand.FromDebate}},
	}}}}, queued("s", 2, 0), lease(2, "s", 2), started(2, 2))
}

// conflicts are histories that each go wrong about what contradicts an accepted output.
var conflicts = []struct {
	name string
	show func(h *history)
}{
	{"what contradicts an accepted output is accepted without a word", func(h *history) {
		h.spoken("600")
		h.facts(ended(chargehand.SubtaskAccepted, 0.8))
	}},
	{"a record holds what the output does not say", func(h *history) {
		h.begin(chargehand.Subtask{Debate: true}, chargehand.Budget{})
		h.work("s", 1, "500", "600")
	}},
	{"a debate over what is no conflict", func(h *history) { h.spoken("500"); h.facts(over("o", true, 0.8)) }},
	{"a debate against what was not accepted", func(h *history) { h.spoken("600"); h.facts(over("d", true, 0.8)) }},
	{"a first position above the gate's score", func(h *history) { h.spoken("600"); h.facts(over("o", true, 0.9)) }},
	{"a worker is shown what it is not debated against", func(h *history) {
		h.spoken("600")
		h.facts(over("o", true, 0.8))
		h.answer("s")
	}},
	{"what nobody answers is used, and no check accepts it", func(h *history) {
		h.spoken("600")
		h.facts(over("o", false, 0), chargehand.DebateSettled{AttemptRef: ref})
	}},
}

func TestBadConflictsAreNoticed(t *testing.T) {
	for _, tt := range conflicts {
		t.Run(tt.name, func(t *testing.T) {
			h := newHistory()
			tt.show(h)
			if h.breach == nil || h.breach.Invariant != law.Debates {
				t.Errorf("want %s to fail, got %v", law.Debates, h.breach)
			}
		})
	}
}

// What is as it should be breaks nothing.
func TestGoodConflicts(t *testing.T) {
	for name, show := range map[string]func(h *history){
		"it says the same": func(h *history) { h.spoken("500"); h.facts(ended(chargehand.SubtaskAccepted, 0.8)) },
		"nobody can be asked": func(h *history) {
			h.spoken("600")
			f := ended(chargehand.SubtaskAccepted, 0.8)
			f.Why = "o says otherwise on fee; it is not debated: no attempt is left"
			h.facts(f)
		},
		"it is debated": func(h *history) {
			h.spoken("600")
			h.facts(over("o", true, 0.8))
			h.answer("o")
		},
		"nobody answers": func(h *history) {
			h.spoken("600")
			h.facts(over("o", true, 0.8), chargehand.DebateSettled{AttemptRef: ref}, ended(chargehand.SubtaskAccepted, 0.8))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory()
			if show(h); h.breach != nil {
				t.Error(h.breach)
			}
		})
	}
}
