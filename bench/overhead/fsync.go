package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// countFsyncs is how often one run syncs to disk, counted by strace in processes that do nothing
// else; nil and a remark where there is no strace. What opening and closing costs is taken off.
func countFsyncs(ctx context.Context, o options) (*float64, error) {
	if o.peer == "floor" {
		return nil, nil
	}
	if _, err := exec.LookPath("strace"); err != nil {
		return nil, errors.New("fsyncs not counted: there is no strace")
	}
	reps := max(1, 1000/(o.workload.subtasks*o.workload.runs))
	few, err := tracedFsyncs(ctx, o, reps)
	if err != nil {
		return nil, fmt.Errorf("fsyncs not counted: %w", err)
	}
	many, err := tracedFsyncs(ctx, o, 3*reps)
	if err != nil {
		return nil, fmt.Errorf("fsyncs not counted: %w", err)
	}
	n := float64(many-few) / float64(2*reps*o.workload.runs)
	return &n, nil
}

// tracedFsyncs is how often a process of this program syncs that makes a number of passes, the
// first one not counted among them.
func tracedFsyncs(ctx context.Context, o options, reps int) (n int, err error) {
	dir, err := os.MkdirTemp("", "overhead-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	counts := filepath.Join(dir, "counts")
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	args := []string{
		"-f", "--seccomp-bpf", "-c", "-U", "name,calls", "-e", "trace=fsync,fdatasync", "-o", counts,
		self, "-proven", "-fsyncs=false", "-peer", o.peer, "-queue", o.workload.queue, "-reps", strconv.Itoa(reps),
		o.workload.name, strconv.Itoa(o.workload.subtasks),
	}
	if out, err := exec.CommandContext(ctx, "strace", args...).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	return readCounts(counts)
}

// readCounts adds up strace's table of system calls.
func readCounts(file string) (int, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	sum := 0
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && (f[0] == "fsync" || f[0] == "fdatasync") {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				return 0, fmt.Errorf("read strace's counts: %w", err)
			}
			sum += n
		}
	}
	return sum, nil
}
