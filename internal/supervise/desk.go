package supervise

import (
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// desk is what people are asked, and what they answered.
type desk struct {
	reviews   map[string]*chargehand.Review // by id; for look-ups only
	order     []*chargehand.Review          // as opened
	open      int
	required  int // of them, those that the run waits for unless the policy says otherwise
	plans     int // of them, those about the plan
	decisions []chargehand.Decision
}

// reviewOutput asks a person about a task. Independent work goes on.
func (m *Machine) reviewOutput(now time.Time, k *task, t trouble, out *Output) {
	v := &k.attempt.verdict
	blocks, required := m.board.blockedBy(k)
	r := chargehand.Review{
		TaskID: k.spec.ID, Attempt: k.number, Subject: chargehand.SubjectOutput, Cause: t.cause,
		Action:      "use the output of " + k.spec.Name(),
		Description: k.spec.Name() + ": " + t.why, Risk: k.spec.RiskLevel, Evidence: v.Issues,
		OutputRef: k.attempt.output, VerdictRef: k.attempt.ref, RequestedBy: k.attempt.worker,
		Required: required || m.required(k), Blocks: blocks,
	}
	if k.attempt.size == 0 {
		r.OutputRef = ""
	}
	if t.cause == chargehand.CauseUnknown {
		r.Action = "settle whether " + k.spec.Name() + " took effect"
	}
	m.open(now, r, out)
}

// reviewPlan asks a person when the planner could not make a valid plan.
func (m *Machine) reviewPlan(now time.Time, errs []string, out *Output) {
	m.open(now, chargehand.Review{
		Subject: chargehand.SubjectPlan, Cause: chargehand.CauseWorkerError, Action: "go on without a valid plan",
		Description: "the plan is invalid, twice: " + clip(errs[0], maxClause), RequestedBy: "planner", Required: true,
	}, out)
}

// reviewConflicts asks a person to let the result stand with its conflicts.
func (m *Machine) reviewConflicts(now time.Time, n int, out *Output) {
	m.open(now, chargehand.Review{
		Subject: chargehand.SubjectConflicts, Cause: chargehand.CauseQuality,
		Action:      "let the result stand with its conflicts recorded",
		Description: itoa(n) + " accepted outputs disagree", OutputRef: m.closing.aggregate, RequestedBy: "aggregation",
	}, out)
}

func (m *Machine) open(now time.Time, r chargehand.Review, out *Output) {
	p := &m.team.Policy
	r.ID = "rev_" + chargehand.Hash([]byte(m.id + "/" + itoa(len(m.desk.order))))[len("sha256:"):][:10]
	r.Nonce = chargehand.Hash([]byte(m.run.seed + "/" + r.ID))[len("sha256:"):][:24]
	r.RunID, r.OpenedAt, r.Deadline, r.Policy = m.id, now, now.Add(p.Patience()), p.ID()
	if r.Risk == "" {
		r.Risk = chargehand.RiskLow
	}
	r.Auto = chargehand.AutoReject
	if p.AutoDecision == chargehand.AutoApprove && r.Risk == chargehand.RiskLow && r.OutputRef != "" {
		r.Auto = chargehand.AutoApprove
	}
	if r.ContentHash = r.OutputRef; r.ContentHash == "" {
		r.ContentHash = chargehand.Hash([]byte(r.Description))
	}
	m.record(now, chargehand.ReviewOpened{Review: r}, out)
}

// blockedBy is how many tasks wait for one, directly or not, and whether one of them is required.
func (b *board) blockedBy(k *task) (n int, required bool) {
	seen := map[*task]bool{}
	for todo := []*task{k}; len(todo) > 0; todo = todo[1:] {
		for _, d := range todo[0].dependants {
			if !seen[d] {
				seen[d] = true
				todo = append(todo, d)
				required = required || d.spec.Required
			}
		}
	}
	return len(seen), required
}

// decide follows a person's answer, if it is about what is there now (SPEC.md ·125).
func (m *Machine) decide(now time.Time, in Decide, out *Output) {
	r := m.desk.reviews[in.ReviewID]
	no := func(code chargehand.Code, why string) {
		m.refuse(now, refusal{"decide " + in.ReviewID, code, in.Approver, why}, out)
	}
	switch {
	case r == nil:
		no(chargehand.CodeNotFound, "the run has no such review")
	case !r.Open() && !r.Decision.ByPolicy:
		no(chargehand.CodeDecided, "decided by "+r.Decision.Approver+", "+answer(r.Decision.Approved))
	case m.run.abort != nil || m.closing.asked:
		no(chargehand.CodeEnded, "the run has come to its end")
	case !r.Open() && r.Decision.Withdrawn:
		no(chargehand.CodeExpired, "it was withdrawn: "+r.Decision.Comment)
	case !r.Open():
		no(chargehand.CodeExpired, "policy "+r.Decision.Approver+" has "+answer(r.Decision.Approved)+" it: "+r.Decision.Comment)
	case in.Approver == "":
		no(chargehand.CodeNotAllowed, "a decision needs the person who makes it")
	case in.ContentHash != r.ContentHash:
		no(chargehand.CodeStale, "the decision names other content than the review, which is "+r.ContentHash)
	case in.Nonce != r.Nonce:
		no(chargehand.CodeNonce, "the decision does not carry the review's nonce")
	case in.Approved && r.OutputRef == "":
		no(chargehand.CodeNothing, "there is no output that could be accepted; reject it, or cancel the run")
	default:
		m.settleReview(now, r, chargehand.Decision{
			ReviewID: r.ID, Approved: in.Approved, Approver: clip(in.Approver, maxName),
			ContentHash: in.ContentHash, Nonce: in.Nonce, Comment: clip(in.Comment, maxText), Timestamp: now,
		}, out)
	}
}

func answer(yes bool) string {
	if yes {
		return "approved"
	}
	return "rejected"
}

// decideByPolicy answers a review nobody answered in time (SPEC.md ·124).
func (m *Machine) decideByPolicy(now time.Time, r *chargehand.Review, out *Output) {
	m.settleReview(now, r, chargehand.Decision{
		ReviewID: r.ID, Approved: r.Auto == chargehand.AutoApprove,
		Approver: r.Policy, ByPolicy: true, ContentHash: r.ContentHash, Nonce: r.Nonce, Timestamp: now,
		Comment: "nobody decided by " + r.Deadline.Format(time.RFC3339),
	}, out)
}

// closeReviews withdraws the reviews of a run that no longer waits for them.
func (m *Machine) closeReviews(now time.Time, why string, out *Output) {
	for _, r := range m.desk.order {
		if r.Open() {
			m.withdraw(now, r, why, out)
		}
	}
}

func (m *Machine) withdraw(now time.Time, r *chargehand.Review, why string, out *Output) {
	m.record(now, chargehand.ReviewDecided{Decision: chargehand.Decision{
		ReviewID: r.ID, Approver: r.Policy, ByPolicy: true, Withdrawn: true,
		ContentHash: r.ContentHash, Nonce: r.Nonce, Comment: why, Timestamp: now,
	}}, out)
}

func (m *Machine) settleReview(now time.Time, r *chargehand.Review, d chargehand.Decision, out *Output) {
	m.record(now, chargehand.ReviewDecided{Decision: d}, out)
	switch {
	case r.Subject == chargehand.SubjectOutput:
		m.settleTask(now, m.board.tasks[r.TaskID], r, d, out)
	case r.Subject == chargehand.SubjectPlan && len(m.board.order) > 0: // a replan: the run ends with what it has
	case r.Subject == chargehand.SubjectPlan:
		m.abort(now, ending{chargehand.StopHumanRequired, chargehand.CauseRejected, r.Description, d.Approver}, out)
	case !d.Approved:
		m.abort(now, ending{chargehand.StopUnresolvedConflict, chargehand.CauseRejected, r.Description, d.Approver}, out)
	}
}

func (m *Machine) settleTask(now time.Time, k *task, r *chargehand.Review, d chargehand.Decision, out *Output) {
	f := chargehand.SubtaskEnded{Attempt: k.number, DecidedBy: d.Approver, Cause: r.Cause, Why: d.Comment}
	switch {
	case d.Approved:
		f.State, f.Score = chargehand.SubtaskAcceptedByHuman, k.attempt.verdict.Score
	case r.Cause == chargehand.CauseReviewerError:
		f.State, f.Label = chargehand.SubtaskRejected, "reviewer-error"
	case m.exhausted(k, r.Cause):
		f.State, f.Label, f.Why = chargehand.SubtaskFailed, "failed-review", strings.TrimPrefix(r.Description, k.spec.Name()+": ")
	default:
		f.State, f.Label = chargehand.SubtaskRejected, "failed-review"
	}
	if !d.Approved && f.State == chargehand.SubtaskRejected {
		f.Why = because("rejected by "+d.Approver, d.Comment)
	}
	m.end(now, k, f, out)
}

func because(what, comment string) string {
	if comment == "" {
		return what
	}
	return what + ": " + comment
}

// exhausted reports whether the task was reviewed because its last attempt had failed (SPEC.md ·77).
func (m *Machine) exhausted(k *task, c chargehand.Cause) bool {
	for _, r := range recovery {
		if r.cause == c {
			return r.countsAttempts && m.attemptsLeft(k, m.team.Worker(k.attempt.worker)) == 0
		}
	}
	return false
}

// count keeps the numbers of open reviews.
func (d *desk) count(r *chargehand.Review, by int) {
	if r.Required || r.TaskID == "" {
		d.required += by
	}
	if r.Subject == chargehand.SubjectPlan {
		d.plans += by
	}
}

func (m *Machine) applyDesk(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReviewOpened:
		r := f.Review
		m.desk.reviews[r.ID] = &r
		m.desk.order = append(m.desk.order, &r)
		m.desk.open++
		m.desk.count(&r, +1)
		m.timers.add(timer{at: r.Deadline, review: r.ID, seq: m.seq})
		if k := m.board.tasks[r.TaskID]; k != nil {
			k.review = r.ID
			state := chargehand.SubtaskNeedsHuman
			if r.Cause == chargehand.CauseUnknown {
				state = chargehand.SubtaskUnknown
			}
			m.board.move(k, state)
		}
	case chargehand.ReviewDecided:
		d := f.Decision
		r := m.desk.reviews[d.ReviewID]
		r.Decision = &d
		m.desk.open--
		m.desk.count(r, -1)
		m.planning.settled = m.planning.settled || r.Subject == chargehand.SubjectPlan
		m.desk.decisions = append(m.desk.decisions, d)
	}
}
