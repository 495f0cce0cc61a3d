package local_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

// copyOf is a copy of a folder.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// putBack replaces a folder by another.
func putBack(t *testing.T, from, dir string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(from))); err != nil {
		t.Fatal(err)
	}
}

// used opens a folder, lets a run of three subtasks come to its end in it, and closes it.
func used(t *testing.T, opt local.Options) (run string) {
	t.Helper()
	opt.Workers = worker.Set{"w": echo}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	run = start(t, e, order(3, nil))
	until(t, e, run, ended)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return run
}

// refused opens a folder that must not be opened, and returns why not.
func refused(t *testing.T, opt local.Options) string {
	t.Helper()
	e, err := local.Open(t.Context(), opt)
	if err == nil {
		t.Fatal("it was opened", e.Close())
	}
	if chargehand.CodeOf(err) != chargehand.CodeAudit {
		t.Fatalf("it was refused with %v", err)
	}
	return err.Error()
}

func finding(r *audit.Report, kind audit.Kind) *audit.Finding {
	for i := range r.Findings {
		if r.Findings[i].Kind == kind {
			return &r.Findings[i]
		}
	}
	return nil
}

// TestRollbackIsRefused puts the data folder back as it was before the last run: the anchor knows
// better. A person may accept it, which stays on record.
//
//guard:rollback
func TestRollbackIsRefused(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), t.TempDir()
	opt := local.Options{Dir: dir, Anchor: anchor}
	used(t, opt)
	before := copyOf(t, dir)
	lost := used(t, opt)
	putBack(t, before, dir)

	if why := refused(t, opt); !strings.Contains(why, "AUDIT_ROLLBACK") || !strings.Contains(why, "anchor") {
		t.Errorf("it says %s", why)
	}
	r := verify(t, dir, local.AuditOptions{Anchor: anchor})
	if f := finding(r, audit.KindRollback); f == nil || f.Place != "anchor" || f.Leaf != r.Records {
		t.Errorf("the report: %s", say(r))
	}
	opt.AcceptRollback = true
	used(t, opt)
	opt.AcceptRollback = false
	used(t, opt)
	r = verify(t, dir, local.AuditOptions{Anchor: anchor})
	if r.Verdict != audit.Intact || !strings.HasSuffix(r.Origin, "/2") {
		t.Errorf("after it was accepted: %s", say(r))
	}
	for _, c := range r.Checks {
		if c.Name == "history" && (c.Status != audit.Warned || !strings.Contains(c.NotProved, "accepted")) {
			t.Errorf("the report does not tell that a rollback was accepted: %+v", c)
		}
	}
	if kept, err := filepath.Glob(filepath.Join(anchor, "*", "checkpoints.1")); err != nil || len(kept) != 1 {
		t.Errorf("the old checkpoints are kept as %v (%v)", kept, err)
	}
	l, err := local.LookAt(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context(), lost); chargehand.CodeOf(err) != chargehand.CodeNotFound {
		t.Errorf("the run that was rolled back: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestForkIsRefused lets two copies of a folder go different ways and puts one in the place of the
// other, once it is as long.
//
//guard:fork
func TestForkIsRefused(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), t.TempDir()
	opt := local.Options{Dir: dir, Anchor: anchor}
	used(t, opt)
	anchored := copyOf(t, anchor)
	fork := copyOf(t, dir)
	used(t, opt)
	used(t, local.Options{Dir: fork, Anchor: anchored})
	used(t, local.Options{Dir: fork, Anchor: anchored})
	putBack(t, fork, dir)
	if why := refused(t, opt); !strings.Contains(why, "differ from those it covers") {
		t.Errorf("it says %s", why)
	}
	r := verify(t, dir, local.AuditOptions{Anchor: anchor})
	if f := finding(r, audit.KindFork); f == nil || f.Place != "anchor" {
		t.Errorf("the report: %s", say(r))
	}
}

// TestJournalInThePlaceOfAnother begins the folder anew: nothing in it is wrong, but the anchor knows
// that it had another journal.
func TestJournalInThePlaceOfAnother(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), t.TempDir()
	opt := local.Options{Dir: dir, Anchor: anchor}
	used(t, opt)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	used(t, local.Options{Dir: dir})
	if why := refused(t, opt); !strings.Contains(why, "another journal of this folder") {
		t.Errorf("it says %s", why)
	}
	if r := verify(t, dir, local.AuditOptions{Anchor: anchor}); finding(r, audit.KindFork) == nil {
		t.Errorf("the report: %s", say(r))
	}
	opt.AcceptRollback = true
	used(t, opt)
	opt.AcceptRollback = false
	used(t, opt)
	if r := verify(t, dir, local.AuditOptions{Anchor: anchor}); r.Verdict != audit.Intact {
		t.Errorf("after it was accepted: %s", say(r))
	}
}

func TestWhatVouchesMayNotGo(t *testing.T) {
	remove := func(names ...string) func(*testing.T, string, string) {
		return func(t *testing.T, dir, journal string) {
			for _, name := range names {
				at := filepath.Join(dir, name)
				if home, ok := strings.CutPrefix(name, "anchor/"); ok {
					at = filepath.Join(journal, home)
				}
				if err := os.RemoveAll(at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, test := range []struct {
		name, says string
		do         func(t *testing.T, dir, journal string)
	}{
		{"the folder's checkpoints are gone", "the folder's checkpoint", remove("checkpoints")},
		{"the folder's checkpoints and key are gone", "the folder's checkpoint", remove("checkpoints", "key.pub")},
		{"the anchor's checkpoints are gone", "the anchor's checkpoint", remove("anchor/checkpoints")},
		{"the private key is gone", "the private key is not in", remove("anchor/key")},
		{"the anchor is gone", "the private key is not in", remove("anchor/.")},
		{"the journal is gone", "is not signed by the journal's key", remove("journal.db", "journal.db-wal", "journal.db-shm")},
		{"the checkpoints are empty", "there is no checkpoint in it", func(t *testing.T, dir, _ string) {
			if err := os.WriteFile(filepath.Join(dir, "checkpoints"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"the keys are others", "public key", func(t *testing.T, dir, journal string) {
			k, err := audit.NewKey("chargehand/journal/" + filepath.Base(journal))
			if err == nil {
				err = errors.Join(os.WriteFile(filepath.Join(journal, "key"), []byte(k.Secret()), 0o600),
					os.WriteFile(filepath.Join(journal, "key.pub"), []byte(k.Public()), 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, anchor := filepath.Join(t.TempDir(), "data"), t.TempDir()
			opt := local.Options{Dir: dir, Anchor: anchor}
			used(t, opt)
			journals, err := filepath.Glob(filepath.Join(anchor, "*"))
			if err != nil || len(journals) != 1 {
				t.Fatal(journals, err)
			}
			test.do(t, dir, journals[0])
			if why := refused(t, opt); !strings.Contains(why, test.says) {
				t.Errorf("it says %s, want %q in it", why, test.says)
			}
			if test.name != "the journal is gone" {
				if r := verify(t, dir, local.AuditOptions{Anchor: anchor}); r.Verdict != audit.Damaged && test.name != "the private key is gone" {
					t.Errorf("the report: %s", say(r))
				}
			}
			opt.AcceptRollback, opt.AcceptNewKey = true, true
			used(t, opt)
			opt.AcceptRollback, opt.AcceptNewKey = false, false
			used(t, opt)
			if r := verify(t, dir, local.AuditOptions{Anchor: anchor}); r.Verdict != audit.Intact {
				t.Errorf("after it was accepted: %s", say(r))
			}
		})
	}
}

// TestKeyMovesToTheAnchor opens a folder with an anchor that has been without: the key leaves the
// folder, and stays the same.
func TestKeyMovesToTheAnchor(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), t.TempDir()
	used(t, local.Options{Dir: dir})
	before := verify(t, dir, local.AuditOptions{})
	if !strings.Contains(say(before), "the signing key is in the folder") {
		t.Errorf("the report does not say where the key lies: %s", say(before))
	}
	used(t, local.Options{Dir: dir, Anchor: anchor})
	after := verify(t, dir, local.AuditOptions{Anchor: anchor, Keys: []string{before.Newest.Key}})
	if after.Verdict != audit.Intact || after.Newest.Key != before.Newest.Key {
		t.Errorf("the report: %s", say(after))
	}
	if _, err := os.Stat(filepath.Join(dir, "audit.key")); !os.IsNotExist(err) {
		t.Errorf("the key is still in the folder: %v", err)
	}
	if why := refused(t, local.Options{Dir: dir}); !strings.Contains(why, "the private key is not in") {
		t.Errorf("without the anchor it says %s", why)
	}
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Anchor: filepath.Join(dir, "anchor")})
	if chargehand.CodeOf(err) != chargehand.CodeInvalid {
		t.Errorf("an anchor in the folder: %v, %v", e, err)
	}
}

// TestFinalEffectWaitsForItsCheckpoint has work that cannot be done again, and an anchor that cannot
// be written to: it is not begun until the anchor is back. Work that only reads goes on.
//
//guard:checkpoint-first
func TestFinalEffectWaitsForItsCheckpoint(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "anchor")
	var begun atomic.Int64
	do := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		begun.Add(1)
		return echo(ctx, task)
	})
	missed := make(line, 1)
	e := open(t, local.Options{
		Dir: dir, Anchor: anchor, Workers: worker.Set{"w": do, "r": echo},
		Log: slog.New(slog.NewTextHandler(missed, nil)),
	})
	if err := os.Rename(anchor, anchor+".away"); err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, func(team *chargehand.Team) {
		team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "r", Capabilities: []string{"read"}, AverageLatencyMS: 5000})
		p := team.Planner.Template
		p.Subtasks[0].Effect = chargehand.EffectWrite
		p.Subtasks[0].TimeoutMS = 60_000
		p.Subtasks = append(p.Subtasks, chargehand.Subtask{ID: "reads", Goal: "do", Capability: "read"})
	}))
	select {
	case <-missed: // to write the checkpoint that it waits for
	case <-time.After(20 * time.Second):
		t.Error("nobody is told")
	}
	v := until(t, e, run, func(v *chargehand.View) bool { return v.Accepted == 1 && v.Rows[0].State == chargehand.SubtaskRunning })
	if n := begun.Load(); n != 0 {
		t.Errorf("without a checkpoint it was begun %d times, and stands at %s", n, v.Rows[0].State)
	}
	if err := os.Rename(anchor+".away", anchor); err != nil {
		t.Fatal(err)
	}
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted || begun.Load() != 1 {
		t.Errorf("the run came out as %s, begun %d times", v.State, begun.Load())
	}
	started := int64(0)
	for r, err := range e.Records(t.Context(), run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := r.Fact.(chargehand.AttemptStarted); ok && f.Subtask == "s0" {
			started = r.Seq
		}
	}
	if started == 0 {
		t.Error("there is no record of its start")
	}
}

// TestFinalEffectThatMayNotBegin has no anchor until the deadline: nothing was done, and the record
// says so.
func TestFinalEffectThatMayNotBegin(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "anchor")
	var begun atomic.Int64
	do := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		begun.Add(1)
		return echo(ctx, task)
	})
	e := open(t, local.Options{Dir: dir, Anchor: anchor, Workers: worker.Set{"w": do}})
	if err := os.Rename(anchor, anchor+".away"); err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, func(team *chargehand.Team) {
		team.Workers[0].FailurePolicy.MaxAttempts, team.Workers[0].AverageLatencyMS = 1, 100
		s := &team.Planner.Template.Subtasks[0]
		s.Effect, s.TimeoutMS = chargehand.EffectWrite, 500
	}))
	v := until(t, e, run, needsHuman)
	a := v.Rows[0].Attempts[0]
	if begun.Load() != 0 || v.Rows[0].State != chargehand.SubtaskNeedsHuman || !strings.Contains(a.Message, "nothing was done") {
		t.Errorf("begun %d times, it stands at %s: %s", begun.Load(), v.Rows[0].State, a.Message)
	}
	if err := os.Rename(anchor+".away", anchor); err != nil {
		t.Fatal(err)
	}
}

// TestUncoveredRecordsAreBounded has an anchor that cannot be written to, and a run with more to record
// than may go uncovered: it stands still in time, and ends once the anchor is back.
func TestUncoveredRecordsAreBounded(t *testing.T) {
	const subtasks, at = 4_000, 10 // of them at once
	anchor := filepath.Join(t.TempDir(), "anchor")
	var begun atomic.Int64
	do := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		begun.Add(1)
		return echo(ctx, task)
	})
	told := make(line, 1)
	e := open(t, local.Options{
		Dir: filepath.Join(t.TempDir(), "data"), Anchor: anchor, Workers: worker.Set{"w": do},
		Log: slog.New(slog.NewTextHandler(told, nil)),
	})
	if err := os.Rename(anchor, anchor+".away"); err != nil {
		t.Fatal(err)
	}
	hear := func(what string) {
		t.Helper()
		select {
		case <-told:
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody is told that %s", what)
		}
	}
	until(t, e, start(t, e, order(1, nil)), ended)
	hear("checkpoints fail")
	run := start(t, e, order(subtasks, func(team *chargehand.Team) {
		team.Workers[0].MaxConcurrentTasks, team.Policy.RunConcurrency = at, at
		for i := range team.Planner.Template.Subtasks {
			team.Planner.Template.Subtasks[i].TimeoutMS = 120_000
		}
	}))
	hear("too much is uncovered")
	for n := int64(-1); n != begun.Load(); time.Sleep(300 * time.Millisecond) {
		n = begun.Load()
	}
	v, err := e.Run(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if v.State.Final() || v.Seq > local.MaxUncovered*11/10 {
		t.Errorf("it went on to record %d, %d begun", v.Seq, begun.Load())
	}
	if err := os.Rename(anchor+".away", anchor); err != nil {
		t.Fatal(err)
	}
	if v = until(t, e, run, ended); v.State != chargehand.RunCompleted || begun.Load() != 1+subtasks {
		t.Errorf("the run came out as %s: %s, %d begun", v.State, v.Why, begun.Load())
	}
}

// TestRunThatWasChangedIsLeftAlone changes one record of a run that is under way: that run is not
// taken up, another is.
func TestRunThatWasChangedIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	release := make(chan struct{})
	slow := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		select {
		case <-release:
			return echo(ctx, task)
		case <-ctx.Done():
			return chargehand.WorkerResult{}, ctx.Err()
		}
	})
	opt := local.Options{Dir: dir, Workers: worker.Set{"w": slow}}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for range 2 {
		run := start(t, e, order(1, nil))
		until(t, e, run, func(v *chargehand.View) bool { return len(v.Rows) > 0 && v.Rows[0].State == chargehand.SubtaskRunning })
		runs = append(runs, run)
	}
	if err := local.ForgeRecord(t.Context(), e, runs[0], 2, `"plan_asked"`, `"plan_eaten"`); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	close(release)
	e = open(t, opt)
	if v := until(t, e, runs[1], ended); v.State != chargehand.RunCompleted {
		t.Errorf("the other run came out as %s", v.State)
	}
	err = e.Control(t.Context(), runs[0], chargehand.Control{Verb: chargehand.Cancel, By: "olu"})
	if chargehand.CodeOf(err) != chargehand.CodeAudit || !strings.Contains(err.Error(), "record 2 of "+runs[0]) {
		t.Errorf("the run that was changed: %v", err)
	}
	r := verify(t, dir, local.AuditOptions{})
	if f := finding(r, audit.KindAltered); f == nil || f.Run != runs[0] || f.Seq != 2 || f.At.IsZero() {
		t.Errorf("the report: %s", say(r))
	}
}

// TestRunWithAMissingRecordIsNotShown takes some of a run's records away: the hashes of the others
// are right, and still the run is not shown as if they were all.
func TestRunWithAMissingRecordIsNotShown(t *testing.T) {
	for where, which := range map[string]string{"in the middle": "offset 1", "at the beginning": ""} {
		dir := t.TempDir()
		run := used(t, local.Options{Dir: dir})
		if err := local.ForgeFile(t.Context(), dir, `delete from segment where id = (select id from segment where run = '`+run+`' order by first limit 1 `+which+`)`); err != nil {
			t.Fatal(err)
		}
		l, err := local.LookAt(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Run(t.Context(), run); chargehand.CodeOf(err) != chargehand.CodeAudit {
			t.Errorf("with records missing %s: %v", where, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckpointsFollow has a run begin every 300 ms and wait for a person, so that records come all
// the time and no run ends: no checkpoint leaves out a record that is a second old, and when nothing
// happens any more all are covered. The time is virtual.
func TestCheckpointsFollow(t *testing.T) {
	const tick, between, runs = 50 * time.Millisecond, 300 * time.Millisecond, 6
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		e := open(t, local.Options{Dir: dir, Workers: worker.Set{"w": doubtful}})
		uncovered := false
		for now := time.Duration(0); now < runs*between; now += tick {
			if now%between == 0 {
				until(t, e, start(t, e, order(1, nil)), needsHuman)
			}
			age := oldest(t, dir)
			if uncovered = uncovered || age > 0; age > time.Second {
				t.Fatalf("%s after the start the oldest record that no checkpoint covers is %s old", now, age)
			}
			time.Sleep(tick)
		}
		if !uncovered {
			t.Error("all was covered all the time: nothing was shown")
		}
		time.Sleep(time.Second)
		if r := verify(t, dir, local.AuditOptions{}); r.Verdict != audit.Intact || r.Tail != nil {
			t.Error(say(r))
		}
	})
}

// oldest is the age of the first record that no checkpoint covers; zero if all are covered.
func oldest(t *testing.T, dir string) (age time.Duration) {
	t.Helper()
	r := verify(t, dir, local.AuditOptions{})
	if r.Verdict != audit.Intact {
		t.Fatal(say(r))
	}
	if r.Tail != nil {
		for _, s := range r.Tail.Streams {
			age = max(age, time.Since(s.At))
		}
	}
	return age
}

// TestCheckpointAtARunsEnd: an ended run waits for no second to go by. The time is virtual.
func TestCheckpointAtARunsEnd(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		e := open(t, local.Options{Dir: dir, Workers: worker.Set{"w": echo}})
		time.Sleep(2 * time.Second) // what was written at the start is covered
		until(t, e, start(t, e, order(1, nil)), ended)
		time.Sleep(200 * time.Millisecond)
		if r := verify(t, dir, local.AuditOptions{}); r.Verdict != audit.Intact || r.Tail != nil {
			t.Error(say(r))
		}
	})
}
