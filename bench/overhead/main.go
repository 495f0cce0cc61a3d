// Command overhead measures what supervision costs: whole runs whose models are stubs, on the
// engine as it is, with gate, judge, ledger and journal on.
//
//	go run ./bench/overhead W1 100
//
// A run (workload.go) is one call of a planner, n of workers, one review of each output, a second
// attempt with the reviewer's feedback for every tenth subtask, and one synthesis over all accepted
// outputs. The answers (model.go) are held to a contract with a schema, a rule, a required aspect
// and a grounded quote; that an altered one is refused is shown first (proof.go).
//
// Beside the engine (engine.go) stand two floors (floor.go): the same run in bare Go, and the same
// with every state change in SQLite.
package main

import (
	"context"
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
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	switch {
	case o.proof:
		return prove(ctx)
	case o.victim.dir != "":
		return o.victim.run(ctx, o.workload)
	case o.kill > 0:
		list, err := trials(ctx, o.kill, o.trials)
		if err != nil {
			return err
		}
		return printTrials(out, list, o.json)
	case o.compare > 0:
		c, err := compare(ctx, o, os.Stderr)
		if err != nil {
			return err
		}
		return c.print(out, o.json)
	}
	return o.measure(ctx, out)
}

// measure prints the row of one workload, after the proof that the contract holds.
func (o options) measure(ctx context.Context, out io.Writer) error {
	begun := time.Now()
	if o.peer == "chargehand" && !o.proven {
		if err := proveApart(ctx); err != nil {
			return err
		}
	}
	row, err := measure(ctx, o, time.Since(begun))
	if err != nil {
		return err
	}
	return row.print(out)
}
