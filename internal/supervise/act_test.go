package supervise

import (
	"math"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// An act is one thing that happens in a world.
type act struct {
	name   string
	weight int
	do     func(*world)
}

var acts = []act{
	{"grant", 8, (*world).grant},
	{"work", 8, (*world).work},
	{"top up", 4, (*world).topUp},
	{"stop", 3, (*world).confirmStop},
	{"plan", 4, (*world).makePlan},
	{"judge", 4, (*world).judgeOutput},
	{"compare", 3, (*world).comparePositions},
	{"aggregate", 2, (*world).aggregateWork},
	{"write", 1, (*world).writeResult},
	{"decide", 3, (*world).decideReview},
	{"time", 4, (*world).passTime},
	{"operate", 1, (*world).operate},
	{"again", 3, (*world).tellAgain},
	{"garbage", 4, (*world).garbage},
	{"restart", 1, (*world).restart},
	{"refold", 1, (*world).refuseWrite},
}

func (w *world) act() {
	var names []int
	for i, a := range acts {
		for range a.weight {
			names = append(names, i)
		}
	}
	acts[pick(w.dice, names...)].do(w)
}

// grant gives a waiting ask one of its candidates.
func (w *world) grant() {
	if len(w.asks) == 0 {
		return
	}
	i := w.dice.below(len(w.asks))
	a := w.asks[i]
	w.asks = slices.Delete(w.asks, i, i+1)
	w.epoch++
	worker := pick(w.dice, a.Candidates...).Worker
	w.answer(Granted{AttemptRef: a.AttemptRef, Worker: worker, Instance: worker, Epoch: w.epoch})
}

// topUp asks for more for a call under way, or for one that is not.
func (w *world) topUp() {
	if len(w.open) == 0 {
		return
	}
	in := TopUp{Total: w.dice.usage()}
	in.Total.USD += w.dice.cents()
	in.Total.OutputTokens += int64(w.dice.below(3_000))
	switch e := pick(w.dice, w.open...).(type) {
	case Launch:
		in.For, in.AttemptRef, in.Epoch = chargehand.HeldForAttempt, launched(e), e.Epoch+int64(w.dice.below(8)/7)
	case Judge:
		in.For, in.AttemptRef, in.Times = chargehand.HeldForJudge, e.AttemptRef, e.Times
	case MakePlan:
		in.For, in.Times = chargehand.HeldForPlan, e.Iteration
	default:
		return
	}
	held := w.m.ledger.held[holding(in.For, in.AttemptRef)]
	out := w.tell(in)
	after := w.m.ledger.held[holding(in.For, in.AttemptRef)]
	if covered := after.usd >= in.Total.USD && after.tokens >= tokensOf(in.Total); out.Refusal == nil && !covered {
		w.t.Fatalf("%+v is granted, and %+v is held", in, after)
	} else if out.Refusal != nil && after != held {
		w.t.Fatalf("%+v is denied, and what is held goes from %+v to %+v", in, held, after)
	}
}

func launched(l Launch) chargehand.AttemptRef {
	return chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
}

// work lets a worker answer, well or badly.
func (w *world) work() {
	l, ok := take[Launch](w)
	if !ok {
		return
	}
	r := launched(l)
	switch w.dice.below(12) {
	case 10:
		w.answer(Crashed{AttemptRef: r, Epoch: l.Epoch, Cause: chargehand.CauseBudget, Message: w.dice.words(), Usage: w.dice.usage()})
	case 0:
		in := Crashed{
			AttemptRef: r, Epoch: l.Epoch, Cause: chargehand.CauseCrash, Message: w.dice.words(), Usage: w.dice.usage(),
			NotBegun: w.dice.one(3),
		}
		w.law.harmless[r] = in.NotBegun
		w.answer(in)
	case 1:
		w.answer(Crashed{
			AttemptRef: r, Epoch: l.Epoch, Cause: chargehand.CauseWorkerError, Message: w.dice.words(), Usage: w.dice.usage(), Final: w.dice.one(3),
		})
	case 2: // it hangs, until it is stopped
		w.open = append(w.open, l)
	default:
		w.answer(w.output(l))
	}
}

func (w *world) output(l Launch) Finished {
	in := Finished{
		AttemptRef: launched(l), Epoch: l.Epoch,
		Status: pick(w.dice, chargehand.StatusSucceeded, chargehand.StatusSucceeded, chargehand.StatusSucceeded, chargehand.StatusPartial,
			chargehand.StatusBlocked, chargehand.StatusFailed, "odd"),
		Output: pick(w.dice, "sha256:1", "sha256:2", "sha256:3"), InputHash: "in",
		Size: pick(w.dice, 100, 100, 100, 0), Summary: w.dice.words(), Usage: w.dice.usage(),
		Verdict: w.dice.verdict(), VerdictRef: "sha256:v", Blockers: w.dice.many(), Evidence: w.dice.many(),
	}
	if w.dice.one(4) {
		in.Tools = w.dice.toolReport()
	}
	if l.Stances || w.dice.one(8) {
		in.Stances = w.dice.stances()
	}
	if w.dice.one(4) {
		own := pick(w.dice, 0, 0.5, 0.65, 1, -1, 85, math.NaN(), math.Inf(1))
		in.Confidence = &own
	}
	return in
}

func (w *world) confirmStop() {
	s, ok := take[Stop](w)
	if !ok {
		return
	}
	i := slices.IndexFunc(w.open, func(e Effect) bool { l, ok := e.(Launch); return ok && l.Epoch == s.Epoch })
	if i < 0 {
		w.answer(Stopped{AttemptRef: s.AttemptRef, Epoch: s.Epoch})
		return
	}
	l := w.open[i].(Launch)
	w.open = slices.Delete(w.open, i, i+1)
	switch w.dice.below(3) {
	case 0:
		w.answer(w.output(l))
	case 1:
		w.answer(Crashed{AttemptRef: s.AttemptRef, Epoch: s.Epoch, Cause: chargehand.CauseCrash, Message: "killed"})
	default:
		w.answer(Stopped{AttemptRef: s.AttemptRef, Epoch: s.Epoch, Usage: w.dice.usage(), Tools: w.dice.toolReport()})
	}
}

// makePlan answers with the first plan, with more subtasks, with nothing, or with nonsense.
func (w *world) makePlan() {
	e, ok := take[MakePlan](w)
	if !ok {
		return
	}
	in := Planned{Iteration: e.Iteration, Source: "func", Usage: w.dice.usage()}
	switch n := w.dice.below(8); {
	case n == 0:
		in.Err = w.dice.words()
	case n == 1:
		in.Plan.Subtasks = []chargehand.Subtask{{ID: "bad", Goal: "x", Capability: w.dice.words(), Deps: []string{"none"}}}
	case n == 2 && e.Iteration > 1:
	case e.Iteration == 1:
		in.Plan = w.plan
	default:
		w.replans++
		var old []string
		for _, k := range w.m.board.order {
			old = append(old, k.spec.ID)
		}
		in.Plan.Subtasks = w.dice.tasks(string(rune('t'+w.replans)), old)
	}
	w.answer(in)
}

func (w *world) judgeOutput() {
	if e, ok := take[Judge](w); ok {
		in := JudgeAnswered{AttemptRef: e.AttemptRef, Times: e.Times, Usage: w.dice.usage(), Verdict: w.dice.verdict()}
		if w.dice.one(5) {
			in.Verdict, in.Err = chargehand.Verdict{}, w.dice.words()
		}
		w.answer(in)
	}
}

// comparePositions says that two positions are alike, or not.
func (w *world) comparePositions() {
	if e, ok := take[Compare](w); ok {
		w.answer(Compared{AttemptRef: e.AttemptRef, Agree: w.dice.one(2), Points: 2, Differ: w.dice.many()})
	}
}

func (w *world) aggregateWork() {
	if e, ok := take[Aggregate](w); ok {
		w.answer(WorkAggregated{Round: e.Round, Ref: "sha256:a", Items: 3, Conflicts: w.dice.below(2)})
	}
}

func (w *world) writeResult() {
	if _, ok := take[WriteResult](w); ok {
		w.answer(ResultWritten{Result: "sha256:r", ResultHash: "sha256:h"})
	}
}

// decideReview answers a review, an open one or not, rightly or not.
func (w *world) decideReview() {
	if len(w.m.desk.order) == 0 {
		return
	}
	r := pick(w.dice, w.m.desk.order...)
	in := Decide{ReviewID: r.ID, Approved: !w.dice.one(3), Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce}
	switch w.dice.below(12) {
	case 0:
		in.Nonce = "stolen"
	case 1:
		in.ContentHash = "sha256:other"
	case 2:
		in.Approver = ""
	case 3:
		in.ReviewID = "rev_" + w.dice.words()
	case 4:
		in.Comment, in.Approver = w.dice.words(), "x"+w.dice.words()
	}
	if r.Cause == chargehand.CauseUnknown || w.dice.one(12) {
		w.settle(&in)
	}
	w.answer(in)
}

// settle has a decision say what became of a write, rightly or not, or give it up.
func (w *world) settle(in *Decide) {
	switch w.dice.below(4) {
	case 0: // it is given up, or approved as it stands
	case 1:
		in.Settled, in.Approved = chargehand.SettledNot, w.dice.one(6)
	default:
		in.Settled, in.Approved = chargehand.SettledHappened, true
		if !w.dice.one(6) {
			in.Given = &Given{Output: "sha256:given", Size: 9, Verdict: w.dice.verdict()}
		}
	}
}

// passTime moves the clock: a little, to the next wake-up, far, or back.
func (w *world) passTime() {
	switch w.dice.below(8) {
	case 0:
		w.now = w.now.Add(-time.Hour)
	case 1:
		w.now = w.now.Add(31 * time.Minute)
	case 2:
		if at := w.m.Wake(); !at.IsZero() {
			w.now = at
		}
	default:
		w.now = w.now.Add(time.Duration(w.dice.below(1_500_000)) * time.Microsecond)
	}
	w.tell(Tick{})
}

func (w *world) operate() {
	verb := pick(w.dice, chargehand.Pause, chargehand.Pause, chargehand.Pause, chargehand.Resume, chargehand.Resume, chargehand.Resume,
		chargehand.Resume, chargehand.Cancel, "stroke")
	w.answer(Operate{chargehand.Control{Verb: verb, By: "op" + w.dice.words(), Reason: w.dice.words()}})
}

// tellAgain repeats an earlier answer, as a network may.
func (w *world) tellAgain() {
	if len(w.told) > 0 {
		in := pick(w.dice, w.told...)
		if g, ok := in.(Granted); ok && !slices.ContainsFunc(w.held, func(h Granted) bool { return h.Epoch == g.Epoch }) {
			return // the fleet tells again only of leases that are held
		}
		w.tell(in)
	}
}

// garbage is an answer that fits nothing: of another epoch, another attempt, or another run.
func (w *world) garbage() {
	r := chargehand.AttemptRef{
		Subtask: pick(w.dice, "s1", "s2", synthesisID, "nobody"),
		Attempt: w.dice.below(5),
	}
	epoch := w.epoch + 1_000
	switch w.dice.below(7) {
	case 6:
		w.tell(Compared{AttemptRef: r, Agree: true})
	case 0:
		w.tell(Finished{AttemptRef: r, Epoch: epoch, Verdict: w.dice.verdict(), Output: "sha256:evil", Size: 9, Usage: w.dice.usage()})
	case 1:
		w.tell(Crashed{AttemptRef: r, Epoch: epoch, Cause: chargehand.CauseCrash})
	case 2:
		w.tell(Stopped{AttemptRef: r, Epoch: epoch})
	case 3:
		w.tell(JudgeAnswered{AttemptRef: r, Times: 7, Verdict: w.dice.verdict()})
	case 4:
		w.tell(Planned{Iteration: 9, Plan: w.plan})
	case 5:
		w.epoch++
		w.tell(Granted{AttemptRef: r, Worker: "all", Instance: "all", Epoch: w.epoch})
	}
}

// restart is kill -9: hands and queue are gone, leases and records stay.
func (w *world) restart() {
	w.m, w.asks, w.open = w.folded(), nil, nil
	w.boot++
	w.tell(Resumed{Boot: w.boot})
}

// refuseWrite lets the last answers be lost to a full disk: the machine is folded anew from what
// is on disk, the fleet forgets its queue, and the hands go on.
func (w *world) refuseWrite() {
	w.m, w.asks = w.folded(), nil
	w.tell(Refolded{})
}

// folded is the machine as its records make it.
func (w *world) folded() *Machine {
	m := New(w.id, w.team)
	*m = *w.twin
	w.twin = New(w.id, w.team)
	for _, r := range w.law.records {
		w.twin.apply(r)
	}
	return m
}
