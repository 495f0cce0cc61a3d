// Package turn steps the two machines together: one turn tells the runs what happened, passes
// their asks and leases to and from the fleet until all is quiet, and hands back the records of
// everybody for one transaction. It does no I/O; engines and the simulator drive it.
package turn

import (
	"container/heap"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
)

// A Loop holds the machines of one process. It is not safe for concurrent use: one goroutine owns
// it. After a turn whose records could not be made durable it must be thrown away and built anew.
type Loop struct {
	// Tail is after how many records of the fleet a turn gives a fold a later place to begin.
	// Zero means 20,000.
	Tail int64

	// Hold keeps what runs ask of the fleet from it: nobody works for them, and they ask again when
	// somebody takes them up.
	Hold bool

	fleet *fleet.Machine
	runs  map[string]*member
	wakes wakeHeap
	woken time.Time // when the fleet wants to be told the time
	first []Event   // of the next turn
}

const defaultTail = 20_000

// A member is a run in memory.
type member struct {
	id      string
	machine *supervise.Machine
	team    *chargehand.Team
	wake    time.Time

	identities map[string]string // of the team's workers, by name; nil until one is asked for
}

// identity is the digest of what a worker of the run's team calls.
func (r *member) identity(worker string) string {
	if r.identities == nil {
		r.identities = map[string]string{}
		for i := range r.team.Workers {
			w := &r.team.Workers[i]
			r.identities[w.WorkerID] = r.team.Identity(w)
		}
	}
	return r.identities[worker]
}

// New is a loop around a fleet, with no run yet.
func New(f *fleet.Machine) *Loop { return &Loop{fleet: f, runs: map[string]*member{}} }

// Add puts a run under the loop.
func (l *Loop) Add(id string, team *chargehand.Team, m *supervise.Machine) {
	l.runs[id] = &member{id: id, machine: m, team: team}
}

// Machine is the run's machine; nil if the run is not in memory.
func (l *Loop) Machine(run string) *supervise.Machine {
	if r := l.runs[run]; r != nil {
		return r.machine
	}
	return nil
}

// Team is the team of a run in memory; nil if it is not.
func (l *Loop) Team(run string) *chargehand.Team {
	if r := l.runs[run]; r != nil {
		return r.team
	}
	return nil
}

// Fleet is the capacity machine.
func (l *Loop) Fleet() *fleet.Machine { return l.fleet }

// Evict forgets a run. Its records hold all there is to know of it.
func (l *Loop) Evict(run string) { delete(l.runs, run) }

// Len is how many runs are in memory.
func (l *Loop) Len() int { return len(l.runs) }

// Next is when a turn is wanted at the latest; zero: whenever something happens.
func (l *Loop) Next() time.Time {
	if len(l.first) > 0 {
		return time.Unix(0, 0).UTC()
	}
	next := l.woken
	if at, ok := l.wakes.first(l); ok && (next.IsZero() || at.Before(next)) {
		next = at
	}
	return next
}

// An Event is something that happened: to a run, or to the fleet.
type Event struct {
	Run   string
	Input supervise.Input // for a run
	Fleet fleet.Input     // for the fleet; Run is empty
}

// A Turn is what a turn asks for, in the order in which it must happen.
type Turn struct {
	Records  []chargehand.Record // to make durable first; each stream's in order
	Effects  []Effect            // to begin then
	Touched  []string            // runs that were stepped, in order
	Refusals []*chargehand.Error // one for each event; nil where it was followed
}

// An Effect is a run's or the fleet's.
type Effect struct {
	Run   string
	Team  *chargehand.Team // the run's
	Do    supervise.Effect
	Fleet fleet.Effect
}

// First has events taken before those of the next turn, which is wanted at once.
func (l *Loop) First(events ...Event) { l.first = append(l.first, events...) }

// Take is one turn. Every event's run must be in memory; one that is not is passed over.
func (l *Loop) Take(now time.Time, events []Event) Turn {
	t := taking{loop: l, now: now, touched: map[string]bool{}}
	first := l.first
	l.first = nil
	//rule:fold-told
	for _, e := range first {
		_ = t.take(e) // nobody waits for an answer
	}
	for _, e := range events {
		t.out.Refusals = append(t.out.Refusals, t.take(e))
	}
	l.tell(&t)
	if l.fleet.Tail() > l.tail() {
		t.out.Records = append(t.out.Records, l.fleet.Rebase(now).Records...)
	}
	return t.out
}

func (l *Loop) tail() int64 {
	if l.Tail == 0 {
		return defaultTail
	}
	return l.Tail
}

// take lets one event happen, with all that follows from it at once, and answers why it was not
// followed.
func (t *taking) take(e Event) *chargehand.Error {
	t.refusal = nil
	if e.Fleet != nil {
		t.stepFleet(e.Fleet)
	} else {
		t.stepRun(e.Run, e.Input)
	}
	no := t.refusal
	t.settle()
	return no
}

// tell lets everybody know what time it is who wanted to.
func (l *Loop) tell(t *taking) {
	for {
		at, ok := l.wakes.first(l)
		if !ok || at.After(t.now) {
			break
		}
		w := heap.Pop(&l.wakes).(wake)
		l.runs[w.run].wake = time.Time{}
		t.stepRun(w.run, supervise.Tick{})
		t.settle()
	}
	if !l.woken.IsZero() && !l.woken.After(t.now) {
		t.stepFleet(fleet.Tick{})
		t.settle()
	}
}

// taking is a turn under way.
type taking struct {
	loop    *Loop
	now     time.Time
	out     Turn
	touched map[string]bool
	grants  []fleet.Grant
	offers  []fleet.Offer
	notices []fleet.Notice
	orphans []fleet.Holding
	asks    []message
	refusal *chargehand.Error // of the event under way
}

// A message is from a run to the fleet.
type message struct {
	run *member
	msg supervise.Message
}

// settle passes messages until everybody is quiet.
func (t *taking) settle() {
	for len(t.asks)+len(t.grants)+len(t.offers)+len(t.notices)+len(t.orphans) > 0 {
		asks, grants, offers, notices, orphans := t.asks, t.grants, t.offers, t.notices, t.orphans
		t.asks, t.grants, t.offers, t.notices, t.orphans = nil, nil, nil, nil, nil
		for _, m := range asks {
			//rule:hold off=true
			if _, ask := m.msg.(supervise.Ask); !ask || !t.loop.Hold {
				t.stepFleet(t.loop.fleetInput(m))
			}
		}
		for _, g := range grants {
			name := t.loop.fleet.Name(g.Worker)
			t.stepRun(g.Run, supervise.Granted{
				AttemptRef: g.AttemptRef, Worker: name, Instance: name + strings.TrimPrefix(g.Instance, g.Worker), Epoch: g.Epoch, Load: g.Load,
			})
		}
		for _, o := range offers {
			t.stepRun(o.Run, supervise.Offered{AttemptRef: o.AttemptRef, Worker: t.loop.fleet.Name(o.Worker), Key: o.Worker, EstimateUSD: o.EstimateUSD})
		}
		for _, n := range notices {
			t.stepRun(n.Run, supervise.Warned{Alerted: n.Alerted})
		}
		for _, h := range orphans {
			t.stepRun(h.Run, supervise.Crashed{
				AttemptRef: h.AttemptRef, Epoch: h.Epoch, Cause: chargehand.CauseCrash,
				Message: "its lease was lost",
			})
		}
	}
}

func (t *taking) stepRun(id string, in supervise.Input) {
	r := t.loop.runs[id]
	if r == nil {
		t.stray(id, in)
		return
	}
	out := r.machine.Step(t.now, in)
	if !t.touched[id] {
		t.touched[id] = true
		t.out.Touched = append(t.out.Touched, id)
	}
	if out.Refusal != nil {
		t.refusal = out.Refusal
	}
	t.out.Records = append(t.out.Records, out.Records...)
	for _, e := range out.Effects {
		t.out.Effects = append(t.out.Effects, Effect{Run: id, Team: r.team, Do: e})
	}
	for _, m := range out.Fleet {
		t.asks = append(t.asks, message{r, m})
	}
	t.loop.schedule(r, out.Wake)
}

// stray answers the fleet for a run no longer in memory: it needs no lease, and pays for nothing.
func (t *taking) stray(run string, in supervise.Input) {
	switch in := in.(type) {
	case supervise.Granted:
		t.stepFleet(fleet.Return{Epoch: in.Epoch, Outcome: chargehand.OutcomeUnused})
	case supervise.Offered:
		t.stepFleet(fleet.Fund{Run: run, AttemptRef: in.AttemptRef, Worker: in.Key})
	}
}

func (t *taking) stepFleet(in fleet.Input) {
	out := t.loop.fleet.Step(t.now, in)
	t.out.Records = append(t.out.Records, out.Records...)
	for _, e := range out.Effects {
		t.out.Effects = append(t.out.Effects, Effect{Fleet: e})
	}
	t.grants = append(t.grants, out.Grants...)
	t.offers = append(t.offers, out.Offers...)
	t.notices = append(t.notices, out.Notices...)
	t.orphans = append(t.orphans, out.Orphans...)
	if out.Refusal != nil {
		t.refusal = out.Refusal
	}
	t.loop.woken = out.Wake
}

// fleetInput says a run's message in the fleet's words.
func (l *Loop) fleetInput(m message) fleet.Input {
	switch msg := m.msg.(type) {
	case supervise.Ask:
		s := m.run.machine.Summary()
		return fleet.Ask{
			Run: m.run.id, AttemptRef: msg.AttemptRef, Candidates: l.keyed(m.run, msg.Candidates), Strategy: msg.Strategy,
			Priority: msg.Priority, Deadline: s.DeadlineAt, Timeout: msg.Timeout, RunStarted: s.StartedAt,
			Tenant: s.Tenant, Order: m.run.team.Policy.Queue, SpawnUpTo: msg.SpawnUpTo,
		}
	case supervise.Withdraw:
		return fleet.Withdraw{Run: m.run.id, AttemptRef: msg.AttemptRef}
	case supervise.Fund:
		return fleet.Fund{Run: m.run.id, AttemptRef: msg.AttemptRef, Worker: msg.Key, Pays: msg.Pays}
	case supervise.Give:
		return fleet.Return{Epoch: msg.Epoch, Outcome: msg.Outcome}
	}
	panic("turn: a message of a kind supervise does not declare")
}

// keyed are the candidates by the fleet's keys: another team's worker of the same name may be another.
func (l *Loop) keyed(r *member, cs []chargehand.Candidate) []chargehand.Candidate {
	out := cs
	for i, c := range cs {
		key := l.fleet.Key(c.Worker, r.identity(c.Worker))
		if key == c.Worker {
			continue
		}
		if &out[0] == &cs[0] {
			out = slices.Clone(cs) // a run's record has the names
		}
		out[i].Worker = key
	}
	return out
}

// schedule notes when a run wants to be told the time.
func (l *Loop) schedule(r *member, at time.Time) {
	if at.Equal(r.wake) {
		return
	}
	if r.wake = at; !at.IsZero() {
		heap.Push(&l.wakes, wake{at, r.id})
	}
}

// A wake is a run's wish; one that the run has since changed is dropped when it comes up.
type wake struct {
	at  time.Time
	run string
}

type wakeHeap []wake

func (h *wakeHeap) first(l *Loop) (time.Time, bool) {
	for len(*h) > 0 {
		w := (*h)[0]
		if r := l.runs[w.run]; r != nil && r.wake.Equal(w.at) {
			return w.at, true
		}
		heap.Pop(h)
	}
	return time.Time{}, false
}

func (h wakeHeap) Len() int           { return len(h) }
func (h wakeHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h wakeHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *wakeHeap) Push(x any)        { *h = append(*h, x.(wake)) }
func (h *wakeHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	*h = old[:len(old)-1]
	return w
}
