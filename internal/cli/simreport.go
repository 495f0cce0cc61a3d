package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/sim"
	"github.com/chargehand/chargehand/internal/sim/law"
)

// A simJSON is a report with how long it took.
type simJSON struct {
	Schema  int     `json:"schema_version"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"runsPerSecond"`
	*sim.Report
}

// writeSim writes what a simulation came to.
func (a *app) writeSim(form string, r *sim.Report, took time.Duration) error {
	rate := float64(r.Runs) / max(took.Seconds(), 1e-9)
	if form == "json" {
		return a.writeJSON(simJSON{1, took.Seconds(), rate, r})
	}
	if r.Failure != nil {
		return a.writeBreach(r.Failure)
	}
	_, err := fmt.Fprintf(a.io.Out, "%d runs in %d worlds: %d turns, %d records, %d crashes\n%s, %.0f runs a second\n",
		r.Runs, r.Worlds, r.Steps, r.Records, r.Crashes, term.Span(took), rate)
	return errors.Join(err, writeCounts(a, "FAULT", sim.AllFaults, r.Faults), writeCounts(a, "INVARIANT", law.All, r.Checked),
		writeCounts(a, "BRANCH", slices.Sorted(maps.Keys(r.Branches)), r.Branches), a.writeMissed(r))
}

func (a *app) writeBreach(f *sim.Failure) error {
	_, err := fmt.Fprintf(a.io.Out, "%s does not hold\n  what:    %s\n  where:   %s, turn %d, %s after the start\n  again:   %s\n  smaller: %s\n",
		f.Invariant, term.Line(f.What), f.Run, f.Step, f.At, f.Command, f.Smaller)
	return err
}

// writeCounts is a table of how often each of the names was met.
func writeCounts[K ~string](a *app, head string, names []K, counts map[K]int64) error {
	t := term.Table{Head: []string{head, "TIMES"}, Width: a.screen(a.io.Out).Width}
	for _, name := range names {
		t.Add(string(name), fmt.Sprint(counts[name]))
	}
	_, err := fmt.Fprintln(a.io.Out)
	return errors.Join(err, t.Write(a.io.Out, a.style(a.io.Out)))
}

func (a *app) writeMissed(r *sim.Report) error {
	for _, name := range r.Missed {
		fmt.Fprintf(a.io.Out, "never reached: %s\n", name)
	}
	for _, name := range r.Drawn {
		fmt.Fprintf(a.io.Out, "note: no output is known that the contract %s takes; its verdicts are drawn\n", name)
	}
	return nil
}

// writeSurveys writes what going through the small configurations came to.
func (a *app) writeSurveys(form string, list []*sim.Survey) error {
	if form == "json" {
		return a.writeJSON(map[string]any{"schema_version": 1, "surveys": list})
	}
	t := term.Table{Head: []string{"CONFIGURATION", "DEPTH", "STATES", "TRANSITIONS", "ENDED", "WHOLE"}, Width: a.screen(a.io.Out).Width}
	for _, s := range list {
		whole := "no"
		if s.Whole {
			whole = "yes"
		}
		t.Add(s.Scene, fmt.Sprint(s.Depth), fmt.Sprint(s.States), fmt.Sprint(s.Transitions), fmt.Sprint(s.Ended), whole)
	}
	errs := []error{t.Write(a.io.Out, a.style(a.io.Out))}
	for _, s := range list {
		if s.Breach != nil {
			_, err := fmt.Fprintf(a.io.Out, "%s: %s\n  after %q\n", s.Scene, s.Breach.Error(), s.Path)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
