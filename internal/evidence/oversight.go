package evidence

import (
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// An Escalation is one request for a person's judgement with the five fields that human oversight
// asks for (SPEC.md ·172): what the subtask was, what the worker put out, why it was not simply
// accepted, who decided, and what.
type Escalation struct {
	Review   string    `json:"review"`
	Run      string    `json:"runId"`
	OpenedAt time.Time `json:"openedAt"`

	Subtask  string `json:"subtask"`  // description
	Output   string `json:"output"`   // content hash; that there was none is said in words
	Failure  string `json:"failure"`  // why it was not accepted without a person
	Reviewer string `json:"reviewer"` // the principal, or the policy's name
	Decision string `json:"decision"` // approved, rejected or withdrawn, with the comment

	ByPolicy    bool      `json:"byPolicy,omitempty"`
	ByRequester bool      `json:"byRequester,omitempty"` // the reviewer had started the run
	Withdrawn   bool      `json:"withdrawn,omitempty"`   // the run ended without waiting
	Waiting     bool      `json:"waiting,omitempty"`     // no decision yet
	DecidedAt   time.Time `json:"decidedAt,omitzero"`
	Missing     []string  `json:"missing,omitempty"` // of the five fields; of one that waits, not those the decision brings
}

// Escalations are a run's, in the order opened, from its records.
func Escalations(records []chargehand.Record) []Escalation {
	subtasks := map[string]chargehand.Subtask{}
	at := map[string]int{}
	var out []Escalation
	for _, r := range records {
		switch f := r.Fact.(type) {
		case chargehand.SubtasksPlanned:
			for _, s := range f.Subtasks {
				subtasks[s.ID] = s
			}
		case chargehand.ReviewOpened:
			at[f.Review.ID] = len(out)
			out = append(out, escalation(r.Run, &f.Review, subtasks))
		case chargehand.ReviewDecided:
			if i, ok := at[f.Decision.ReviewID]; ok {
				out[i].decide(&f.Decision)
			}
		}
	}
	for i := range out {
		out[i].Missing = out[i].missing()
	}
	return out
}

func escalation(run string, r *chargehand.Review, subtasks map[string]chargehand.Subtask) Escalation {
	e := Escalation{Review: r.ID, Run: run, OpenedAt: r.OpenedAt, Output: r.OutputRef, Failure: failure(r), Waiting: true}
	switch s, ok := subtasks[r.TaskID]; {
	case ok:
		e.Subtask = joined(": ", s.ID, s.Label, s.Goal)
	case r.Subject == chargehand.SubjectPlan:
		e.Subtask = "the plan of the run"
	case r.Subject == chargehand.SubjectConflicts:
		e.Subtask = "accepted outputs that disagree"
	}
	if e.Output == "" {
		e.Output = "none: there was no output to accept"
	}
	return e
}

// failure is the review's own sentence, and what the gate found.
func failure(r *chargehand.Review) string {
	parts := []string{r.Description}
	for _, f := range r.Evidence {
		parts = append(parts, f.Message)
	}
	return joined("; ", parts...)
}

func (e *Escalation) decide(d *chargehand.Decision) {
	e.Waiting, e.ByPolicy, e.Withdrawn = false, d.ByPolicy, d.Withdrawn
	e.Reviewer, e.DecidedAt = d.Approver, d.Timestamp
	if d.Withdrawn {
		e.Reviewer = d.Who()
	}
	e.ByRequester = d.ByRequester
	e.Decision = joined(": ", d.Outcome(), d.Comment)
}

func (e *Escalation) missing() []string {
	var out []string
	for _, field := range []struct{ name, text string }{
		{"subtask", e.Subtask},
		{"output", e.Output},
		{"failure", e.Failure},
		{"reviewer", e.Reviewer},
		{"decision", e.Decision},
	} {
		if field.text == "" && !(e.Waiting && (field.name == "reviewer" || field.name == "decision")) {
			out = append(out, field.name)
		}
	}
	return out
}

// joined joins the parts that are not empty.
func joined(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}

// A Coverage counts escalations by who decided them, and how many have all five fields.
type Coverage struct {
	Escalations int     `json:"escalations"`
	Complete    int     `json:"complete"` // of those decided: all five fields are on record
	People      int     `json:"byPeople"`
	Policy      int     `json:"byPolicy"`
	Withdrawn   int     `json:"withdrawn"`
	Waiting     int     `json:"waiting"` // not decided yet; not part of Percent
	Percent     float64 `json:"percent"` // complete of decided; 100 where nothing was decided
}

// Cover counts.
func Cover(list []Escalation) Coverage {
	c := Coverage{Escalations: len(list), Percent: 100}
	for i := range list {
		switch e := &list[i]; {
		case e.Waiting:
			c.Waiting++
		case e.Withdrawn:
			c.Withdrawn++
		case e.ByPolicy:
			c.Policy++
		default:
			c.People++
		}
		if !list[i].Waiting && len(list[i].Missing) == 0 {
			c.Complete++
		}
	}
	if decided := c.Escalations - c.Waiting; decided > 0 {
		c.Percent = 100 * float64(c.Complete) / float64(decided)
	}
	return c
}
