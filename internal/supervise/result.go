package supervise

import "github.com/chargehand/chargehand"

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
		Decisions: append([]chargehand.Decision{}, m.desk.decisions...),
		Items:     []chargehand.Item{}, Conflicts: []chargehand.Conflict{}, LowConfidence: []chargehand.Note{},
		MissingEvidence: []chargehand.Note{}, OpenQuestions: []chargehand.Note{}, Provenance: []chargehand.Provenance{},
		Cost: m.cost(), Audit: chargehand.AuditSummary{Records: m.seq},
	}
	for _, k := range m.board.order {
		m.contribute(k, &r)
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

func (m *Machine) contribute(k *task, r *chargehand.Result) {
	if !k.state.Accepted() {
		for _, aspect := range k.spec.RequiredAspects {
			r.MissingEvidence = append(r.MissingEvidence, chargehand.Note{
				Subtask: k.spec.ID, Key: aspect,
				Text: aspect + " was not established: " + k.spec.Name() + " was not accepted",
			})
		}
		return
	}
	if k.state == chargehand.SubtaskAcceptedLow {
		r.LowConfidence = append(r.LowConfidence, chargehand.Note{Subtask: k.spec.ID, Text: k.spec.Name() + ": " + k.why})
	}
	r.Provenance = append(r.Provenance, chargehand.Provenance{
		Subtask: k.spec.ID, Attempt: k.number,
		Worker: k.attempt.worker, OutputRef: k.attempt.output, State: k.state, Score: k.attempt.score, DecidedBy: k.by,
	})
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
		if k.state.Accepted() || !k.state.Final() && m.closing.round == 0 && !m.closing.asked && k.review == "" {
			continue
		}
		gaps = append(gaps, gap(k))
	}
	if len(m.board.order) == 0 && m.run.abort == nil {
		gaps = append(gaps, chargehand.Gap{Cause: chargehand.CauseWorkerError, Why: "there is no plan"})
	}
	return gaps
}

func gap(k *task) chargehand.Gap {
	g := chargehand.Gap{Subtask: k.spec.ID, Label: k.spec.Name(), State: k.state, Cause: k.cause, Why: k.why}
	if !k.state.Final() {
		g.Cause, g.Why = chargehand.CauseAskedPerson, "it still waits for a decision"
		if k.review == "" {
			g.Cause, g.Why = chargehand.CauseDependency, "what it depends on still waits for a decision"
		}
	}
	if g.Why == "" {
		g.Why = k.state.Sign().Label
	}
	return g
}

// Summary is the run's line in a list.
func (m *Machine) Summary() chargehand.RunSummary {
	b := &m.board
	ended := b.parts[countAll] - b.live
	s := chargehand.RunSummary{
		RunID: m.id, Title: m.run.objective.Title, Team: m.team.Name, State: m.run.state, NeedsHuman: m.desk.open,
		Subtasks: b.parts[countAll], Accepted: b.parts[countAccepted], Gaps: ended - b.parts[countAccepted],
		Spent: m.ledger.settled.usd, Budget: m.ledger.ceiling.USD, StartedAt: m.run.started, DeadlineAt: m.run.deadline,
		StartedBy: m.run.startedBy, Tenant: m.run.tenant,
	}
	if m.run.state.Final() {
		s.Stop, s.EndedAt = m.closing.verdict.stop, m.run.ended
	}
	return s
}
