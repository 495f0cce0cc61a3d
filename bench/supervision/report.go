package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/chargehand/chargehand"
)

// mostShare is what a reviewer of a cheaper tier may cost of what the workers do (SPEC.md ·66).
const mostShare = 0.15

// A report is everything the command measures.
type report struct {
	Subtasks int    `json:"subtasks"`
	WorkMS   int64  `json:"workMs"`
	ReviewMS int64  `json:"reviewMs"`
	Rows     []*row `json:"rows"`   // plain, with the gate, with gate and reviewer
	Others   []*row `json:"others"` // other documents, another reviewer
	Path     *path  `json:"path"`
	Broken   bool   `json:"broken"`
}

// broken is the promises that do not hold, nil if all do.
func (r *report) broken() error {
	var all []error
	fail := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	plain, reviewed := r.Rows[0], r.Rows[len(r.Rows)-1]
	if reviewed.Reviews == 0 || reviewed.Share > mostShare {
		fail("%d reviews cost %.1f %% of the work, the most is %.0f %%", reviewed.Reviews, 100*reviewed.Share, 100*mostShare)
	}
	again := 0
	for n := range r.Subtasks {
		if wrong(n, 1) {
			again++
		}
	}
	if plain.Calls != r.Subtasks || plain.Wrong != again {
		fail("the plain caller made %d calls and handed %d misquotes over, want %d and %d: the comparison is none", plain.Calls, plain.Wrong, r.Subtasks, again)
	}
	for _, o := range append(r.Rows[1:], r.Others...) {
		all = append(all, o.fault(r.Subtasks, again)...)
	}
	if p := r.Path; p.Before != p.Independent || p.Waited != p.Dependants {
		fail("%d of %d independent subtasks began before the first verdict, %d of %d dependants waited for theirs", p.Before, p.Independent, p.Waited, p.Dependants)
	}
	return errors.Join(all...)
}

// fault is what is wrong with a supervised row.
func (r *row) fault(subtasks, again int) []error {
	var all []error
	if r.Wrong > 0 {
		all = append(all, fmt.Errorf("%s: %d misquotes were handed over", r.Way, r.Wrong))
	}
	want := subtasks + again
	if r.Reviewer != "" {
		want += subtasks
	}
	if r.Calls != want || r.Attempts != subtasks+again {
		all = append(all, fmt.Errorf("%s: %d calls and %d attempts, want %d and %d", r.Way, r.Calls, r.Attempts, want, subtasks+again))
	}
	for _, phase := range []string{forWork, forReview} {
		if r.Ledger[phase] != r.ByPhase[phase] {
			all = append(all, fmt.Errorf("%s: the ledger has $%s for %s, the provider billed $%s", r.Way, r.Ledger[phase], phase, r.ByPhase[phase]))
		}
	}
	return all
}

func (r *report) printJSON(out io.Writer) error {
	r.Broken = r.broken() != nil
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// print writes the report for people, at most 120 columns wide.
func (r *report) print(out io.Writer) {
	fmt.Fprintf(out, "%d subtasks, %d at once; a worker's call takes %d ms, a reviewer's %d; every tenth first answer misquotes\n\n",
		r.Subtasks, atOnce, r.WorkMS, r.ReviewMS)
	const heads = "%-18s %-18s %6s %6s %8s %8s %9s %9s %9s %7s %6s %6s\n"
	fmt.Fprintf(out, heads, "", "reviewed by", "KB", "calls", "tokens", "tokens", "workers", "reviewer", "all", "share", "wrong", "ms")
	fmt.Fprintf(out, heads, "", "", "", "", "in", "out", "$", "$", "$", "", "", "")
	for _, list := range [][]*row{r.Rows, r.Others} {
		for _, o := range list {
			fmt.Fprintf(out, "%-18s %-18s %6d %6d %8d %8d %9s %9s %9s %6.1f%% %6d %6d\n", o.Way, o.Reviewer, o.Bytes>>10, o.Calls, o.Input, o.Output,
				usd(o.ByPhase[forWork]), usd(o.ByPhase[forReview]), usd(o.Billed), 100*o.Share, o.Wrong, o.WallMS)
		}
		fmt.Fprintln(out)
	}
	plain := r.Rows[0]
	for _, o := range r.Rows[1:] {
		fmt.Fprintf(out, "%s beside the plain caller: calls × %.2f, tokens × %.2f, dollars × %.2f, time × %.2f\n", o.Way,
			ratio(int64(o.Calls), int64(plain.Calls)), ratio(o.Input+o.Output, plain.Input+plain.Output),
			ratio(int64(o.Billed), int64(plain.Billed)), ratio(o.WallMS, plain.WallMS))
	}
	p := r.Path
	fmt.Fprintf(out, "\nreviewer held back until all work that needs no verdict was begun, %d subtasks at once:\n"+
		"%d of %d independent subtasks began before the first verdict; %d of %d dependants waited for theirs\n",
		narrow, p.Before, p.Independent, p.Waited, p.Dependants)
}

func usd(m chargehand.Micros) string { return fmt.Sprintf("%.4f", float64(m)/float64(chargehand.USD)) }

func ratio(a, b int64) float64 { return float64(a) / float64(max(1, b)) }
