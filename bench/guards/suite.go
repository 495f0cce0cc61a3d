package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// limit is how long the tests of one guard may take. Hanging is not failing: where the tests of a
// guard hang without it, they are to say what is wrong instead.
const limit = 3 * time.Minute

// A suite is what a run of tests came to.
type suite struct {
	passed, failed []string // tests and subtests, as they ended
	skipped        []string
	running        string // the test that began last
	noBuild        bool
	hung           bool
	broke          bool   // the process ended otherwise than by its tests
	said           string // what the go command had to say
}

// test runs tests of one package, with an overlay unless it is empty.
func test(ctx context.Context, root, pkg string, tests []string, overlay string) (suite, error) {
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout=" + limit.String(), "-run=" + pattern(tests)}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	var out, words bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &words
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return suite{}, context.Cause(ctx)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return suite{}, fmt.Errorf("run go test: %w", err)
	}
	s, bad := read(out.Bytes())
	if bad != nil {
		return suite{}, fmt.Errorf("read what go test says of %s: %w (%s)", pkg, bad, clip(words.String()))
	}
	s.said = strings.TrimSpace(s.said + words.String())
	s.broke = err != nil && len(s.failed) == 0 && !s.noBuild && !s.hung
	return s, nil
}

// An event is a line of go test -json.
type event struct {
	Action, Test, Output, FailedBuild string
}

func read(out []byte) (suite, error) {
	var s suite
	for line := range bytes.Lines(out) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return s, err
		}
		switch {
		case e.Action == "build-output":
			s.said += e.Output
		case e.Action == "build-fail", e.FailedBuild != "":
			s.noBuild = true
		case e.Action == "output" && strings.HasPrefix(e.Output, "panic: test timed out"):
			s.hung = true
		case e.Test == "":
		case e.Action == "run":
			s.running = e.Test
		case e.Action == "pass":
			s.passed = append(s.passed, e.Test)
		case e.Action == "fail":
			s.failed = append(s.failed, e.Test)
		case e.Action == "skip":
			s.skipped = append(s.skipped, e.Test)
		}
	}
	return s, nil
}

// unfit says why a package's tests cannot judge a guard; empty: all of them were run, and pass.
func (s *suite) unfit(tests []string) string {
	switch {
	case s.noBuild:
		return "it does not build: " + clip(s.said)
	case s.hung:
		return "its tests hang"
	case s.broke:
		return "its tests break off: " + clip(s.said)
	case len(s.failed) > 0:
		return s.failed[0] + " fails"
	}
	for _, t := range tests {
		t = strings.ReplaceAll(t, " ", "_") // as subtests are called
		switch {
		case slices.Contains(s.skipped, t):
			return t + " is skipped here"
		case !slices.Contains(s.passed, t):
			return "there is no " + t
		}
	}
	return ""
}

// clip is the beginning of what a program said, on one line.
func clip(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
