package supervise

import (
	"maps"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// A law is what must hold of every run, judged by the records and outputs alone.
type law struct {
	team    *chargehand.Team
	seq     int64
	at      time.Time
	records []chargehand.Record // as they come back from the journal

	ceiling  chargehand.Budget
	settled  amount
	held     map[string]amount // by attempt or judgement
	excess   amount            // billed above what was reserved
	overhead amount            // set aside for the synthesis
	check    amount            // of what was set aside, that of its check
	unnamed  amount            // billed above what was reserved by the record before
	over     bool              // such a bill was seen, under a ceiling of the run
	spent    map[string]amount // by the attempts of each subtask, bills above reservations left out

	tasks     map[string]chargehand.Subtask
	state     map[string]chargehand.SubtaskState
	running   map[chargehand.AttemptRef]int64 // epochs of attempts that run
	stopping  map[chargehand.AttemptRef]int64
	letGo     bool // the late result just seen is that of a stopping attempt
	checked   map[chargehand.AttemptRef]chargehand.Verdict
	stances   map[chargehand.AttemptRef][]chargehand.Stance
	stated    map[string][]chargehand.Stance // of accepted outputs, by subtask
	judged    map[chargehand.AttemptRef]chargehand.Recommendation
	asked     map[chargehand.AttemptRef]int // how often the reviewer was
	reviews   map[string]chargehand.Review
	approved  map[chargehand.AttemptRef]bool
	doubtful  map[string]bool                // a write whose outcome nobody knows
	harmless  map[chargehand.AttemptRef]bool // it crashed before it began
	debates   map[string]*dispute
	planAsked int
	aggregate map[string]bool // the outputs in the latest; nil before
	paused    bool
	stood     bool // it was paused when the step began
	since     time.Time
	due       map[chargehand.AttemptRef]time.Time // of attempts that run, pauses added
	deadline  time.Time                           // of the run, likewise; zero: none
	result    bool
	ended     bool
}

func newLaw(team *chargehand.Team) *law {
	return &law{
		team: team, spent: map[string]amount{}, held: map[string]amount{}, tasks: map[string]chargehand.Subtask{}, state: map[string]chargehand.SubtaskState{},
		running: map[chargehand.AttemptRef]int64{}, stopping: map[chargehand.AttemptRef]int64{}, checked: map[chargehand.AttemptRef]chargehand.Verdict{},
		judged: map[chargehand.AttemptRef]chargehand.Recommendation{}, asked: map[chargehand.AttemptRef]int{},
		reviews: map[string]chargehand.Review{}, approved: map[chargehand.AttemptRef]bool{}, doubtful: map[string]bool{}, harmless: map[chargehand.AttemptRef]bool{},
		due: map[chargehand.AttemptRef]time.Time{}, debates: map[string]*dispute{}, stances: map[chargehand.AttemptRef][]chargehand.Stance{}, stated: map[string][]chargehand.Stance{},
	}
}

// step judges one output.
func (w *law) step(t fataler, now time.Time, out Output) {
	w.stood = w.paused
	for _, r := range out.Records {
		if r.Seq != w.seq+1 || r.At.Before(w.at) {
			t.Fatalf("record %d at %s follows record %d at %s", r.Seq, r.At, w.seq, w.at)
		}
		w.seq, w.at = r.Seq, r.At
		w.clock(t, r)
		w.fact(t, r.Fact)
		w.money(t, r.Fact)
	}
	for _, e := range out.Effects {
		w.effect(t, e)
	}
	if out.Done != w.ended {
		t.Fatalf("done is %t, and the run has ended: %t", out.Done, w.ended)
	}
}

// clock checks that nothing falls due before its time, which stands still while the run is paused.
func (w *law) clock(t fataler, r chargehand.Record) {
	switch f := r.Fact.(type) {
	case chargehand.RunStarted:
		w.deadline = f.DeadlineAt
	case chargehand.Forked:
		w.deadline, w.since = f.DeadlineAt, r.At
	case chargehand.PauseBegan:
		w.since = r.At
	case chargehand.PauseEnded:
		for ref, at := range w.due {
			w.due[ref] = at.Add(r.At.Sub(w.since))
		}
		if !w.deadline.IsZero() {
			w.deadline = w.deadline.Add(r.At.Sub(w.since))
		}
	case chargehand.AttemptStarted:
		w.due[f.AttemptRef] = f.DeadlineAt
	case chargehand.AttemptResumed:
		w.due[f.AttemptRef] = f.DeadlineAt
	case chargehand.AttemptFailed:
		if f.Cause == chargehand.CauseDeadline && (w.stood || r.At.Before(w.due[f.AttemptRef])) {
			t.Fatalf("%s is past its deadline at %s, which is %s; paused: %t", ref(f.AttemptRef), moment(r.At), moment(w.due[f.AttemptRef]), w.stood)
		}
	case chargehand.RunStopping:
		if f.Stop == chargehand.StopDeadlineReached && (w.stood || r.At.Before(w.deadline)) {
			t.Fatalf("the run is past its deadline at %s, which is %s; paused: %t", moment(r.At), moment(w.deadline), w.stood)
		}
	}
}

// effect checks that an effect has its record.
func (w *law) effect(t fataler, e Effect) {
	ok := false
	switch e := e.(type) {
	case MakePlan:
		ok = w.planAsked == e.Iteration
	case Launch:
		r := chargehand.AttemptRef{Subtask: e.Task.TaskID, Attempt: e.Task.Attempt}
		epoch, runs := w.running[r]
		if stops, was := w.stopping[r]; was { // stopped in the very same step
			epoch, runs = stops, true
		}
		ok = runs && epoch == e.Epoch
	case Stop:
		ok = true
		if _, runs := w.running[e.AttemptRef]; runs {
			ok = false
		}
	case Reschedule:
		ok = w.running[e.AttemptRef] == e.Epoch && w.paused == e.DeadlineAt.IsZero()
	case Judge:
		ok = w.asked[e.AttemptRef] == e.Times && e.Times > 0
	case Compare:
		d := w.debates[e.Subtask]
		ok = d != nil && d.latest == e.Attempt && d.by == nil
	case Aggregate:
		ok = maps.Equal(w.aggregate, w.accepted()) && len(e.Accepted) == len(w.aggregate)
		for _, a := range e.Accepted {
			ok = ok && w.aggregate[a.Subtask]
		}
	case WriteResult:
		ok = w.result
	}
	if !ok {
		t.Fatalf("effect %T %+v has no record", e, e)
	}
}

// fact follows a record and checks that it may stand there.
func (w *law) fact(t fataler, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.RunStarted:
		w.ceiling = f.Budget
	case chargehand.PlanAsked:
		w.planAsked = f.Iteration
	case chargehand.SubtasksPlanned:
		for _, s := range f.Subtasks {
			w.tasks[s.ID], w.state[s.ID] = s, chargehand.SubtaskBlocked
		}
	case chargehand.AttemptStarted:
		w.started(t, f)
	case chargehand.AttemptResumed:
		if _, runs := w.running[f.AttemptRef]; !runs {
			t.Fatalf("%s is resumed, and does not run", ref(f.AttemptRef))
		}
		w.running[f.AttemptRef] = f.Epoch // another, where its lease was given back while the run was paused
	case chargehand.OutputChecked:
		w.leaves(t, f.AttemptRef, f.Epoch)
		w.checked[f.AttemptRef], w.stances[f.AttemptRef] = f.Verdict, f.Stances
	case chargehand.AttemptFailed:
		w.leaves(t, f.AttemptRef, f.Epoch)
		if f.Stopping {
			w.stopping[f.AttemptRef] = f.Epoch
		}
		if f.Cause != chargehand.CauseWorkerError && !w.tasks[f.Subtask].Effect.Reads() && !w.harmless[f.AttemptRef] {
			w.doubtful[f.Subtask] = true
		}
	case chargehand.OutputSupplied:
		w.checked[f.AttemptRef], w.stances[f.AttemptRef] = f.Verdict, f.Stances
	case chargehand.AttemptStopped:
		if w.stopping[f.AttemptRef] != f.Epoch {
			t.Fatalf("%s stopped with epoch %d, and was not stopping", ref(f.AttemptRef), f.Epoch)
		}
		delete(w.stopping, f.AttemptRef)
	case chargehand.LateResult:
		if w.letGo = w.stopping[f.AttemptRef] == f.Epoch; w.letGo {
			delete(w.stopping, f.AttemptRef)
		}
	case chargehand.JudgeAsked:
		w.asked[f.AttemptRef] = f.Times
	case chargehand.Judged:
		if !f.Debate {
			w.judged[f.AttemptRef] = f.Verdict.Recommendation
		}
	case chargehand.DebateOpened, chargehand.PositionTaken, chargehand.DebateSettled:
		w.debate(t, f)
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			w.open(t, a.Subtask)
		}
	case chargehand.SubtaskEnded:
		w.taskEnded(t, f)
	default:
		w.runFact(t, f)
	}
}

func (w *law) runFact(t fataler, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReviewOpened:
		w.reviews[f.Review.ID] = f.Review
		if f.Review.TaskID != "" {
			w.open(t, f.Review.TaskID)
		}
	case chargehand.ReviewDecided:
		r, ok := w.reviews[f.Decision.ReviewID]
		if !ok {
			t.Fatalf("review %s is decided twice, or never was", f.Decision.ReviewID)
		}
		delete(w.reviews, f.Decision.ReviewID)
		if f.Decision.Approved && (r.OutputRef == "" && f.Decision.Settled == "" && r.Subject != chargehand.SubjectTools || f.Decision.ContentHash != r.ContentHash || f.Decision.Nonce != r.Nonce) {
			t.Fatalf("the approval %+v does not fit the review %+v", f.Decision, r)
		}
		w.approved[chargehand.AttemptRef{Subtask: r.TaskID, Attempt: r.Attempt}] = f.Decision.Approved
		if f.Decision.Settled == chargehand.SettledNot {
			if _, stops := w.stopping[chargehand.AttemptRef{Subtask: r.TaskID, Attempt: r.Attempt}]; stops {
				t.Fatalf("%s did not happen, it is said, and its worker may still do it", r.TaskID)
			}
			delete(w.doubtful, r.TaskID)
		}
	case chargehand.AggregateAsked:
		w.aggregate = w.accepted()
	case chargehand.ResultAsked:
		if f.State != chargehand.RunFailed && len(w.accepted()) > 0 && !maps.Equal(w.aggregate, w.accepted()) {
			t.Fatalf("the result is made of %v, and %v are accepted", w.aggregate, w.accepted())
		}
		w.result = true
	case chargehand.PauseBegan:
		w.paused = true
	case chargehand.PauseEnded:
		w.paused = false
	case chargehand.Forked:
		w.forked()
	case chargehand.RunEnded:
		if w.ended || !w.result || len(w.reviews) > 0 || len(w.running) > 0 {
			t.Fatalf("the run ends before its time, or twice")
		}
		w.ended = true
	}
}

// accepted are the subtasks whose outputs may be used.
func (w *law) accepted() map[string]bool {
	ids := map[string]bool{}
	for id, s := range w.state {
		if s.Accepted() && id != synthesisID {
			ids[id] = true
		}
	}
	return ids
}

func (w *law) started(t fataler, f chargehand.AttemptStarted) {
	w.open(t, f.Subtask)
	for r := range w.running {
		if r.Subtask == f.Subtask {
			t.Fatalf("%s starts while %s runs", ref(f.AttemptRef), ref(r))
		}
	}
	if w.doubtful[f.Subtask] {
		t.Fatalf("%s is a write that may have taken effect before, and is tried again", ref(f.AttemptRef))
	}
	w.running[f.AttemptRef] = f.Epoch
}

func (w *law) leaves(t fataler, r chargehand.AttemptRef, epoch int64) {
	if w.running[r] != epoch || epoch == 0 {
		t.Fatalf("%s ends with epoch %d, it runs under %d", ref(r), epoch, w.running[r])
	}
	delete(w.running, r)
}

// open checks that a subtask is not in a final state.
func (w *law) open(t fataler, id string) {
	if w.state[id].Final() {
		t.Fatalf("%s was %s, and goes on", id, w.state[id])
	}
}

// taskEnded checks an acceptance: the gate's word, and the reviewer's where there is one, or a
// person's.
func (w *law) taskEnded(t fataler, f chargehand.SubtaskEnded) {
	w.open(t, f.Subtask)
	w.state[f.Subtask] = f.State
	r := chargehand.AttemptRef{Subtask: f.Subtask, Attempt: f.Attempt}
	v, ok := w.checked[r], true
	switch f.State {
	case chargehand.SubtaskAcceptedByHuman:
		ok = w.approved[r]
	case chargehand.SubtaskAccepted, chargehand.SubtaskAcceptedLow:
		if !w.mayWin(r) {
			t.Fatalf("%s is accepted out of a debate that it did not win: %+v", ref(r), w.debates[f.Subtask])
		}
		if others := w.otherwise(r); len(others) > 0 && w.mustDebate(f.Subtask) && !strings.Contains(f.Why, "it is not debated: ") {
			t.Fatalf("%s is accepted, and %v say otherwise", ref(r), others)
		}
	}
	if f.State.Accepted() {
		w.stated[f.Subtask] = w.stances[r]
	}
	switch f.State {
	case chargehand.SubtaskAccepted, chargehand.SubtaskAcceptedLow:
		ok = v.SchemaPass && v.Recommendation == chargehand.Accept && f.Score >= chargehand.HumanBelow &&
			(w.team.Policy.Reviewer == "" || w.judged[r] == chargehand.Accept)
	}
	if !ok {
		t.Fatalf("%s ends as %s (%.2f), the gate said %+v", ref(r), f.State, f.Score, v)
	}
	for _, dep := range w.tasks[f.Subtask].Deps {
		if f.State.Accepted() && !w.state[dep].Accepted() {
			t.Fatalf("%s is accepted, and %s, which it depends on, is %s", f.Subtask, dep, w.state[dep])
		}
	}
}
