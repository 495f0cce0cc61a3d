package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// hands are what a process has under way. They die with it.
type hands struct {
	jobs   map[int64]*job // by epoch
	spawns int
	probes int
}

// A job is an attempt that a worker is at.
type job struct {
	run    string
	launch supervise.Launch
	terms  int  // how often its time was set
	over   bool // the worker has let go
	deaf   bool // it ignores its stop
	late   bool // stopped, it hands over what it has all the same
	lies   bool // its bill is not what it consumed
	result supervise.Input
}

// A span is a stretch of time.
type span struct{ from, to time.Duration }

func (s span) holds(at time.Duration) bool { return s.from <= at && at < s.to }

func newHands() hands { return hands{jobs: map[int64]*job{}} }

// pursue begins an effect.
func (w *world) pursue(e turn.Effect) {
	switch do := e.Do.(type) {
	case supervise.MakePlan:
		w.makePlan(e.Run, do)
	case supervise.Launch:
		w.launch(e.Run, do)
	case supervise.Stop:
		w.stop(e.Run, do)
	case supervise.Reschedule:
		w.reschedule(e.Run, do)
	case supervise.Judge:
		w.judge(e.Run, do)
	case supervise.Compare:
		w.answer(e.Run, w.alike(do), 2*time.Millisecond, spot{what: "compare", run: e.Run, task: do.Subtask, a: do.Attempt})
	case supervise.Aggregate:
		w.answer(e.Run, w.aggregate(do), 2*time.Millisecond, spot{what: "aggregate", run: e.Run, a: do.Round})
	case supervise.WriteResult:
		w.answer(e.Run, supervise.ResultWritten{Result: "sha256:result", ResultHash: "sha256:" + e.Run}, time.Millisecond, spot{what: "result", run: e.Run})
	}
	switch do := e.Fleet.(type) {
	case fleet.Spawn:
		w.spawn(do)
	case fleet.Probe:
		w.probe(do)
	}
}

// answer reports what came of an effect: late, and more than once, where that strikes.
func (w *world) answer(run string, in supervise.Input, after time.Duration, at spot) {
	d := w.dice(at)
	if w.strikes(Reorder, 0.15, at) {
		after += d.within(10*time.Millisecond, 5*time.Second)
	}
	w.tell(after, turn.Event{Run: run, Input: in})
	if w.strikes(Duplicate, 0.1, at) {
		for range d.between(1, 3) {
			w.tell(after+d.within(0, 20*time.Second), turn.Event{Run: run, Input: again(d, in)})
		}
	}
}

// again is an answer told a second time, now and then with another body.
func again(d dice, in supervise.Input) supervise.Input {
	if f, ok := in.(supervise.Finished); ok && d.one(2) {
		f.Output, f.Usage.USD, f.Verdict.Recommendation = "sha256:other", 90_000, chargehand.Accept
		return f
	}
	return in
}

// launch has a worker begin an attempt. What it will answer, and when, is settled at once.
func (w *world) launch(run string, do supervise.Launch) {
	at := spot{what: "work", run: run, task: do.Task.TaskID, a: do.Task.Attempt, b: int(w.boots)}
	d := w.dice(at)
	j := &job{run: run, launch: do}
	w.hands.jobs[do.Epoch] = j
	w.tasks[run+"/"+do.Task.TaskID] = do
	spec := w.team.Worker(do.Task.AssignedWorker)
	takes := max(50*time.Millisecond, spec.Latency())
	takes = d.within(takes/4, takes*3/2)
	deadline := do.Task.DeadlineAt.Sub(w.clockNow())
	if w.strikes(Stall, 0.15, at) {
		takes, j.deaf = deadline+d.within(time.Second, time.Minute), d.one(3)
	}
	j.late = w.strikes(Late, 0.5, at)
	j.result, j.lies = w.outcome(j, d, at), w.lies(at)
	w.garble(j, at)
	boot := w.boots
	w.needs(boot, j, takes, at)
	w.later(takes, func() { w.ends(boot, j, at) })
	w.setTerm(j, deadline+d.within(0, 5*time.Millisecond), at)
}

// setTerm has an attempt's context end so long from now.
func (w *world) setTerm(j *job, in time.Duration, at spot) {
	j.terms++
	boot, term := w.boots, j.terms
	w.later(in, func() {
		if j.terms == term {
			w.cancel(boot, j, at)
		}
	})
}

// reschedule moves the end of an attempt's context; while its run is paused it has none.
func (w *world) reschedule(run string, do supervise.Reschedule) {
	j := w.hands.jobs[do.Epoch]
	switch {
	case j == nil:
	case do.DeadlineAt.IsZero():
		j.terms++
		w.tally.branch("attempt stands still")
	default:
		w.tally.branch("attempt has its time again")
		w.setTerm(j, do.DeadlineAt.Sub(w.clockNow())+time.Millisecond, spot{what: "term", run: run, task: do.Subtask, a: do.Attempt, b: int(w.boots)})
	}
}

// ends has a worker answer.
func (w *world) ends(boot int64, j *job, at spot) {
	if boot == w.boots && !j.over {
		j.over = true
		w.answer(j.run, j.result, 0, at)
	}
}

// cancel ends the context of an attempt. A worker that minds it lets go soon.
func (w *world) cancel(boot int64, j *job, at spot) {
	if boot != w.boots || j.over || w.host == nil {
		return
	}
	at.what = "cancel"
	d := w.dice(at)
	if j.deaf {
		w.tally.branch("stop ignored")
		j.late = true
		w.later(d.within(time.Second, 10*time.Minute), func() { w.ends(boot, j, at) })
		return
	}
	in := j.result
	if !j.late {
		in = supervise.Stopped{AttemptRef: refOf(j.launch), Epoch: j.launch.Epoch, Usage: w.usage(d, j.launch, at), Tools: w.tools(&j.launch)}
	}
	j.over = true
	w.answer(j.run, in, d.within(0, 30*time.Millisecond), at)
}

// stop cancels an attempt; one that is not under way has let go already.
func (w *world) stop(run string, do supervise.Stop) {
	j := w.hands.jobs[do.Epoch]
	if j == nil || j.over {
		w.tell(0, turn.Event{Run: run, Input: supervise.Stopped{AttemptRef: do.AttemptRef, Epoch: do.Epoch}})
		return
	}
	w.cancel(w.boots, j, spot{what: "stop", run: run, task: do.Subtask, a: do.Attempt, b: int(w.boots)})
}

func refOf(l supervise.Launch) chargehand.AttemptRef {
	return chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
}

// outcome is what a worker makes of an attempt.
func (w *world) outcome(j *job, d dice, at spot) supervise.Input {
	l := &j.launch
	ref := refOf(*l)
	crash := supervise.Crashed{
		AttemptRef: ref, Epoch: l.Epoch, Cause: chargehand.CauseCrash, Message: "the connection was reset",
		Usage: w.usage(d, *l, at), NotBegun: d.one(3),
	}
	switch {
	case w.ill[l.Task.AssignedWorker].holds(w.now) || w.strikes(Storm, 0.08, at):
		return crash
	case w.strikes(Garbage, 0.04, spot{what: "error", run: at.run, task: at.task, a: at.a}):
		crash.Cause, crash.Message, crash.Final = chargehand.CauseWorkerError, "I cannot do it", d.one(3)
		return crash
	}
	return w.output(l, d, at)
}

// output is an answer with a body, and what the gate finds of it.
func (w *world) output(l *supervise.Launch, d dice, at spot) supervise.Input {
	s, sure := w.body(l, d, at)
	in := supervise.Finished{
		AttemptRef: refOf(*l), Epoch: l.Epoch, Status: chargehand.StatusSucceeded, Output: s.hash, Size: len(s.body),
		InputHash: l.Task.AssignedWorker + "/" + l.Task.TaskID, Summary: "done", Usage: w.usage(d, *l, at),
	}
	n := d.IntN(60)
	if w.team.Policy.Debate.Always && n >= 40 {
		n = 0 // more of what is debated
	}
	switch {
	case sure:
		certain := pick(d, 1, 1, 1, math.Inf(1), -1)
		in.Confidence = &certain
	case n < 4:
		own := pick(d, 0.4, 0.65, 0.65, 0.9)
		in.Confidence = &own
	case n < 8:
		in.Status = pick(d, chargehand.StatusPartial, chargehand.StatusBlocked, chargehand.StatusFailed)
		in.Blockers = []string{"a page is missing"}
	}
	w.fill(l)
	j := w.insp.check(&l.Task, s, in.Confidence, in.Status, l.Partial)
	in.Verdict, in.VerdictRef = j.Verdict, j.ref
	if l.Stances {
		in.Stances = w.insp.stances(l.Task.ExpectedOutputContract, s)
	}
	in.Tools = w.tools(l)
	w.tally.branch("gate " + string(j.Recommendation))
	return in
}

// fill puts the texts of a task's inputs in.
func (w *world) fill(l *supervise.Launch) {
	for i := range l.Task.InputRefs {
		l.Task.InputRefs[i].Text = string(w.insp.text(l.Task.InputRefs[i].Hash))
	}
}

// given is an output that a person gives for a write that happened, and what the gate finds of it.
func (w *world) given(d dice, run, task string) *supervise.Given {
	l := w.tasks[run+"/"+task]
	s := pick(d, w.insp.stock(&l.Task).good...)
	if d.one(4) {
		s = pick(d, garbage...)
	}
	w.fill(&l)
	j := w.insp.check(&l.Task, s, nil, chargehand.StatusSucceeded, l.Partial)
	g := &supervise.Given{Output: s.hash, Size: len(s.body), Verdict: j.Verdict, VerdictRef: j.ref}
	if l.Stances {
		g.Stances = w.insp.stances(l.Task.ExpectedOutputContract, s)
	}
	return g
}

// body is what a worker says, and whether it is too sure of it. After a correction most do better.
func (w *world) body(l *supervise.Launch, d dice, at spot) (sample, bool) {
	stock := w.insp.stock(&l.Task)
	bad := 1.0
	if l.Task.Feedback != "" {
		bad = 0.6
	}
	switch {
	case w.strikes(Lie, 0.25*bad, at):
		return pick(d, stock.lies...), true
	case w.strikes(Garbage, 0.12*bad, at):
		return pick(d, garbage...), false
	}
	return pick(d, stock.good...), false
}

// usage is a worker's bill.
func (w *world) usage(d dice, l supervise.Launch, at spot) chargehand.Usage {
	u := chargehand.Usage{InputTokens: int64(d.between(10, 60)), OutputTokens: int64(d.between(5, 30))}
	if spec := w.team.Worker(l.Task.AssignedWorker); spec != nil {
		u.USD = spec.CostPerCallEstimateUSD * chargehand.Micros(d.between(5, 10)) / 10
	}
	if at.what = "bill"; w.strikes(Lie, 0.15, at) {
		twice := chargehand.Usage{USD: 2*l.Envelope.USD + 1, InputTokens: 2*l.Envelope.Tokens + 1}
		u = pick(d, chargehand.Usage{}, chargehand.Usage{USD: -5_000_000, InputTokens: -9}, chargehand.Usage{USD: 1 << 62, OutputTokens: 1 << 62},
			chargehand.Usage{USD: 90_000, InputTokens: 400}, twice, twice)
	}
	return u
}

// lies reports whether the bill of an attempt is drawn without regard to what was reserved.
func (w *world) lies(at spot) bool {
	at.what = "bill"
	return slices.Contains(w.struck, string(Lie)+"@"+at.String())
}

// garble sends, besides the answer, what no worker could mean: answers of other attempts, of
// epochs that never were, and outputs without findings.
func (w *world) garble(j *job, at spot) {
	at.what = "garble"
	if !w.strikes(Garbage, 0.1, at) {
		return
	}
	d := w.dice(at)
	ref := refOf(j.launch)
	forged := supervise.Finished{
		AttemptRef: ref, Epoch: j.launch.Epoch + int64(pick(d, 1_000, -1, 7)), Status: chargehand.StatusSucceeded, Output: "sha256:evil", Size: 9,
		Verdict: chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.Accept, Score: 1}, Usage: chargehand.Usage{USD: 70_000},
	}
	stale := forged
	stale.Attempt--
	in := pick[supervise.Input](d, forged, stale,
		supervise.Crashed{AttemptRef: ref, Epoch: forged.Epoch, Cause: "odd"},
		supervise.Stopped{AttemptRef: chargehand.AttemptRef{Subtask: "nobody", Attempt: 1}, Epoch: 1},
		supervise.JudgeAnswered{AttemptRef: ref, Times: 7, Verdict: forged.Verdict},
		supervise.Planned{Iteration: 9},
		supervise.Granted{AttemptRef: ref, Worker: "nobody", Instance: "nobody", Epoch: 1 << 40},
		supervise.WorkAggregated{Round: 7, Ref: "sha256:evil"},
		supervise.Compared{AttemptRef: chargehand.AttemptRef{Subtask: ref.Subtask, Attempt: ref.Attempt - 1}, Agree: true},
	)
	w.tell(d.within(0, 4*time.Second), turn.Event{Run: j.run, Input: in})
}

// judge has the reviewer look at an output.
func (w *world) judge(run string, do supervise.Judge) {
	at := spot{what: "judge", run: run, task: do.Subtask, a: do.Attempt, b: do.Times}
	d := w.dice(at)
	in := supervise.JudgeAnswered{AttemptRef: do.AttemptRef, Times: do.Times, Usage: chargehand.Usage{USD: chargehand.Micros(d.IntN(10_000)), InputTokens: 20}}
	in.Verdict = chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.Accept, Confidence: pick(d, 6, 7, 8, 9, 9, 10), Validator: do.Reviewer}
	switch n := d.IntN(20); {
	case len(do.Positions) > 0:
		in.Verdict.Choice = pick(d, 1, 2, 2, 0)
		if n < 4 {
			in.Verdict.Recommendation, in.Verdict.Feedback = chargehand.HumanReview, "they read two clauses"
		}
	case n < 2:
		in.Verdict.Recommendation, in.Verdict.Feedback = chargehand.Reject, "say more"
	case n == 2:
		in.Verdict.Recommendation, in.Verdict.Feedback = chargehand.HumanReview, "a person should see this"
	case n == 3:
		in.Verdict.Confidence = 4
	}
	if w.strikes(Garbage, 0.25, at) {
		in.Verdict, in.Err = pick(d, chargehand.Verdict{}, chargehand.Verdict{Recommendation: "FINE", Confidence: 9}, chargehand.Verdict{Recommendation: chargehand.Accept, Confidence: 85}), pick(d, "", "500")
	}
	up := supervise.TopUp{For: chargehand.HeldForJudge, AttemptRef: do.AttemptRef, Times: do.Times}
	w.pays(run, up, do.Envelope, d, func(u chargehand.Usage, covered bool) {
		if in.Usage = in.Usage.Plus(u); !covered {
			in.Verdict, in.Err, in.Usage = chargehand.Verdict{}, "the call is not covered", chargehand.Usage{}
		}
		w.answer(run, in, d.within(100*time.Millisecond, 4*time.Second), at)
	})
}

// makePlan has the planner answer.
func (w *world) makePlan(run string, do supervise.MakePlan) {
	o := w.orders[run]
	o.plans++
	at := spot{what: "plan", run: run, a: do.Iteration, b: o.plans}
	d := w.dice(at)
	in := supervise.Planned{Iteration: do.Iteration, Source: "template"}
	switch {
	case do.Iteration == 1:
		in.Plan = o.plan
	case !d.one(3):
		in.Plan.Subtasks = w.palette.tasks(d, fmt.Sprintf("r%d_", do.Iteration))[:1]
	}
	if w.team.Planner.Func != "" {
		in.Source, in.Usage = "func", chargehand.Usage{USD: chargehand.Micros(d.IntN(15_000)), InputTokens: 30}
	}
	if w.team.Planner.Advice && do.Iteration == 1 && do.Ref == "" {
		in.Advice = &chargehand.Advice{Run: "run_old", Confidence: pick(d, 0.81, 0.9, 1), Outcome: chargehand.RunCompleted, Summary: "s1 (x)"}
	}
	if w.strikes(Garbage, 0.15, at) && w.team.Planner.Func != "" {
		in.Advice = &chargehand.Advice{Run: "run_evil", Confidence: pick(d, 0.8, 0.99, 1.5)}
	}
	if w.strikes(Garbage, 0.15, at) {
		in.Plan, in.Err = chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "bad", Goal: "x", Capability: "none", Deps: []string{"bad"}}}}, pick(d, "", "the planner failed")
	}
	switch {
	case do.Ref != "":
		in = supervise.Planned{Iteration: do.Iteration, Source: do.Source, Ref: do.Ref, Plan: w.plans[do.Ref]}
		w.answer(run, in, d.within(5*time.Millisecond, 500*time.Millisecond), at)
		return
	case in.Err == "" && supervise.AsksFirst(w.team, &in):
		in.Ref = w.keepPlan(in.Plan)
	}
	up := supervise.TopUp{For: chargehand.HeldForPlan, Times: do.Iteration}
	w.pays(run, up, do.Envelope, d, func(u chargehand.Usage, covered bool) {
		if in.Usage = in.Usage.Plus(u); !covered {
			in.Plan, in.Err, in.Usage = chargehand.Plan{}, "the call is not covered", chargehand.Usage{}
		}
		w.answer(run, in, d.within(5*time.Millisecond, 500*time.Millisecond), at)
	})
}

// keepPlan is a plan's content hash, by which it is found again.
func (w *world) keepPlan(p chargehand.Plan) string {
	body, err := json.Marshal(p)
	if err != nil {
		panic("sim: a plan is plain data: " + err.Error())
	}
	ref := chargehand.Hash(body)
	w.plans[ref] = p
	return ref
}

// aggregate puts the accepted outputs together: two that say different things of one key conflict.
func (w *world) aggregate(do supervise.Aggregate) supervise.WorkAggregated {
	in := supervise.WorkAggregated{Round: do.Round}
	said, ref := map[string]string{}, ""
	for _, acc := range do.Accepted {
		ref += acc.Subtask + acc.Output
		for _, it := range w.insp.items(acc.Contract, sample{w.insp.text(acc.Output), acc.Output}) {
			in.Items++
			if other, known := said[it.Key]; known && other != it.Value {
				in.Conflicts++
			}
			said[it.Key] = it.Value
		}
	}
	in.Ref = chargehand.Hash([]byte(ref))
	return in
}

// spawn brings up a dynamic instance, or does not.
func (w *world) spawn(do fleet.Spawn) {
	w.hands.spawns++
	at := spot{what: "spawn", task: do.Instance, a: w.hands.spawns, b: int(w.boots)}
	d := w.dice(at)
	in := fleet.Spawned{Worker: do.Worker, Instance: do.Instance}
	if w.strikes(Storm, 0.3, at) {
		in.Err = "no room"
	}
	w.tell(d.within(0, 2*time.Second), turn.Event{Fleet: in})
	if w.strikes(Duplicate, 0.1, at) {
		w.tell(d.within(0, 5*time.Second), turn.Event{Fleet: in})
	}
}

// probe asks a worker how it is.
func (w *world) probe(do fleet.Probe) {
	w.hands.probes++
	at := spot{what: "probe", task: do.Worker, a: w.hands.probes, b: int(w.boots)}
	in := fleet.Healthy{Worker: do.Worker, OK: true}
	if w.strikes(Storm, 0.2, at) {
		in.OK, in.Why = false, "503"
	}
	w.tell(w.dice(at).within(time.Millisecond, 2*time.Second), turn.Event{Fleet: in})
}
