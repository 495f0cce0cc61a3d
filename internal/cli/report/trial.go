package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Trial is one task that a worker did by hand.
type Trial struct {
	Worker    string // "worker@version"
	Kind      string
	Isolation string // empty where the worker is not a program
	Task      json.RawMessage
	Took      time.Duration
	Ended     string // as in worker.Exchange
	Answer    []byte
	Result    chargehand.WorkerResult
	Failure   string // why there is no output for the gate; empty means that there is one
	Checked
}

// Accepted reports whether the gate would accept the output.
func (t *Trial) Accepted() bool {
	return t.Failure == "" && t.Verdict != nil && t.Verdict.Recommendation == chargehand.Accept
}

// Write writes the task, what came back, and what the gate says of it.
func (t *Trial) Write(w io.Writer, s Screen) error {
	d := drawing{Screen: s, Checked: &t.Checked}
	how := t.Kind
	if t.Isolation != "" {
		how += ", isolation: " + t.Isolation
	}
	d.section("WORKER", fmt.Sprintf("%s (%s)", term.Line(t.Worker), term.Line(how)))
	d.section("TASK", "")
	d.verbatim(t.Task)
	if t.Result.Stderr != "" {
		d.section("STDERR", "")
		d.verbatim([]byte(strings.TrimRight(t.Result.Stderr, "\n")))
	}
	d.section("ANSWER", fmt.Sprintf("%s after %s", cmp.Or(term.Line(t.Ended), "ended"), term.Span(t.Took)))
	d.verbatim(t.Answer)
	t.outcome(&d)
	_, err := io.WriteString(w, d.String())
	return err
}

// verbatim is text as it is, JSON indented.
func (d *drawing) verbatim(text []byte) {
	if len(text) == 0 {
		return
	}
	raw := d.Raw
	d.Raw = true
	d.content(text)
	d.Raw = raw
}

func (t *Trial) outcome(d *drawing) {
	if r := &t.Result; r.Status != "" {
		d.section("RESULT", fmt.Sprintf("%s, %s, %d tokens", r.Status, term.Money(r.Usage.USD), r.Usage.Tokens()))
		if r.Summary != "" {
			d.paragraph("SUMMARY", r.Summary)
		}
		for _, b := range r.Blockers {
			d.paragraph("BLOCKER", b)
		}
	}
	if t.Failure != "" {
		d.paragraph("FAILED", t.Failure)
		return
	}
	if len(t.Output) > 0 {
		d.section("OUTPUT", "")
		d.content(t.Output)
	}
	d.findings(t.Verdict.Issues)
	if t.Accepted() {
		d.section("VERDICT", "the gate would accept this output")
		return
	}
	d.paragraph("VERDICT", "the gate would not accept this output: "+spoken(strings.ToLower(string(t.Verdict.Recommendation))))
}
