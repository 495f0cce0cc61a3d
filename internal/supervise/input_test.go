package supervise

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// input is what a script's line tells the machine.
func (s *script) input(l line) Input {
	switch l.word(0) {
	case "start":
		o := chargehand.Order{
			Objective: chargehand.Objective{Goal: "the goal"}, Tenant: l.opts["tenant"], StartedBy: l.opts["by"],
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
	case "uncovered":
		return s.crash(l, chargehand.CauseBudget)
	case "gaveup":
		return s.crash(l, chargehand.CauseWorkerError)
	case "turnedaway":
		in := s.crash(l, chargehand.CauseWorkerError).(Crashed)
		in.Final = true
		return in
	case "stopped":
		r, epoch := s.attempt(l)
		return Stopped{
			AttemptRef: r, Epoch: epoch, Usage: usage(l), NotBegun: unbegun(l), Tools: toolReport(l), Transcript: l.opts["said"],
		}
	case "judge":
		return s.judge(l)
	case "compared":
		r, _ := s.attempt(l)
		return Compared{AttemptRef: r, Agree: l.word(2) == "agree", Points: 3, Differ: l.list("on")}
	case "topup":
		return s.topUp(l)
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
	in := Planned{Iteration: l.number("iteration", s.m.planning.iteration), Source: "func", Usage: usage(l), Ref: l.opts["ref"], Wrote: l.opts["wrote"]}
	if run := l.opts["advised"]; run != "" {
		in.Advice = &chargehand.Advice{Run: run, Confidence: *l.float("at"), Outcome: chargehand.RunCompleted, Summary: "one subtask"}
	}
	if s.cast.team.Planner.Template != nil {
		in.Source = "template"
	}
	if by := l.opts["by"]; by != "" {
		in.Source = by
	}
	switch {
	case l.word(1) == "error":
		in.Err, in.NotBegun = l.from(2), unbegun(l)
	case l.word(1) == "none":
	case len(l.words) == 1:
		in.Plan = s.cast.plan
	default:
		for _, id := range l.words[1:] {
			in.Plan.Subtasks = append(in.Plan.Subtasks, s.cast.later[id])
		}
	}
	if v, ok := l.opts["agents"]; ok {
		in.Plan.AgentTypes = strings.Split(v, ",")
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
	in := Granted{AttemptRef: r, Worker: l.word(2), Instance: cmp.Or(l.opts["instance"], l.word(2)), Epoch: int64(l.number("epoch", int(s.epoch)))}
	if v := l.opts["as"]; v != "" {
		in.Instance = v
	}
	s.epochs[r] = in.Epoch
	return in
}

// topUp is "topup s1 usd=0.20", or with the word judge or plan before the name.
func (s *script) topUp(l line) Input {
	in := TopUp{For: chargehand.HeldForAttempt, Total: usage(l), Times: l.number("times", s.m.planning.iteration)}
	switch l.word(1) {
	case "plan":
		in.For = chargehand.HeldForPlan
		return in
	case "judge":
		in.For, l.words = chargehand.HeldForJudge, l.words[1:]
		in.Times = l.number("times", s.m.board.tasks[l.word(1)].attempt.judgings)
	}
	in.AttemptRef, in.Epoch = s.attempt(l)
	return in
}

func (s *script) crash(l line, c chargehand.Cause) Input {
	r, epoch := s.attempt(l)
	return Crashed{
		AttemptRef: r, Epoch: epoch, Cause: c, Message: l.from(2), Usage: usage(l), NotBegun: unbegun(l),
		Tools: toolReport(l), Transcript: l.opts["said"],
	}
}

// unbegun is begun=no: certainly nothing was done.
func unbegun(l line) bool { return l.opts["begun"] == "no" }

func usage(l line) chargehand.Usage {
	return chargehand.Usage{USD: l.money("usd"), InputTokens: int64(l.number("tokens", 0))}
}

// finished is "finished s1 accept score=0.8", where "flawed" adds an error that the gate bears, or with
// the words schema, reject, human or ungated and a reason. Outputs of different attempts differ unless
// out= says otherwise.
func (s *script) finished(l line) Input {
	r, epoch := s.attempt(l)
	in := Finished{
		AttemptRef: r, Epoch: epoch, Status: chargehand.StatusSucceeded, Output: "out " + ref(r), InputHash: "in " + r.Subtask,
		Size: l.number("size", 100), Verdict: verdict(l), Confidence: l.float("own"), Usage: usage(l), Blockers: l.list("blockers"),
		Transcript: l.opts["said"],
	}
	if v := l.opts["out"]; v != "" {
		in.Output = v
	}
	in.Verdict.Missing = l.list("missing")
	if v := l.opts["status"]; v != "" {
		in.Status = chargehand.ResultStatus(v)
	}
	in.Tools, in.Stances = toolReport(l), stances(l)
	return in
}

// stances are "says=fee:500,term:24", or "says=80keys" and "says=80longkeys" for as many.
func stances(l line) []chargehand.Stance {
	var out []chargehand.Stance
	for _, v := range l.list("says") {
		key, says, _ := strings.Cut(v, ":")
		count, long := strings.CutSuffix(strings.TrimSuffix(key, "keys"), "long")
		if n, err := strconv.Atoi(count); err == nil {
			for i := range n {
				name := "k" + strconv.Itoa(i)
				if long {
					name += strings.Repeat("k", 20)
				}
				out = append(out, chargehand.Stance{Key: name, Says: "0123456789ab"})
			}
			continue
		}
		out = append(out, chargehand.Stance{Key: key, Says: says})
	}
	return out
}

// toolReport is "pins=files.read:d1", "changed=files.read:d1:d2", where the last may be gone or have
// ":team" behind it, "denied=files.pay" and "done=a1".
func toolReport(l line) *chargehand.ToolReport {
	var r chargehand.ToolReport
	for _, v := range l.list("pins") {
		tool, digest, _ := strings.Cut(v, ":")
		r.Pins = append(r.Pins, chargehand.ToolPin{Tool: tool, Digest: digest})
	}
	for _, v := range l.list("changed") {
		p := append(strings.Split(v, ":"), "", "")
		r.Changed = append(r.Changed, chargehand.ToolChange{Tool: p[0], Pinned: p[1], Now: p[2], Team: p[3] == "team"})
	}
	for _, v := range l.list("denied") {
		r.Denied = append(r.Denied, chargehand.ToolDenial{Tool: v, Cause: chargehand.DeniedGrant, Why: "there is no grant"})
	}
	r.Done = l.list("done")
	if r.Pins == nil && r.Changed == nil && r.Denied == nil && r.Done == nil {
		return nil
	}
	return &r
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
		if l.has("flawed") {
			v.Issues = []chargehand.Finding{{ID: "f1", Severity: chargehand.SeverityError, Message: "one of ten is not supported"}}
		}
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
	v.Rework = chargehand.Rework(l.opts["rework"])
	v.Issues = []chargehand.Finding{{ID: "f1", Severity: severity, Message: why}}
	return v
}

// judge is "judge s1 accept 9", with choice=2 for a position of a debate, "judge s1 reject 3 why", "judge s1 human 5 why", or
// "judge s1 error why".
func (s *script) judge(l line) Input {
	r, _ := s.attempt(l)
	in := JudgeAnswered{AttemptRef: r, Times: l.number("times", s.m.board.tasks[r.Subtask].attempt.judgings), Usage: usage(l)}
	if l.word(2) == "error" {
		in.Err, in.NotBegun = l.from(3), unbegun(l)
		return in
	}
	says := map[string]chargehand.Recommendation{"accept": chargehand.Accept, "reject": chargehand.Reject, "human": chargehand.HumanReview}
	n, err := strconv.Atoi(l.word(3))
	l.must(err)
	in.Verdict = chargehand.Verdict{Recommendation: says[l.word(2)], Confidence: n, Feedback: l.from(4), SchemaPass: true, Choice: l.number("choice", 0)}
	return in
}

// decide is "decide rev1 approve by ana".
func (s *script) decide(l line) Input {
	in := Decide{ReviewID: l.word(1), Approved: l.word(2) == "approve", SendBack: l.word(2) == "send-back", Approver: l.word(4), Comment: l.from(5), EditRef: l.opts["edit"]}
	if n, err := strconv.Atoi(strings.TrimPrefix(l.word(1), "rev")); err == nil && n <= len(s.m.desk.order) {
		r := s.m.desk.order[n-1]
		in.ReviewID, in.ContentHash, in.Nonce = r.ID, r.ContentHash, r.Nonce
	}
	switch l.word(2) {
	case "happened": // "decide rev1 happened by ana", with the words of finished for what the gate says: gate=reject
		in.Settled = chargehand.SettledHappened
		if v := l.opts["gate"]; v != "" {
			said := verdict(line{t: l.t, src: l.src, words: []string{"", "", v, "the amount is not in the source"}, opts: l.opts})
			said.Missing = l.list("missing")
			in.Given = &Given{Output: "given " + l.word(1), Size: 100, Verdict: said}
		}
	case "did-not":
		in.Settled = chargehand.SettledNot
	}
	if v := l.opts["nonce"]; v != "" {
		in.Nonce = v
	}
	if v := l.opts["hash"]; v != "" {
		in.ContentHash = v
	}
	return in
}
