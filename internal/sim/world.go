package sim

import (
	"container/heap"
	"fmt"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

const (
	auditEvery   = 8  // worlds of which one has all its bytes read again, whether it crashes or not
	compareEvery = 16 // turns of such a world after one of which machines and bytes are compared

	maxSteps = 20_000               // turns of a world
	maxTime  = 90 * 24 * time.Hour  // of a world, from its first run to the end of its last
	longest  = 400 * 24 * time.Hour // that the wall clock may be wrong
)

// start is the wall clock when a world begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A world is everything around the machines: a process that dies and comes back, its disk, hands,
// workers, people and clocks. Time in it is virtual, and counted from its beginning.
type world struct {
	*fate
	c    *Case
	team *chargehand.Team
	law  *law.Law
	insp *inspector

	disk  *disk
	host  *host // nil while the process is dead
	boots int64
	wall  time.Duration // how far the wall clock is off
	base  time.Duration // when the process started
	clock time.Time     // the wall clock then

	now    time.Duration
	agenda agenda
	order  int64
	steps  int

	broken  *law.Breach // found while the process started
	palette palette
	audited bool
	scarce  bool // all runs want the same worker at once
	orders  map[string]*order
	plans   map[string]chargehand.Plan  // that wait for approval, by content hash
	tasks   map[string]supervise.Launch // the latest of each subtask, by run and subtask
	ids     []string
	hands   hands
	ill     map[string]span // when each worker crashes whatever it does
	people  people
	tally   *tally
	story   story
}

// An order is a run that somebody wants.
type order struct {
	chargehand.Order
	id      string
	plan    chargehand.Plan
	plans   int // asked of its planner
	reviews int // opened so far
}

func newWorld(c *Case, insp *inspector, t *tally) *world {
	w := &world{
		fate: newFate(c), c: c, law: law.New(), insp: insp, palette: usual, disk: newDisk(), orders: map[string]*order{}, plans: map[string]chargehand.Plan{}, tasks: map[string]supervise.Launch{},
		ill: map[string]span{}, people: newPeople(), tally: t, story: story{c.Story},
	}
	w.audited = w.dice(spot{what: "audit"}).one(auditEvery)
	d := w.dice(spot{what: "team"})
	var plan chargehand.Plan
	if w.team, plan = draw(d); c.Team != nil {
		w.team, plan, w.palette = &c.Team.Team, chargehand.Plan{}, paletteOf(&c.Team.Team)
		if t := w.team.Planner.Template; t != nil {
			plan = *t
		}
	} else if w.scarce = d.one(4); w.scarce {
		scarcely(d, w.team)
	}
	for _, n := range c.runs() {
		w.want(n, plan)
	}
	w.storms()
	w.boot()
	return w
}

// want has a run started some time soon.
func (w *world) want(n int, plan chargehand.Plan) {
	id := fmt.Sprintf("run_%d", n)
	d := w.dice(spot{what: "order", run: id})
	o := &order{id: id, Order: drawOrder(d), plan: plan}
	if w.team.Planner.Template == nil {
		o.plan.Subtasks = w.palette.tasks(d, "s")
	}
	if c := w.c; c.Subtasks > 0 && len(o.plan.Subtasks) > c.Subtasks {
		o.plan.Subtasks = o.plan.Subtasks[:c.Subtasks]
	}
	soon := 2 * time.Second
	if w.scarce {
		o.plan.Subtasks, o.Deadline, soon = slices.Clone(o.plan.Subtasks), 0, 20*time.Millisecond
		o.Tenant = pick(d, "north", "south")
		alike(d, o.plan.Subtasks)
	}
	if w.team.Planner.Template != nil {
		o.Objective.Plan = &o.plan
	}
	if w.strikes(Budget, 0.5, spot{what: "order", run: id}) {
		o.Budget = chargehand.Budget{USD: pick[chargehand.Micros](d, 0, 20_000, 60_000, 150_000), Tokens: pick[int64](d, 0, 0, 150, 600, 5_000, 12_000)}
	}
	w.orders[id], w.ids = o, append(w.ids, id)
	w.law.Run(id, w.team)
	w.later(d.within(0, soon), func() { w.begin(o) })
}

// begin asks for a run until the engine says that it has begun.
func (w *world) begin(o *order) {
	again := func() { w.later(3*time.Second, func() { w.begin(o) }) }
	if w.host == nil {
		again()
		return
	}
	w.post(letter{Event: turn.Event{Fleet: turn.Register(w.team)}})
	w.post(letter{
		Event: turn.Event{Run: o.id, Input: supervise.Start{Order: o.Order, TeamDigest: "sha256:team", Seed: o.id}}, begin: true,
		reply: func(_ *chargehand.Error, err error) {
			if err != nil {
				again()
			}
		},
	})
	w.lost(again)
}

// lost calls back if the process dies before it has answered what it was asked just now.
func (w *world) lost(again func()) {
	l := &w.host.inbox[len(w.host.inbox)-1]
	reply, answered, host := l.reply, false, w.host
	l.reply = func(e *chargehand.Error, err error) { answered = true; reply(e, err) }
	w.later(10*time.Second, func() {
		if !answered && w.host != host {
			again()
		}
	})
}

// An appointment is something that happens at a moment of the world's time.
type appointment struct {
	at    time.Duration
	order int64
	do    func()
}

func (w *world) later(in time.Duration, do func()) {
	w.order++
	heap.Push(&w.agenda, appointment{w.now + in, w.order, do})
}

// tell has an event reach the process some time later, if it lives that long.
func (w *world) tell(in time.Duration, e turn.Event) {
	boot := w.boots
	w.later(in, func() {
		if w.host != nil && w.boots == boot {
			w.post(letter{Event: e})
		}
	})
}

func (w *world) post(l letter) { w.host.inbox = append(w.host.inbox, l) }

// clockNow is the process's clock: the wall clock when it started, plus what has passed since.
func (w *world) clockNow() time.Time { return w.clock.Add(w.now - w.base) }

// run lets the world go on until nothing is left to happen.
func (w *world) run() *law.Breach {
	for {
		if b := w.step(); b != nil {
			return b
		}
		at, ok := w.nextMoment()
		if !ok {
			return w.finish()
		}
		w.now = max(w.now, at)
		if w.steps++; w.steps > maxSteps || w.now > maxTime+w.wall.Abs() {
			return w.stuck("after %d steps and %s", w.steps, w.now)
		}
	}
}

// nextMoment is when something happens next.
func (w *world) nextMoment() (time.Duration, bool) {
	at, ok := time.Duration(0), false
	if len(w.agenda) > 0 {
		at, ok = w.agenda[0].at, true
	}
	if w.host == nil {
		return at, ok
	}
	if len(w.host.inbox) > 0 {
		return w.now, true
	}
	if next := w.host.next(); !next.IsZero() {
		if due := w.base + max(0, next.Sub(w.clock)); !ok || due < at {
			return due, true
		}
	}
	return at, ok
}

// step lets happen what is due, and the process take a turn.
func (w *world) step() *law.Breach {
	w.arrive()
	if w.broken != nil || w.host == nil {
		return w.broken
	}
	p, err := w.host.take(w.clockNow())
	switch {
	case err != nil:
		return w.law.Fails(law.Replay, "", "%v", err)
	case p == nil:
		return nil
	}
	took := time.Millisecond
	at := spot{what: "turn", a: w.steps}
	if w.strikes(Reorder, 0.05, at) {
		took = w.dice(at).within(50*time.Millisecond, 3*time.Second)
	}
	fate, host := w.fateOf(p), w.host
	w.now += took // what arrives meanwhile waits in the inbox
	if w.arrive(); w.host != host {
		return nil // it died over it
	}
	return w.settle(p, fate)
}

func (w *world) arrive() {
	for len(w.agenda) > 0 && w.agenda[0].at <= w.now {
		heap.Pop(&w.agenda).(appointment).do()
	}
}

// settle lets a turn's records meet their fate.
func (w *world) settle(p *pass, fate write) *law.Breach {
	w.story.turn(w, p, fate)
	switch fate {
	case lost:
		w.die("before_commit")
		return nil
	case refused:
		return w.refuse(p)
	}
	t := law.Turn{Turn: p.Turn, Rows: p.rows, Folded: p.folded, Held: w.host.hold}
	for _, l := range p.letters {
		t.Events = append(t.Events, l.Event)
	}
	if fate == cut {
		t.Effects = nil
		for i := range p.letters {
			p.letters[i].reply = nil
		}
	}
	begun, err := w.host.keep(p)
	if err != nil {
		return w.law.Fails(law.Replay, "", "%v", err)
	}
	w.tally.turn(&t, w.host.boot)
	if fate == kept {
		t.Effects = begun
	}
	b := w.law.Took(t)
	for _, r := range p.Records {
		w.people.read(w, r)
	}
	if fate == cut {
		w.die("after_commit")
		return b
	}
	for _, e := range begun {
		w.pursue(e)
	}
	if b == nil && w.steps%compareEvery == 0 && w.audited {
		b = w.compare()
	}
	return b
}

func (w *world) refuse(p *pass) *law.Breach {
	w.tally.branch("append refused")
	again, err := w.host.undo(p, errRefused)
	if err != nil {
		return w.law.Fails(law.Replay, "", "%v", err)
	}
	boot := w.boots
	w.later(time.Second, func() {
		if w.host != nil && w.boots == boot {
			w.host.inbox = append(w.host.inbox, again...)
		}
	})
	return nil
}

// fateOf decides what becomes of a turn.
func (w *world) fateOf(p *pass) write {
	at := spot{what: "turn", a: w.steps}
	likely := 0.02
	switch {
	case p.folded && w.boots > 1:
		likely = 0.2 // it is recovering
	case slices.ContainsFunc(p.Records, pauses):
		likely = 0.2 // whoever paused the run ends the program next
	}
	if !w.strikes(Crash, likely, at) {
		return kept
	}
	if p.folded && w.boots > 1 {
		w.tally.branch("crash in recovery")
	}
	return pick(w.dice(at), lost, cut, cut, refused, refused)
}

func pauses(r chargehand.Record) bool {
	_, ok := r.Fact.(chargehand.PauseBegan)
	return ok
}

// die ends the process. Its hands, and what they had under way, go with it.
func (w *world) die(why string) {
	w.tally.branch("crash " + why)
	w.story.say(w, "the process dies, %s", why)
	w.tally.crashes++
	w.host = nil
	w.law.Died()
	at := spot{what: "boot", a: int(w.boots)}
	d := w.dice(at)
	if w.strikes(Clock, 0.4, at) {
		step := pick(d, -time.Hour, time.Hour, 8*time.Hour, -time.Minute, 30*24*time.Hour)
		if w.wall += step; w.wall.Abs() > longest {
			w.wall = 0
		}
	}
	w.later(d.within(10*time.Millisecond, pick(d, 100*time.Millisecond, 20*time.Second)), func() { w.boot() })
}

// boot starts a process on the disk; now and then one that only decides and controls.
func (w *world) boot() {
	w.boots++
	w.hands = newHands()
	w.base, w.clock = w.now, start.Add(w.now+w.wall)
	at := spot{what: "boot", a: int(w.boots)}
	hold := w.boots > 1 && w.strikes(Crash, 0.1, spot{what: "hold", a: int(w.boots)})
	teams := map[string]*chargehand.Team{}
	for _, id := range w.ids {
		teams[id] = w.team
	}
	var err error
	if w.host, err = open(w.disk, teams, w.boots, hold); err != nil {
		w.broken = w.law.Fails(law.Replay, "", "%v", err)
		return
	}
	if w.boots > 1 {
		w.tally.branch("boot")
	}
	w.story.say(w, "boot %d, on hold: %t, the wall clock is off by %s", w.boots, hold, w.wall)
	if hold {
		w.tally.branch("boot on hold")
		boot := w.boots
		w.later(w.dice(at).within(time.Second, 20*time.Minute), func() {
			if w.host != nil && w.boots == boot {
				w.die("on hold")
			}
		})
		return
	}
	w.rebase()
}

// rebase gives the next fold of the fleet a later place to begin, as an engine does at start.
func (w *world) rebase() {
	records := w.host.loop.Fleet().Rebase(w.clockNow()).Records
	if len(records) == 0 {
		return
	}
	if err := w.host.disk.append(records, nil, nil); err != nil {
		w.broken = w.law.Fails(law.Replay, "", "%v", err)
		return
	}
	w.broken = w.law.Wrote(records)
}

// finish judges how the world ends.
func (w *world) finish() *law.Breach {
	if w.host == nil {
		return w.stuck("with no process")
	}
	for _, id := range w.ids {
		w.law.Checked[law.Ends]++
		if w.law.Open(id) {
			return w.stuck("with nothing left to happen")
		}
	}
	if b := w.people.settle(w); b != nil || !w.audited {
		return b
	}
	return w.audit()
}

func (w *world) stuck(format string, args ...any) *law.Breach {
	i := slices.IndexFunc(w.ids, w.law.Open)
	if i < 0 {
		return w.law.Fails(law.Ends, "", "the world does not come to rest "+format, args...)
	}
	return w.law.Fails(law.Ends, w.ids[i], "it has not ended "+format, args...)
}

// storms are what befalls the workers on its own.
func (w *world) storms() {
	for i := range w.team.Workers {
		spec := &w.team.Workers[i]
		at := spot{what: "worker", task: spec.WorkerID}
		d := w.dice(at)
		if w.strikes(Storm, 0.3, spot{what: "drain", task: spec.WorkerID}) {
			while := d.within(time.Second, time.Minute)
			w.drain(d.within(0, 20*time.Second), spec.WorkerID, true, func(*chargehand.Error) {
				w.drain(while, spec.WorkerID, false, nil)
			})
		}
		if w.strikes(Storm, 0.4, spot{what: "ill", task: spec.WorkerID}) {
			from := d.within(0, 10*time.Second)
			w.ill[spec.WorkerID] = span{from, from + d.within(5*time.Second, 2*time.Minute)}
		}
		if w.strikes(Storm, 0.15, spot{what: "change", task: spec.WorkerID}) {
			w.later(d.within(0, 20*time.Second), func() {
				r := turn.Register(w.team)
				r.Workers[i].Slots, r.Workers[i].Max = d.between(1, 3), d.between(1, 3)
				w.always(letter{Event: turn.Event{Fleet: r}}, nil)
			})
		}
	}
}

func (w *world) drain(in time.Duration, worker string, on bool, then func(*chargehand.Error)) {
	w.later(in, func() {
		w.always(letter{Event: turn.Event{Fleet: fleet.Drain{Worker: worker, On: on, By: "op"}}}, then)
	})
}

// always posts a letter now, or once there is a process again, until it is durable; then is called
// after that.
func (w *world) always(l letter, then func(no *chargehand.Error)) {
	if w.host == nil {
		w.later(5*time.Second, func() { w.always(l, then) })
		return
	}
	l.reply = func(no *chargehand.Error, err error) {
		if err != nil {
			w.later(5*time.Second, func() { w.always(l, then) })
		} else if then != nil {
			then(no)
		}
	}
	w.post(l)
	w.lost(func() { w.always(l, then) })
}

// agenda is a heap of appointments, the earliest first.
type agenda []appointment

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].order < a[j].order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(appointment)) }
func (a *agenda) Pop() any {
	old := *a
	x := old[len(old)-1]
	old[len(old)-1] = appointment{}
	*a = old[:len(old)-1]
	return x
}
