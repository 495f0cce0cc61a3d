package supervise

import (
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// input is what a script's line tells the machine.
func (s *script) input(l line) Input {
	switch l.word(0) {
	case "start":
		o := chargehand.Order{
			Objective: chargehand.Objective{Goal: "the goal"}, Tenant: l.opts["tenant"],
			Budget:   chargehand.Budget{USD: l.money("budget"), Tokens: int64(l.number("tokens", 0))},
			Deadline: chargehand.Duration(l.duration("deadline")),
		}
		return Start{Order: o, Seed: "seed"}
	case "planned":
		return s.planned(l)
	case "grant":
		return s.grant(l)
	case "finished":
		return s.finished(l)
	case "crash":
		return s.crash(l, chargehand.CauseCrash)
	case "gaveup":
		return s.crash(l, chargehand.CauseWorkerError)
	case "stopped":
		r, epoch := s.attempt(l)
		return Stopped{AttemptRef: r, Epoch: epoch, Usage: usage(l)}
	case "judge":
		return s.judge(l)
	case "decide":
		return s.decide(l)
	case "pause", "resume", "cancel":
		return Operate{chargehand.Control{Verb: chargehand.Verb(l.word(0)), By: l.word(1), Reason: l.from(2)}}
	case "aggregated":
		return WorkAggregated{Round: l.number("round", s.m.closing.round), Ref: "aggregate", Conflicts: l.number("conflicts", 0)}
	case "written":
		return ResultWritten{Result: "result", ResultHash: "hash"}
	case "tick":
		return Tick{}
	}
	l.bad()
	return nil
}

// planned answers with the first plan, with later subtasks by name, with none, or with an error.
func (s *script) planned(l line) Input {
	in := Planned{Iteration: l.number("iteration", s.m.planning.iteration), Source: "func", Usage: usage(l)}
	switch {
	case l.word(1) == "error":
		in.Err = l.from(2)
	case l.word(1) == "none":
	case len(l.words) == 1:
		in.Plan = s.cast.plan
	default:
		for _, id := range l.words[1:] {
			in.Plan.Subtasks = append(in.Plan.Subtasks, s.cast.later[id])
		}
	}
	return in
}

// attempt is the one the line's first word names, "s1" or "s1/2": the one under way where no
// number is given.
func (s *script) attempt(l line) (chargehand.AttemptRef, int64) {
	id, number, ok := strings.Cut(l.word(1), "/")
	r := chargehand.AttemptRef{Subtask: id}
	if ok {
		n, err := strconv.Atoi(number)
		l.must(err)
		r.Attempt = n
	} else if k := s.m.board.tasks[id]; k != nil {
		r.Attempt = k.number
	}
	return r, int64(l.number("epoch", int(s.epochs[r])))
}

func (s *script) grant(l line) Input {
	r, _ := s.attempt(l)
	s.epoch++
	in := Granted{AttemptRef: r, Worker: l.word(2), Instance: l.word(2), Epoch: int64(l.number("epoch", int(s.epoch)))}
	if v := l.opts["as"]; v != "" {
		in.Instance = v
	}
	s.epochs[r] = in.Epoch
	return in
}

func (s *script) crash(l line, c chargehand.Cause) Input {
	r, epoch := s.attempt(l)
	return Crashed{AttemptRef: r, Epoch: epoch, Cause: c, Message: l.from(2), Usage: usage(l), NotBegun: l.opts["begun"] == "no"}
}

func usage(l line) chargehand.Usage {
	return chargehand.Usage{USD: l.money("usd"), InputTokens: int64(l.number("tokens", 0))}
}

// finished is "finished s1 accept score=0.8", or with the words schema, reject, human or ungated
// and a reason. Outputs of different attempts differ unless out= says otherwise.
func (s *script) finished(l line) Input {
	r, epoch := s.attempt(l)
	in := Finished{
		AttemptRef: r, Epoch: epoch, Status: chargehand.StatusSucceeded, Output: "out " + ref(r), InputHash: "in " + r.Subtask,
		Size: l.number("size", 100), Verdict: verdict(l), Confidence: l.float("own"), Usage: usage(l), Blockers: l.list("blockers"),
	}
	if v := l.opts["out"]; v != "" {
		in.Output = v
	}
	if v := l.opts["status"]; v != "" {
		in.Status = chargehand.ResultStatus(v)
	}
	return in
}

func verdict(l line) chargehand.Verdict {
	v := chargehand.Verdict{
		SchemaPass: true, CompletenessPass: true, ConsistencyPass: true, Score: 1,
		Recommendation: chargehand.Accept, Validator: "gate",
	}
	if f := l.float("score"); f != nil {
		v.Score = *f
	}
	why, severity := l.from(3), chargehand.SeverityError
	switch l.word(2) {
	case "accept":
		return v
	case "ungated":
		return chargehand.Verdict{}
	case "schema":
		v.SchemaPass, v.Recommendation = false, chargehand.Reject
	case "reject":
		v.ConsistencyPass, v.Recommendation = false, chargehand.Reject
	case "human":
		v.Recommendation, severity = chargehand.HumanReview, chargehand.SeverityReview
	default:
		l.bad()
	}
	v.Feedback = "Mend this: " + why
	v.Issues = []chargehand.Finding{{ID: "f1", Severity: severity, Message: why}}
	return v
}

// judge is "judge s1 accept 9", "judge s1 reject 3 why", "judge s1 human 5 why", or
// "judge s1 error why".
func (s *script) judge(l line) Input {
	r, _ := s.attempt(l)
	in := JudgeAnswered{AttemptRef: r, Times: l.number("times", s.m.board.tasks[r.Subtask].attempt.judgings), Usage: usage(l)}
	if l.word(2) == "error" {
		in.Err = l.from(3)
		return in
	}
	says := map[string]chargehand.Recommendation{"accept": chargehand.Accept, "reject": chargehand.Reject, "human": chargehand.HumanReview}
	n, err := strconv.Atoi(l.word(3))
	l.must(err)
	in.Verdict = chargehand.Verdict{Recommendation: says[l.word(2)], Confidence: n, Feedback: l.from(4), SchemaPass: true}
	return in
}

// decide is "decide rev1 approve by ana".
func (s *script) decide(l line) Input {
	in := Decide{ReviewID: l.word(1), Approved: l.word(2) == "approve", Approver: l.word(4), Comment: l.from(5)}
	if n, err := strconv.Atoi(strings.TrimPrefix(l.word(1), "rev")); err == nil && n <= len(s.m.desk.order) {
		r := s.m.desk.order[n-1]
		in.ReviewID, in.ContentHash, in.Nonce = r.ID, r.ContentHash, r.Nonce
	}
	if v := l.opts["nonce"]; v != "" {
		in.Nonce = v
	}
	if v := l.opts["hash"]; v != "" {
		in.ContentHash = v
	}
	return in
}
