package a2a_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

func personsAreAskedWithinATask(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		task := p.begin(say("lie"))
		wantState(p.t, task, "INPUT_REQUIRED")
		v, err := s.engine.Run(p.t.Context(), idOf(task))
		if err != nil {
			p.t.Fatal(err)
		}
		r := v.Reviews[0]
		said := words(task)
		for _, want := range []string{r.ID, r.Description, "chargehand review show " + r.ID, "decides nothing"} {
			if !strings.Contains(said, want) {
				p.t.Errorf("the status does not say %q: %s", want, said)
			}
		}
		if strings.Contains(said, r.Nonce) {
			p.t.Error("the status gives the review's nonce away")
		}
	})
}

// neverAuthRequired goes through what a run can come to, and looks at how it is told.
func neverAuthRequired(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		var seen []string
		for _, goal := range []string{"Say hello", "lie", "fail"} {
			seen = append(seen, stateOf(p.begin(say(goal))))
		}
		held := idOf(p.begin(now(say("wait"))))
		for _, verb := range []chargehand.Verb{chargehand.Pause, chargehand.Resume, chargehand.Cancel} {
			if err := s.engine.Control(p.t.Context(), held, chargehand.Control{Verb: verb, By: "olu", Reason: "a test"}); err != nil {
				p.t.Fatal(err)
			}
			task := p.get(held)
			seen = append(seen, stateOf(task))
			if verb == chargehand.Pause {
				wantState(p.t, task, "INPUT_REQUIRED")
				if !strings.Contains(words(task), "olu") {
					p.t.Errorf("the status does not say who paused it: %s", words(task))
				}
			}
		}
		if slices.Contains(seen, "TASK_STATE_AUTH_REQUIRED") {
			p.t.Errorf("the states were %v", seen)
		}
	})
}

// decisionsComeFromOutside shows that no message decides a review, and that a decision made here
// lets the task go on (SPEC.md ·125).
func decisionsComeFromOutside(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for yes, want := range map[bool]string{true: "COMPLETED", false: "FAILED"} {
			id := idOf(p.begin(say("lie")))
			for _, text := range []string{"approve", "yes", "APPROVED by ana"} {
				q := say(text)
				message(q)["taskId"] = id
				if said := p.call("SendMessage", q).fails(unsupported); !strings.Contains(said, "decides nothing") {
					p.t.Errorf("%q is answered with %s", text, said)
				}
			}
			wantState(p.t, p.get(id), "INPUT_REQUIRED")
			s.decide(p.t, id, yes)
			// The synthesis lies too: what it says is decided as well.
			s.until(p.t, func() bool {
				task := p.get(id)
				if stateOf(task) == "TASK_STATE_INPUT_REQUIRED" {
					s.decide(p.t, id, yes)
				}
				return stateOf(task) == "TASK_STATE_"+want
			})
		}
	})
}
