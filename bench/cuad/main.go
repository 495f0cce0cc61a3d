// Command cuad scores the contract-review team on annotated contracts of the public CUAD data set:
// how many quotes are right, how many annotated spans are found, how many contracts are told
// correctly to have a clause or not, and how many answers are right.
//
// It does so twice: with the gate, where every contract is a supervised run of one local engine
// (supervised.go), and without, where a plain caller believes what the same workers say first
// (plain.go). The second reader is scored by itself, and how its errors go together with those of
// the first (correlate.go).
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
		fmt.Fprintln(os.Stderr, "cuad:", err)
		os.Exit(1)
	}
}

// Options of the command line.
type options struct {
	json, misses, floor bool
	from, to            int // contracts, counted from 1; to 0 means the last there is
	data                string
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("cuad", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.misses, "misses", true, "list every annotation that was not found and every quote that is none")
	flags.BoolVar(&o.floor, "floor", false, "fail when a figure is below what is promised of all 40 contracts")
	flags.IntVar(&o.from, "from", 1, "first contract to score, counted from 1")
	flags.IntVar(&o.to, "to", 0, "last contract to score; 0 means the last there is")
	flags.StringVar(&o.data, "data", dataset(), "folder of the data set")
	return o, flags.Parse(args)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	contracts, err := load(o.data)
	if err != nil {
		return err
	}
	if contracts, err = part(contracts, o.from, o.to); err != nil {
		return err
	}
	r, err := measure(ctx, contracts)
	if err != nil {
		return err
	}
	if o.json {
		err = r.printJSON(out)
	} else {
		err = r.print(out, o.misses)
	}
	if err == nil && o.floor {
		err = r.belowFloor()
	}
	return err
}

// part is the contracts from one number to another, both included.
func part(contracts []contract, from, to int) ([]contract, error) {
	if to <= 0 || to > len(contracts) {
		to = len(contracts)
	}
	if from < 1 || from > to {
		return nil, fmt.Errorf("there are no contracts from %d to %d", from, to)
	}
	return contracts[from-1 : to], nil
}

// measure reads the contracts with and without the gate and scores both.
func measure(ctx context.Context, contracts []contract) (report, error) {
	begun := time.Now()
	runs, err := supervise(ctx, contracts)
	if err != nil {
		return report{}, fmt.Errorf("with the gate: %w", err)
	}
	supervised := time.Since(begun)
	begun = time.Now()
	first, second, err := callPlainly(ctx, contracts)
	if err != nil {
		return report{}, fmt.Errorf("without the gate: %w", err)
	}
	plain := time.Since(begun)
	s, err := newScores(contracts, runs, first, second)
	if err != nil {
		return report{}, fmt.Errorf("score: %w", err)
	}
	r := newReport(s)
	r.SupervisedMS, r.PlainMS = supervised.Milliseconds(), plain.Milliseconds()
	return r, nil
}
