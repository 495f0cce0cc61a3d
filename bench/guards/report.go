package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"
)

// A result says what the tests did without a guard.
type result string

const (
	red     result = "red"     // one failed: the guard is tested
	green   result = "green"   // none failed
	unclear result = "unclear" // they hang, or could not be run
)

// A row is a guard that was switched off.
type row struct {
	Guard   string  `json:"guard"`
	Promise string  `json:"promise"`
	At      string  `json:"at"`      // file and line of its mark
	Package string  `json:"package"` // of its tests
	Result  result  `json:"result"`
	By      string  `json:"by,omitempty"`     // the test that failed first
	Failed  int     `json:"failed,omitempty"` // tests and subtests that failed
	Why     string  `json:"why,omitempty"`    // it is not red
	Seconds float64 `json:"seconds"`
}

// A report is all rows.
type report struct {
	Guards  int     `json:"guards"`
	Red     int     `json:"red"`
	Green   int     `json:"green"`
	Unclear int     `json:"unclear"`
	Seconds float64 `json:"seconds"` // builds included
	Rows    []row   `json:"rows"`

	width int // of the names
}

func newReport(guards []guard) *report {
	r := &report{}
	for _, g := range guards {
		r.width = max(r.width, len(g.mark.Name))
	}
	return r
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

// broken is nil where every guard is tested.
func (r *report) broken() error {
	if r.Red == r.Guards {
		return nil
	}
	return fmt.Errorf("of %d guards no test misses %d, and %d are unclear", r.Guards, r.Green, r.Unclear)
}

func (r *report) printJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func (r *report) head(out io.Writer) {
	fmt.Fprintf(out, "%-*s  %-44s  %6s  %s\n", r.width, "guard", "red by", "s", "promise")
}

func (r *report) line(out io.Writer, x row) {
	by := x.By
	if x.Failed > 1 {
		by += fmt.Sprintf(" and %d", x.Failed-1)
	}
	if x.Result != red {
		by = "NOT RED: " + x.Why + ", see " + x.At
	}
	fmt.Fprintf(out, "%-*s  %-44s  %6.1f  %s\n", r.width, x.Guard, by, x.Seconds, x.Promise)
}

// foot repeats the rows that are not red, which stand far up by then.
func (r *report) foot(out io.Writer) {
	fmt.Fprintln(out)
	for _, x := range r.Rows {
		if x.Result != red {
			r.line(out, x)
		}
	}
	fmt.Fprintf(out, "%d guards switched off one at a time: %d red, %d green, %d unclear, %.0f s\n", r.Guards, r.Red, r.Green, r.Unclear, r.Seconds)
}

func (r *report) list(out io.Writer, guards []guard) {
	for _, g := range guards {
		fmt.Fprintf(out, "%-*s  %s: %s\n", r.width, g.mark.Name, g.mark.File, g.promise)
	}
}

// round is a duration in seconds, to a tenth.
func round(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }
