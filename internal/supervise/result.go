package supervise

import (
	"strings"

	"github.com/chargehand/chargehand"
)

// writeResult is the effect that stores the result. Gaps, low confidence and open questions are
// read off the board: no worker writes them.
func (m *Machine) writeResult() WriteResult {
	r := m.Result()
	r.Status, r.StopReason = m.closing.verdict.state, m.closing.verdict.stop
	e := WriteResult{Result: r, Aggregate: m.closing.aggregate}
	if k := m.board.tasks[synthesisID]; k != nil && k.state.Accepted() {
		e.Output = k.attempt.output
	}
	return e
}

// Result is what the run has come to so far, without items, conflicts and output, which are
// content outside the machine.
func (m *Machine) Result() chargehand.Result {
	r := chargehand.Result{
		RunID: m.id, Title: m.run.objective.Title, Status: m.run.state, Gaps: m.gaps(),
		Decisions: []chargehand.Decision{},
		Items:     []chargehand.Item{}, Conflicts: []chargehand.Conflict{}, LowConfidence: []chargehand.Note{},
		MissingEvidence: []chargehand.Note{}, OpenQuestions: []chargehand.Note{}, Provenance: []chargehand.Provenance{},
		Cost: m.cost(), Audit: chargehand.AuditSummary{Records: m.seq},
	}
	for _, d := range m.desk.decisions {
		about := m.desk.reviews[d.ReviewID]
		d.Subject, d.TaskID = about.Subject, about.TaskID
		r.Decisions = append(r.Decisions, d)
	}
	readTwice := m.readTwice()
	for _, k := range m.board.order {
		m.contribute(k, readTwice, &r)
	}
	for _, v := range m.desk.order {
		if v.Open() || m.unanswered(v) {
			r.OpenQuestions = append(r.OpenQuestions, chargehand.Note{Subtask: v.TaskID, Text: v.Description})
		}
	}
	return r
}

// unanswered reports whether a review was withdrawn and its subtask still waits.
func (m *Machine) unanswered(v *chargehand.Review) bool {
	k := m.board.tasks[v.TaskID]
	return k != nil && k.review == v.ID && !k.state.Final()
}

func (m *Machine) contribute(k *task, readTwice func(*chargehand.Subtask) bool, r *chargehand.Result) {
	if k.replaced != nil {
		return // others contribute what it would have
	}
	if !k.state.Accepted() {
		for _, aspect := range k.spec.RequiredAspects {
			r.MissingEvidence = append(r.MissingEvidence, chargehand.Note{
				Subtask: k.spec.ID, Key: aspect,
				Text: aspect + " was not established: " + k.spec.Name() + " was not accepted",
			})
		}
		return
	}
	if m.doubtful(k) {
		r.LowConfidence = append(r.LowConfidence, m.doubt(k))
	}
	for _, text := range k.lacks {
		r.OpenQuestions = append(r.OpenQuestions, chargehand.Note{Subtask: k.spec.ID, Text: text})
	}
	for _, aspect := range k.attempt.verdict.Missing {
		r.MissingEvidence = append(r.MissingEvidence, chargehand.Note{
			Subtask: k.spec.ID, Key: aspect, Text: aspect + " was not established: " + k.spec.Name() + " says nothing about it",
		})
	}
	r.Provenance = append(r.Provenance, chargehand.Provenance{
		Subtask: k.spec.ID, Attempt: k.attempt.number,
		Worker: k.attempt.worker, OutputRef: k.attempt.output, State: k.state, Score: k.attempt.score, DecidedBy: k.by,
		Unreviewed: m.unreviewed(k) && !readTwice(k.spec),
	})
}

// unreviewed reports whether nobody but the gate looked at an accepted output, where somebody should
// know: the team says that it does without a reviewer, or the reviewer judged its own work (SPEC.md ·66).
func (m *Machine) unreviewed(k *task) bool {
	//guard:unreviewed off=true
	if k.by != "" && k.by != m.team.Policy.ID() || k.debate.confirmed != "" {
		return false
	}
	p := &m.team.Policy
	if p.Reviewer == "" {
		return m.run.format > 1
	}
	return p.Judge() == "" || p.Judge() == k.attempt.worker
}

// readTwice says of which accepted subtasks others, accepted too, read the same: for a team without a
// reviewer that is one.
func (m *Machine) readTwice() func(*chargehand.Subtask) bool {
	if m.team.Policy.Judge() != "" {
		return func(*chargehand.Subtask) bool { return false }
	}
	var list []chargehand.Subtask
	for _, k := range m.board.order {
		if k.state.Accepted() {
			list = append(list, *k.spec)
		}
	}
	return m.team.ReadTwice(list)
}

// doubtful reports whether an accepted output is one that the checks doubt, or did not accept.
func (m *Machine) doubtful(k *task) bool {
	return k.state == chargehand.SubtaskAcceptedLow || k.state.Accepted() && k.against != ""
}

func (m *Machine) doubt(k *task) chargehand.Note {
	n := chargehand.Note{Subtask: k.spec.ID, Text: k.spec.Name() + ": " + k.why}
	r := m.desk.reviews[k.review]
	if k.against == "" || r == nil || r.Open() {
		return n
	}
	d := r.Decision
	n.Override = &chargehand.Override{
		By: d.Approver, ByPolicy: d.ByPolicy, ByRequester: d.ByRequester, At: d.Timestamp, Reason: d.Comment,
		Against: k.against, Findings: held(k, r),
	}
	if r.Cause == chargehand.CauseUnknown {
		n.Text = k.spec.Name() + ": accepted on the word of " + d.Who() + " that it happened: " + k.against
		return n
	}
	n.Text = k.spec.Name() + ": accepted against the checks by " + d.Who() + ": " + k.against
	return n
}

// maxCaveats is how many gaps, and how many doubts, a last step is told one by one.
const maxCaveats = 200

// caveats are read off the board for a last step to know of. The result names all of them again, as
// they stand when it is written.
func (m *Machine) caveats() Caveats {
	var c Caveats
	if m.team.Synthesis == nil {
		return c
	}
	for _, g := range m.gaps() {
		if g.Subtask != synthesisID {
			g.Why = clip(g.Why, maxClause)
			c.Gaps = c.Gaps.add(g)
		}
	}
	for _, k := range m.board.order {
		if m.doubtful(k) && !k.synthesis {
			n := m.doubt(k)
			n.Override = nil // the last step is told in words
			n.Text = clip(n.Text, maxClause)
			c.LowConfidence = c.LowConfidence.add(n)
		}
	}
	return c
}

func (s *Shortlist[T]) add(v T) *Shortlist[T] {
	if s == nil {
		s = &Shortlist[T]{}
	}
	if s.Count++; s.Count <= maxCaveats {
		s.First = append(s.First, v)
	}
	return s
}

// Accepted lists the outputs that may be used, as things stand.
func (m *Machine) Accepted() []Accepted { return m.aggregation().Accepted }

// gaps are what the result does not cover, in plan order.
func (m *Machine) gaps() []chargehand.Gap {
	gaps := []chargehand.Gap{}
	if a := m.run.abort; a != nil {
		gaps = append(gaps, chargehand.Gap{Cause: a.cause, Why: a.why})
	}
	for _, k := range m.board.order {
		if k.replaced != nil || k.state.Accepted() && len(k.lacks) == 0 || !k.state.Final() && m.closing.round == 0 && !m.closing.asked && k.review == "" {
			continue
		}
		gaps = append(gaps, m.gap(k))
	}
	if len(m.board.order) == 0 && m.run.abort == nil {
		gaps = append(gaps, chargehand.Gap{Cause: chargehand.CauseWorkerError, Why: "there is no plan"})
	}
	return gaps
}

// lacking is how many subtasks the result of a run that is over lacks, or has in part only, the
// synthesis included.
func (m *Machine) lacking() int {
	n := m.board.planned() - m.board.parts[countAccepted] + m.board.parts[countShort]
	if m.synthesisLost() {
		n++
	}
	return n
}

func (m *Machine) gap(k *task) chargehand.Gap {
	g := chargehand.Gap{Subtask: k.spec.ID, Label: k.spec.Name(), State: k.state, Cause: k.cause, Why: k.why}
	switch {
	case k.state.Accepted():
		g.Cause, g.Why = chargehand.CausePartial, strings.Join(k.lacks, "; ")
	case !k.state.Final():
		g.Cause, g.Why = m.undecided(k)
	}
	if g.Why == "" {
		g.Why = k.state.Sign().Label
	}
	return g
}

// undecided is why a task is a gap that a person was asked about, or that depends on such a one. It
// names what went wrong with its last attempt: that somebody was asked is only what followed.
func (m *Machine) undecided(k *task) (chargehand.Cause, string) {
	r := m.desk.reviews[k.review]
	switch {
	case r == nil && m.closing.asked:
		return chargehand.CauseDependency, "what it depends on was not decided"
	case r == nil:
		return chargehand.CauseDependency, "what it depends on waits for a decision"
	case m.closing.asked || !r.Open():
		return r.Cause, r.Undecided(k.spec)
	}
	return r.Cause, r.Grounds(k.spec) + "; it waits for a decision"
}

// shared is what most of the tasks that are not accepted have come to, in the words of their last
// failures, as the end of a sentence; empty where no words hold for half of them. Tasks that only
// share another's fate do not count.
func (m *Machine) shared() string {
	times, most, all := map[string]int{}, "", 0
	for _, k := range m.board.order {
		words := k.why
		if r := m.desk.reviews[k.review]; r != nil && (!k.state.Final() || !r.Open() && (r.Decision.ByPolicy || r.Decision.Withdrawn)) {
			words = r.Grounds(k.spec)
		}
		if words == "" || k.state.Accepted() || k.replaced != nil || k.cause == chargehand.CauseDependency || k.state == chargehand.SubtaskCancelled {
			continue
		}
		all++
		if times[words]++; times[words] > times[most] {
			most = words
		}
	}
	switch n := times[most]; {
	case most == "" || 2*n < all:
		return ""
	case n < all:
		return "; " + itoa(n) + " of " + itoa(all) + ": " + clip(most, maxClause)
	}
	return ": " + clip(most, maxClause)
}

// were is the verb for so many.
func were(n int) string {
	if n == 1 {
		return " was "
	}
	return " were "
}

// Summary is the run's line in a list.
func (m *Machine) Summary() chargehand.RunSummary {
	b := &m.board
	s := chargehand.RunSummary{
		RunID: m.id, Title: m.run.objective.Title, Team: m.team.Name, State: m.run.state, NeedsHuman: m.desk.open,
		Subtasks: b.planned(), Replaced: b.parts[countReplaced], Accepted: b.parts[countAccepted], Gaps: b.planned() - b.live - b.parts[countAccepted] + b.parts[countShort],
		Overridden: b.parts[countAgainst], OwnWord: m.desk.ownWord,
		Spent: m.ledger.settled.usd, Inherited: m.run.inherited, Budget: m.ledger.ceiling.USD, StartedAt: m.run.started, DeadlineAt: m.run.deadline, Left: chargehand.Duration(m.run.left),
		StartedBy: m.run.startedBy, Tenant: m.run.tenant,
	}
	if m.run.state.Final() {
		s.Stop, s.EndedAt, s.Gaps = m.closing.verdict.stop, m.run.ended, m.lacking()
		s.ResultRef, s.ResultHash = m.closing.result, m.closing.resultHash
	}
	return s
}
