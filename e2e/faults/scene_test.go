package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/crashpoint"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
)

// A scene is one data folder with the world around it, and what has happened to them.
type scene struct {
	root  string
	world reference.World
	kills int
	last  string // label of the point where the process was killed last; empty for a random moment
}

// newScene makes a scene in a folder that the caller removes.
func newScene() (*scene, error) {
	root, err := os.MkdirTemp(programs.dir, "scene-")
	if err != nil {
		return nil, err
	}
	w, err := reference.Made(filepath.Join(root, "world"))
	return &scene{root: root, world: w}, err
}

func (s *scene) data() string { return filepath.Join(s.root, "data") }

func (s *scene) strike() error { return os.RemoveAll(s.root) }

// An ending is what a victim writes when it was left alone.
type ending struct {
	Result chargehand.Result `json:"result"`
	Points []string          `json:"points"`
}

// runTo runs the victim until it passes a point, as crashpoint.Env names it, or until moment if that
// is not zero; the ending is nil if it was killed.
func (s *scene) runTo(program, point string, moment time.Duration) (*ending, error) {
	if err := s.remember(); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, s.data(), s.world.Dir)
	cmd.Env = append(os.Environ(), crashpoint.Env+"="+point)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if moment > 0 {
		kill := time.AfterFunc(moment, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == -1:
		s.kills++
		s.last = lastLine(errs.String())
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the victim ended with %w: %s", err, errs.Bytes())
	}
	var e ending
	return &e, json.Unmarshal(out.Bytes(), &e)
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// remember puts into the diary which calls are finished: what a call came to is durable. None of
// them may be made again from here on. It reads a copy, since even reading tidies a journal up.
func (s *scene) remember() error {
	copied := filepath.Join(s.root, "copy")
	defer os.RemoveAll(copied)
	if err := os.CopyFS(copied, os.DirFS(s.data())); err != nil {
		return ignoreMissing(err)
	}
	l, err := local.LookAt(context.Background(), copied)
	if err != nil {
		return nil // killed before there was a journal to read
	}
	defer l.Close()
	runs, err := l.Runs(context.Background(), chargehand.Filter{})
	if err != nil {
		return err
	}
	for _, run := range runs {
		for r, err := range l.Records(context.Background(), run.RunID, 0, false) {
			if err != nil {
				return err
			}
			for _, call := range finished(r.Fact) {
				if err := s.world.Note("finished %s", call); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// finished names the call that a fact is the answer of.
func finished(f chargehand.Fact) []string {
	switch f := f.(type) {
	case chargehand.PlanAdopted:
		return []string{"planner 1"}
	case chargehand.OutputChecked:
		return []string{fmt.Sprintf("%s %d", f.Subtask, f.Attempt)}
	case chargehand.AttemptFailed:
		return []string{fmt.Sprintf("%s %d", f.Subtask, f.Attempt)}
	case chargehand.Judged:
		return []string{fmt.Sprintf("judge of %s %d", f.Subtask, f.Attempt)}
	}
	return nil
}

// A finding is what became of a run that was killed and taken up.
type finding struct {
	doubt   bool // the write without a key was in doubt, and a person was asked
	resumed int  // attempts that were pursued again
	records int
}

// settle takes the run up in this process with the engine as it is shipped, drives it to its end
// and compares everything with what was to be expected.
func (s *scene) settle(ctx context.Context, want expected) (f finding, err error) {
	if err := s.remember(); err != nil {
		return f, err
	}
	e, err := local.Open(ctx, reference.Options(s.data(), s.world))
	if err != nil {
		return f, fmt.Errorf("take up: %w", err)
	}
	defer func() {
		if err = errors.Join(err, e.Close()); err == nil {
			err = s.vouchedFor(ctx)
		}
	}()
	r, err := s.world.Drive(ctx, e)
	if err != nil {
		return f, err
	}
	records, err := collect(ctx, e, r.RunID)
	if err != nil {
		return f, err
	}
	f = found(records)
	return f, errors.Join(
		want.compare(r, f.doubt), e.Replay(ctx, r.RunID), s.nothingLost(records), s.nothingTwice(records), idle(ctx, e), sound(s.data()),
	)
}

// vouchedFor wants that the folder and the anchor say the same of every record, and leave none out.
func (s *scene) vouchedFor(ctx context.Context) error {
	r, err := local.Audit(ctx, s.data(), local.AuditOptions{Anchor: s.world.Anchor()})
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if r.Verdict != audit.Intact || r.Tail != nil || len(r.Findings) > 0 {
		return fmt.Errorf("it does not verify: %s, %+v, uncovered %+v", r.Verdict, r.Findings, r.Tail)
	}
	return nil
}

// holds reports whether the diary has a line.
func (s *scene) holds(line string) bool {
	diary, err := s.world.Diary()
	return err == nil && slices.Contains(diary, line)
}

// records are those of the run, read without owning the folder.
func (s *scene) records(ctx context.Context) ([]chargehand.Record, error) {
	l, err := local.LookAt(ctx, s.data())
	if err != nil {
		return nil, err
	}
	defer l.Close()
	runs, err := l.Runs(ctx, chargehand.Filter{})
	if err != nil || len(runs) != 1 {
		return nil, fmt.Errorf("runs %v: %w", runs, err)
	}
	return collect(ctx, l, runs[0].RunID)
}

func collect(ctx context.Context, e chargehand.Reader, run string) ([]chargehand.Record, error) {
	var all []chargehand.Record
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func found(records []chargehand.Record) (f finding) {
	f.records = len(records)
	for _, r := range records {
		switch fact := r.Fact.(type) {
		case chargehand.AttemptResumed:
			f.resumed++
		case chargehand.ReviewOpened:
			f.doubt = f.doubt || fact.Review.Cause == chargehand.CauseUnknown
		}
	}
	return f
}

// nothingLost holds the diary against the journal: every record that was shown, every run that was
// started and every decision that was taken must stand in it.
func (s *scene) nothingLost(records []chargehand.Record) error {
	diary, err := s.world.Diary()
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for i, r := range records {
		line, err := reference.Line(r)
		if err != nil {
			return err
		}
		if r.Seq != int64(i+1) {
			return fmt.Errorf("record %d of the journal has the number %d", i+1, r.Seq)
		}
		if i > 0 && r.At.Before(records[i-1].At) {
			return fmt.Errorf("record %d is of %s, the one before of %s", r.Seq, r.At, records[i-1].At)
		}
		kept[line], kept["started "+r.Run] = true, true
		if d, ok := r.Fact.(chargehand.ReviewDecided); ok {
			kept[fmt.Sprintf("decided %s %v", d.Decision.ReviewID, d.Decision.Approved)] = true
		}
	}
	for _, line := range diary {
		verb, _, _ := strings.Cut(line, " ")
		if (verb == "record" || verb == "started" || verb == "decided") && !kept[line] {
			return fmt.Errorf("%q was acknowledged and is not in the journal", line)
		}
	}
	return nil
}

// nothingTwice wants that no finished call was made again, that the effect with a key happened
// once, and the one without at most once, and exactly once where it was not in doubt.
func (s *scene) nothingTwice(records []chargehand.Record) error {
	diary, err := s.world.Diary()
	if err != nil {
		return err
	}
	over := map[string]bool{}
	for _, line := range diary {
		verb, call, _ := strings.Cut(line, " ")
		switch {
		case verb == "finished":
			over[call] = true
		case verb == "begin" && over[call]:
			return fmt.Errorf("the finished call %q was made again", call)
		}
	}
	answers := map[string]int{}
	for _, r := range records {
		for _, call := range finished(r.Fact) {
			if answers[call]++; answers[call] > 1 {
				return fmt.Errorf("the call %q has two answers in the journal", call)
			}
		}
	}
	booked, err := s.world.Booked()
	if err == nil && booked != 1 {
		err = fmt.Errorf("the effect with a key happened %d times", booked)
	}
	printed, perr := s.world.Printed()
	if perr == nil && (printed > 1 || printed == 0 && !found(records).doubt) {
		perr = fmt.Errorf("the effect without a key happened %d times", printed)
	}
	return errors.Join(err, perr)
}

// idle wants that no worker is held by anybody once all is done.
func idle(ctx context.Context, e chargehand.Reader) error {
	fleet, err := e.Fleet(ctx)
	for _, w := range fleet {
		if w.Active > 0 || w.Queued > 0 {
			err = errors.Join(err, fmt.Errorf("worker %s has %d leases and %d asks after the run's end", w.Worker, w.Active, w.Queued))
		}
	}
	return err
}

// expected are the results of the run when nothing happens to it, and when a person had to settle
// the write without a key.
type expected struct{ calm, doubtful chargehand.Result }

func (x *expected) compare(r *chargehand.Result, doubt bool) error {
	want := &x.calm
	if doubt {
		want = &x.doubtful
	}
	if r.ResultHash == want.ResultHash && r.Status == want.Status && r.ResultHash != "" {
		return nil
	}
	return fmt.Errorf("in doubt %v: %s with gaps %v, output %s (%s)", doubt, r.Status, r.Gaps, r.Output,
		cmp.Diff(want.Gaps, r.Gaps))
}
