// Package fleet is the capacity machine: what all runs share. It decides which worker serves an
// attempt and when, keeps every worker within its slots, and knows which of them are fit to work.
//
// Step is told what happened and when. It answers with the records to make durable first, the
// leases granted, the effects to begin then, and when it wants to be told the time. Workers, their
// instances, leases, breakers, health and drains are a fold of the records: apply alone writes
// them. The queue is not: a machine that was folded again has nobody waiting, and the runs ask
// anew.
package fleet

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// A Machine shares out the workers. Its sub-states are its table of contents.
type Machine struct {
	pool   pool   // pool.go: workers, with instances, breaker and health
	leases leases // lease.go: who works on what
	queue  queue  // queue.go: who waits; not folded
	probes probes // health.go: when to ask for health; not folded
	agenda agenda // timer.go: what falls due when; follows from the above
	offers offers // spawn.go: what runs are asked to pay for; not folded: a turn answers them
	turn   turn   // dispatch.go: what this step moved; empty between steps
	slate  slate  // choose.go: memory that is used again; holds nothing between calls

	seq     int64
	rebased int64     // seq of the latest FleetRebased
	now     time.Time // of the latest step or record; time never goes back behind it
}

// New is the machine of a fleet without workers.
func New() *Machine {
	return &Machine{
		pool:   newPool(),
		leases: newLeases(),
		queue:  newQueue(),
		probes: probes{next: map[string]time.Time{}},
		agenda: newAgenda(),
		offers: offers{},
	}
}

// Restore folds the fleet's records: all of them, or those from a FleetRebased of part 1 on.
func Restore(records []chargehand.Record) *Machine {
	m := New()
	for _, r := range records {
		m.apply(r)
	}
	for _, w := range m.pool.list {
		m.agenda.workers.set(w.Worker, m.due(w))
	}
	return m
}

// Step tells the machine what happened, and when. Telling it twice changes nothing the second
// time.
func (m *Machine) Step(now time.Time, in Input) Output {
	var out Output
	m.begin(now)
	m.expire(&out)
	m.handle(in, &out)
	m.dispatch(&out)
	m.tend(&out)
	out.Wake = m.Wake()
	return out
}

// begin sets the time in the form records hold, never before the last.
func (m *Machine) begin(now time.Time) {
	if now = now.UTC().Truncate(time.Microsecond); now.After(m.now) {
		m.now = now
	}
	m.turn = turn{}
}

func (m *Machine) handle(in Input, out *Output) {
	switch in := in.(type) {
	case Register:
		m.register(in, out)
	case Ask:
		m.ask(in, out)
	case Withdraw:
		m.withdraw(in)
	case Fund:
		m.funded(in, out)
	case Return:
		m.giveBack(in, out)
	case Reconcile:
		m.reconcile(in, out)
	case Healthy:
		m.examined(in, out)
	case Spawned:
		m.spawned(in, out)
	case Drain:
		m.drain(in, out)
	case Stepped:
		m.record(chargehand.ClockStepped{Wall: m.now.Add(in.Off), OffMS: in.Off.Milliseconds()}, out)
	case Tick:
	default:
		panic(fmt.Sprintf("fleet: input %T is not one of this package's", in))
	}
}

// Wake is when the machine wants to be stepped at the latest; zero means never.
func (m *Machine) Wake() time.Time {
	return earlier(m.agenda.workers.next(), m.agenda.asks.next())
}

// record journals a fact and applies it. Apart from Restore it is the only caller of apply, so no
// state changes without a record.
func (m *Machine) record(f chargehand.Fact, out *Output) {
	r := chargehand.Record{Run: chargehand.FleetStream, Seq: m.seq + 1, At: m.now, Fact: f}
	m.apply(r)
	out.Records = append(out.Records, r)
}

// apply folds one record in.
func (m *Machine) apply(r chargehand.Record) {
	m.seq, m.now = r.Seq, r.At
	switch f := r.Fact.(type) {
	case chargehand.WorkersRegistered:
		m.pool.register(f, r.At)
	case chargehand.WorkerDrained:
		m.pool.named(f.Worker).Drained = f.Drained
	case chargehand.LeaseGranted:
		m.applyGranted(f, r.At)
	case chargehand.LeaseFreed:
		m.applyFreed(f, r.At)
	case chargehand.BreakerMoved:
		m.pool.named(f.Worker).applyBreaker(f, m.leases.epoch)
	case chargehand.HealthChanged:
		m.pool.named(f.Worker).applyHealth(f)
	case chargehand.InstanceSpawned, chargehand.SpawnAsked, chargehand.SpawnFailed, chargehand.InstanceRetired:
		m.applyInstance(f, r.At)
	case chargehand.FleetRebased:
		m.applyRebased(f)
	}
}

// earlier is the earlier of two times, of which zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
