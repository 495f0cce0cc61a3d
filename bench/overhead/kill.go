package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/chargehand/chargehand/bench/overhead/host"
	"github.com/chargehand/chargehand/engine/local"
)

// A trial is one run whose process is killed about half-way and taken up by another.
type trial struct {
	Answered  int     `json:"answered"`      // calls that had their answer when the process was killed
	Kept      int     `json:"kept"`          // of these, in the journal: finished
	KeptAgain int     `json:"keptAgain"`     // finished calls that were made again
	Again     int     `json:"answeredAgain"` // calls that had their answer and were made again
	Calls     int     `json:"calls"`         // of both processes together
	Resumed   float64 `json:"resumed_ms"`    // from the start of the second process to its end
}

// trials kills as many runs of n subtasks, each after a few calls more than the one before.
func trials(ctx context.Context, n, times int) ([]trial, error) {
	w := workloads["W1"]
	w.subtasks = n
	half := int(w.calls()) / 2
	var list []trial
	for i := range times {
		t, err := newTrial(ctx, w, max(1, half+(i-times/2)*max(1, half/20)))
		if err != nil {
			return nil, fmt.Errorf("trial %d: %w", i+1, err)
		}
		list = append(list, t)
	}
	return list, nil
}

func newTrial(ctx context.Context, w workload, after int) (t trial, err error) {
	dir, err := host.Folder("overhead")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data := filepath.Join(dir, "data")
	before, later := filepath.Join(dir, "before"), filepath.Join(dir, "later")
	if err := spawn(ctx, w, victim{data, before, after}); err == nil {
		return t, errors.New("the first process was not killed")
	} else if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != -1 {
		return t, err
	}
	kept, err := keptIn(ctx, data)
	if err != nil {
		return t, err
	}
	begun := time.Now()
	if err := spawn(ctx, w, victim{data, later, 0}); err != nil {
		return t, fmt.Errorf("the second process: %w", err)
	}
	t.Resumed = round(milliseconds(time.Since(begun)), 1)
	return t, t.count(before, later, kept)
}

// spawn carries the run out in a process of its own.
func spawn(ctx context.Context, w workload, v victim) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-victim", v.dir, "-calls", v.calls, "-last", strconv.Itoa(v.last), w.name, strconv.Itoa(w.subtasks))
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func keptIn(ctx context.Context, dir string) (kept map[string]bool, err error) {
	look, err := local.LookAt(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, look.Close()) }()
	return finishedCalls(ctx, look)
}

func (t *trial) count(before, later string, kept map[string]bool) error {
	first, err := readCalls(before)
	if err != nil {
		return err
	}
	second, err := readCalls(later)
	if err != nil {
		return err
	}
	t.Answered, t.Kept = len(first), len(kept)
	for key, n := range first {
		t.Calls += n
		if second[key] > 0 {
			t.Again++
		}
	}
	for key, n := range second {
		t.Calls += n
		if kept[key] {
			t.KeptAgain++
		}
	}
	for key := range kept {
		if first[key] == 0 {
			return fmt.Errorf("the journal holds an answer to %q, which was not asked", key)
		}
	}
	return nil
}

// readCalls counts the calls in a file by what they were.
func readCalls(file string) (map[string]int, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	calls := map[string]int{}
	for line := range strings.Lines(string(b)) {
		calls[strings.TrimSuffix(line, "\n")]++
	}
	return calls, err
}

// printTrials writes the table, and answers an error where a finished call was made again.
func printTrials(w io.Writer, list []trial, asJSON bool) error {
	again := 0
	for _, t := range list {
		again += t.KeptAgain
	}
	var broken error
	if again > 0 {
		broken = fmt.Errorf("%d finished calls were made again", again)
	}
	if asJSON {
		return errors.Join(json.NewEncoder(w).Encode(map[string]any{"trials": list, "finishedCallsMadeAgain": again}), broken)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "answered before the kill\tof these finished\tfinished made again\tanswered made again\tcalls in all\tresumed ms\t")
	for _, r := range list {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%.0f\t\n", r.Answered, r.Kept, r.KeptAgain, r.Again, r.Calls, r.Resumed)
	}
	return errors.Join(t.Flush(), broken)
}
