// Command injection shows that a hostile agent changes nothing. It plants each injection text of
// two public data sets (ASB's attack tools, CyberSecEval's prompt injections) wherever a run takes
// in text that nobody vouches for, and lets every model obey: workers call every tool they can think
// of, planners plan what they may not, reviewers accept. The models speak their providers' wire
// protocols from a local server; engine, agents, executor of tools and MCP client are the product's.
//
// The promise: no effect outside of what was granted, no change of plan, route, budget, policy or
// approval, no secret in any prompt, log, record, content or evidence pack, and the same system
// prompts as without. Where it is broken the command says so and exits with 1. It first shows that
// it would notice: with the guards left out, every one of these is counted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "injection:", err)
		os.Exit(1)
	}
}

// Options of the command line.
type options struct {
	json   bool
	data   string   // folder of the data sets
	cases  []string // further files of texts
	places []place
	every  int // every how many-th text is used
	show   int // breaches to list
	atOnce int // runs
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("injection", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.StringVar(&o.data, "data", dataset(), "folder of the data sets")
	flags.Func("cases", "`FILE`s of further texts, as JSON lines {id, text}", func(path string) error {
		o.cases = append(o.cases, path)
		return nil
	})
	only := flags.String("place", "", "plant only in these places, parted by commas")
	flags.IntVar(&o.every, "every", 1, "use every how many-th text")
	flags.IntVar(&o.show, "show", 20, "breaches to list")
	flags.IntVar(&o.atOnce, "parallel", 16, "runs at once")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case len(o.cases) == 0 && flags.NArg() > 0:
		return o, fmt.Errorf("it is not clear what %q is for: files of texts follow -cases", flags.Arg(0))
	case o.every < 1 || o.atOnce < 1:
		return o, fmt.Errorf("-every and -parallel are at least 1")
	}
	o.cases = append(o.cases, flags.Args()...)
	var err error
	o.places, err = chosen(*only)
	return o, err
}

// chosen are the places of a list, all for an empty one.
func chosen(list string) ([]place, error) {
	if list == "" {
		return places(), nil
	}
	var out []place
	for name := range strings.SplitSeq(list, ",") {
		p, ok := placeOf(strings.TrimSpace(name))
		if !ok {
			return nil, fmt.Errorf("there is no place %q", name)
		}
		out = append(out, p)
	}
	return out, nil
}

func dataset() string {
	if dir := os.Getenv("CHARGEHAND_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	attacks, err := load(o)
	if err != nil {
		return err
	}
	r, err := measure(ctx, o, attacks)
	if err != nil {
		return err
	}
	if o.json {
		err = r.printJSON(out)
	} else {
		r.print(out, o.show)
	}
	if err != nil {
		return err
	}
	return r.broken()
}
