package supervise

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// planning is where the run's subtasks come from.
type planning struct {
	version   int
	iteration int      // of the plan asked for last
	asked     bool     // MakePlan is open
	refused   []string // what was wrong with the plan before: its errors, or a person's word
	returned  bool     // an invalid plan went back already since a person was asked last
	settled   bool     // a replan had nothing to add
	debated   bool     // some subtask may be

	proposed proposal         // waits for a person, or was sent back
	draft    chargehand.Draft // of the planner's last plan that is not followed; goes back with refused
	approved string           // content hash of the plan that is being read; empty: one is made
}

// A proposal is a plan that a person is asked about (SPEC.md ·26).
type proposal struct{ ref, source string }

// byPerson is the source of a plan that a person wrote in place of another.
const byPerson = "person"

func itoa(n int) string { return strconv.Itoa(n) }

func (m *Machine) askPlan(now time.Time, iteration int, errors []string, out *Output) {
	if !m.planFits() {
		m.abortUnplanned(now, out)
		return
	}
	need := m.planNeeds()
	f := chargehand.PlanAsked{Iteration: iteration, Errors: errors, Reserved: need.usd, Tokens: need.tokens}
	if len(errors) > 0 {
		f.Draft = m.planning.draft
	}
	m.record(now, f, out)
	out.begin(m.makePlan())
}

// planFits reports whether a call of the planner can be reserved.
func (m *Machine) planFits() bool { return m.ledger.fits(forPlan, m.planNeeds()) }

// abortUnplanned ends a run that cannot pay for a plan.
func (m *Machine) abortUnplanned(now time.Time, out *Output) {
	m.abort(now, ending{
		stop: chargehand.StopBudgetExhausted, cause: chargehand.CauseBudget,
		why: "there is no money for a plan: " + m.ledger.shortage(m.planNeeds()),
	}, out)
}

func (m *Machine) makePlan() MakePlan {
	e := MakePlan{Iteration: m.planning.iteration, Errors: m.planning.refused, Draft: m.planning.draft, Envelope: m.envelope(forPlan, nil)}
	if m.planning.approved != "" {
		e.Ref, e.Source, e.Envelope, e.Draft = m.planning.approved, m.planning.proposed.source, Envelope{}, chargehand.Draft{}
		return e
	}
	if m.planning.iteration > 1 {
		e.Failed = m.gaps()
		e.Earlier, e.Left = m.earlier()
	}
	return e
}

// planned adopts a plan that is valid. An invalid one goes back once, as it is, with its errors and what
// a person said of the one before; after that a person has to look (SPEC.md ·21).
func (m *Machine) planned(now time.Time, in Planned, out *Output) {
	if !m.planning.asked || in.Iteration != m.planning.iteration {
		return
	}
	in.Usage = charge(in.Usage, declared(m.ledger.held[forPlan].usd, in.NotBegun))
	if m.run.abort != nil {
		m.abandonPlan(now, in.Usage, out)
		return
	}
	in.Plan.Subtasks = inRoles(&in.Plan)
	errs := m.planErrors(&in)
	m.noteAdvice(now, in, out)
	again := m.planning.returned
	switch {
	case len(errs) == 0 && m.wantsApproval(&in):
		m.propose(now, in, out)
	case len(errs) == 0:
		m.adopt(now, in, out)
	case !again:
		m.record(now, chargehand.PlanRefused{Iteration: in.Iteration, Errors: errs, Draft: in.draft(), Usage: in.Usage}, out)
		m.askPlan(now, in.Iteration, slices.Concat(m.planning.refused, errs), out)
	default:
		m.record(now, chargehand.PlanRefused{Iteration: in.Iteration, Errors: errs, Draft: in.draft(), Usage: in.Usage}, out)
		m.reviewPlan(now, errs, out)
	}
}

// draft is what goes back to the planner if it is refused.
func (in *Planned) draft() chargehand.Draft {
	switch {
	case in.Wrote != "":
		return chargehand.Draft{Ref: in.Wrote, Text: true}
	case in.Err == "":
		return chargehand.Draft{Ref: in.Ref}
	}
	return chargehand.Draft{}
}

// inRoles are the plan's subtasks with the roles that it lists beside them (SPEC.md ·24). A subtask's
// own goes first.
func inRoles(p *chargehand.Plan) []chargehand.Subtask {
	list := slices.Clone(p.Subtasks)
	for i, role := range first(p.AgentTypes, len(list)) {
		if list[i].Role == "" {
			list[i].Role = role
		}
	}
	return list
}

// noteAdvice records whose plan the planner was shown, whatever came of it (SPEC.md ·25).
func (m *Machine) noteAdvice(now time.Time, in Planned, out *Output) {
	if in.Advice == nil {
		return
	}
	a := chargehand.Advice{
		Run: clip(in.Advice.Run, maxToken), Summary: clip(in.Advice.Summary, maxSummary),
		Outcome: chargehand.RunState(clip(string(in.Advice.Outcome), maxToken)),
	}
	if c := share(&in.Advice.Confidence); c != nil {
		a.Confidence = *c
	}
	m.record(now, chargehand.PlanAdvised{Iteration: in.Iteration, Advice: a}, out)
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
	if a := in.Advice; a != nil && !(m.team.Planner.Advice && a.Confidence > chargehand.AdviceAbove && a.Confidence <= 1) {
		return []string{"the planner was advised by run " + clip(a.Run, maxToken) + ", and may not be"}
	}
	if m.planning.iteration > 1 && len(in.Plan.Subtasks) == 0 {
		return nil
	}
	whole := in.Plan
	if len(m.board.order) > 0 {
		there := m.board.specs()
		whole.Subtasks = append(slices.Clone(in.Plan.Subtasks), there...)
		whole.AgentTypes = append(slices.Clone(in.Plan.AgentTypes), make([]string, len(there))...) // they have theirs
	}
	var errs []string
	for _, p := range m.team.CheckPlan(&whole) {
		errs = append(errs, p.String())
	}
	errs = append(errs, m.misfits(in.Plan.Subtasks)...)
	return clipAll(append(errs, m.misplaced(in.Plan.Subtasks)...), maxPlanErrors, maxClause)
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

// wantsApproval reports whether a valid plan is one that nobody has approved yet, and must be.
func (m *Machine) wantsApproval(in *Planned) bool {
	return AsksFirst(m.team, in) && (in.Ref == "" || in.Ref != m.planning.approved)
}

// AsksFirst reports whether a plan is for a person to approve before anything of it begins: any plan
// where the policy says so (SPEC.md ·26), and one with effects that nobody of the team's wrote (·200).
// Who makes plans keeps such a plan as content, and names it by its Ref.
func AsksFirst(t *chargehand.Team, in *Planned) bool {
	return len(in.Plan.Subtasks) > 0 && (t.Policy.ApprovePlan || len(Unvouched(t, in)) > 0)
}

// MayReturn reports whether a plan that a planner made may be refused, and is to go back to it then (SPEC.md
// ·21). Who makes plans keeps such a plan as content, and names it by its Ref. Whether a later plan fits
// what there is, only the machine knows.
func MayReturn(t *chargehand.Team, in *Planned) bool {
	switch {
	case in.Source != "func" && in.Source != "llm":
		return false
	case in.Iteration > 1:
		return len(in.Plan.Subtasks) > 0
	}
	return len(t.CheckPlan(&in.Plan)) > 0 ||
		slices.ContainsFunc(in.Plan.Subtasks, func(s chargehand.Subtask) bool { return weight(&s) > maxSubtask })
}

// Unvouched are the subtasks of a plan that may do more than read, where a model made the plan, or an
// earlier run's plan was an example for it, and the team does not allow that.
func Unvouched(t *chargehand.Team, in *Planned) []string {
	if vouched(in) || t.Policy.PlanEffects == chargehand.AllowEffects {
		return nil
	}
	var ids []string
	for i := range in.Plan.Subtasks {
		//guard:plan-effects
		if s := &in.Plan.Subtasks[i]; !s.Effect.Reads() {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// vouched reports whether a plan is the team's own, or that of a person. A source that is not known is
// not.
func vouched(in *Planned) bool {
	switch in.Source {
	case "objective", "template", "func", byPerson:
		return in.Advice == nil
	}
	return false
}

// propose asks a person to approve a plan before anything of it begins.
func (m *Machine) propose(now time.Time, in Planned, out *Output) {
	f := chargehand.PlanProposed{
		Iteration: in.Iteration, Source: in.Source, Ref: in.Ref, Subtasks: len(in.Plan.Subtasks), Shape: in.Plan.Shape(),
		Complexity: in.Plan.ComplexityScore, Estimate: m.estimate(&in.Plan), Usage: in.Usage,
	}
	m.record(now, f, out)
	r := chargehand.Review{
		Subject: chargehand.SubjectPlan, Cause: chargehand.CauseApproval, Action: "follow the plan",
		Description: "a plan of " + counted(f.Subtasks, "subtask") + ", estimated at $" + f.Estimate.String() + ", made by " + f.Source,
		OutputRef:   in.Ref, Risk: riskOf(&in.Plan), RequestedBy: "planner", Required: true,
	}
	if in.Advice != nil {
		r.Description += " after that of " + clip(in.Advice.Run, maxToken)
	}
	if ids := Unvouched(m.team, &in); len(ids) > 0 {
		r.Description += "; " + clip(strings.Join(ids, ", "), maxClause) + " may do more than read"
		if r.Risk.Level() == 0 {
			r.Risk = chargehand.RiskMedium // which no policy approves by itself (SPEC.md ·124)
		}
	}
	m.open(now, r, out)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

// riskOf is the highest risk of a plan's subtasks.
func riskOf(p *chargehand.Plan) chargehand.Risk {
	most := chargehand.RiskLow
	for i := range p.Subtasks {
		if r := p.Subtasks[i].RiskLevel; r.Level() > most.Level() {
			most = r
		}
	}
	return most
}

// follow goes on with the plan that a person approved, or wrote instead.
func (m *Machine) follow(now time.Time, ref string, out *Output) {
	m.record(now, chargehand.PlanAsked{Iteration: m.planning.iteration, Ref: ref}, out)
	out.begin(m.makePlan())
}

func (m *Machine) adopt(now time.Time, in Planned, out *Output) {
	reserve, check := m.synthesisReserve()
	m.record(now, chargehand.PlanAdopted{
		Version: m.planning.version + 1, Iteration: in.Iteration, Source: in.Source,
		Subtasks: len(in.Plan.Subtasks), Shape: in.Plan.Shape(), Complexity: in.Plan.ComplexityScore,
		Rationale: clip(in.Plan.Rationale, maxText), Estimate: m.estimate(&in.Plan),
		Reserve: reserve.usd, ReserveTokens: reserve.tokens, Check: check.usd, CheckTokens: check.tokens, Usage: in.Usage,
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
	for _, list := range [][]string{s.Deps, s.RequiredAspects, s.ToolGrants, s.Replaces} {
		for _, x := range list {
			n += written(x) + 1
		}
	}
	return n
}

// estimate is what the first attempts would cost with the workers that would go first, each with its
// review, and the synthesis: all that a run pays in which nothing goes wrong.
func (m *Machine) estimate(p *chargehand.Plan) chargehand.Micros {
	var sum chargehand.Micros
	for i := range p.Subtasks {
		if c := m.choose(&p.Subtasks[i], route.Question{Tier: p.Subtasks[i].Criticality.Tier()}).Eligible; len(c) > 0 {
			sum += c[0].CostUSD + m.priceOf(m.team.Policy.Judge(), "")
		}
	}
	last, _ := m.synthesisReserve()
	return sum + last.usd
}

func (m *Machine) applyPlan(f chargehand.Fact) {
	p := &m.planning
	switch f := f.(type) {
	case chargehand.PlanAsked:
		p.iteration, p.asked, p.refused, p.approved, p.draft = f.Iteration, true, f.Errors, f.Ref, f.Draft
		if f.Ref != "" && f.Ref != p.proposed.ref {
			p.proposed = proposal{f.Ref, byPerson}
		}
	case chargehand.PlanRefused:
		p.asked, p.returned = false, true
		if f.Draft.Ref != "" { // else the planner made none, and the one before is still its last
			p.draft = f.Draft
		}
	case chargehand.PlanProposed:
		p.asked, p.proposed, p.draft = false, proposal{f.Ref, f.Source}, chargehand.Draft{Ref: f.Ref}
	case chargehand.PlanAdopted:
		p.version, p.asked, p.refused, p.returned, p.approved, p.draft = f.Version, false, nil, false, "", chargehand.Draft{}
		p.settled = f.Iteration > 1 && f.Subtasks == 0
		m.board.draw(f.Version, f.Iteration)
	case chargehand.SubtasksPlanned:
		m.board.add(f.Subtasks, f.Version, f.Synthesis)
		for i := range f.Subtasks {
			p.debated = p.debated || !f.Synthesis && m.team.Policy.Debates(&f.Subtasks[i])
		}
	}
}

// maxEarlier is how many earlier subtasks a planner is told of.
const maxEarlier = 500

// earlier are the subtasks of the plans before and what came of them, as a planner is told; those that were
// not accepted go first where there are too many. The second is how many are left out.
func (m *Machine) earlier() (list []Earlier, left int) {
	want, failed := []*task{}, 0
	for _, k := range m.board.order {
		if !k.state.Accepted() && k.replaced == nil {
			failed++
		}
	}
	room := max(0, maxEarlier-min(failed, maxEarlier))
	for _, k := range m.board.order {
		switch {
		case k.state.Accepted():
			if room--; room < 0 {
				left++
				continue
			}
		case k.replaced != nil:
			continue // others did it
		case len(want) >= maxEarlier:
			left++
			continue
		}
		want = append(want, k)
	}
	for _, k := range want {
		e := Earlier{Subtask: *k.spec, State: k.state, Lacks: k.lacks}
		e.Subtask.Assignee = "" // a program chooses
		if k.state.Accepted() {
			e.Output, e.Size = k.attempt.output, k.attempt.size
		} else {
			e.Cause, e.Why = m.gap(k).Cause, m.gap(k).Why
		}
		list = append(list, e)
	}
	return list, left
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
