package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// A Scene is a small configuration all of whose ways are gone through: every order in which what is
// under way may be answered, well or badly, answered again, cut short by a deadline or by the end
// of the process.
type Scene struct {
	Name  string
	Depth int // events in a row
	team  chargehand.Team
	plan  chargehand.Plan
	ways  []way // how a worker may answer
	twice int   // answers that may come again
	dies  int   // how often the process may die
}

// A way is how an attempt may go.
type way string

const (
	well  way = "well"
	badly way = "badly"
	falls way = "falls" // it crashes
)

// Scenes are the configurations that are explored.
func Scenes() []Scene {
	pair := func(edit func(*Scene)) Scene {
		s := Scene{
			Depth: 6, ways: []way{well, badly}, twice: 1,
			team: chargehand.Team{
				Name: "pair", Version: "1", Contracts: contracts(),
				Workers: []chargehand.WorkerSpec{
					{WorkerID: "a", Capabilities: []string{"x"}, AverageLatencyMS: 1_000, CostPerCallEstimateUSD: 10_000},
					{WorkerID: "b", Capabilities: []string{"x"}, AverageLatencyMS: 1_000, CostPerCallEstimateUSD: 10_000},
					{WorkerID: "judge", Capabilities: []string{"judge"}},
				},
				Policy:  chargehand.Policy{Attempts: 2},
				Planner: chargehand.Planner{Func: "plan"},
			},
			plan: chargehand.Plan{Subtasks: []chargehand.Subtask{
				{ID: "s1", Goal: "do", Capability: "x", OutputContract: "sum"}, {ID: "s2", Goal: "do", Capability: "x", OutputContract: "sum"},
			}},
		}
		edit(&s)
		return s
	}
	return []Scene{
		pair(func(s *Scene) { s.Name = "two subtasks" }),
		pair(func(s *Scene) { s.Name, s.team.Policy.Reviewer = "with a reviewer", "judge" }),
		pair(func(s *Scene) { s.Name, s.plan.Subtasks[1].Deps, s.Depth = "one after the other", []string{"s1"}, 8 }),
		pair(func(s *Scene) {
			s.Name, s.plan.Subtasks[0].Effect, s.ways = "one writes", chargehand.EffectWrite, []way{well, falls}
		}),
		pair(func(s *Scene) {
			s.Name, s.dies, s.twice = "the process dies once", 1, 0
			s.Depth = 7
		}),
		pair(func(s *Scene) {
			s.Name, s.team.Policy.Attempts, s.plan.Subtasks[0].Required = "a person is asked", 1, true
			s.team.Policy.WhenOnlyWaits = chargehand.WaitForPeople
		}),
		pair(func(s *Scene) {
			s.Name, s.team.Budget.USD, s.ways = "the money runs out", 25_000, []way{well, badly, falls}
		}),
	}
}

// A Survey is what going through a scene came to.
type Survey struct {
	Scene       string      `json:"scene"`
	Depth       int         `json:"depth"`
	States      int         `json:"states"`
	Transitions int         `json:"transitions"`
	Ended       int         `json:"ended"`  // states in which the run is over
	Whole       bool        `json:"whole"`  // nothing was left to do at that depth
	Breach      *law.Breach `json:"breach"` // the first; nil: none
	Path        []string    `json:"path,omitempty"`
}

// Explore goes through a scene breadth first, to its depth or to another where one is given.
func Explore(s Scene, depth int) (*Survey, error) {
	insp, err := newInspector(nil)
	if err != nil {
		return nil, err
	}
	if depth <= 0 {
		depth = s.Depth
	}
	x := explorer{scene: s, insp: insp, seen: map[uint64]bool{}}
	return x.survey(depth), nil
}

type explorer struct {
	scene Scene
	insp  *inspector
	seen  map[uint64]bool
}

// A node is a state that was met for the first time: the way to it, and what can happen there.
type node struct {
	path    []string
	choices []string
}

// survey takes every state of one length of path after the other.
func (x *explorer) survey(depth int) *Survey {
	out := &Survey{Scene: x.scene.Name, Depth: depth}
	first := x.walk(nil)
	x.seen[first.digest()] = true
	nodes := []node{{nil, first.choices()}}
	for range depth {
		var next []node
		for _, n := range nodes {
			for _, choice := range n.choices {
				out.Transitions++
				path := append(slices.Clip(n.path), choice)
				at := x.walk(path)
				if at.breach != nil {
					out.Breach, out.Path = at.breach, path
					return out
				}
				if sum := at.digest(); !x.seen[sum] {
					x.seen[sum] = true
					next = append(next, node{path, at.choices()})
					if !at.law.Open(sceneRun) {
						out.Ended++
					}
				}
			}
		}
		nodes = next
	}
	out.States, out.Whole = len(x.seen), len(nodes) == 0
	return out
}

const sceneRun = "run_1"

// A stage is a scene at the end of a path.
type stage struct {
	scene  *Scene
	insp   *inspector
	law    *law.Law
	disk   *disk
	host   *host
	now    time.Time
	boot   int64
	breach *law.Breach

	open   []task            // effects that wait for an answer
	told   []turn.Event      // answers that may come again
	asked  map[string]review // open reviews, by id
	twice  int
	deaths int
}

// A task is an effect that waits for an answer.
type task struct {
	name string
	do   supervise.Effect
}

type review struct{ chargehand.Review }

// walk is the scene after the choices of a path.
func (x *explorer) walk(path []string) *stage {
	s := &stage{scene: &x.scene, insp: x.insp, law: law.New(), disk: newDisk(), now: start, asked: map[string]review{}}
	s.law.Run(sceneRun, &s.scene.team)
	s.start()
	s.post(letter{Event: turn.Event{Fleet: turn.Register(&s.scene.team)}})
	s.post(letter{Event: turn.Event{Run: sceneRun, Input: supervise.Start{Order: chargehand.Order{Objective: chargehand.Objective{Goal: "do"}}, Seed: "s"}}, begin: true})
	for _, choice := range path {
		s.choose(choice)
	}
	return s
}

func (s *stage) start() {
	s.boot++
	var err error
	if s.host, err = open(s.disk, map[string]*chargehand.Team{sceneRun: &s.scene.team}, s.boot, false); err != nil {
		s.breach = s.law.Fails(law.Replay, sceneRun, "%v", err)
	}
	s.turn()
}

func (s *stage) post(l letter) {
	s.host.inbox = append(s.host.inbox, l)
	s.turn()
}

// turn has the process take a turn that is kept.
func (s *stage) turn() {
	p, err := s.host.take(s.now)
	if p == nil || err != nil || s.breach != nil {
		return
	}
	t := law.Turn{Turn: p.Turn, Rows: p.rows, Folded: p.folded}
	for _, l := range p.letters {
		t.Events = append(t.Events, l.Event)
	}
	begun, err := s.host.keep(p)
	if err != nil {
		s.breach = s.law.Fails(law.Replay, sceneRun, "%v", err)
		return
	}
	s.breach = s.law.Took(t)
	for _, r := range p.Records {
		s.follow(r.Fact)
	}
	for _, e := range begun {
		s.begin(e)
	}
}

func (s *stage) follow(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReviewOpened:
		s.asked[f.Review.ID] = review{f.Review}
	case chargehand.ReviewDecided:
		delete(s.asked, f.Decision.ReviewID)
	}
}

// begin notes what waits for an answer.
func (s *stage) begin(e turn.Effect) {
	switch do := e.Do.(type) {
	case supervise.MakePlan:
		s.open = append(s.open, task{fmt.Sprint("plan ", do.Iteration), do})
	case supervise.Launch:
		s.open = append(s.open, task{fmt.Sprint("work ", do.Task.TaskID, "/", do.Task.Attempt), do})
	case supervise.Stop:
		s.open = append(s.open, task{fmt.Sprint("stop ", do.Subtask, "/", do.Attempt), do})
	case supervise.Judge:
		s.open = append(s.open, task{fmt.Sprint("judge ", do.Subtask, "/", do.Attempt, "/", do.Times), do})
	case supervise.Compare:
		s.open = append(s.open, task{fmt.Sprint("compare ", do.Subtask, "/", do.Attempt), do})
	case supervise.Aggregate:
		s.open = append(s.open, task{fmt.Sprint("aggregate ", do.Round), do})
	case supervise.WriteResult:
		s.open = append(s.open, task{"result", do})
	}
}

// choices are all that can happen next, by name.
func (s *stage) choices() []string {
	var out []string
	for _, t := range s.open {
		switch t.do.(type) {
		case supervise.Launch:
			for _, w := range s.scene.ways {
				out = append(out, t.name+" "+string(w))
			}
		case supervise.Judge:
			out = append(out, t.name+" "+string(well), t.name+" "+string(badly))
		default:
			out = append(out, t.name)
		}
	}
	for i := range s.told {
		if s.twice < s.scene.twice {
			out = append(out, fmt.Sprint("again ", i))
		}
	}
	for _, id := range sortedKeys(s.asked) {
		out = append(out, "yes "+id, "no "+id)
	}
	if !s.host.next().IsZero() {
		out = append(out, "time")
	}
	if s.deaths < s.scene.dies {
		out = append(out, "death")
	}
	return out
}

// choose lets one of the choices happen.
func (s *stage) choose(choice string) {
	what, rest, _ := strings.Cut(choice, " ")
	switch what {
	case "time":
		if at := s.host.next(); at.After(s.now) {
			s.now = at
		}
		s.turn()
	case "death":
		s.deaths++
		s.open, s.told = nil, nil
		s.law.Died()
		s.start()
	case "again":
		s.twice++
		var i int
		if _, err := fmt.Sscan(rest, &i); err == nil {
			s.post(letter{Event: s.told[i]})
		}
	case "yes", "no":
		r := s.asked[rest]
		s.say(supervise.Decide{ReviewID: r.ID, Approved: what == "yes", Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce})
	default:
		s.answer(choice)
	}
}

// say tells the run something, which may be told again.
func (s *stage) say(in supervise.Input) {
	e := turn.Event{Run: sceneRun, Input: in}
	if s.scene.twice > s.twice {
		s.told = append(s.told, e)
	}
	s.post(letter{Event: e})
}

// answer lets a task be answered.
func (s *stage) answer(choice string) {
	i := slices.IndexFunc(s.open, func(t task) bool { return choice == t.name || strings.HasPrefix(choice, t.name+" ") })
	t := s.open[i]
	how := way(strings.TrimPrefix(strings.TrimPrefix(choice, t.name), " "))
	s.open = slices.Delete(s.open, i, i+1)
	switch do := t.do.(type) {
	case supervise.MakePlan:
		s.say(supervise.Planned{Iteration: do.Iteration, Plan: s.scene.plan, Source: "func"})
	case supervise.Launch:
		s.say(s.work(do, how))
	case supervise.Stop:
		s.stop(do)
	case supervise.Judge:
		v := chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.Accept, Confidence: 9}
		if how == badly {
			v = chargehand.Verdict{}
		}
		s.say(supervise.JudgeAnswered{AttemptRef: do.AttemptRef, Times: do.Times, Verdict: v})
	case supervise.Compare:
		s.say(supervise.Compared{AttemptRef: do.AttemptRef, Agree: do.First == do.Second, Points: 1})
	case supervise.Aggregate:
		s.say(supervise.WorkAggregated{Round: do.Round, Ref: "sha256:aggregate", Items: 2})
	case supervise.WriteResult:
		s.say(supervise.ResultWritten{Result: "sha256:result", ResultHash: "sha256:hash"})
	}
}

// work is how an attempt goes.
func (s *stage) work(do supervise.Launch, how way) supervise.Input {
	if how == falls {
		return supervise.Crashed{AttemptRef: refOf(do), Epoch: do.Epoch, Cause: chargehand.CauseCrash, Message: "gone"}
	}
	list := s.insp.stock(&do.Task).good
	if how == badly {
		list = s.insp.stock(&do.Task).lies
	}
	v := s.insp.check(&do.Task, list[0], nil, chargehand.StatusSucceeded, false)
	return supervise.Finished{
		AttemptRef: refOf(do), Epoch: do.Epoch, Status: chargehand.StatusSucceeded, Output: list[0].hash, Size: len(list[0].body),
		InputHash: do.Task.TaskID, Verdict: v.Verdict, VerdictRef: v.ref, Usage: chargehand.Usage{USD: 9_000},
	}
}

// stop lets a worker confirm its stop. What it was about to answer it does not any more.
func (s *stage) stop(do supervise.Stop) {
	s.open = slices.DeleteFunc(s.open, func(t task) bool {
		l, ok := t.do.(supervise.Launch)
		return ok && l.Epoch == do.Epoch
	})
	s.say(supervise.Stopped{AttemptRef: do.AttemptRef, Epoch: do.Epoch})
}

// digest is the state as a number: machines, bytes to come, law and all that waits.
func (s *stage) digest() uint64 {
	var waits, again []string
	for _, t := range s.open {
		waits = append(waits, t.name)
	}
	slices.Sort(waits)
	for _, e := range s.told {
		again = append(again, fmt.Sprint(digest(e.Input)))
	}
	slices.Sort(again)
	var m *supervise.Machine
	if m = s.host.loop.Machine(sceneRun); m == nil { // it is parked: its records are all there is
		records, err := s.disk.fold(sceneRun)
		if err != nil {
			return 0
		}
		m = supervise.Restore(sceneRun, &s.scene.team, records)
	}
	return digest(m, s.host.loop.Fleet(), s.law, waits, again, s.twice, s.deaths, s.now)
}
