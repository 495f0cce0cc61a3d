package supervise

import (
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// weigh decides what becomes of an output that the gate has checked. The worker's own word may
// make things worse, never better.
func (m *Machine) weigh(now time.Time, k *task, s chargehand.ResultStatus, out *Output) {
	v, lacks := &k.attempt.verdict, k.attempt.lacks
	switch {
	//guard:changed-tools
	case len(k.attempt.changed) > 0:
		m.toolsChanged(now, k, out)
	case s == chargehand.StatusFailed:
		m.recover(now, k, trouble{cause: chargehand.CauseWorkerError, why: said(lacks, "the worker says that it failed")}, out)
	case s == chargehand.StatusBlocked:
		m.recover(now, k, trouble{cause: chargehand.CauseBlocked, why: said(lacks, "the worker is blocked")}, out)
	//guard:schema-verdict
	case !v.SchemaPass && v.Recommendation != chargehand.HumanReview: // else the gate gave up comparing them
		m.recover(now, k, m.rejected(k, chargehand.CauseSchema, v), out)
	//guard:gate-rejection
	case v.Recommendation == chargehand.Reject:
		m.recover(now, k, m.rejected(k, chargehand.CauseQuality, v), out)
	//guard:partial-is-not-complete
	case len(lacks) > 0 && !m.partialAllowed(k):
		m.recover(now, k, trouble{cause: chargehand.CausePartial, why: said(lacks, "")}, out)
	case v.Recommendation == chargehand.HumanReview:
		m.recover(now, k, trouble{cause: chargehand.CauseAskedPerson, why: summary(v)}, out)
	//guard:reviewer-asked
	case m.team.Policy.Judge() != "":
		m.askJudge(now, k, out)
	default:
		m.accept(now, k, lowered(v.Score, k.attempt.own), out)
	}
}

func (m *Machine) partialAllowed(k *task) bool {
	w := m.team.Worker(k.attempt.worker)
	return w != nil && w.FailurePolicy.AllowPartialResult
}

func said(lacks []string, otherwise string) string {
	if len(lacks) == 0 {
		return otherwise
	}
	return clip(strings.Join(lacks, "; "), maxClause)
}

// rejected is the trouble of an output that a check did not let through. The very same output to
// the very same input again is no progress (SPEC.md ·79).
func (m *Machine) rejected(k *task, c chargehand.Cause, v *chargehand.Verdict) trouble {
	t := trouble{cause: c, why: summary(v), correction: v.Feedback, revise: v.Rework == chargehand.Revise}
	for _, p := range k.past {
		if p.worker == k.attempt.worker && p.input == k.attempt.input && p.output == k.attempt.output && p.output != "" {
			t.cause = chargehand.CauseNoProgress
			t.why = k.attempt.worker + " gave the same output again: " + t.why
			return t
		}
	}
	return t
}

// summary is the verdict's first error in words.
func summary(v *chargehand.Verdict) string {
	for _, f := range v.Issues {
		if f.Severity != chargehand.SeverityWarning {
			return clip(f.Message, maxClause)
		}
	}
	if v.Reasoning != "" {
		return clip(v.Reasoning, maxClause)
	}
	return clip(v.Feedback, maxClause)
}

func lowered(score float64, own *float64) float64 {
	//guard:own-confidence off=own != nil && *own >= 0
	if own != nil && *own >= 0 && *own < score {
		return *own
	}
	return score
}

// accept lets an output be used, or asks a person when too little of it is supported (SPEC.md ·65). One
// that says otherwise than an accepted one may be debated first.
func (m *Machine) accept(now time.Time, k *task, score float64, out *Output) {
	f := chargehand.SubtaskEnded{Attempt: k.attempt.number, State: chargehand.SubtaskAccepted, Score: score}
	switch {
	case !(score >= chargehand.HumanBelow): // no number at all is below, too
		m.recover(now, k, trouble{
			cause: chargehand.CauseLowConfidence,
			why:   "confidence " + percent(score) + " is below " + percent(chargehand.HumanBelow),
		}, out)
		return
	case k.debate.stage == arguing:
		m.takePosition(now, k, chargehand.PositionTaken{Acceptable: true, Score: score}, out)
		return
	case score < chargehand.LowBelow:
		f.State, f.Cause = chargehand.SubtaskAcceptedLow, chargehand.CauseLowConfidence
		f.Why = "confidence " + percent(score)
	}
	debated, why := m.contradicts(now, k, score, out)
	if debated {
		return
	}
	if f.Why != "" && why != "" {
		why = "; " + why
	}
	f.Why = clip(f.Why+why, maxText)
	m.end(now, k, f, out)
}

func percent(f float64) string { return itoa(int(f*100+0.5)) + " %" }

// askJudge asks the reviewer about an output that the gate accepted. It holds no slot, so the next
// tasks are dispatched meanwhile. Where the money does not reach, the output waits for what is
// under way to be settled.
func (m *Machine) askJudge(now time.Time, k *task, out *Output) {
	price, key := m.check(int64(k.attempt.size)), forJudge(k.ref())
	if k.synthesis {
		key = forSynthesis // what is set aside for it is used up
	}
	switch {
	case m.ledger.fits(key, price):
		m.record(now, chargehand.JudgeAsked{AttemptRef: k.ref(), Times: k.attempt.judgings + 1, Reserved: price.usd, Tokens: price.tokens}, out)
		out.begin(m.judge(k))
	case !m.busy():
		m.overBudget(now, k, "to check it: "+m.ledger.shortage(price), out)
	}
}

// askJudges asks the reviewer about outputs that waited for money. What is paid for goes before
// what is to be begun.
func (m *Machine) askJudges(now time.Time, out *Output) {
	if m.run.adrift {
		return
	}
	for _, k := range slices.Clone(m.board.unjudged) {
		if k.state == chargehand.SubtaskValidating {
			m.askJudge(now, k, out)
		}
	}
}

func (m *Machine) judge(k *task) Judge {
	e := Judge{
		AttemptRef: k.ref(), Times: k.attempt.judgings, Reviewer: m.team.Policy.Judge(),
		Goal: k.spec.Goal, Output: k.attempt.output, Envelope: m.envelope(forJudge(k.ref()), nil),
		Positions: k.debate.shownPositions(),
	}
	if c := m.team.Contract(k.spec.OutputContract); c != nil {
		e.Criteria = c.Criteria
	}
	return e
}

// judged takes the reviewer's verdict in. One that throws or talks nonsense is asked once more.
func (m *Machine) judged(now time.Time, in JudgeAnswered, out *Output) {
	k := m.board.tasks[in.Subtask]
	if k == nil || !k.attempt.judging || k.number != in.Attempt || k.attempt.judgings != in.Times {
		return
	}
	u := charge(in.Usage, declared(m.priceOf(m.team.Policy.Judge(), ""), in.NotBegun))
	if k.debate.stage == choosing {
		m.chosen(now, k, in, u, out)
		return
	}
	why := in.Err
	if why == "" {
		//guard:reviewer-nonsense
		why = malformed(&in.Verdict)
	}
	if why != "" {
		m.record(now, chargehand.JudgeFailed{AttemptRef: in.AttemptRef, Times: in.Times, Message: clip(why, maxText), Usage: u}, out)
		if k.state != chargehand.SubtaskValidating {
			return
		}
		if in.Times == 1 {
			m.askJudge(now, k, out)
			return
		}
		m.recover(now, k, trouble{cause: chargehand.CauseReviewerError, why: clip(why, maxClause)}, out)
		return
	}
	m.record(now, chargehand.Judged{AttemptRef: in.AttemptRef, Verdict: brief(in.Verdict), Usage: u}, out)
	if k.state == chargehand.SubtaskValidating {
		m.followJudge(now, k, &in.Verdict, out)
	}
}

func (m *Machine) followJudge(now time.Time, k *task, v *chargehand.Verdict, out *Output) {
	switch v.Recommendation {
	case chargehand.Reject:
		m.recover(now, k, m.rejected(k, chargehand.CauseQuality, v), out)
	case chargehand.HumanReview:
		m.recover(now, k, trouble{cause: chargehand.CauseAskedPerson, why: summary(v)}, out)
	default:
		m.accept(now, k, lowered(float64(v.Confidence)/10, k.attempt.own), out)
	}
}

// malformed says why a reviewer's answer is no verdict; empty if it is one (SPEC.md ·4).
func malformed(v *chargehand.Verdict) string {
	switch {
	case !known(v.Recommendation):
		return "the recommendation is none of ACCEPT, REJECT and HUMAN_REVIEW"
	case v.Confidence < 1 || v.Confidence > 10:
		return "the confidence is not a whole number from 1 to 10"
	case v.Recommendation != chargehand.Accept && v.Feedback == "":
		return "there is no feedback"
	}
	return ""
}

func known(r chargehand.Recommendation) bool {
	return r == chargehand.Accept || r == chargehand.Reject || r == chargehand.HumanReview
}

func (m *Machine) applyJudge(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.JudgeAsked:
		k := m.board.tasks[f.Subtask]
		if !k.attempt.judging { // else it is asked again after a restart
			m.board.judging++
		}
		k.attempt.judgings, k.attempt.judging = f.Times, true
		m.board.wantJudge(k, false)
	case chargehand.Judged:
		k := m.board.tasks[f.Subtask]
		k.attempt.judging = false
		m.board.judging--
		if f.Verdict.Recommendation != chargehand.Accept && !f.Debate {
			k.attempt.verdict = f.Verdict
		}
	case chargehand.JudgeFailed:
		k := m.board.tasks[f.Subtask]
		k.attempt.judging = false
		m.board.judging--
		m.board.wantJudge(k, k.state == chargehand.SubtaskValidating && k.debate.stage != choosing)
	}
}
