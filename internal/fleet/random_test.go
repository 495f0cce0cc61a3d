package fleet

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// dice choose among n possibilities, 0 <= roll(n) < n. They come from rapid, or from a fuzzer.
type dice func(n int) int

// A feed makes inputs that an engine could send: runs ask, give back and withdraw, hands answer,
// operators meddle; now and then an answer comes twice or for nothing.
type feed struct {
	roll  dice
	m     *Machine
	now   time.Time
	asks  int
	names []string
}

func newFeed(roll dice, m *Machine) *feed {
	return &feed{roll: roll, m: m, now: epoch0, names: []string{"a", "b", "c", "d"}}
}

func pick[T any](f *feed, list []T) T { return list[f.roll(len(list))] }

// next lets time pass, or the clock go wrong, and makes an input.
func (f *feed) next() Input {
	f.now = f.now.Add(pick(f, []time.Duration{0, 0, 0, -time.Second, time.Millisecond, 300*time.Millisecond + 7, time.Second, 20 * time.Second, 6 * time.Minute}))
	switch n := f.roll(32); {
	case n < 12:
		return f.ask()
	case n < 22:
		return f.giveBack()
	case n < 24:
		return f.withdraw()
	case n < 26:
		return f.spawned()
	case n < 28:
		return Healthy{pick(f, f.names), f.roll(2) == 0, pick(f, []string{"", "gone"})}
	case n < 29:
		return Drain{pick(f, append(f.names, "nobody")), f.roll(3) == 0, "ann", ""}
	case n < 30:
		return Register{Workers: []chargehand.FleetWorker{f.worker(pick(f, f.names))}}
	case n < 31:
		return f.reconcile()
	}
	return Tick{}
}

func (f *feed) worker(name string) chargehand.FleetWorker {
	w := chargehand.FleetWorker{
		Worker: name, Slots: f.roll(4), Min: f.roll(3), Max: f.roll(4),
		LatencyMS: pick(f, []int{0, 0, 100, 1000, 10_000}), Health: pick(f, []string{"", "http://" + name}),
	}
	if f.roll(2) == 0 {
		w.Spawn = &chargehand.Spawn{
			Max: f.roll(3), EstimateUSD: chargehand.Micros(f.roll(3)),
			IdleTimeout: chargehand.Duration(f.roll(90)) * chargehand.Duration(time.Second),
		}
	}
	return w
}

func (f *feed) fleet() Register {
	var r Register
	for _, name := range f.names[:3] {
		r.Workers = append(r.Workers, f.worker(name))
	}
	return r
}

func (f *feed) ask() Input {
	f.asks++
	n := f.asks
	if f.roll(8) == 0 {
		n = f.roll(n) // an old one again
	}
	in := Ask{
		Run: fmt.Sprintf("r%d", n%7), AttemptRef: chargehand.AttemptRef{Subtask: fmt.Sprintf("s%d", n), Attempt: 1},
		Strategy:   pick(f, []chargehand.Strategy{"", chargehand.RouteStatic, chargehand.RouteCapability, chargehand.RouteLoad}),
		Order:      pick(f, []chargehand.QueueOrder{"", chargehand.QueueFair, chargehand.QueueOldest, chargehand.QueueDeadline}),
		Priority:   f.roll(3),
		Timeout:    pick(f, []time.Duration{0, 0, time.Second}),
		RunStarted: epoch0.Add(time.Duration(n%7) * time.Second),
		Tenant:     pick(f, []string{"", "x", "y"}),
		SpawnUpTo:  chargehand.Micros(f.roll(4) - 1),
	}
	if f.roll(3) == 0 {
		in.Deadline = f.now.Add(pick(f, []time.Duration{-time.Second, 2 * time.Second, time.Minute}) + 3)
	}
	for _, name := range f.names[:1+f.roll(len(f.names))] {
		in.Candidates = append(in.Candidates, chargehand.Candidate{
			Worker: name, Rank: f.roll(3), Tier: f.roll(3),
			CostUSD: chargehand.Micros(f.roll(2)),
		})
	}
	return in
}

var outcomes = []chargehand.Outcome{
	chargehand.OutcomeFine, chargehand.OutcomeFine, chargehand.OutcomeFailed,
	chargehand.OutcomeFailed, chargehand.OutcomeLate, chargehand.OutcomeUnused,
}

func (f *feed) giveBack() Input {
	if open := f.m.leases.open; len(open) > 0 && f.roll(9) > 0 {
		return Return{pick(f, open).Epoch, pick(f, outcomes)}
	}
	return Return{int64(f.roll(int(f.m.leases.epoch) + 2)), pick(f, outcomes)}
}

func (f *feed) withdraw() Input {
	n := f.roll(f.asks + 1)
	return Withdraw{fmt.Sprintf("r%d", n%7), chargehand.AttemptRef{Subtask: fmt.Sprintf("s%d", n), Attempt: 1}}
}

func (f *feed) spawned() Input {
	in := Spawned{pick(f, f.names), "a+1", pick(f, []string{"", "", "no room"})}
	for _, w := range f.m.pool.list {
		for _, at := range w.instances {
			if f.roll(3) == 0 || at.Try > 0 {
				in.Worker, in.Instance = w.Worker, at.Instance
			}
		}
	}
	return in
}

// reconcile forgets some attempts and makes one up.
func (f *feed) reconcile() Input {
	in := Reconcile{Held: []Holding{{1 << 40, "r", chargehand.AttemptRef{Subtask: "s", Attempt: 1}}}}
	for _, l := range f.m.leases.open {
		if f.roll(4) > 0 {
			in.Held = append(in.Held, holding(l))
		}
	}
	return in
}
