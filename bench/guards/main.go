// Command guards switches the guards of the product off, one at a time, and demands that a test
// fails. A guard is the statement that keeps a promise to the user. A comment "//guard:NAME" marks
// it in the code, and the same comment marks the tests that have to fail without it; promises.txt
// states the promise. Package mutant describes the comments.
//
// Each package with marked tests is built once, by "go test -overlay". An environment variable then
// chooses the guard that is off, so no file of the tree is touched. All marked tests pass while every
// guard is on, and at least one fails while its guard is off. Otherwise, and where a name has no
// promise, no marked statement or no test, the command says so and exits with 1.
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
	"slices"
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
	json  bool
	list  bool
	times int
	name  *regexp.Regexp // of the guards to switch off
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("guards", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.list, "list", false, "print the guards, and run nothing")
	flags.IntVar(&o.times, "times", 1, "switch each guard off so many times, and demand that a test fails every time")
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
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	all, err := find(root)
	if err != nil {
		return err
	}
	guards := slices.DeleteFunc(slices.Clone(all), func(g guard) bool {
		return !o.name.MatchString(g.mark.Name) && !o.name.MatchString(g.mark.File)
	})
	if len(guards) == 0 {
		return fmt.Errorf("no guard matches %q; -list prints them all", o.name)
	}
	r := newReport(guards)
	if o.list {
		r.list(out, guards)
		return nil
	}
	b, err := newBench(root, all)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	began := time.Now()
	if err := b.prove(ctx, guards); err != nil {
		return err
	}
	if !o.json {
		r.head(out)
	}
	for row := range b.examine(ctx, guards, max(1, o.times)) {
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
