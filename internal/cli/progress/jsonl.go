package progress

import (
	"io"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A JSONL writes one JSON object a line for each record. seq counts in its run, so that a reader
// that lost the stream can go on where it was.
type JSONL struct{ out io.Writer }

// NewJSONL writes to out.
func NewJSONL(out io.Writer) *JSONL { return &JSONL{out} }

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
	// A log that cannot be written must not stop the run.
	_ = term.WriteJSON(j.out, line{
		1, rec.Seq, rec.At.UTC().Format(chargehand.TimeLayout), e.Level, e.Name, e.Run, e.Subtask, e.Attempt, rec.Fact,
	})
}

// Tick implements Renderer.
func (j *JSONL) Tick(time.Time) {}

// Say implements Renderer: programs read records.
func (j *JSONL) Say(string) {}

// Close implements Renderer.
func (j *JSONL) Close() {}

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
