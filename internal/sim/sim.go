// Package sim simulates supervision in virtual time: the shipped turn loop and machines over a
// journal in memory, in worlds in which everything goes wrong that can. What must hold is judged
// after every turn (package law). A world follows from its Case alone (SPEC.md ·192).
package sim

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/sim/law"
)

// Options say what to simulate. The zero Options simulate one run with no faults.
type Options struct {
	Runs   int    // at least so many; zero means 1
	Seed   uint64 // of all that is drawn
	Faults Faults
	Team   *Team // the user's own; nil: teams are drawn
	Jobs   int   // worlds at a time; zero means 1. The report does not depend on it
}

// A Report is what a simulation came to.
type Report struct {
	Seed     uint64                  `json:"seed"`
	Runs     int                     `json:"runs"`
	Worlds   int                     `json:"worlds"`
	Steps    int64                   `json:"steps"` // turns of the loop
	Records  int64                   `json:"records"`
	Crashes  int64                   `json:"crashes"`
	Faults   map[Fault]int64         `json:"faults"` // that happened
	Checked  map[law.Invariant]int64 `json:"checked"`
	Branches map[string]int64        `json:"branches"`
	Missed   []string                `json:"missed"` // branches that ought to be reached in so many runs
	Failure  *Failure                `json:"failure,omitempty"`
	Drawn    []string                `json:"drawnVerdicts,omitempty"` // contracts for which no output is known that the gate takes
}

// A Failure is an invariant that did not hold, and how to see it again.
type Failure struct {
	law.Breach
	Step    int    `json:"step"`
	At      string `json:"at"`      // virtual time since the world began
	Command string `json:"command"` // simulates the world it happened in
	Smaller string `json:"smaller"` // simulates the smallest one found in which it happens still

	Script []string `json:"script"` // the faults that had happened
}

// suite is the number of runs in which every branch is reached.
const suite = 20_000

// Run simulates worlds until there are enough runs, or one of them fails.
func Run(opt Options) (*Report, error) {
	insp, err := newInspector(opt.Team)
	if err != nil {
		return nil, err
	}
	s := simulation{opt: opt, insp: insp}
	return s.run(), nil
}

// Replay simulates one world, and looks for nothing smaller where it fails.
func Replay(c *Case) (*Report, error) {
	insp, err := newInspector(c.Team)
	if err != nil {
		return nil, err
	}
	s := simulation{opt: Options{Seed: c.Seed, Team: c.Team}, insp: insp, total: newTally(), runs: len(c.runs()), worlds: 1}
	if s.why = simulate(c, insp, s.total); s.why != nil {
		s.failed, s.why.Smaller = c, s.why.Command
	}
	return s.report(), nil
}

func newInspector(team *Team) (*inspector, error) {
	i := &inspector{stocks: stocks, texts: map[string][]byte{sourceHash: []byte(source)}}
	of := &chargehand.Team{Contracts: contracts()}
	if team != nil {
		of = &team.Team
	}
	var problems []chargehand.Problem
	if i.gate, problems = gate.Compile(of); len(problems) > 0 {
		return nil, &chargehand.Error{Code: chargehand.CodeInvalid, What: "the team cannot be simulated", Problems: problems}
	}
	if team != nil {
		i.stocks, i.drawn = i.stockOf(of)
	}
	for _, s := range i.stocks {
		for _, list := range [][]sample{s.good, s.lies, garbage} {
			for _, x := range list {
				i.texts[x.hash] = x.body
			}
		}
	}
	return i, nil
}

// A simulation is worlds being gone through.
type simulation struct {
	opt  Options
	insp *inspector

	next   atomic.Int64 // world to be taken
	mu     sync.Mutex
	total  *tally
	runs   int
	worlds int
	failed *Case // the first in order of worlds
	why    *Failure
}

func (s *simulation) run() *Report {
	s.total = newTally()
	var wg sync.WaitGroup
	for range max(1, s.opt.Jobs) {
		wg.Go(s.work)
	}
	wg.Wait()
	if s.failed != nil {
		s.why.Smaller = shrink(s.failed, s.why, func(c *Case) *Failure { return simulate(c, s.insp, newTally()) }).Command
	}
	return s.report()
}

// work takes one world after the other.
func (s *simulation) work() {
	t, runs, worlds := newTally(), 0, 0
	for {
		first, size, ok := s.take()
		if !ok {
			break
		}
		c := &Case{Seed: s.opt.Seed, World: first, Faults: s.opt.Faults, Team: s.opt.Team}
		runs, worlds = runs+size, worlds+1
		if f := simulate(c, s.insp, t); f != nil {
			s.fail(c, f)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.add(t)
	s.runs += runs
	s.worlds += worlds
}

// take is the next world. After a failure only those before it are taken, so that the failure
// that is told is the first, however many worlds are gone through at a time.
func (s *simulation) take() (first, size int, ok bool) {
	n := int(s.next.Add(1)) - 1
	first = n/len(sizes)*perRound + 1
	for _, before := range sizes[:n%len(sizes)] {
		first += before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first > max(1, s.opt.Runs) || s.failed != nil && first > s.failed.World {
		return 0, 0, false
	}
	return first, sizes[n%len(sizes)], true
}

func (s *simulation) fail(c *Case, f *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil || c.World < s.failed.World {
		s.failed, s.why = c, f
	}
}

// simulate goes through one world, and answers what failed in it.
func simulate(c *Case, insp *inspector, t *tally) (f *Failure) {
	w := newWorld(c, insp, t)
	defer func() {
		t.steps += int64(w.steps)
		t.records += w.disk.records
		for i, n := range w.counts {
			t.faults[i] += n
		}
		for name, n := range w.law.Checked {
			t.checked[name] += n
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			f = w.failure(c, &law.Breach{Invariant: law.Replay, What: fmt.Sprintf("a machine panics: %v", v)})
		}
	}()
	if b := w.run(); b != nil {
		return w.failure(c, b)
	}
	return nil
}

func (w *world) failure(c *Case, b *law.Breach) *Failure {
	return &Failure{Breach: *b, Step: w.steps, At: w.now.String(), Command: c.Command(), Script: w.struck}
}

func (s *simulation) report() *Report {
	t := s.total
	if s.why != nil { // how far the others had come says nothing
		return &Report{Seed: s.opt.Seed, Runs: s.failed.World, Missed: []string{}, Failure: s.why}
	}
	r := &Report{
		Seed: s.opt.Seed, Runs: s.runs, Worlds: s.worlds, Steps: t.steps, Records: t.records, Crashes: t.crashes,
		Faults: map[Fault]int64{}, Checked: t.checked, Branches: t.branches, Missed: []string{}, Failure: s.why,
		Drawn: s.insp.drawn,
	}
	for i, f := range AllFaults {
		r.Faults[f] = t.faults[i]
	}
	if s.opt.Team == nil && s.opt.Runs >= suite && s.opt.Faults.String() == AllOf().String() && s.why == nil {
		r.Missed = append(r.Missed, t.missed()...)
	}
	return r
}

// AllOf is every fault with its usual weight.
func AllOf() Faults {
	out := Faults{}
	for _, f := range AllFaults {
		out[f] = 1
	}
	return out
}
