package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A report is everything the command measures.
type report struct {
	Seed      uint64  `json:"seed"`
	Contracts trial   `json:"contracts"`
	Sums      sums    `json:"calculations"`
	Unseen    []blind `json:"unseen"`
	Broken    bool    `json:"broken"`
}

// leastSums is how many altered calculations there must be.
const leastSums = 1000

// broken is the promises that do not hold, nil if all do.
func (r *report) broken(o options) error {
	var all []error
	for _, t := range []struct {
		name  string
		trial trial
		least int
	}{{"contracts", r.Contracts, o.altered}, {"calculations", r.Sums.trial, leastSums}} {
		truth, altered := sum(t.trial.True), sum(t.trial.Altered)
		if n := altered.Accepted; n > 0 {
			all = append(all, fmt.Errorf("%s: %d altered outputs are accepted", t.name, n))
		}
		if n := len(t.trial.Slips) - altered.Accepted; n > 0 {
			all = append(all, fmt.Errorf("%s: %d true outputs are not accepted", t.name, n))
		}
		if truth.Made == 0 || altered.Made < t.least {
			all = append(all, fmt.Errorf("%s: %d true and %d altered outputs were made, want %d altered", t.name, truth.Made, altered.Made, t.least))
		}
		for _, c := range t.trial.Altered {
			if c.Made == 0 {
				all = append(all, fmt.Errorf("%s: nothing was altered by %q", t.name, c.Kind))
			}
		}
	}
	return errors.Join(all...)
}

func (r *report) printJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// print writes the report for people, at most 120 columns wide but for broken promises.
func (r *report) print(out io.Writer, show int) {
	printTrial(out, "Reviews of contracts (CUAD), through the contract-review team's own contract", r.Contracts, show)
	printTrial(out, "Answers worked out from tables (TAT-QA)", r.Sums.trial, show)
	fmt.Fprintf(out, "%d of %d questions of arithmetic can be put as steps over cited cells. The others:\n", r.Sums.Expressed, r.Sums.Questions)
	for _, why := range slices.Sorted(maps.Keys(r.Sums.NotExpressed)) {
		fmt.Fprintf(out, "  %4d  %s\n", r.Sums.NotExpressed[why], why)
	}
	fmt.Fprintf(out, "\nWhat the gate cannot see: right calculations of something that was not asked\n\n")
	for _, c := range r.Sums.Unseen {
		printCount(out, "  ", c)
	}
	fmt.Fprintf(out, "\nWhat the gate sees in part: true quotes and honest searches that miss the point. Accepted are those that it\n"+
		"passes by the contract's expected words, and would pass without them; read twice, of the first, those that\n"+
		"the other reader answers too; exposed, of these, those where the two disagree on the record.\n\n")
	fmt.Fprintf(out, "  %-42s %-14s %5s %9s %14s %11s %8s\n", "", "told by", "made", "accepted", "without words", "read twice", "exposed")
	for _, b := range r.Unseen {
		fmt.Fprintf(out, "  %-42s %-14s %5d %9d %14d %11d %8d\n", b.Kind, b.Liar, b.Made, b.Accepted, b.Wordless, b.Twice, b.Exposed)
	}
}

func printTrial(out io.Writer, title string, t trial, show int) {
	fmt.Fprintf(out, "%s\n\n%-42s %8s %9s %9s %7s\n", title, "", "made", "accepted", "rejected", "asked")
	for _, part := range []struct {
		name string
		list []count
	}{{"true", t.True}, {"altered", t.Altered}} {
		for _, c := range part.list {
			printCount(out, "  ", c)
		}
		total := sum(part.list)
		total.Kind = part.name
		printCount(out, "", total)
		fmt.Fprintln(out)
	}
	for i, s := range t.Slips {
		if i == show {
			fmt.Fprintf(out, "… and %d more\n\n", len(t.Slips)-i)
			break
		}
		fmt.Fprintf(out, "BROKEN %s: %s %s\n\n", s.Kind, s.What, s.Why)
	}
}

func printCount(out io.Writer, indent string, c count) {
	fmt.Fprintf(out, "%-42s %8d %9d %9d %7d\n", indent+c.Kind, c.Made, c.Accepted, c.Rejected, c.Asked)
}
