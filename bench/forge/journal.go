package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/evidence"
	"github.com/chargehand/chargehand/worker"
)

// works are the true journals that forgeries are made of.
type works struct {
	dir    string
	closed image // at rest
	live   image // with a write-ahead log, as a killed process leaves it
	older  image // of the same journal, a run ago
	other  image // of another journal

	key   string    // the journal's public key
	pack  []byte    // of its last run
	key2  audit.Key // of somebody else
	rows  string    // all rows of closed, and of live
	rowsL string
	seen  []byte // its last checkpoint, as somebody far away has kept it
}

// An image is a data folder and its anchor, by path.
type image map[string][]byte

const (
	folder = "data"
	anchor = "anchor"
)

// build runs a real engine.
func build(ctx context.Context, dir string) (*works, error) {
	w := &works{dir: dir}
	var err error
	if w.key2, err = audit.NewKey("chargehand/journal/forger"); err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home")
	if err := w.live.fill(ctx, home, orders(2), nil); err != nil {
		return nil, err
	}
	if w.older, err = take(home); err != nil {
		return nil, err
	}
	err = w.live.fill(ctx, home, orders(2), func() error {
		w.live, err = take(home)
		return err
	})
	if err != nil {
		return nil, err
	}
	if w.closed, err = take(home); err != nil {
		return nil, err
	}
	elsewhere := filepath.Join(dir, "elsewhere")
	if err := w.other.fill(ctx, elsewhere, orders(3), nil); err != nil {
		return nil, err
	}
	if w.other, err = take(elsewhere); err != nil {
		return nil, err
	}
	w.key = strings.TrimSpace(string(w.closed[folder+"/key.pub"]))
	if err := w.export(ctx, home); err != nil {
		return nil, err
	}
	if w.rows, err = allRows(filepath.Join(home, folder)); err != nil {
		return nil, err
	}
	alive := filepath.Join(dir, "alive")
	if err := w.live.put(alive); err != nil {
		return nil, err
	}
	w.rowsL, err = allRows(filepath.Join(alive, folder))
	return w, err
}

// fill runs orders in a folder. before is called when all is done and covered, before the engine closes.
func (image) fill(ctx context.Context, home string, runs []chargehand.Order, before func() error) (err error) {
	e, err := local.Open(ctx, local.Options{
		Dir: filepath.Join(home, folder), Anchor: filepath.Join(home, anchor), Workers: workers,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for _, o := range runs {
		if err := oneRun(ctx, e, o); err != nil {
			return err
		}
	}
	if before == nil {
		return nil
	}
	return settled(ctx, home, before)
}

// settled calls f when the anchor has a checkpoint of every record.
func settled(ctx context.Context, home string, f func() error) error {
	for {
		r, err := local.Audit(ctx, filepath.Join(home, folder), local.AuditOptions{Anchor: filepath.Join(home, anchor)})
		if err != nil {
			return err
		}
		if r.Verdict == audit.Intact && r.Tail == nil {
			return f()
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// large is content that goes into a file of its own.
var large = strings.Repeat("The quick brown fox jumps over the lazy dog. ", 6000)

var workers = worker.Set{
	"reader": worker.Func(func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(`{"task":"` + t.TaskID + `","said":"` + strings.Repeat(t.RunID, 3) + `"}`)}, nil
	}),
	"doubter": worker.Func(func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		low := 0.3
		return chargehand.WorkerResult{Output: []byte(`{"sure":"` + t.RunID + `"}`), Confidence: &low}, nil
	}),
}

func orders(n int) (out []chargehand.Order) {
	for i := range n {
		out = append(out, order(i))
	}
	return out
}

func order(n int) chargehand.Order {
	t := chargehand.Team{Name: "forged", Workers: []chargehand.WorkerSpec{
		{WorkerID: "reader", Capabilities: []string{"read"}, AverageLatencyMS: 5000},
		{WorkerID: "doubter", Capabilities: []string{"doubt"}, AverageLatencyMS: 5000},
	}}
	p := &chargehand.Plan{}
	for i := range 5 {
		p.Subtasks = append(p.Subtasks, chargehand.Subtask{ID: fmt.Sprintf("s%d", i), Goal: "read", Capability: "read"})
	}
	p.Subtasks = append(p.Subtasks, chargehand.Subtask{ID: "doubt", Goal: "doubt", Capability: "doubt", Required: true})
	t.Planner.Template = p
	return chargehand.Order{
		Team: t, StartedBy: "sam",
		Objective: chargehand.Objective{Title: fmt.Sprint("run ", n), Goal: "read it", Documents: []chargehand.Document{
			{Name: "large.txt", Text: large + fmt.Sprint(n)}, {Name: "small.txt", Text: fmt.Sprint("a small one ", n)},
		}},
	}
}

// oneRun runs an order to its end; a person approves what is doubtful.
func oneRun(ctx context.Context, e *local.Engine, o chargehand.Order) error {
	run, err := e.Start(ctx, o)
	if err != nil {
		return err
	}
	var v chargehand.View
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return err
		}
		v.Apply(r)
		if f, ok := r.Fact.(chargehand.ReviewOpened); ok {
			d := chargehand.Decision{
				ReviewID: f.Review.ID, Approved: true, Approver: "ana", ContentHash: f.Review.ContentHash, Nonce: f.Review.Nonce, Comment: "it is so",
			}
			if _, err := e.Decide(ctx, d); err != nil {
				return err
			}
		}
	}
	if v.State != chargehand.RunCompleted {
		return fmt.Errorf("run %s ended as %s: %s", run, v.State, v.Why)
	}
	return ctx.Err()
}

// export makes the pack of the newest run.
func (w *works) export(ctx context.Context, home string) (err error) {
	l, err := local.LookAt(ctx, filepath.Join(home, folder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	runs, err := l.Runs(ctx, chargehand.Filter{Limit: 1})
	if err != nil {
		return err
	}
	src, err := l.Evidence(ctx, runs[0].RunID, filepath.Join(home, anchor))
	if err != nil {
		return err
	}
	w.seen = src.Checkpoint
	var b bytes.Buffer
	_, err = evidence.Write(ctx, &b, *src, evidence.Options{By: "iris"})
	w.pack = b.Bytes()
	return err
}

// take reads an image.
func take(home string) (image, error) {
	out := image{}
	return out, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, ".lock") {
			return err
		}
		rel, err := filepath.Rel(home, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
}

// put makes the image the content of a folder.
func (i image) put(home string) error {
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	for rel, b := range i {
		path := filepath.Join(home, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// sound checks that what is forged later verifies before.
func (w *works) sound(ctx context.Context) error {
	b := &bench{works: w, dir: filepath.Join(w.dir, "first")}
	for name, i := range map[string]image{"at rest": w.closed, "with a log": w.live} {
		if err := i.put(b.dir); err != nil {
			return err
		}
		r, err := b.audit(ctx)
		if err != nil {
			return fmt.Errorf("the journal %s: %w", name, err)
		}
		if r.Verdict != audit.Intact || r.Tail != nil {
			return fmt.Errorf("the journal %s does not verify: %+v", name, r.Findings)
		}
	}
	if w.live[folder+"/journal.db-wal"] == nil {
		return errors.New("there is no write-ahead log to forge")
	}
	if r := w.checkPack(w.pack); r.Verdict != audit.Intact {
		return fmt.Errorf("the pack does not verify: %+v", r.Findings)
	}
	return nil
}

func (w *works) checkPack(b []byte) *evidence.Report {
	return evidence.Verify(bytes.NewReader(b), int64(len(b)), evidence.Trust{Key: w.key})
}
