// Command supervision measures what it costs to have models supervised: the same work is done by a
// plain caller that believes its models, by the engine with the gate, and by the engine with gate and
// reviewer. The models answer after a fixed time, at real prices, over their provider's wire from a
// local server.
//
// The promises: a reviewer of a cheaper tier takes at most 15 % of what the workers cost; no output
// is handed over that misquotes; the ledger says what the provider billed, call by call; and the
// reviewer is never in the way of independent work. Where one is broken the command says so and
// exits with 1. Times are printed, and nothing depends on them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "supervision:", err)
		os.Exit(1)
	}
}

// Options of the command line.
type options struct {
	json     bool
	work     time.Duration // of a worker's call
	review   time.Duration // of a reviewer's call
	subtasks int
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("supervision", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.DurationVar(&o.work, "work", 400*time.Millisecond, "how long a worker's call takes")
	flags.DurationVar(&o.review, "review", 200*time.Millisecond, "how long a reviewer's call takes")
	flags.IntVar(&o.subtasks, "n", 20, "subtasks, at most 99")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.subtasks < 1 || o.subtasks > 99 {
		return o, fmt.Errorf("-n is from 1 to 99")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	r, err := measure(ctx, o)
	if err != nil {
		return err
	}
	if o.json {
		err = r.printJSON(out)
	} else {
		r.print(out)
	}
	if err != nil {
		return err
	}
	return r.broken()
}

// measure does the work in every way.
func measure(ctx context.Context, o options) (*report, error) {
	r := &report{Subtasks: o.subtasks, WorkMS: o.work.Milliseconds(), ReviewMS: o.review.Milliseconds()}
	for _, way := range []way{
		{name: "plain caller", sections: usualSections},
		{name: "gate", sections: usualSections, supervised: true},
		{name: "gate and reviewer", sections: usualSections, supervised: true, reviewer: cheapModel},
	} {
		row, err := way.perform(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", way.name, err)
		}
		r.Rows = append(r.Rows, row)
	}
	for _, s := range []struct {
		sections int
		model    string
	}{{usualSections / 4, cheapModel}, {usualSections * 4, cheapModel}, {usualSections, workModel}} {
		w := way{name: "gate and reviewer", sections: s.sections, supervised: true, reviewer: s.model}
		row, err := w.perform(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("%d sections, reviewed by %s: %w", s.sections, s.model, err)
		}
		r.Others = append(r.Others, row)
	}
	var err error
	if r.Path, err = travel(ctx); err != nil {
		return nil, fmt.Errorf("hold the reviewer back: %w", err)
	}
	return r, nil
}
