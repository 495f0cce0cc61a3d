package supervise

import (
	"slices"
	"strconv"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// planning is where the run's subtasks come from.
type planning struct {
	version   int
	iteration int      // of the plan asked for last
	asked     bool     // MakePlan is open
	refused   []string // errors of the plan before, when it was invalid
	settled   bool     // a replan had nothing to add
}

func itoa(n int) string { return strconv.Itoa(n) }

func (m *Machine) askPlan(now time.Time, iteration int, errors []string, out *Output) {
	if !m.planFits() {
		m.abort(now, ending{
			stop: chargehand.StopBudgetExhausted, cause: chargehand.CauseBudget,
			why: "a plan costs $" + m.team.Planner.EstimateUSD.String() + ", and " + m.ledger.shortage(),
		}, out)
		return
	}
	m.record(now, chargehand.PlanAsked{Iteration: iteration, Errors: errors, Reserved: m.team.Planner.EstimateUSD}, out)
	out.begin(m.makePlan())
}

// planFits reports whether a call of the planner can be reserved.
func (m *Machine) planFits() bool {
	return m.ledger.fits(forPlan, amount{usd: m.team.Planner.EstimateUSD})
}

func (m *Machine) makePlan() MakePlan {
	e := MakePlan{Iteration: m.planning.iteration, Errors: m.planning.refused}
	if m.planning.iteration > 1 {
		e.Failed = m.gaps()
	}
	return e
}

// planned adopts a plan that is valid. An invalid one goes back once, with its errors; after that
// a person has to look (SPEC.md ·21).
func (m *Machine) planned(now time.Time, in Planned, out *Output) {
	if !m.planning.asked || in.Iteration != m.planning.iteration {
		return
	}
	in.Usage = bill(in.Usage, m.ledger.held[forPlan].usd)
	if m.run.abort != nil {
		m.abandonPlan(now, in.Usage, out)
		return
	}
	errs := m.planErrors(&in)
	again := len(m.planning.refused) > 0
	switch {
	case len(errs) == 0:
		m.adopt(now, in, out)
	case !again:
		m.record(now, chargehand.PlanRefused{Iteration: in.Iteration, Errors: errs, Usage: in.Usage}, out)
		m.askPlan(now, in.Iteration, errs, out)
	default:
		m.record(now, chargehand.PlanRefused{Iteration: in.Iteration, Errors: errs, Usage: in.Usage}, out)
		m.reviewPlan(now, errs, out)
	}
}

// abandonPlan records that a plan is not wanted any more, and what it cost.
func (m *Machine) abandonPlan(now time.Time, u chargehand.Usage, out *Output) {
	m.record(now, chargehand.PlanRefused{Iteration: m.planning.iteration, Errors: []string{"the run does not go on"}, Usage: u}, out)
}

// planErrors are the plan's problems, as sentences; a replan is checked together with what there is.
func (m *Machine) planErrors(in *Planned) []string {
	if in.Err != "" {
		return []string{clip(in.Err, maxText)}
	}
	if m.planning.iteration > 1 && len(in.Plan.Subtasks) == 0 {
		return nil
	}
	whole := in.Plan
	if len(m.board.order) > 0 {
		whole.Subtasks = append(slices.Clone(in.Plan.Subtasks), m.board.specs()...)
	}
	var errs []string
	for _, p := range m.team.CheckPlan(&whole) {
		errs = append(errs, p.String())
	}
	return clipAll(append(errs, m.misfits(in.Plan.Subtasks)...), maxPlanErrors, maxClause)
}

// misfits are the problems of subtasks that follow from what the run has come to, and from what a
// record holds.
func (m *Machine) misfits(list []chargehand.Subtask) []string {
	var errs []string
	for i := range list {
		s := &list[i]
		if n := weight(s); n > maxSubtask {
			errs = append(errs, "subtask "+s.ID+" takes "+itoa(n)+" bytes, the most is "+itoa(maxSubtask)+
				": give larger input as a document")
		}
		for _, id := range s.Deps {
			if dep := m.board.tasks[id]; dep != nil && dep.state.Final() && !dep.state.Accepted() {
				errs = append(errs, "subtask "+s.ID+" depends on "+id+", which ended as "+string(dep.state))
			}
		}
	}
	return errs
}

const (
	maxPlanErrors = 20      // that go back to a planner
	partBytes     = 8 << 10 // of subtasks in one record, well below what a record may hold
	maxSubtask    = 15 << 10
)

func (m *Machine) adopt(now time.Time, in Planned, out *Output) {
	m.record(now, chargehand.PlanAdopted{
		Version: m.planning.version + 1, Iteration: in.Iteration, Source: in.Source,
		Subtasks: len(in.Plan.Subtasks), Shape: in.Plan.Shape(), Complexity: in.Plan.ComplexityScore,
		Rationale: clip(in.Plan.Rationale, maxText), Estimate: m.estimate(&in.Plan),
		Reserve: m.synthesisReserve(), Usage: in.Usage,
	}, out)
	for part := range parts(in.Plan.Subtasks) {
		m.record(now, chargehand.SubtasksPlanned{Version: m.planning.version, Subtasks: part}, out)
	}
	m.endHopeless(now, out)
}

// parts cuts subtasks into pieces that fit a record.
func parts(all []chargehand.Subtask) func(yield func([]chargehand.Subtask) bool) {
	return func(yield func([]chargehand.Subtask) bool) {
		from, size := 0, 0
		for i := range all {
			n := weight(&all[i])
			if i > from && size+n > partBytes {
				if !yield(all[from:i]) {
					return
				}
				from, size = i, 0
			}
			size += n
		}
		if from < len(all) {
			yield(all[from:])
		}
	}
}

// weight is what a subtask takes in a record, at most.
func weight(s *chargehand.Subtask) int {
	n := 600 + len(s.Input) // 600 for the names of all fields, and numbers
	for _, x := range []string{
		s.ID, s.Label, s.Goal, s.Capability, s.TaskType, s.Role, s.Action, s.OutputContract, s.Assignee,
		s.Compensation,
	} {
		n += written(x)
	}
	for _, list := range [][]string{s.Deps, s.RequiredAspects, s.ToolGrants} {
		for _, x := range list {
			n += written(x) + 1
		}
	}
	return n
}

// estimate is what the first attempts would cost with the workers that would go first.
func (m *Machine) estimate(p *chargehand.Plan) chargehand.Micros {
	var sum chargehand.Micros
	for i := range p.Subtasks {
		if c := m.choose(&p.Subtasks[i], route.Question{Tier: p.Subtasks[i].Criticality.Tier()}).Eligible; len(c) > 0 {
			sum += c[0].CostUSD
		}
	}
	return sum
}

func (m *Machine) applyPlan(f chargehand.Fact) {
	p := &m.planning
	switch f := f.(type) {
	case chargehand.PlanAsked:
		p.iteration, p.asked, p.refused = f.Iteration, true, f.Errors
	case chargehand.PlanRefused:
		p.asked = false
	case chargehand.PlanAdopted:
		p.version, p.asked, p.refused = f.Version, false, nil
		p.settled = f.Iteration > 1 && f.Subtasks == 0
	case chargehand.SubtasksPlanned:
		m.board.add(f.Subtasks, f.Synthesis)
	}
}

// replan asks for more subtasks after a drain with failures (SPEC.md ·23), and reports whether it did.
func (m *Machine) replan(now time.Time, out *Output) bool {
	p := &m.planning
	if !m.team.Planner.Replan || p.settled || p.iteration >= chargehand.DefaultMaxIterations || m.board.failures() == 0 ||
		m.run.abort != nil || m.closing.round > 0 || !m.planFits() {
		return false
	}
	m.askPlan(now, p.iteration+1, nil, out)
	return true
}
