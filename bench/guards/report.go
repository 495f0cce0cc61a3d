package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"
)

// A result is what came of switching a guard off.
type result string

const (
	red     result = "red"     // a test failed: the guard is guarded
	green   result = "green"   // none did
	unclear result = "unclear" // the table is wrong: it does not build, or hangs
)

// A row is a guard that was switched off.
type row struct {
	Guard    string  `json:"guard"`
	Protects string  `json:"protects"`
	File     string  `json:"file"`
	Package  string  `json:"package"` // whose tests were run
	Result   result  `json:"result"`
	By       string  `json:"by,omitempty"`     // the test that failed first
	Failed   int     `json:"failed,omitempty"` // tests and subtests that failed
	Why      string  `json:"why,omitempty"`    // it is not red
	Seconds  float64 `json:"seconds"`
}

// A report is all rows.
type report struct {
	Guards  int     `json:"guards"`
	Red     int     `json:"red"`
	Green   int     `json:"green"`
	Unclear int     `json:"unclear"`
	Seconds float64 `json:"seconds"` // of switching off, the runs with all guards in place left out
	Rows    []row   `json:"rows"`

	width, by int // of columns
}

func (r *report) add(x row) {
	r.Rows = append(r.Rows, x)
	r.Guards++
	switch x.Result {
	case red:
		r.Red++
	case green:
		r.Green++
	case unclear:
		r.Unclear++
	}
}

// broken is the error of a broken promise.
func (r *report) broken() error {
	if r.Red == r.Guards {
		return nil
	}
	return fmt.Errorf("%d of %d guards: no test misses %d, and the table is wrong about %d", r.Guards-r.Red, r.Guards, r.Green, r.Unclear)
}

func (r *report) printJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func (r *report) head(out io.Writer, guards []guard) {
	for _, g := range guards {
		r.width = max(r.width, len(g.name))
	}
	r.by = 44
	fmt.Fprintf(out, "%-*s  %-*s  %6s  %s\n", r.width, "guard", r.by, "red by", "s", "what it protects")
}

func (r *report) line(out io.Writer, x row) {
	by := x.By
	if x.Failed > 1 {
		by += fmt.Sprintf(" and %d", x.Failed-1)
	}
	if x.Result != red {
		by = "NOT RED: " + x.Why
	}
	fmt.Fprintf(out, "%-*s  %-*s  %6.1f  %s\n", r.width, x.Guard, r.by, by, x.Seconds, x.Protects)
}

// foot repeats what is wrong, which is far up by then.
func (r *report) foot(out io.Writer) {
	fmt.Fprintln(out)
	for _, x := range r.Rows {
		if x.Result != red {
			r.line(out, x)
		}
	}
	fmt.Fprintf(out, "%d guards switched off one at a time: %d red, %d green, %d unclear, %.0f s\n", r.Guards, r.Red, r.Green, r.Unclear, r.Seconds)
}

// list prints the guards without running anything.
func list(out io.Writer, guards []guard) {
	width := 0
	for _, g := range guards {
		width = max(width, len(g.name))
	}
	for _, g := range guards {
		fmt.Fprintf(out, "%-*s  %s: %s\n", width, g.name, g.path(), g.protects)
	}
}

// round is a duration in seconds, to a tenth.
func round(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }
