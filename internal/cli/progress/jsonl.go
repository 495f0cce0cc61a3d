package progress

import (
	"io"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A JSONL writes one JSON object a line for each record. seq counts in its run, so that a reader
// that lost the stream can go on where it was.
type JSONL struct {
	out  io.Writer
	said passages
}

var _ Hearer = (*JSONL)(nil)

// NewJSONL writes to out.
func NewJSONL(out io.Writer) *JSONL {
	j := &JSONL{out: out}
	j.said.tell = j.passage
	return j
}

// A line is what a program reads.
type line struct {
	SchemaVersion int             `json:"schema_version"`
	Seq           int64           `json:"seq"`
	Time          string          `json:"ts"`
	Level         Level           `json:"level"`
	Type          string          `json:"type"`
	Run           string          `json:"run"`
	Subtask       string          `json:"subtask,omitempty"`
	Attempt       int             `json:"attempt,omitempty"`
	Data          chargehand.Fact `json:"data"`
}

// Record implements Renderer.
func (j *JSONL) Record(r *Run, rec chargehand.Record) {
	e := describe(&r.View, rec)
	j.said.before(r, &e)
	// A log that cannot be written must not stop the run.
	_ = term.WriteJSON(j.out, line{
		1, rec.Seq, rec.At.UTC().Format(chargehand.TimeLayout), e.Level, e.Name, e.Run, e.Subtask, e.Attempt, rec.Fact,
	})
}

// A spoken is what a program reads of a worker's text. It has no number and no data, and its types are
// those of no record: nothing is decided by it.
type spoken struct {
	SchemaVersion int    `json:"schema_version"`
	Provisional   bool   `json:"provisional"` // always true
	Time          string `json:"ts"`
	Type          string `json:"type"`
	Run           string `json:"run"`
	Subtask       string `json:"subtask,omitempty"`
	Attempt       int    `json:"attempt,omitempty"`
	Offset        int64  `json:"offset"`         // bytes that the attempt's worker had said before
	Lost          int64  `json:"lost,omitempty"` // of them right before, those that are left out
	Text          string `json:"text,omitempty"`
	Why           string `json:"why,omitempty"` // the rest is left out
}

// The types of a spoken.
const (
	typeText     = "provisional_text"
	typeTextLost = "provisional_text_lost"
)

// Heard implements Hearer.
func (j *JSONL) Heard(r *Run, t *chargehand.Token) { j.said.add(r, t) }

// Unheard implements Hearer.
func (j *JSONL) Unheard(r *Run, why error) {
	j.said.close(func(p *passage) bool { return p.run == r })
	j.speak(spoken{Type: typeTextLost, Run: r.ID, Why: why.Error()})
}

func (j *JSONL) passage(p *passage) {
	j.speak(spoken{
		Type: typeText, Run: p.run.ID, Subtask: p.Subtask, Attempt: p.Attempt,
		Offset: p.offset, Lost: p.lost, Text: string(p.text),
	})
}

func (j *JSONL) speak(s spoken) {
	s.SchemaVersion, s.Provisional, s.Time = 1, true, time.Now().UTC().Format(chargehand.TimeLayout)
	_ = term.WriteJSON(j.out, s)
}

// Tick implements Renderer.
func (j *JSONL) Tick(now time.Time) { j.said.age(now) }

// Say implements Renderer: programs read records.
func (j *JSONL) Say(string) {}

// Close implements Renderer.
func (j *JSONL) Close() { j.said.close(all) }

// Quiet shows nothing.
type Quiet struct{}

// Record implements Renderer.
func (Quiet) Record(*Run, chargehand.Record) {}

// Tick implements Renderer.
func (Quiet) Tick(time.Time) {}

// Say implements Renderer.
func (Quiet) Say(string) {}

// Close implements Renderer.
func (Quiet) Close() {}
