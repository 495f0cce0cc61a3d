package faults

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
)

// instrumented is the victim with points to crash at.
func instrumented(t *testing.T) string {
	t.Helper()
	programs.instrumented.Do(func() {
		path, err := build("victim-with-points", "./victim", "-overlay", overlay(t, "../../engine/local/*.go", "../../internal/audit/trail.go"))
		if err != nil {
			t.Fatal(err)
		}
		programs.instrumentedAt = path
	})
	return programs.instrumentedAt
}

// undisturbed runs the victim to its end, and once more so that the write without a key is in
// doubt when its engine stops.
func undisturbed(t *testing.T, program string) (expected, []string) {
	t.Helper()
	calm := tidy(t)
	end, err := calm.runTo(program, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	x := expected{calm: end.Result}
	if f, err := calm.settle(t.Context(), x); err != nil || f.doubt || f.resumed > 0 {
		t.Fatalf("left alone: %+v, %v", f, err)
	}
	x.doubtful = doubtful(t)
	return x, end.Points
}

// tidy is a scene that is gone after the test.
func tidy(t *testing.T) *scene {
	t.Helper()
	s, err := newScene()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.strike(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// doubtful is the result of a run whose engine stops while the printer prints.
func doubtful(t *testing.T) chargehand.Result {
	t.Helper()
	s := tidy(t)
	opt := reference.Options(s.data(), s.world)
	printing := make(chan struct{})
	printer := opt.Workers["printer"]
	opt.Workers["printer"] = stuck{printing}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	followed := make(chan error, 1)
	go func() {
		_, err := s.world.Drive(t.Context(), e)
		followed <- err
	}()
	<-printing
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-followed; err == nil {
		t.Fatal("the run came to its end while a worker was still at it")
	}
	opt.Workers["printer"] = printer
	if e, err = local.Open(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := s.world.Drive(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != chargehand.RunPartial || len(r.Gaps) != 1 || r.Gaps[0].Cause != chargehand.CauseUnknown {
		t.Fatalf("a write in doubt led to %s with gaps %v", r.Status, r.Gaps)
	}
	return *r
}

// stuck is a worker that says when it was called and never answers.
type stuck struct{ called chan struct{} }

func (s stuck) Do(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	close(s.called)
	<-ctx.Done()
	return chargehand.WorkerResult{}, ctx.Err()
}

// A tally is what many scenes came to.
type tally struct {
	mu               sync.Mutex
	runs, kills      int
	inDoubt, resumed int
	killedAt         map[string]int // by label
	deepest          int
	failures         []error
	began            time.Time
}

func newTally() *tally { return &tally{killedAt: map[string]int{}, began: time.Now()} }

func (c *tally) add(what string, s *scene, f finding, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	c.kills += s.kills
	c.resumed += f.resumed
	c.deepest = max(c.deepest, s.kills)
	if f.doubt {
		c.inDoubt++
	}
	if err != nil && len(c.failures) < 10 {
		c.failures = append(c.failures, fmt.Errorf("%s: %w", what, err))
	}
}

func (c *tally) killed(label string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killedAt[label]++
}

// report prints the figures and fails for what went wrong.
func (c *tally) report(t *testing.T) {
	t.Helper()
	took := time.Since(c.began)
	count(t, "runs", c.runs)
	count(t, "kills", c.kills)
	count(t, "kills of one run at most", c.deepest)
	count(t, "attempts pursued again", c.resumed)
	count(t, "writes in doubt put to a person", c.inDoubt)
	count(t, "kills a second", math.Round(float64(c.kills)/took.Seconds()))
	for _, err := range c.failures {
		t.Error(err)
	}
	if c.kills == 0 {
		t.Error("nothing was killed")
	}
}

// TestKilledAtEveryPoint kills the process at each point that the run passes: before and after
// everything that is written, answered or begun.
func TestKilledAtEveryPoint(t *testing.T) {
	program := instrumented(t)
	want, points := undisturbed(t, program)
	t.Logf("seed %d", *seed)
	c := newTally()
	each(chosen(points), func(point string) {
		s, err := newScene()
		if err == nil {
			_, err = s.runTo(program, point, 0)
			c.killed(s.last)
		}
		var f finding
		if err == nil {
			f, err = s.settle(soon(t), want)
		}
		c.add("killed at point "+point, s, f, errors.Join(err, s.strike()))
	})
	c.report(t)
	places := slices.Compact(slices.Sorted(slices.Values(points)))
	for _, p := range places {
		if *full && c.killedAt[p] == 0 {
			t.Errorf("the process was never killed %s", p)
		}
	}
	count(t, "places in the code", len(places))
	count(t, "moments of a run", len(points))
	if len(places) < 100 {
		t.Errorf("only %d places: the overlay misses some", len(places))
	}
	for _, p := range []string{"notary.go keep: Append", "trail.go write: WriteAt", "trail.go write: Sync", "claim.go claim: audit.Replace", "site.go begin: audit.NewTrail"} {
		if !slices.Contains(places, "before "+p) {
			t.Errorf("no point before %s: nobody dies between one place of checkpoints and the other", p)
		}
	}
}

// chosen are all points of a run, or every seventeenth of them from a random one on.
func chosen(points []string) []string {
	var out []string
	times := map[string]int{}
	for i, p := range points {
		if times[p]++; *full || int64(i)%17 == *seed%17 {
			out = append(out, fmt.Sprintf("%d %s", times[p], p))
		}
	}
	return out
}

// TestKilledDuringRecovery kills a run, and then up to five times whoever takes it up: at the
// points of recovery in turn, and at random moments soon after its start.
func TestKilledDuringRecovery(t *testing.T) {
	program := instrumented(t)
	want, points := undisturbed(t, program)
	t.Logf("seed %d", *seed)
	dice := rand.New(rand.NewPCG(uint64(*seed), 1))
	var plans []plan
	for i := range size(0, 8, 160) {
		p := plan{first: 1 + dice.IntN(len(points)), random: i%2 == 0}
		for range 1 + dice.IntN(5) {
			p.again = append(p.again, nested{1 + dice.IntN(60), time.Duration(1+dice.IntN(50)) * time.Millisecond})
		}
		plans = append(plans, p)
	}
	c := newTally()
	each(plans, func(p plan) {
		s, err := newScene()
		if err == nil {
			err = p.carryOut(s, program)
		}
		var f finding
		if err == nil {
			f, err = s.settle(soon(t), want)
		}
		c.add(fmt.Sprintf("%+v", p), s, f, errors.Join(err, s.strike()))
	})
	c.report(t)
}

// A plan is where one run is killed: at a point, and again during each recovery.
type plan struct {
	first  int
	again  []nested
	random bool // at moments instead of points
}

type nested struct {
	point  int
	moment time.Duration
}

func (p plan) carryOut(s *scene, program string) error {
	end, err := s.runTo(program, fmt.Sprint(p.first), 0)
	for _, n := range p.again {
		if err != nil || end != nil {
			break
		}
		if p.random {
			end, err = s.runTo(program, "", n.moment)
		} else {
			end, err = s.runTo(program, fmt.Sprint(n.point), 0)
		}
	}
	return err
}

// TestKilledAtRandom kills the program as it is shipped at random moments of a run, until as many
// kills have hit as were asked for.
func TestKilledAtRandom(t *testing.T) {
	program := built(t, programs.victim)
	want, _ := undisturbed(t, program)
	t.Logf("seed %d", *seed)
	wanted := size(*kills, 40, 500)
	began := time.Now()
	if end, err := tidy(t).runTo(program, "", 0); end == nil {
		t.Fatal(err)
	}
	whole := time.Since(began) // of a run, as busy as this machine is
	c := newTally()
	for batch := uint64(0); c.kills < wanted && !t.Failed(); batch++ {
		each([]uint64{0, 1, 2, 3}, func(i uint64) {
			dice := rand.New(rand.NewPCG(uint64(*seed), 4*batch+i))
			s, err := newScene()
			for tries := 0; err == nil && tries < 6; tries++ {
				var end *ending
				if end, err = s.runTo(program, "", time.Duration(1+dice.Int64N(int64(whole)))); end != nil {
					break
				}
			}
			var f finding
			if err == nil {
				f, err = s.settle(soon(t), want)
			}
			c.add(fmt.Sprintf("killed at %d random moments", s.kills), s, f, errors.Join(err, s.strike()))
		})
		if len(c.failures) > 0 {
			break
		}
	}
	c.report(t)
}
