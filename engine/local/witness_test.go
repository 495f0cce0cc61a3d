package local_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

// onlooker is a witness that is away until it is let in, and believes nothing without a proof.
type onlooker struct {
	here atomic.Bool
	key  note.Signer

	asked int // while it was away

	mu   sync.Mutex
	seen audit.Checkpoint
	most int // proofs it was shown
}

func newOnlooker(t *testing.T) *onlooker {
	t.Helper()
	k, err := audit.NewKey("witness.example")
	if err != nil {
		t.Fatal(err)
	}
	secret, _, _ := strings.Cut(k.Secret(), "\n")
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	return &onlooker{key: signer}
}

func (o *onlooker) Cosign(ctx context.Context, msg []byte, prove local.Prover) ([]byte, error) {
	if !o.here.Load() {
		o.asked++
		switch o.asked % 3 { // it is away, or it lies
		case 0:
			return msg, nil
		case 1:
			return append([]byte("garbage\n"), msg...), nil
		}
		return nil, errors.New("nobody is there")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	text, _, _ := bytes.Cut(msg, []byte("\n\n"))
	c, err := audit.ParseCheckpoint(string(text) + "\n")
	if err != nil {
		return nil, err
	}
	hashes, err := prove(ctx, o.seen.Size)
	if err != nil {
		return nil, err
	}
	if o.seen.Size > 0 {
		var proof tlog.TreeProof
		for _, h := range hashes {
			proof = append(proof, h)
		}
		if err := tlog.CheckTree(proof, c.Size, c.Root, o.seen.Size, o.seen.Root); err != nil {
			return nil, err
		}
		o.most++
	}
	o.seen = c
	sig, err := note.Sign(&note.Note{Text: string(text) + "\n"}, o.key)
	if err != nil {
		return nil, err
	}
	_, line, _ := bytes.Cut(sig, []byte("\n\n"))
	return append(bytes.Clone(msg), line...), nil
}

// TestWitnessSignsFirst has work that cannot be done again and a witness that is away: it is not
// begun until the witness has signed, and the checkpoints show that.
func TestWitnessSignsFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	var begun atomic.Int64
	w := newOnlooker(t)
	do := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if !w.here.Load() {
			t.Error("it was begun before the witness had signed")
		}
		begun.Add(1)
		return echo(ctx, task)
	})
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Witness: w, Workers: worker.Set{"w": do, "r": echo}})
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, func(team *chargehand.Team) {
		team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "r", Capabilities: []string{"read"}, AverageLatencyMS: 5000})
		p := team.Planner.Template
		p.Subtasks[0].Effect, p.Subtasks[0].TimeoutMS = chargehand.EffectWrite, 60_000
		p.Subtasks = append(p.Subtasks, chargehand.Subtask{ID: "reads", Goal: "do", Capability: "read"})
	}))
	until(t, e, run, func(v *chargehand.View) bool { return v.Accepted == 1 })
	if n := begun.Load(); n != 0 {
		t.Errorf("without the witness it was begun %d times", n)
	}
	w.here.Store(true)
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted || begun.Load() != 1 {
		t.Errorf("the run came out as %s, begun %d times", v.State, begun.Load())
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	r := verify(t, dir, local.AuditOptions{})
	if r.Verdict != audit.Intact || w.seen.Size != r.Records || w.most == 0 {
		t.Errorf("the witness saw %d of %d records, and %d proofs", w.seen.Size, r.Records, w.most)
	}
	_, notes, err := audit.OpenTrail(filepath.Join(dir, "checkpoints"))
	if err != nil || !bytes.Contains(notes[len(notes)-1], []byte("— witness.example ")) {
		t.Errorf("the last checkpoint is not the witness's: %s (%v)", notes[len(notes)-1], err)
	}
}
