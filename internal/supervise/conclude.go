package supervise

import (
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// closing is the way from the last subtask to the result: aggregate, synthesis, result.
type closing struct {
	round     int    // of the aggregate asked for; zero before
	accepted  int    // subtasks in it
	aggregate string // content hash; empty before it is there
	conflicts int
	missing   int
	asked     bool // WriteResult is open
	verdict   end

	result, resultHash string // of the run that has ended
}

// An end is how the run comes out.
type end struct {
	state chargehand.RunState
	stop  chargehand.StopReason
	why   string
}

// synthesisID names the engine's own last subtask; a plan cannot use it, for ids begin with a
// letter or a digit.
const synthesisID = "_synthesis"

// conclude takes the next step towards the result once nothing is left to do: replan, aggregate,
// settle conflicts, synthesise, write. Each step waits for the one before.
func (m *Machine) conclude(now time.Time, out *Output) {
	c := &m.closing
	switch {
	case c.asked || m.planning.asked && m.run.abort == nil || m.run.state == chargehand.RunPaused || !m.drained():
	case m.replan(now, out):
	case !m.usable():
		m.askResult(now, out)
	case c.round == 0 || m.outgrown():
		m.aggregate(now, out)
	case c.aggregate == "":
	case m.conflictsWait(now, out):
	case m.synthesise(now, out):
	default:
		m.askResult(now, out)
	}
}

// drained reports whether every planned subtask has ended, or only waits for people the run does
// not wait for (SPEC.md ·122).
func (m *Machine) drained() bool {
	if m.run.abort != nil {
		return true
	}
	b := &m.board
	switch {
	case m.desk.plans > 0:
		return false
	case b.live == 0:
		return true
	case b.open > 0 || len(b.ready) > 0 || b.parts[countChecked] > 0:
		return false
	}
	return !m.waits()
}

// waits reports whether the run waits for its reviews: as the policy says, and where it says
// nothing, if one of them is about something required, or there is nothing yet to return.
func (m *Machine) waits() bool {
	switch m.team.Policy.WhenOnlyWaits {
	case chargehand.WaitForPeople:
		return true
	case chargehand.ReturnPartial:
		return false
	}
	return m.desk.required > 0 || m.board.parts[countAccepted] == 0
}

// usable reports whether anything was accepted that a result can be made of. A run that failed has
// none (SPEC.md ·7).
func (m *Machine) usable() bool {
	return m.board.parts[countAccepted] > 0 && m.outcome().state != chargehand.RunFailed
}

// outgrown reports whether more was accepted after the aggregate was asked for: a person decided
// meanwhile.
func (m *Machine) outgrown() bool {
	return m.board.parts[countAccepted] != m.closing.accepted && m.board.tasks[synthesisID] == nil
}

func (m *Machine) aggregate(now time.Time, out *Output) {
	for _, r := range m.desk.order {
		if r.Open() && r.Subject == chargehand.SubjectConflicts {
			m.withdraw(now, r, "more was accepted since", out)
		}
	}
	m.record(now, chargehand.AggregateAsked{Round: m.closing.round + 1}, out)
	out.begin(m.aggregation())
}

func (m *Machine) aggregation() Aggregate {
	e := Aggregate{Round: m.closing.round, Caveats: m.caveats()}
	for _, k := range m.board.order {
		if k.state.Accepted() && !k.synthesis {
			e.Accepted = append(e.Accepted, Accepted{
				k.spec.ID, k.attempt.number, k.attempt.worker, k.attempt.output,
				k.spec.OutputContract, k.state, k.attempt.score, k.debate.confirmed,
			})
		}
	}
	return e
}

func (m *Machine) aggregated(now time.Time, in WorkAggregated, out *Output) {
	if m.closing.round != in.Round || m.closing.aggregate != "" {
		return
	}
	m.record(now, chargehand.Aggregated{Ref: in.Ref, Items: in.Items, Conflicts: in.Conflicts, Missing: in.Missing}, out)
}

// conflictsWait asks a person about conflicts where the policy wants it, and reports whether the
// answer is still out.
func (m *Machine) conflictsWait(now time.Time, out *Output) bool {
	if m.closing.conflicts == 0 || m.team.Policy.Conflicts != chargehand.ReviewConflict || m.run.abort != nil {
		return false
	}
	for _, r := range slices.Backward(m.desk.order) { // a fork asks again
		if r.Subject == chargehand.SubjectConflicts && r.OutputRef == m.closing.aggregate {
			return r.Open()
		}
	}
	m.reviewConflicts(now, m.closing.conflicts, out)
	return true
}

// synthesise adds the last subtask where the team has one, and reports whether it is still out.
// It goes through dispatch, gate and recovery like any other.
func (m *Machine) synthesise(now time.Time, out *Output) bool {
	s := m.team.Synthesis
	if s == nil || m.run.abort != nil {
		return false
	}
	if k := m.board.tasks[synthesisID]; k != nil {
		return m.synthesisWaits(k)
	}
	m.closeReviews(now, "the run did not wait for it", out)
	m.record(now, chargehand.SubtasksPlanned{Version: m.planning.version, Synthesis: true, Subtasks: []chargehand.Subtask{m.lastStep()}}, out)
	m.dispatch(now, out)
	return m.synthesisWaits(m.board.tasks[synthesisID])
}

// synthesisWaits reports whether the last step is still out. The run waits for people about it
// unless the policy returns what there is.
func (m *Machine) synthesisWaits(k *task) bool {
	return !k.state.Final() && (k.state != chargehand.SubtaskNeedsHuman || m.team.Policy.WhenOnlyWaits != chargehand.ReturnPartial)
}

func (m *Machine) lastStep() chargehand.Subtask {
	s := m.team.Synthesis
	goal := s.Goal
	if goal == "" {
		goal = "Write the result from what was accepted."
	}
	return chargehand.Subtask{
		ID: synthesisID, Label: "Synthesis", Goal: goal, Capability: s.Capability,
		OutputContract: s.OutputContract, TimeoutMS: s.TimeoutMS,
	}
}

// synthesisReserve is set aside when a plan is adopted, so that the last step and its check can be
// paid (SPEC.md ·91).
func (m *Machine) synthesisReserve() (all, check amount) {
	if m.team.Synthesis == nil || m.planning.version > 0 {
		return all, check
	}
	s := m.lastStep()
	k := &task{spec: &s, synthesis: true}
	c := m.choice(k)
	limit, _ := dearest(c.Eligible, -1)
	work := m.most(k, c.Eligible, limit)
	if m.team.Policy.Judge() != "" {
		check = m.check(m.longest(c.Eligible))
	}
	all = amount{work.usd + check.usd, work.tokens + check.tokens}
	if !m.ledger.fits(forSynthesis, all) {
		return amount{}, amount{}
	}
	return all, check
}

func (m *Machine) askResult(now time.Time, out *Output) {
	m.alarmChecking(now, out)
	o := m.outcome()
	m.record(now, chargehand.ResultAsked{State: o.state, Stop: o.stop, Why: o.why, Gaps: m.lacking()}, out)
	out.begin(m.writeResult())
}

func (m *Machine) resultWritten(now time.Time, in ResultWritten, out *Output) {
	if !m.closing.asked {
		return
	}
	//rule:reviews-closed
	m.closeReviews(now, "the run ended without waiting for it", out)
	v := m.closing.verdict
	m.record(now, chargehand.RunEnded{State: v.state, Stop: v.stop, Why: v.why, Result: in.Result, ResultHash: in.ResultHash}, out)
}

// outcome is how the run comes out as things stand (SPEC.md ·7, ·80): cancelled and policy before
// a required failure, that before the threshold.
func (m *Machine) outcome() end {
	b := &m.board
	accepted := b.parts[countAccepted]
	if a := m.run.abort; a != nil {
		switch {
		case a.stop == chargehand.StopCancelled:
			return end{chargehand.RunCancelled, a.stop, a.why}
		case a.stop == chargehand.StopDeadlineReached && accepted > 0:
			return end{chargehand.RunPartial, a.stop, a.why}
		}
		return end{chargehand.RunFailed, a.stop, a.why}
	}
	stop, why := m.gapReason()
	switch {
	case accepted == 0:
		return end{chargehand.RunFailed, stop, why}
	//guard:gaps-said
	case m.lacking() > 0:
		return end{chargehand.RunPartial, stop, why}
	}
	return end{chargehand.RunCompleted, chargehand.StopComplete, ""}
}

func (m *Machine) synthesisLost() bool {
	k := m.board.tasks[synthesisID]
	return k != nil && !k.state.Accepted()
}

// gapReason names the gravest cause of a gap.
func (m *Machine) gapReason() (chargehand.StopReason, string) {
	b := &m.board
	switch {
	case m.unpaid() != nil:
		return chargehand.StopBudgetExhausted, m.unpaid().why
	case b.waiting() > 0:
		return chargehand.StopHumanRequired, "nobody decided about " + counted(b.waiting(), "subtask") + m.shared()
	case b.failures() > 0 || m.synthesisLost():
		return chargehand.StopWorkerFailure, m.undone()
	case b.parts[countRejected] > 0:
		return chargehand.StopPolicyBoundary, counted(b.parts[countRejected], "subtask") + were(b.parts[countRejected]) + "rejected" + m.shared()
	case b.parts[countShort] > 0:
		return chargehand.StopMissingEvidence, m.incomplete()
	}
	return chargehand.StopMissingEvidence, "the plan has no subtask"
}

// incomplete says what the first output lacks that was accepted although it is incomplete, and how many
// there are.
func (m *Machine) incomplete() string {
	n := m.board.parts[countShort]
	i := slices.IndexFunc(m.board.order, func(k *task) bool { return k.state.Accepted() && len(k.lacks) > 0 })
	k := m.board.order[i]
	text := counted(n, "output") + were(n) + "accepted in part: " + k.spec.Name() + ": " + said(k.lacks, "")
	if n > 1 {
		text += ", and " + itoa(n-1) + " more"
	}
	return text
}

// unpaid is the first task that was left out for want of money, the synthesis included; nil if none was.
func (m *Machine) unpaid() *task {
	i := slices.IndexFunc(m.board.order, func(k *task) bool { return k.state == chargehand.SubtaskOverBudget && k.replaced == nil })
	if i < 0 {
		return nil
	}
	return m.board.order[i]
}

func (m *Machine) undone() string {
	if n := m.board.failures(); n > 0 {
		return itoa(n) + " of " + counted(m.board.planned(), "subtask") + were(n) + "not done" + m.shared()
	}
	return "the synthesis was not accepted"
}

func (m *Machine) applyClosing(f chargehand.Fact) {
	c := &m.closing
	switch f := f.(type) {
	case chargehand.AggregateAsked:
		c.round, c.accepted, c.aggregate = f.Round, m.board.parts[countAccepted], ""
	case chargehand.Aggregated:
		c.aggregate, c.conflicts, c.missing = f.Ref, f.Conflicts, f.Missing
	case chargehand.ResultAsked:
		c.asked, c.verdict = true, end{f.State, f.Stop, f.Why}
	}
}
