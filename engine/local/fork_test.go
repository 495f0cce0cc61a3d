package local_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/journal"
	"github.com/chargehand/chargehand/worker"
)

// A tally is a worker that remembers the keys of its calls.
type tally struct {
	mu   sync.Mutex
	keys []string
}

func (c *tally) work(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys = append(c.keys, t.IdempotencyKey)
	return chargehand.WorkerResult{Output: []byte(`{"task":"` + t.TaskID + `"}`)}, nil
}

// of are the subtasks that were called for a run, in order.
func (c *tally) of(run string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, k := range c.keys {
		if id, ok := strings.CutPrefix(k, run+"/"); ok {
			out = append(out, strings.TrimSuffix(id, "/1"))
		}
	}
	return out
}

// chain is an order for n subtasks, each of which waits for the one before.
func chain(n int, change func(*chargehand.Team)) chargehand.Order {
	o := order(n, change)
	p := o.Team.Planner.Template
	for i := 1; i < n; i++ {
		p.Subtasks[i].Deps = []string{fmt.Sprintf("s%d", i-1)}
	}
	return o
}

func records(t *testing.T, e *local.Engine, run string) []chargehand.Record {
	t.Helper()
	var all []chargehand.Record
	for r, err := range e.Records(t.Context(), run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func lines(t *testing.T, all []chargehand.Record) []string {
	t.Helper()
	var out []string
	for _, r := range all {
		line, err := journal.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	return out
}

// TestForkFromEveryRecord forks a run that has ended at each of its records, opens the folder anew in
// between, and wants every fork to do what was left, and nothing else.
func TestForkFromEveryRecord(t *testing.T) {
	const n = 3
	dir, calls := t.TempDir(), &tally{}
	opt := local.Options{Dir: dir, Workers: worker.Set{"w": worker.Func(calls.work)}}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	o := chain(n, nil)
	o.Key = "only-once"
	parent := start(t, e, o)
	whole := until(t, e, parent, ended)
	want := lines(t, records(t, e, parent))
	var forks []string
	for seq := int64(1); seq < whole.Seq; seq++ {
		fork, err := e.Fork(t.Context(), parent, chargehand.Fork{Seq: seq, By: "ana"})
		if err != nil {
			t.Fatalf("at record %d: %v", seq, err)
		}
		forks = append(forks, fork)
		if seq%4 != 0 {
			continue // some are closed in the middle of their work
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if e, err = local.Open(t.Context(), opt); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { e.Close() })
	for i, fork := range forks {
		v := until(t, e, fork, ended)
		if v.State != chargehand.RunCompleted || v.ResultHash != whole.ResultHash || v.StartedBy != "ana" {
			t.Errorf("the fork at record %d came to %s %s, %s by %s", i+1, v.State, v.Why, v.ResultHash, v.StartedBy)
		}
		all := records(t, e, fork)
		p := all[0].Fact.(chargehand.RunStarted).Parent
		if p == nil || p.Run != parent || p.Seq < int64(i+1) || p.Hash != leafHash(want[p.Seq-1]) {
			t.Errorf("the fork at record %d names its parent %+v", i+1, p)
			continue
		}
		left := []string{"s0", "s1", "s2"}
		for _, r := range all[:p.Seq] {
			if f, ok := r.Fact.(chargehand.SubtaskEnded); ok {
				left = slices.DeleteFunc(left, func(id string) bool { return id == f.Subtask })
			}
		}
		did := slices.Compact(calls.of(fork)) // one that was closed in the middle of a call makes it again
		if d := cmp.Diff(left, append([]string{}, did...)); d != "" {
			t.Errorf("what the fork at record %d did (-left +done):\n%s", i+1, d)
		}
		if err := e.Replay(t.Context(), fork); err != nil {
			t.Errorf("replay of the fork at record %d: %v", i+1, err)
		}
	}
	if d := cmp.Diff(want, lines(t, records(t, e, parent))); d != "" {
		t.Errorf("the parent was changed (-before +after):\n%s", d)
	}
	if again, err := e.Start(t.Context(), o); again != parent || err != nil {
		t.Errorf("the parent's key starts %s (%v)", again, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

func leafHash(line string) string {
	h := audit.Leaf([]byte(line))
	return fmt.Sprintf("sha256:%x", h[:])
}

// sound has the folder audited, which folds every run and compares the lists.
func sound(t *testing.T, dir string) {
	t.Helper()
	r, err := local.Audit(t.Context(), dir, local.AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Errorf("audit: %+v", f)
	}
}

// TestAuditFollowsForks changes the record that a fork names, with its hash: the fork tells.
func TestAuditFollowsForks(t *testing.T) {
	dir := t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": doubtful}})
	if err != nil {
		t.Fatal(err)
	}
	parent := start(t, e, order(1, nil))
	v := until(t, e, parent, needsHuman)
	fork, err := e.Fork(t.Context(), parent, chargehand.Fork{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
	if err := local.ForgeFileRecord(t.Context(), dir, parent, v.Seq, `"risk":"low"`, `"risk":"LOW"`); err != nil {
		t.Fatal(err)
	}
	if err := local.Replant(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	r, err := local.Audit(t.Context(), dir, local.AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.Run == fork && strings.Contains(f.What, parent) }) {
		t.Errorf("the fork does not tell of its parent's record: %+v", r.Findings)
	}
}

// TestForkAsksAgain forks a run that waits for a person: both are answered, each for itself.
func TestForkAsksAgain(t *testing.T) {
	dir := t.TempDir()
	e := open(t, local.Options{Dir: dir, Workers: worker.Set{"w": doubtful}})
	parent := start(t, e, order(1, nil))
	asked := until(t, e, parent, needsHuman).Reviews[0]
	fork, err := e.Fork(t.Context(), parent[:9], chargehand.Fork{})
	if err != nil {
		t.Fatal(err)
	}
	open, err := e.Reviews(t.Context())
	if err != nil || len(open) != 2 {
		t.Fatalf("%d reviews wait, want the parent's and the fork's (%v)", len(open), err)
	}
	v, err := e.Run(t.Context(), fork)
	if err != nil {
		t.Fatal(err)
	}
	again := v.Reviews[len(v.Reviews)-1]
	if again.ID == asked.ID || again.Nonce == asked.Nonce || again.RunID != fork || again.OutputRef != asked.OutputRef {
		t.Errorf("the parent asks %+v, the fork %+v", asked, again)
	}
	if v.Parent == nil || v.Parent.Run != parent || v.StartedBy != "sam" {
		t.Errorf("the fork is of %+v, started by %s", v.Parent, v.StartedBy)
	}
	for run, r := range map[string]chargehand.Review{parent: asked, fork: again} {
		if _, err := e.Decide(t.Context(), chargehand.Decision{
			ReviewID: r.ID, Approved: run == fork, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce,
		}); err != nil {
			t.Error(err)
		}
	}
	if p, f := until(t, e, parent, ended), until(t, e, fork, ended); p.State != chargehand.RunFailed || f.State != chargehand.RunCompleted {
		t.Errorf("the parent came out as %s, the fork as %s", p.State, f.State)
	}
	sound(t, dir)
}

// TestForkLeavesWorkUnderWay forks a run while its worker works: the parent's call goes on, the fork
// has one of its own, and a write goes to a person.
func TestForkLeavesWorkUnderWay(t *testing.T) {
	for _, effect := range []chargehand.Effect{chargehand.EffectRead, chargehand.EffectWrite} {
		t.Run(string(effect), func(t *testing.T) {
			release := make(chan struct{})
			w := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				select {
				case <-release:
				case <-ctx.Done():
				}
				return echo(ctx, task)
			})
			e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": w}})
			o := order(1, func(team *chargehand.Team) { team.Workers[0].MaxConcurrentTasks = 2 })
			o.Team.Planner.Template.Subtasks[0].Effect = effect
			parent := start(t, e, o)
			running := func(v *chargehand.View) bool { return len(v.Rows) > 0 && v.Rows[0].State == chargehand.SubtaskRunning }
			until(t, e, parent, running)
			fork, err := e.Fork(t.Context(), parent, chargehand.Fork{})
			if err != nil {
				t.Fatal(err)
			}
			if effect.Reads() {
				until(t, e, fork, func(v *chargehand.View) bool { return v.Parent != nil && v.Seq > v.Parent.Seq && running(v) })
			} else if v := until(t, e, fork, needsHuman); v.Rows[0].State != chargehand.SubtaskUnknown {
				t.Errorf("a write that was under way is %s in the fork", v.Rows[0].State)
			}
			close(release)
			if v := until(t, e, parent, ended); v.State != chargehand.RunCompleted {
				t.Errorf("the parent came out as %s: %s", v.State, v.Why)
			}
			if !effect.Reads() {
				return
			}
			if v := until(t, e, fork, ended); v.State != chargehand.RunCompleted || len(v.Rows[0].Attempts) != 1 {
				t.Errorf("the fork came out as %s: %s, after %d attempts", v.State, v.Why, len(v.Rows[0].Attempts))
			}
		})
	}
}

func TestForkRefusals(t *testing.T) {
	e := open(t, local.Options{
		Dir: t.TempDir(), Workers: worker.Set{"w": echo},
		Tenants: map[string]chargehand.Budget{"acme": {USD: 5 * chargehand.USD}},
	})
	o := order(2, func(team *chargehand.Team) {
		team.Workers[0].Free, team.Workers[0].CostPerCallEstimateUSD = false, chargehand.USD
	})
	o.Tenant, o.Budget.USD = "acme", 3*chargehand.USD
	run := start(t, e, o)
	v := until(t, e, run, ended)
	for _, tt := range []struct {
		run  string
		seq  int64
		code chargehand.Code
		says string
	}{
		{"run_nobody", 0, chargehand.CodeNotFound, "run_nobody"},
		{run, v.Seq + 1, chargehand.CodeInvalid, fmt.Sprint("the last of the run is ", v.Seq)},
		{run, 0, chargehand.CodeEnded, fmt.Sprint("record ", v.Seq-1)},
		{run, v.Seq, chargehand.CodeEnded, fmt.Sprint("record ", v.Seq-1)},
	} {
		_, err := e.Fork(t.Context(), tt.run, chargehand.Fork{Seq: tt.seq})
		if chargehand.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprintf("%+v", err)+nextOf(err), tt.says) {
			t.Errorf("a fork of %s at %d: %v", tt.run, tt.seq, err)
		}
	}
	// Of the tenant's $5 the parent has spent 2, and the fork may spend what the parent had left: 1.
	fork, err := e.Fork(t.Context(), run, chargehand.Fork{Seq: v.Seq - 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := until(t, e, fork, ended); f.Spent != 2*chargehand.USD || f.Inherited != f.Spent {
		t.Errorf("the fork has spent $%s, of which $%s are the parent's", f.Spent, f.Inherited)
	}
	if _, err := e.Fork(t.Context(), run, chargehand.Fork{Seq: 1}); err != nil {
		t.Errorf("a fork for the $3 that are left: %v", err)
	}
	if _, err := e.Fork(t.Context(), run, chargehand.Fork{Seq: 1}); chargehand.CodeOf(err) != chargehand.CodeNotAllowed {
		t.Errorf("a fork over the tenant's quota: %v", err)
	}
}

func nextOf(err error) string {
	if e, ok := err.(*chargehand.Error); ok {
		return e.Next
	}
	return ""
}
