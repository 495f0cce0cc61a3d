package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
)

// A tally counts what became of the forgeries.
type tally struct {
	Forgeries int     `json:"forgeries"`
	Seed      uint64  `json:"seed"`
	Found     int     `json:"found"`
	Harmless  int     `json:"harmless"` // changed nothing that is read
	Missed    int     `json:"missed"`
	Seconds   float64 `json:"seconds"`
	Classes   []*row  `json:"classes"`
	Allowed   []limit `json:"limits"`

	mu sync.Mutex
}

// A row is one class's figures.
type row struct {
	Class    string   `json:"class"`
	Total    int      `json:"total"`
	Found    int      `json:"found"`
	Located  int      `json:"located"` // a finding names the place that was altered, or the place that tells
	Harmless int      `json:"harmless"`
	Missed   []string `json:"missed,omitempty"`
}

func newTally(o options) *tally {
	t := &tally{Seed: o.seed}
	for _, c := range classes {
		t.Classes = append(t.Classes, &row{Class: c.name})
	}
	t.Classes = append(t.Classes, &row{Class: everyCell})
	return t
}

func (t *tally) add(class string, n int, r outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.Classes[slices.IndexFunc(t.Classes, func(r *row) bool { return r.Class == class })]
	row.Total++
	t.Forgeries++
	switch {
	case r.found:
		t.Found++
		row.Found++
		if r.located {
			row.Located++
		}
	case r.harmless:
		t.Harmless++
		row.Harmless++
	default:
		t.Missed++
		row.Missed = append(row.Missed, fmt.Sprintf("forgery %d: %s", n, r.note))
	}
}

// broken is the error where the promise does not hold.
func (t *tally) broken() error {
	var errs []error
	if t.Missed > 0 {
		errs = append(errs, fmt.Errorf("%d forgeries were not found", t.Missed))
	}
	for _, r := range t.Classes {
		if r.Located < r.Found {
			errs = append(errs, fmt.Errorf("%s: %d of %d that were found are not located", r.Class, r.Found-r.Located, r.Found))
		}
	}
	for _, l := range t.Allowed {
		if l.Found != l.Want {
			errs = append(errs, fmt.Errorf("%s: found is %t, and docs/audit.md says %t", l.Name, l.Found, l.Want))
		}
	}
	return errors.Join(errs...)
}

func (t *tally) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "made\tfound\tlocated\tharmless\tmissed\t")
	for _, r := range t.Classes {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t  %s\n", r.Total, r.Found, r.Located, r.Harmless, len(r.Missed), r.Class)
	}
	fmt.Fprintf(w, "%d\t%d\t\t%d\t%d\t  all, in %.0f s, seed %d\n", t.Forgeries, t.Found, t.Harmless, t.Missed, t.Seconds, t.Seed)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nharmless: a bit that is not read, or of bookkeeping that says nothing of runs. All other rows, all content, and the names and contents in a pack were compared and are the same")
	for _, l := range t.Allowed {
		word := "not found, as it cannot be"
		if l.Found {
			word = "found"
		}
		fmt.Fprintf(out, "%s: %s\n", l.Name, word)
	}
	for _, r := range t.Classes {
		for _, m := range r.Missed {
			fmt.Fprintf(out, "MISSED  %s, %s\n", r.Class, m)
		}
	}
	return nil
}
