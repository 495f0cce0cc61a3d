// Package supervise is the run machine: it decides everything about one run, and does nothing.
//
// Step is told what happened and when. It answers with the records to make durable first, the
// effects to begin then, the leases to ask the fleet for, and when it wants to be told the time.
// State is a fold of the records: apply alone writes it. The package reads no clock, starts no
// goroutine and calls nobody; a seed from outside is its only source of unpredictability.
package supervise

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// Format is the version of the records the machine writes. A journal of a newer one is refused. In runs
// of format 1 a team that names no reviewer has no outputs marked as unreviewed, and a pause leaves
// deadlines where they are.
const Format = 2

// A Machine supervises one run. Its sub-states are its table of contents.
type Machine struct {
	id   string           // of the run
	team *chargehand.Team // what the run began with; read only

	run      run      // run.go: identity, deadline, end; pause.go: pause
	planning planning // plan.go: versions and iterations
	board    board    // board.go: subtasks, attempts, who waits for whom; replace.go: who stands in for whom
	ledger   ledger   // ledger.go: money
	desk     desk     // desk.go: reviews and decisions
	closing  closing  // conclude.go: aggregate, synthesis, result
	tools    tools    // tools.go: the definitions of tools the run goes by
	timers   timers   // timer.go: what falls due when

	seq  int64
	last time.Time // of the last record; time never goes back behind it

	choices map[kind]route.Choice // answers of route.Select, kept: the team does not change
}

// New is the machine of a run that has not started. The team must have passed its check.
func New(id string, team *chargehand.Team) *Machine {
	m := &Machine{id: id, team: team}
	m.board.tasks, m.board.stated = map[string]*task{}, stated{}
	m.desk.reviews = map[string]*chargehand.Review{}
	m.tools.pins = map[string]string{}
	m.ledger.held, m.ledger.phases = map[string]amount{}, map[string]chargehand.Micros{}
	return m
}

// Restore folds a run's records.
func Restore(id string, team *chargehand.Team, records []chargehand.Record) *Machine {
	m := New(id, team)
	for _, r := range records {
		m.apply(r)
	}
	return m
}

// Step tells the machine what happened, and when. A run that has ended still records late results
// as evidence, and refuses the rest with a reason.
func (m *Machine) Step(now time.Time, in Input) Output {
	var out Output
	now = m.clock(now)
	switch {
	case m.run.state == "":
		m.beforehand(now, in, &out)
	//guard:late-result
	case m.run.state.Final():
		m.afterwards(now, in, &out)
	default:
		m.interrupt(now, in, &out)
		m.expire(now, &out)
		m.handle(now, in, &out)
		m.advance(now, &out)
	}
	out.Wake, out.Done = m.timers.next(m), m.run.state.Final()
	return out
}

// Wake is when the machine wants to be told the time; zero: never.
func (m *Machine) Wake() time.Time { return m.timers.next(m) }

// clock is now in the form records hold, and never before the last of them.
func (m *Machine) clock(now time.Time) time.Time {
	now = now.UTC().Truncate(time.Microsecond)
	if now.Before(m.last) {
		return m.last
	}
	return now
}

func (m *Machine) handle(now time.Time, in Input, out *Output) {
	switch in := in.(type) {
	case Start, Tick: // a run that is told to start twice is on its way already
	case Planned:
		m.planned(now, in, out)
	case Granted:
		m.granted(now, in, out)
	case Finished:
		m.finished(now, in, out)
	case Crashed:
		m.crashed(now, in, out)
	case Stopped:
		m.stopped(now, in, out)
	case JudgeAnswered:
		m.judged(now, in, out)
	case Compared:
		m.compared(now, in, out)
	case TopUp:
		m.topUp(now, in, out)
	case Offered:
		m.offered(now, in, out)
	case Warned:
		in.Why = clip(in.Why, maxText)
		m.record(now, in.Alerted, out)
	case Decide:
		m.decide(now, in, out)
	case Operate:
		m.operate(now, in, out)
	case WorkAggregated:
		m.aggregated(now, in, out)
	case ResultWritten:
		m.resultWritten(now, in, out)
	case Resumed:
		if !in.Held {
			m.resume(now, out)
		}
	case Fork:
		m.resume(now, out) // nobody works for it yet, as after a restart
	case Refolded:
		m.reask(out)
	default:
		panic(fmt.Sprintf("supervise: input %T is not one of this package's", in))
	}
}

// advance does what has become possible: dispatch while there is room, and conclude when nothing
// is left to do.
func (m *Machine) advance(now time.Time, out *Output) {
	if m.run.state.Final() {
		return
	}
	m.alarmMoney(now, out)
	m.askJudges(now, out)
	m.dispatch(now, out)
	m.conclude(now, out)
}

// beforehand is Step for a run that has not started. Nothing can be asked of it, and nothing of
// it is recorded.
func (m *Machine) beforehand(now time.Time, in Input, out *Output) {
	switch in := in.(type) {
	case Start:
		m.start(now, in, out)
	case Granted:
		out.give(in.Epoch, chargehand.OutcomeUnused)
	case Offered:
		out.Fleet = append(out.Fleet, Fund{in.AttemptRef, in.Key, false})
	case Decide, Operate, TopUp:
		out.Refusal = &chargehand.Error{Code: chargehand.CodeNotFound, What: "run " + m.id, Why: "it has not started"}
	}
}

// afterwards is Step for a run that has ended.
func (m *Machine) afterwards(now time.Time, in Input, out *Output) {
	switch in := in.(type) {
	case Granted:
		m.granted(now, in, out)
	case Offered:
		out.Fleet = append(out.Fleet, Fund{in.AttemptRef, in.Key, false})
	case Planned:
		m.planned(now, in, out)
	case Finished:
		m.late(now, chargehand.LateResult{
			AttemptRef: in.AttemptRef, Epoch: in.Epoch, Output: in.Output,
			Usage: in.Usage, Why: "the run had ended", Transcript: in.Transcript, Stderr: in.Stderr,
		}, in.Tools, out)
	case Crashed:
		m.stopped(now, in.letGo(), out)
	case Stopped:
		m.stopped(now, in, out)
	case JudgeAnswered:
		m.judged(now, in, out)
	case Resumed:
		if !in.Held {
			m.releaseStopping(now, out)
			m.abandonAnswers(now, out)
		}
	case TopUp:
		out.Refusal = m.uncovered("run " + m.id + " has ended")
	case Decide:
		m.refuse(now, refusal{
			"decide " + in.ReviewID, chargehand.CodeEnded, in.Approver,
			fmt.Sprintf("run %s ended as %s", m.id, m.run.state),
		}, out)
	case Operate:
		m.refuse(now, refusal{
			string(in.Verb), chargehand.CodeEnded, in.By,
			fmt.Sprintf("run %s ended as %s", m.id, m.run.state),
		}, out)
	}
}

// record journals a fact and applies it. Apart from Restore it is the only caller of apply, so no
// state changes without a record. A bill above its reservation is named at once.
func (m *Machine) record(now time.Time, f chargehand.Fact, out *Output) {
	over := m.overbilled(f)
	r := chargehand.Record{Run: m.id, Seq: m.seq + 1, At: now, Fact: f}
	m.apply(r)
	out.Records = append(out.Records, r)
	//rule:overbilled-named
	if over != nil {
		m.record(now, *over, out)
	}
}

// apply folds one record in.
func (m *Machine) apply(r chargehand.Record) {
	m.seq, m.last = r.Seq, r.At
	m.settle(r.Fact)
	switch f := r.Fact.(type) {
	case chargehand.RunStarted, chargehand.PauseBegan, chargehand.PauseEnded, chargehand.RunStopping, chargehand.RunEnded:
		m.applyRun(r, f)
	case chargehand.PlanAsked, chargehand.PlanRefused, chargehand.PlanProposed, chargehand.PlanAdopted, chargehand.SubtasksPlanned:
		m.applyPlan(f)
	case chargehand.SubtasksReplaced:
		m.applyReplaced(f)
	case chargehand.SubtasksQueued, chargehand.RetryPlanned, chargehand.SubtaskEnded:
		m.applyBoard(f)
	case chargehand.AttemptStarted, chargehand.AttemptResumed, chargehand.OutputChecked, chargehand.OutputSupplied, chargehand.AttemptFailed,
		chargehand.AttemptStopped, chargehand.LateResult:
		m.applyAttempt(f)
	case chargehand.Recovered:
		m.applyRun(r, f)
		m.applyAttempt(f)
	case chargehand.JudgeAsked, chargehand.Judged, chargehand.JudgeFailed:
		m.applyJudge(f)
	case chargehand.DebateOpened, chargehand.PositionTaken, chargehand.PositionsCompared, chargehand.DebateSettled:
		m.applyDebate(f)
	case chargehand.ReviewOpened, chargehand.ReviewDecided:
		m.applyDesk(f)
	case chargehand.BudgetLow:
		m.ledger.low = true
	case chargehand.ReservationDenied:
		m.applyDenied(f)
	case chargehand.Alerted:
		m.ledger.alerted = m.ledger.alerted || f.What == overPlanAlert
	case chargehand.AggregateAsked, chargehand.Aggregated, chargehand.ResultAsked:
		m.applyClosing(f)
	case chargehand.Forked:
		m.applyFork(r, f)
	case chargehand.ToolsUsed, chargehand.ToolsAllowed:
		m.applyTools(f)
	}
}

// A refusal is something asked of the run that it does not do.
type refusal struct {
	what string
	code chargehand.Code
	by   string
	why  string
}

// refuse records the refusal and hands it back to whoever asked. It changes nothing.
func (m *Machine) refuse(now time.Time, r refusal, out *Output) {
	r.what, r.why = clip(r.what, maxName), clip(r.why, maxText)
	m.record(now, chargehand.InputRefused{What: r.what, Code: r.code, Why: r.why, By: clip(r.by, maxName)}, out)
	out.Refusal = &chargehand.Error{Code: r.code, What: r.what, Why: r.why}
}
