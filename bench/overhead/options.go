package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Options of the command line.
type options struct {
	workload workload
	peer     string
	reps     int // zero: as many as fit into the budget
	profile  string
	compare  int           // rounds of the comparison; zero: none
	patience time.Duration // how long to wait for a quiet machine before each measurement of a comparison
	kill     int           // subtasks of the runs to kill; zero: none
	trials   int
	victim   victim
	json     bool
	proof    bool // nothing but the proof
	proven   bool // elsewhere already
	fsyncs   bool
}

const usage = `usage: overhead [flags] WORKLOAD [N]
       overhead -compare ROUNDS
       overhead -kill N

W1, W3, W3-strict   one run of N subtasks (100), models that answer at once, repeated
W2                  50 concurrent runs of 10 subtasks, models that take 20 ms, 50 slots

`

func parse(args []string, errs io.Writer) (options, error) {
	var o options
	var queue string
	flags := flag.NewFlagSet("overhead", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() { fmt.Fprint(errs, usage); flags.PrintDefaults() }
	flags.StringVar(&o.peer, "peer", "chargehand", "who runs it: chargehand, floor or durable-floor")
	flags.StringVar(&queue, "queue", "", "order in which runs get workers: fair, oldest, deadline or priority")
	flags.IntVar(&o.reps, "reps", 0, "repetitions; 0 means as many as fit into BENCH_BUDGET_MS")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the repetitions to this file")
	flags.BoolVar(&o.proof, "prove", false, "show that an altered output is refused, and nothing else")
	flags.BoolVar(&o.proven, "proven", false, "do not show it first")
	flags.BoolVar(&o.fsyncs, "fsyncs", true, "count fsyncs in a process of its own, where strace is there")
	flags.IntVar(&o.compare, "compare", 0, "measure everything in this many rounds, beside the floors, and weigh it")
	flags.DurationVar(&o.patience, "patience", 0, "with -compare: wait this long at most, before each measurement, for the machine to be quiet")
	flags.IntVar(&o.kill, "kill", 0, "kill runs of this many subtasks half-way, and count the calls that are made again")
	flags.IntVar(&o.trials, "trials", 10, "with -kill: how many runs")
	flags.BoolVar(&o.json, "json", false, "with -compare or -kill: print one JSON object")
	flags.StringVar(&o.victim.dir, "victim", "", "with -kill, for its processes: carry one run out in this folder")
	flags.StringVar(&o.victim.calls, "calls", "", "with -victim: the file to write calls to")
	flags.IntVar(&o.victim.last, "last", 0, "with -victim: the call after which to be killed")
	words, err := parseAll(flags, args)
	if err != nil || o.proof || o.compare > 0 || o.kill > 0 {
		return o, err
	}
	o.workload, err = newWorkload(words)
	o.workload.queue = queue
	return o, err
}

// parseAll reads flags wherever they stand and answers the words between them.
func parseAll(flags *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return words, nil
		}
		words, args = append(words, flags.Arg(0)), flags.Args()[1:]
	}
}

func newWorkload(words []string) (workload, error) {
	if len(words) < 1 || len(words) > 2 {
		return workload{}, errors.New("want a workload and its number of subtasks, such as W1 100")
	}
	w, ok := workloads[words[0]]
	switch {
	case !ok:
		return w, fmt.Errorf("there is no workload %q: name one of W1, W2, W3, W3-strict", words[0])
	case len(words) == 1 || w.runs > 1:
		return w, nil
	}
	n, err := strconv.Atoi(words[1])
	if err != nil || n < 1 || n > mostSubtasks {
		return w, fmt.Errorf("%q is no number of subtasks from 1 to %d", words[1], mostSubtasks)
	}
	w.subtasks = n
	return w, nil
}
