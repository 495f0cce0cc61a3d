package law

import (
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/turn"
)

// A run is what the records say of one.
type run struct {
	id     string
	team   *chargehand.Team
	stream stream

	tenant   string
	starter  string
	deadline time.Time
	paused   bool
	still    time.Time // since when its time stands still; zero: it does not
	expired  bool      // its pause ended by itself, at or after the deadline it had when it was paused
	adrift   bool      // a restart found it paused
	stopping *chargehand.RunStopping
	closing  bool // its result is asked for
	ended    bool

	plan     int                // iteration asked for last
	planTurn int64              // the turn in which it was
	plans    bool               // an answer is out
	advised  *chargehand.Advice // of the plan that is being taken in; nil: nobody advised it

	byOther bool // the plan that is being taken in was made after another run's
	unseen  bool // the plan in force was, and nobody approved it

	tasks   map[string]*task
	planned int // subtasks, the synthesis left out
	failed  int

	money  money
	desk   desk
	pins   map[string]string                  // definitions of tools, by name
	joined map[string]chargehand.AttemptRef   // what the latest aggregate is made of; nil before
	joins  []map[string]chargehand.AttemptRef // and each of them, by round
	begun  map[int64]bool                     // epochs whose launch this process has begun
	owed   *task                              // a failure that must end the run in this turn
}

// A task is a subtask.
type task struct {
	chargehand.Subtask
	synthesis bool
	state     chargehand.SubtaskState
	attempts  map[int]*attempt
	number    int       // of the latest attempt
	waiting   bool      // queued, and not started
	since     int64     // the turn in which it was queued
	queued    queued    // what for
	doubtful  bool      // a write that may have taken effect
	used      int       // the attempt whose output is
	short     bool      // that output is known to be incomplete
	replaced  bool      // others make up for it
	debate    *debate   // nil: it is not debated
	limit     time.Time // of the attempt that runs, as it was when the run was paused; zero: it waits to be pursued again
	spent     amount    // by its attempts, bills above their reservations left out
}

type queued struct {
	candidates []chargehand.Candidate
	strategy   chargehand.Strategy
}

// An attempt is one execution.
type attempt struct {
	epoch    int64
	since    int64 // the turn in which it started
	worker   string
	running  bool
	adrift   bool // a restart found it in a paused run, and its lease is given back
	stopping bool
	output   string
	verdict  chargehand.Verdict
	checked  bool
	judge    chargehand.Recommendation
	score    int // the judge's
	asked    int // how often the judge was
	approved bool
	changed  bool // its tools were not what the run goes by
	stances  []chargehand.Stance
	supplied bool // by a person
	short    bool // its worker or the gate says that something is missing
}

func newRun(id string, team *chargehand.Team) *run {
	return &run{id: id, team: team, tasks: map[string]*task{}, money: newMoney(), desk: newDesk(), begun: map[int64]bool{}, pins: map[string]string{}}
}

// record follows one record, and judges whether it may stand there.
func (r *run) record(l *Law, rec chargehand.Record) {
	r.spend(l, rec.Fact)
	switch f := rec.Fact.(type) {
	case chargehand.RunStarted:
		r.tenant, r.starter, r.deadline = f.Tenant, f.StartedBy, f.DeadlineAt
		l.pool.tenants[f.Tenant] = true
	case chargehand.PlanAsked:
		r.plan, r.planTurn, r.plans = f.Iteration, l.pool.turn, true
		r.byOther = r.byOther && f.Ref != ""
	case chargehand.PlanAdvised:
		r.advised = &f.Advice
	case chargehand.PlanRefused:
		r.plans, r.advised, r.byOther = false, nil, false
	case chargehand.PlanProposed:
		r.plans = false
		r.advises(l)
	case chargehand.PlanAdopted:
		r.plans = false
		r.advises(l)
		r.adopts(l, f)
	case chargehand.SubtasksPlanned:
		r.add(l, f)
	case chargehand.SubtasksQueued:
		r.queue(l, f)
	case chargehand.AttemptStarted, chargehand.AttemptResumed:
		r.start(l, f)
	case chargehand.OutputSupplied:
		if a := r.at(f.AttemptRef); a != nil {
			a.checked, a.supplied, a.verdict, a.output, a.stances = true, true, f.Verdict, f.Output, f.Stances
			a.short = len(f.Verdict.Missing) > 0
		}
	case chargehand.OutputChecked:
		r.check(l, f)
	case chargehand.AttemptFailed:
		r.fail(l, rec.At, f)
	case chargehand.AttemptStopped:
		r.letGo(l, f.AttemptRef, f.Epoch)
	case chargehand.LateResult:
		r.late(l, f)
	case chargehand.JudgeAsked, chargehand.Judged:
		r.judge(l, f)
	case chargehand.ToolsUsed, chargehand.ToolsAllowed:
		r.tools(l, f)
	case chargehand.DebateOpened, chargehand.PositionTaken, chargehand.PositionsCompared, chargehand.DebateSettled:
		r.debate(l, f)
	case chargehand.SubtaskEnded:
		r.end(l, f)
	case chargehand.SubtasksReplaced:
		r.replace(l, f)
	default:
		r.control(l, rec)
	}
}

func (r *run) control(l *Law, rec chargehand.Record) {
	switch f := rec.Fact.(type) {
	case chargehand.ReviewOpened:
		r.review(l, f.Review)
	case chargehand.ReviewDecided:
		r.decide(l, rec.At, f.Decision)
	case chargehand.PauseBegan:
		r.paused = true
		if f.Still {
			r.still = rec.At
		}
		r.obeys(l, chargehand.Pause, f.By)
	case chargehand.Recovered:
		r.recovered(l, f)
	case chargehand.PauseEnded:
		r.paused, r.adrift = false, false
		r.goesOnAfter(l, rec.At, f)
		for _, k := range r.tasks {
			a := k.attempts[k.number]
			k.waiting = k.waiting || a != nil && a.running && a.adrift
			k.since = l.pool.turn // what waits is asked for anew
		}
		if r.desk.ends == nil && f.By != "" {
			r.desk.ends = &f // judged by what follows: a resume, or a run that stops
		}
	case chargehand.RunStopping:
		r.stop(l, rec.At, f)
	case chargehand.AggregateAsked:
		r.joined = r.accepted()
		r.joins = append(r.joins, r.joined)
	case chargehand.ResultAsked:
		r.closing = true
		r.concludes(l, f)
	case chargehand.RunEnded:
		l.looked(Accept)
		if r.ended || !r.closing {
			l.fails(Accept, r.id, "it ends twice, or without its result being asked for")
		}
		r.ended = true
	}
}

// rest judges how a turn leaves the run.
func (r *run) rest(l *Law, row turn.Row) {
	r.desk.settle(l, r)
	l.looked(Threshold)
	if r.owed != nil && r.stopping == nil {
		l.fails(Threshold, r.id, "%d of %d subtasks failed, the last %s, and it goes on", r.failed, r.planned, r.owed.ID)
	}
	r.owed = nil
	r.waits(l, row)
	r.wakes(l, row)
}

// adopts judges that a plan which somebody has to approve was approved (SPEC.md ·26).
func (r *run) adopts(l *Law, f chargehand.PlanAdopted) {
	l.looked(Principal)
	if r.team.Policy.ApprovePlan && f.Subtasks > 0 && !r.desk.plan {
		l.fails(Principal, r.id, "plan %d is in force, and nobody approved it", f.Version)
	}
	r.unseen = r.byOther && !r.desk.plan
	r.desk.plan, r.byOther = false, false
}

// advises judges that nobody unwanted advised a plan that is taken (SPEC.md ·25).
func (r *run) advises(l *Law) {
	l.looked(Principal)
	if a := r.advised; a != nil && (!r.team.Planner.Advice || !(a.Confidence > chargehand.AdviceAbove)) {
		l.fails(Principal, r.id, "a plan is taken that run %s advised at %.2f", a.Run, a.Confidence)
	}
	r.byOther = r.byOther || r.advised != nil
	r.advised = nil
}

func (r *run) add(l *Law, f chargehand.SubtasksPlanned) {
	for _, s := range f.Subtasks {
		if l.looked(Principal); r.unseen && !s.Effect.Reads() && r.team.Policy.PlanEffects != chargehand.AllowEffects {
			l.fails(Principal, r.id, "%s may %s by a plan that was made after another run's, and nobody has seen it", s.ID, s.Effect)
		}
		r.tasks[s.ID] = &task{Subtask: s, synthesis: f.Synthesis, state: chargehand.SubtaskBlocked, attempts: map[int]*attempt{}}
	}
	if !f.Synthesis {
		r.planned += len(f.Subtasks)
	}
}

// accepted are the attempts whose outputs may be used.
func (r *run) accepted() map[string]chargehand.AttemptRef {
	list := map[string]chargehand.AttemptRef{}
	for id, k := range r.tasks {
		if k.state.Accepted() && !k.synthesis {
			list[id] = chargehand.AttemptRef{Subtask: id, Attempt: k.used}
		}
	}
	return list
}

// concludes judges what a result is made of: all that is accepted, and nothing else.
func (r *run) concludes(l *Law, f chargehand.ResultAsked) {
	l.looked(Verdict)
	l.looked(Shortfall)
	for id, k := range r.tasks {
		if f.State == chargehand.RunCompleted && !k.state.Accepted() && !k.replaced {
			l.fails(Shortfall, r.id, "it is complete, and %s is %s and nothing replaces it", id, k.state)
			break
		}
		if k.short && k.state.Accepted() && f.State == chargehand.RunCompleted {
			l.fails(Shortfall, r.id, "it is complete, and the output of %s is not", id)
			break
		}
	}
	if f.State == chargehand.RunFailed {
		return
	}
	if now := r.accepted(); len(now) > 0 && !sameRefs(now, r.joined) {
		l.fails(Verdict, r.id, "the result is made of %v, and %v are accepted", r.joined, now)
	}
}

func sameRefs(a, b map[string]chargehand.AttemptRef) bool {
	if len(a) != len(b) {
		return false
	}
	for id, ref := range a {
		if b[id] != ref {
			return false
		}
	}
	return true
}
