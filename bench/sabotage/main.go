// Command sabotage measures what the gate lets pass. It takes outputs that are true (what lawyers
// marked in the contracts of the public CUAD data set, what analysts worked out from the tables of
// TAT-QA), alters them in named ways, and puts both through gate.Check, the door that every output
// of a run goes through.
//
// The promise: no altered output is accepted, and every true one is. Where it is broken the command
// says so and exits with 1. What a deterministic gate cannot see is counted and printed too, with
// what the second reader of the contract-review team exposes of it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sabotage:", err)
		os.Exit(1)
	}
}

// Options of the command line.
type options struct {
	json    bool
	altered int    // of contracts, at least
	seed    uint64 // of all that is drawn
	data    string // folder of the data sets
	show    int    // broken promises to list
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("sabotage", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.IntVar(&o.altered, "n", 5000, "altered outputs about contracts to make, at least")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the alterations")
	flags.IntVar(&o.show, "show", 20, "broken promises to list")
	flags.StringVar(&o.data, "data", dataset(), "folder of the data sets")
	return o, flags.Parse(args)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	r := report{Seed: o.seed}
	contracts, err := load(o.data)
	if err != nil {
		return err
	}
	if r.Contracts, err = testContracts(contracts, o); err != nil {
		return fmt.Errorf("alter contract reviews: %w", err)
	}
	if r.Sums, err = testSums(o); err != nil {
		return fmt.Errorf("alter calculations: %w", err)
	}
	if r.Unseen, err = testBlind(ctx, contracts); err != nil {
		return fmt.Errorf("tell what cannot be seen: %w", err)
	}
	broken := r.broken(o)
	r.Broken = broken != nil
	if o.json {
		if err := r.printJSON(out); err != nil {
			return err
		}
	} else {
		r.print(out, o.show)
	}
	return broken
}
