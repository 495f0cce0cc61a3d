package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// Work is what was done about a subtask: its attempts, and one of them whole.
type Work struct {
	Run     *chargehand.View
	Subtask *chargehand.SubtaskView
	Sign    chargehand.Sign         // how the subtask stands
	Attempt *chargehand.AttemptView // the one that is shown whole; nil: none has begun
	Checked
	Transcript []byte // nil: there is none, or it is not asked for
	Stderr     []byte // the end of what the worker's program wrote there; nil: nothing
}

// Write writes what was asked, a table of the attempts, and of one of them who it went to, what came
// of it, what the gate found, and what its worker says it did.
func (k *Work) Write(w io.Writer, s Screen) error {
	d := drawing{Screen: s, Checked: &k.Checked}
	k.head(&d)
	if k.Attempt == nil {
		d.line("No attempt has begun.")
	} else {
		if err := k.attempts(s).Write(&d, s.Style); err != nil {
			return err
		}
		d.line("")
		k.whole(&d)
	}
	_, err := io.WriteString(w, d.String())
	return err
}

func (k *Work) head(d *drawing) {
	title := d.Style.Bold(strings.ToUpper(term.Line(k.Subtask.Name())))
	if k.Run.Title != "" {
		title += d.Style.Text(" — ") + term.Line(k.Run.Title)
	}
	sign := k.Sign
	d.line("%s   %s", title, d.Style.Tone(sign.Tone, d.Style.Glyph(sign)+" "+sign.Label))
	if k.Subtask.Why != "" {
		d.paragraph("WHY", k.Subtask.Why)
	}
	d.paragraph("ASKED", k.Subtask.Goal)
	d.sentBack(k.Run, k.Subtask.ID)
	d.line("")
}

func (k *Work) attempts(s Screen) *term.Table {
	t := &term.Table{Head: []string{"ATTEMPT", "WORKER", "TOOK", "USD", "TOKENS", "CAME TO"}, Width: s.Width, Wrap: true}
	for i := range k.Subtask.Attempts {
		a := &k.Subtask.Attempts[i]
		took := ""
		if !a.EndedAt.IsZero() {
			took = term.Span(a.EndedAt.Sub(a.StartedAt))
		}
		t.Add(fmt.Sprint(a.Attempt), a.Worker, took, a.Usage.USD.String(), fmt.Sprint(a.Usage.Tokens()), cameTo(a))
	}
	return t
}

// cameTo is what became of an attempt: who said what of its output, and why it ended without
// acceptance.
func cameTo(a *chargehand.AttemptView) string {
	if a.EndedAt.IsZero() {
		return "under way"
	}
	var said []string
	if a.Verdict != nil {
		said = append(said, "gate: "+spoken(strings.ToLower(string(a.Verdict.Recommendation))))
	}
	if a.Judge != nil {
		said = append(said, "reviewer: "+spoken(strings.ToLower(string(a.Judge.Recommendation))))
	}
	if a.Cause != "" {
		said = append(said, spoken(string(a.Cause)))
	}
	return strings.Join(said, ", ")
}

func (k *Work) whole(d *drawing) {
	a := k.Attempt
	d.section("ATTEMPT", fmt.Sprintf("%d, %s, begun %s", a.Attempt, term.Line(a.Worker), term.Time(a.StartedAt)))
	if a.Routing.Rationale != "" {
		d.paragraph("ROUTED", a.Routing.Rationale)
	}
	if a.Feedback != "" {
		d.paragraph("TOLD", a.Feedback)
	}
	if a.Message != "" {
		d.paragraph("ENDED", spoken(string(a.Cause))+": "+a.Message)
	}
	if len(k.Stderr) > 0 {
		d.section("STDERR", "of the worker's program ("+Short(a.Stderr)+")")
		d.verbatim(bytes.TrimRight(k.Stderr, "\n"))
	}
	if k.Output != nil {
		d.section("OUTPUT", "("+Short(a.Output)+")")
		d.content(k.Output)
	}
	if a.Verdict != nil {
		d.findings(a.Verdict.Issues)
	}
	if a.Judge != nil {
		k.judged(d)
	}
	switch {
	case k.Transcript != nil:
		d.section("SAID", "by the worker itself ("+Short(a.Transcript)+")")
		d.content(k.Transcript)
	case a.Transcript != "":
		d.section("SAID", "what the worker says it did is kept; --transcript shows it")
	}
}

// judged is what the reviewer said.
func (k *Work) judged(d *drawing) {
	v := k.Attempt.Judge
	d.section("REVIEWER", fmt.Sprintf("%s, confidence %d of 10", spoken(strings.ToLower(string(v.Recommendation))), v.Confidence))
	if v.Reasoning != "" {
		d.wrapped("  ", v.Reasoning)
	}
	for i := range v.Issues {
		d.finding(&v.Issues[i])
	}
}
