package supervise

import (
	"slices"
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
	ownWord   int // decisions of the person who started the run
	decisions []chargehand.Decision
}

// reviewOutput asks a person about a task. Independent work goes on.
func (m *Machine) reviewOutput(now time.Time, k *task, t trouble, out *Output) {
	v := &k.attempt.verdict
	blocks, required := m.blockedBy(k)
	r := chargehand.Review{
		TaskID: k.spec.ID, Attempt: k.attempt.number, Subject: chargehand.SubjectOutput, Cause: t.cause,
		Action:      "use the output of " + k.spec.Name(),
		Description: k.spec.Name() + ": " + t.why, Risk: k.spec.RiskLevel, Evidence: v.Issues,
		OutputRef: k.attempt.output, VerdictRef: k.attempt.ref, RequestedBy: k.attempt.worker,
		Required: required || m.required(k), Blocks: blocks,
	}
	if k.attempt.size == 0 {
		r.OutputRef = ""
	}
	if t.cause == chargehand.CauseContested {
		r.Evidence, r.Positions = append(k.debate.dissent(), v.Issues...), k.debate.positions()
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
		Description: counted(n, "conflict") + " between accepted outputs", OutputRef: m.closing.aggregate, RequestedBy: "aggregation",
	}, out)
}

func (m *Machine) open(now time.Time, r chargehand.Review, out *Output) {
	p := &m.team.Policy
	r.ID = reviewID(m.id, len(m.desk.order))
	r.Nonce = nonce(m.run.seed, r.ID)
	r.RunID, r.OpenedAt, r.Deadline, r.Policy = m.id, now, now.Add(p.Patience()), p.ID()
	if r.Risk == "" {
		r.Risk = chargehand.RiskLow
	}
	r.Auto = chargehand.AutoReject
	if p.AutoDecision == chargehand.AutoApprove && r.Risk == chargehand.RiskLow && r.OutputRef != "" {
		r.Auto = chargehand.AutoApprove
	}
	if r.ContentHash = r.OutputRef; r.ContentHash == "" {
		r.ContentHash = chargehand.Hash([]byte(r.Description + listed(r.Changes)))
	}
	m.record(now, chargehand.ReviewOpened{Review: r}, out)
}

// reviewID names a run's n-th review, from 0.
func reviewID(run string, n int) string {
	return "rev_" + chargehand.Hash([]byte(run + "/" + itoa(n)))[len("sha256:"):][:10]
}

func nonce(seed, review string) string {
	return chargehand.Hash([]byte(seed + "/" + review))[len("sha256:"):][:24]
}

// blockedBy is how many tasks wait for one, directly or not, and whether one of them is required.
func (m *Machine) blockedBy(k *task) (n int, required bool) {
	seen := map[*task]bool{}
	for todo := []*task{k}; len(todo) > 0; todo = todo[1:] {
		for _, d := range todo[0].dependants {
			if !seen[d] {
				seen[d] = true
				todo = append(todo, d)
				required = required || m.required(d)
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
	case !r.Open() && !r.Decision.ByPolicy && !r.Decision.Withdrawn:
		no(chargehand.CodeDecided, "decided by "+r.Decision.Approver+", "+r.Decision.Outcome())
	case m.run.abort != nil || m.closing.asked:
		no(chargehand.CodeEnded, "the run has come to its end")
	case !r.Open() && r.Decision.Withdrawn:
		no(chargehand.CodeExpired, "it was withdrawn: "+r.Decision.Comment)
	case !r.Open():
		no(chargehand.CodeExpired, "policy "+r.Decision.Approver+" has "+r.Decision.Outcome()+" it: "+r.Decision.Comment)
	//guard:principal
	case in.Approver == "":
		no(chargehand.CodeNotAllowed, "a decision needs the person who makes it")
	//guard:content-hash
	case in.ContentHash != r.ContentHash:
		no(chargehand.CodeStale, "the decision names other content than the review, which is "+r.ContentHash)
	//guard:nonce
	case in.Nonce != r.Nonce:
		no(chargehand.CodeNonce, "the decision does not carry the review's nonce")
	case in.Approved && r.OutputRef == "" && in.EditRef == "" && in.Given == nil && r.Subject != chargehand.SubjectTools:
		no(chargehand.CodeNothing, "there is no output that could be accepted; "+wayOut(r))
	case in.Settled != "" || in.Given != nil:
		m.settleOutcome(now, r, in, out)
	case in.EditRef != "" && (!in.Approved || r.Subject != chargehand.SubjectPlan):
		no(chargehand.CodeNotAllowed, "only a plan can be approved with changes")
	case in.SendBack && m.keeps(r, in) != "":
		no(chargehand.CodeNotAllowed, m.keeps(r, in))
	default:
		m.settleReview(now, r, m.decision(now, r, in), out)
	}
}

// decision is a person's answer as it is recorded.
func (m *Machine) decision(now time.Time, r *chargehand.Review, in Decide) chargehand.Decision {
	return chargehand.Decision{
		ReviewID: r.ID, Approved: in.Approved, Approver: clip(in.Approver, maxName),
		ContentHash: in.ContentHash, Nonce: in.Nonce, Comment: clip(in.Comment, maxText), Timestamp: now,
		SendBack: in.SendBack, EditRef: in.EditRef, Settled: in.Settled, ByRequester: in.Approver == m.run.startedBy,
	}
}

func wayOut(r *chargehand.Review) string {
	if r.Cause == chargehand.CauseUnknown {
		return "say that it happened and give its output, say that it did not, or reject it"
	}
	return "reject it, or cancel the run"
}

// keeps is why a review's subject cannot be sent back; empty if it can (SPEC.md ·123).
func (m *Machine) keeps(r *chargehand.Review, in Decide) string {
	k := m.board.tasks[r.TaskID]
	switch {
	case in.Approved:
		return "what is approved is not sent back"
	case in.Comment == "":
		return "to send it back needs a comment: what is to be done otherwise"
	case r.Subject == chargehand.SubjectPlan && m.planning.proposed.source != "func" && m.planning.proposed.source != "llm":
		return "nobody made the plan who could make another; approve one in its place, or reject it"
	case r.Subject == chargehand.SubjectPlan && !m.planFits():
		return "there is no money for another plan: " + m.ledger.shortage(m.planNeeds())
	case r.Subject == chargehand.SubjectPlan:
		return ""
	case r.Subject != chargehand.SubjectOutput:
		return "there is nobody to send it back to"
	case r.Cause == chargehand.CauseUnknown:
		return "whether it took effect is not known, and it must not be done twice"
	case m.attemptsLeft(k, m.team.Worker(k.attempt.worker)) == 0:
		return "it has been tried " + itoa(k.number) + " times, and no attempt is left"
	}
	return ""
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
	var by string
	if m.run.abort != nil {
		by = m.run.abort.by
	}
	m.record(now, chargehand.ReviewDecided{Decision: chargehand.Decision{
		ReviewID: r.ID, Approver: by, Withdrawn: true,
		ContentHash: r.ContentHash, Nonce: r.Nonce, Comment: why, Timestamp: now,
	}}, out)
}

func (m *Machine) settleReview(now time.Time, r *chargehand.Review, d chargehand.Decision, out *Output) {
	m.record(now, chargehand.ReviewDecided{Decision: d}, out)
	switch {
	case r.Subject == chargehand.SubjectOutput && (d.SendBack || d.Settled == chargehand.SettledNot):
		m.workAgain(now, m.board.tasks[r.TaskID], d, out)
	case r.Subject == chargehand.SubjectTools && d.Approved:
		m.allowTools(now, m.board.tasks[r.TaskID], r, d.Approver, out)
	case r.Subject == chargehand.SubjectOutput || r.Subject == chargehand.SubjectTools:
		m.settleTask(now, m.board.tasks[r.TaskID], r, d, out)
	case r.Subject == chargehand.SubjectPlan && d.SendBack:
		m.askPlan(now, m.planning.iteration, []string{"sent back by " + d.Approver + ": " + d.Comment}, out)
	case r.Subject == chargehand.SubjectPlan && d.EditRef != "":
		m.follow(now, d.EditRef, out)
	case r.Subject == chargehand.SubjectPlan && d.Approved:
		m.follow(now, r.OutputRef, out)
	case r.Subject == chargehand.SubjectPlan && len(m.board.order) > 0: // a replan: the run ends with what it has
	case r.Subject == chargehand.SubjectPlan:
		m.abort(now, ending{chargehand.StopHumanRequired, chargehand.CauseRejected, r.Description, d.Approver}, out)
	case !d.Approved:
		m.abort(now, ending{chargehand.StopUnresolvedConflict, chargehand.CauseRejected, r.Description, d.Approver}, out)
	}
}

// workAgain tries a task again with what a person said of its output, or because a person says that it
// did not take effect.
func (m *Machine) workAgain(now time.Time, k *task, d chargehand.Decision, out *Output) {
	f := chargehand.RetryPlanned{
		AttemptRef: k.nextRef(), Cause: chargehand.CauseSentBack, Avoid: k.avoid,
		Correction: clip("sent back by "+d.Approver+": "+d.Comment, maxText),
	}
	if d.Settled == chargehand.SettledNot {
		f.Cause, f.Correction = chargehand.CauseUnknown, d.Comment
	}
	if w := k.attempt.worker; w != "" && !slices.Contains(k.avoid, w) {
		f.Prefer = w
	}
	if d.SendBack && k.attempt.size > 0 {
		f.Revise = k.attempt.output
	}
	m.record(now, f, out)
}

func (m *Machine) settleTask(now time.Time, k *task, r *chargehand.Review, d chargehand.Decision, out *Output) {
	f := chargehand.SubtaskEnded{Attempt: k.attempt.number, DecidedBy: d.Approver, Cause: r.Cause, Why: d.Comment}
	switch {
	case d.Approved:
		//guard:override-said off=f.State, f.Score = chargehand.SubtaskAcceptedByHuman, k.attempt.verdict.Score
		f.State, f.Score, f.Against = chargehand.SubtaskAcceptedByHuman, k.attempt.verdict.Score, against(k, r)
	case r.Cause == chargehand.CauseReviewerError:
		f.State, f.Label = chargehand.SubtaskRejected, "reviewer-error"
	case m.exhausted(k, r.Cause):
		f.State, f.Label, f.Why = chargehand.SubtaskFailed, "failed-review", r.Grounds(k.spec)
	default:
		f.State, f.Label = chargehand.SubtaskRejected, "failed-review"
	}
	if !d.Approved && f.State == chargehand.SubtaskRejected {
		f.Why = because("rejected by "+d.Who(), d.Comment)
	}
	if f.State == chargehand.SubtaskRejected && r.Cause == chargehand.CauseUnknown && !d.ByPolicy {
		f.Why += notKnown
	}
	if d.ByPolicy && f.State == chargehand.SubtaskRejected { // what a person was asked about is the cause
		f.Why += "; " + r.Grounds(k.spec)
	}
	m.end(now, k, f, out)
}

// against is why the checks did not accept an output: why a person was asked, and the findings.
func against(k *task, r *chargehand.Review) string {
	text, findings := r.Grounds(k.spec), held(k, r)
	for i := range findings {
		if f := &findings[i]; f.Severity != chargehand.SeverityWarning && !strings.Contains(text, f.Message) {
			text = because(text, f.Message)
		}
	}
	if text == "" {
		text = "the gate asked for a person"
	}
	return clip(text, maxText)
}

// held is what the checks had against an output that a person accepted.
func held(k *task, r *chargehand.Review) []chargehand.Finding {
	if r.Cause == chargehand.CauseUnknown {
		return k.attempt.verdict.Issues // of the output that the person gave
	}
	return r.Evidence
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
		//rule:review-timer
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
		if r.Subject == chargehand.SubjectPlan {
			m.planning.settled = m.planning.settled || !d.Approved && !d.SendBack
			m.planning.returned = false
		}
		m.desk.decisions = append(m.desk.decisions, d)
		if d.ByRequester {
			m.desk.ownWord++
		}
	}
}
