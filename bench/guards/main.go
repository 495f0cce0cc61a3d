// Command guards switches the product's guards off, one at a time, and demands that its tests
// notice: a guard that no test misses is a guard that may quietly go. Each row of its table names
// what a guard protects, the piece of source that is the guard, what that reads without it, and the
// tests that have to fail then. The change is made by "go test -overlay"; no file of the tree is
// touched, and the product knows nothing of it.
//
// The promise: every guard's tests pass while it stands, and at least one of them fails while it
// does not. Where that is broken, or where the table no longer fits the source, the command says so
// and exits with 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "guards:", err)
		os.Exit(1)
	}
}

// Options of the command line.
type options struct {
	json bool
	list bool
	name *regexp.Regexp // of the guards to switch off
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("guards", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.list, "list", false, "print the table, and run nothing")
	name := flags.String("run", "", "switch off only the guards whose name or file matches this regular expression")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.name, err = regexp.Compile(*name); err != nil {
		return o, fmt.Errorf("read -run: %w", err)
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	guards := chosen(o.name)
	if len(guards) == 0 {
		return fmt.Errorf("no guard matches %q; -list prints them all", o.name)
	}
	if o.list {
		list(out, guards)
		return nil
	}
	b, err := newBench(guards)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.prove(ctx); err != nil {
		return err
	}
	began := time.Now()
	r := report{}
	if !o.json {
		r.head(out, guards)
	}
	for row := range b.examine(ctx) {
		r.add(row)
		if !o.json {
			r.line(out, row)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r.Seconds = round(time.Since(began))
	if o.json {
		err = r.printJSON(out)
	} else {
		r.foot(out)
	}
	return errors.Join(err, r.broken())
}

// chosen are the guards of the table whose name or file matches.
func chosen(name *regexp.Regexp) []guard {
	var out []guard
	for _, g := range table() {
		if name.MatchString(g.name) || name.MatchString(g.path()) {
			out = append(out, g)
		}
	}
	return out
}
