package supervise

import (
	"fmt"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

// A world is everything around one machine: a fleet that grants, hands that answer or do not,
// people, a clock, and a disk that may refuse a write. Its choices come from a dice.
type world struct {
	t    teller
	id   string // of the run
	dice *dice
	team *chargehand.Team
	plan chargehand.Plan
	m    *Machine
	twin *Machine // folds the records as they come back from the journal
	view chargehand.View
	law  *law // what must hold, told by the records alone
	now  time.Time

	asks    []Ask     // that wait for a grant
	held    []Granted // leases that have not been given back
	open    []Effect  // that have not been answered
	told    []Input   // answers given, to be told again
	epoch   int64
	boot    int64
	replans int
}

// A teller is the part of a test that a world needs.
type teller interface {
	fataler
	Logf(format string, args ...any)
}

func newWorld(t teller, d *dice) *world {
	d.hostile = d.one(3)
	team, plan := d.team(t)
	w := &world{t: t, id: "run", dice: d, team: team, plan: plan, m: New("run", team), twin: New("run", team), law: newLaw(team), now: epoch0, boot: 1}
	w.tell(Start{Order: d.order(), Seed: "seed"})
	return w
}

// tell steps the machine and takes in what it says.
func (w *world) tell(in Input) Output {
	if g, ok := in.(Granted); ok && !slices.ContainsFunc(w.held, func(h Granted) bool { return h.Epoch == g.Epoch }) {
		w.held = append(w.held, g)
	}
	out := w.m.Step(w.now, in)
	w.log(in, out)
	w.law.step(w.t, w.now, out)
	for _, r := range throughJournal(w.t, out.Records) {
		w.law.records = append(w.law.records, r)
		w.twin.apply(r)
		w.view.Apply(r)
	}
	if d := gocmp.Diff(w.m.Summary(), w.view.RunSummary); d != "" {
		w.t.Fatalf("%T: people are shown something else (-machine +view):\n%s", in, d)
	}
	w.costsAdd()
	if d := differ(w.m, w.twin); d != "" {
		w.t.Fatalf("%T: the fold differs (-live +folded):\n%s", in, d)
	}
	for _, m := range out.Fleet {
		w.toFleet(m)
	}
	w.open = append(w.open, out.Effects...)
	w.leasesAgree()
	w.ledgerAgrees()
	w.wakeIsRight(out.Wake)
	return out
}

// costsAdd checks that what a run's attempts and plans cost is what the run cost.
func (w *world) costsAdd() {
	sum := w.view.Phases[chargehand.PhasePlanning]
	for _, row := range w.view.Rows {
		sum += row.Usage().USD
	}
	if sum != w.view.Spent {
		w.t.Fatalf("the run is shown to have cost $%s, its parts $%s", w.view.Spent, sum)
	}
}

// log tells the story of a run that fails.
func (w *world) log(in Input, out Output) {
	w.t.Logf("%s %.300s", moment(w.now), fmt.Sprintf("%T%+v", in, in))
	s := script{m: w.m}
	for _, r := range out.Records {
		w.t.Logf("  %.300s", s.recordLine(r))
	}
}

func (w *world) toFleet(m Message) {
	switch m := m.(type) {
	case Ask:
		if len(m.Candidates) == 0 {
			w.t.Fatalf("%s is asked for without a candidate", ref(m.AttemptRef))
		}
		w.withdraw(m.AttemptRef)
		w.asks = append(w.asks, m)
	case Withdraw:
		w.withdraw(m.AttemptRef)
	case Give:
		i := slices.IndexFunc(w.held, func(h Granted) bool { return h.Epoch == m.Epoch })
		if i < 0 {
			w.t.Fatalf("lease %d is given back, and is not held", m.Epoch)
		}
		w.held = slices.Delete(w.held, i, i+1)
	}
}

func (w *world) withdraw(r chargehand.AttemptRef) {
	w.asks = slices.DeleteFunc(w.asks, func(a Ask) bool { return a.AttemptRef == r })
}

// leasesAgree checks that a lease is held, or has been given back, and never both.
func (w *world) leasesAgree() {
	var want, got []int64
	for _, h := range w.held {
		want = append(want, h.Epoch)
	}
	for _, l := range w.m.Leases() {
		got = append(got, l.Epoch)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		w.t.Fatalf("the fleet holds leases %v, the machine %v", want, got)
	}
}

// ledgerAgrees compares the machine's money with what the records say.
func (w *world) ledgerAgrees() {
	settled, held := w.law.sums()
	if l := &w.m.ledger; l.settled != settled || l.reserved != held {
		w.t.Fatalf("the machine has settled %+v and holds %+v %v, the records say %+v and %+v %v", l.settled, l.reserved, l.held,
			settled, held, w.law.held)
	}
}

// wakeIsRight checks the wake-up against everything that can fall due.
func (w *world) wakeIsRight(at time.Time) {
	var want time.Time
	due := func(t time.Time) {
		if !t.IsZero() && (want.IsZero() || t.Before(want)) {
			want = t
		}
	}
	if !w.m.run.state.Final() {
		for _, k := range w.m.board.order {
			if k.state == chargehand.SubtaskRunning && !k.attempt.adrift {
				due(k.attempt.deadline)
			}
		}
		if !w.m.closing.asked {
			for _, r := range w.m.desk.order {
				if r.Open() {
					due(r.Deadline)
				}
			}
			if w.m.run.abort == nil {
				due(w.m.run.deadline)
			}
		}
	}
	if !at.Equal(want) {
		w.t.Fatalf("wake is %s, the next thing falls due at %s", moment(at), moment(want))
	}
	if now := w.m.clock(w.now); !at.IsZero() && !at.After(now) {
		w.t.Fatalf("wake %s is not after now, %s", moment(at), moment(now))
	}
}

// take removes an open effect of type T, chosen at random, and reports whether there was one.
func take[T Effect](w *world) (T, bool) {
	var at []int
	for i, e := range w.open {
		if _, ok := e.(T); ok {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		var none T
		return none, false
	}
	i := pick(w.dice, at...)
	e := w.open[i].(T)
	w.open = slices.Delete(w.open, i, i+1)
	return e, true
}

// answer tells the machine something it waits for, and keeps it for telling again.
func (w *world) answer(in Input) {
	w.told = append(w.told, in)
	w.tell(in)
}
