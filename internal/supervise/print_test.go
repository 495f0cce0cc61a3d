package supervise

import (
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// epoch0 is 0s in the scripts.
var epoch0 = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func moment(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.Sub(epoch0).String()
}

func ref(r chargehand.AttemptRef) string { return fmt.Sprintf("%s/%d", r.Subtask, r.Attempt) }

// phrase joins what is not empty.
func phrase(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// when is the text if the condition holds.
func when(ok bool, format string, args ...any) string {
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func quoted(s string) string { return when(s != "", "%q", s) }

func spent(u chargehand.Usage) string {
	return phrase(when(u.USD != 0, "$%s", u.USD), when(u.Tokens() != 0, "%d tokens", u.Tokens()))
}

func reserved(usd chargehand.Micros, tokens int64) string {
	return phrase(when(usd != 0, "hold $%s", usd), when(tokens != 0, "hold %d tokens", tokens))
}

func lost(u chargehand.Usage) string {
	return when(u != (chargehand.Usage{}), "losing %s", spent(u))
}

func holder(h chargehand.Holder, r chargehand.AttemptRef) string {
	return phrase(string(h), when(r.Subtask != "", "%s", ref(r)))
}

// earlierOnes are the subtasks that a planner is told of.
func earlierOnes(e MakePlan) string {
	var parts []string
	for _, x := range e.Earlier {
		parts = append(parts, phrase(x.Subtask.ID, string(x.State), string(x.Cause), quoted(x.Why), when(x.Output != "", "%s", x.Output)))
	}
	return phrase(when(len(parts) > 0, "after %s", strings.Join(parts, ", ")), when(e.Left > 0, "and %d more", e.Left))
}

// draft is a plan that goes back.
func draft(d chargehand.Draft) string {
	return phrase(when(d.Ref != "", "draft %s", d.Ref), when(d.Text, "(no plan)"))
}

// aside is what is set aside for the synthesis.
func aside(f chargehand.PlanAdopted) string {
	all, check := reserved(f.Reserve, f.ReserveTokens), spent(chargehand.Usage{USD: f.Check, InputTokens: f.CheckTokens})
	return phrase(when(all != "", "%s for the synthesis", all), when(check != "", "(%s of it for its check)", check))
}

// recordLine is a record in one short line.
func (s *script) recordLine(r chargehand.Record) string {
	return fmt.Sprintf("%d. %s", r.Seq, s.factLine(r.Fact))
}

func (s *script) factLine(f chargehand.Fact) string {
	switch f := f.(type) {
	case chargehand.RunStarted:
		return phrase("started", when(f.Budget.USD > 0, "with $%s", f.Budget.USD), when(f.Budget.Tokens > 0, "with %d tokens", f.Budget.Tokens),
			when(!f.DeadlineAt.IsZero(), "until %s", moment(f.DeadlineAt)))
	case chargehand.PlanAsked:
		return phrase(fmt.Sprintf("plan %d asked", f.Iteration), when(len(f.Errors) > 0, "again"), draft(f.Draft), when(f.Ref != "", "of %s", f.Ref), lost(f.Lost),
			reserved(f.Reserved, f.Tokens))
	case chargehand.PlanRefused:
		return phrase(fmt.Sprintf("plan %d refused %q", f.Iteration, f.Errors), draft(f.Draft), spent(f.Usage))
	case chargehand.PlanAdvised:
		return fmt.Sprintf("plan %d advised by %s (%s) at %.2f: %s", f.Iteration, f.Advice.Run, f.Advice.Outcome, f.Advice.Confidence, f.Advice.Summary)
	case chargehand.PlanProposed:
		return phrase(fmt.Sprintf("plan %d proposed: %d subtasks, %s, estimate $%s, by %s", f.Iteration, f.Subtasks, f.Shape, f.Estimate, f.Source), spent(f.Usage))
	case chargehand.PlanAdopted:
		return phrase(fmt.Sprintf("plan %d adopted: %d subtasks, %s, estimate $%s", f.Iteration, f.Subtasks, f.Shape, f.Estimate),
			aside(f), spent(f.Usage))
	case chargehand.SubtasksPlanned:
		return phrase("planned", when(f.Synthesis, "the synthesis"), planned(f.Subtasks))
	case chargehand.SubtasksReplaced:
		return fmt.Sprintf("replaced %s by %s of plan %d", strings.Join(f.Subtasks, " "), strings.Join(f.By, " "), f.Plan)
	case chargehand.SubtasksQueued:
		return phrase("queued", refs(f.Attempts), "for", candidates(f.Candidates), fmt.Sprintf("tier %d", f.Tier), reserved(f.Reserved, f.Tokens))
	case chargehand.BudgetLow:
		return phrase("budget low:", spent(chargehand.Usage{USD: f.Settled, InputTokens: f.Tokens}), "are settled")
	case chargehand.Alerted:
		return "ALERT " + f.What + ": " + f.Why
	case chargehand.Recovered:
		return phrase(fmt.Sprintf("recovered by boot %d", f.Boot), when(f.Held, "on hold"))
	case chargehand.Forked:
		return phrase(fmt.Sprintf("forked from %s/%d", f.Parent.Run, f.Parent.Seq), when(f.By != "", "by %s", f.By),
			when(!f.DeadlineAt.IsZero(), "until %s", moment(f.DeadlineAt)))
	case chargehand.AggregateAsked:
		return phrase("aggregate asked", when(f.Round > 1, "again"))
	case chargehand.Aggregated:
		return fmt.Sprintf("aggregated, %d conflicts", f.Conflicts)
	case chargehand.ResultAsked:
		return phrase("result asked:", string(f.State), string(f.Stop), fmt.Sprintf("%d gaps", f.Gaps), quoted(f.Why))
	case chargehand.RunEnded:
		return phrase("ENDED", string(f.State), string(f.Stop), quoted(f.Why))
	case chargehand.PauseBegan:
		return phrase("paused by", f.By, when(!f.Still, "while time goes on"))
	case chargehand.PauseEnded:
		return phrase("pause ended", when(f.By != "", "by %s", f.By))
	case chargehand.RunStopping:
		return phrase("STOPPING", string(f.Stop), quoted(f.Why), when(f.By != "", "by %s", f.By))
	case chargehand.InputRefused:
		return phrase("refused", fmt.Sprintf("%q", f.What), string(f.Code))
	}
	return s.attemptLine(f)
}

func transcribed(transcript string) string { return when(transcript != "", "said %s", transcript) }

func (s *script) attemptLine(f chargehand.Fact) string {
	switch f := f.(type) {
	case chargehand.AttemptStarted:
		return phrase("started", ref(f.AttemptRef), "on", f.Worker, when(f.Instance != "", "as %s", f.Instance),
			fmt.Sprintf("epoch %d until %s", f.Epoch, moment(f.DeadlineAt)), reserved(f.Reserved, f.ReservedTokens),
			when(f.Routing.FallbackUsed, "by fallback"), when(f.Feedback != "", "told %q", f.Feedback))
	case chargehand.AttemptResumed:
		return phrase(fmt.Sprintf("resumed %s epoch %d until %s", ref(f.AttemptRef), f.Epoch, moment(f.DeadlineAt)), when(f.Instance != "", "at %s", f.Instance), lost(f.Lost), reserved(f.Reserved, f.ReservedTokens))
	case chargehand.OutputChecked:
		return phrase("checked", ref(f.AttemptRef), verdictWords(f.Verdict), when(f.Status != chargehand.StatusSucceeded, "status %s", f.Status), stanceWords(f.Stances), spent(f.Usage), transcribed(f.Transcript))
	case chargehand.OutputSupplied:
		return phrase("supplied", ref(f.AttemptRef), "by", f.By, verdictWords(f.Verdict), stanceWords(f.Stances))
	case chargehand.AttemptFailed:
		return phrase("failed", ref(f.AttemptRef), string(f.Cause), quoted(f.Message), when(f.Stopping, "still stopping"), spent(f.Usage), transcribed(f.Transcript))
	case chargehand.AttemptStopped:
		return phrase("stopped", ref(f.AttemptRef), spent(f.Usage), transcribed(f.Transcript))
	case chargehand.LateResult:
		return phrase("late", ref(f.AttemptRef), fmt.Sprintf("epoch %d", f.Epoch), quoted(f.Why), spent(f.Usage), transcribed(f.Transcript))
	case chargehand.JudgeAsked:
		return phrase("judge asked", ref(f.AttemptRef), when(f.Debate, "to choose"), when(f.Times > 1 && !f.Debate, "again"), lost(f.Lost), reserved(f.Reserved, f.Tokens))
	case chargehand.ReservationRaised:
		return phrase("raised", holder(f.For, f.AttemptRef), "to", reserved(f.Reserved, f.Tokens))
	case chargehand.ReservationDenied:
		return phrase("DENIED", holder(f.For, f.AttemptRef), reserved(f.Wanted, f.Tokens), quoted(f.Why))
	case chargehand.SpawnCharged:
		return phrase("spawn of", f.Worker, "for", ref(f.AttemptRef), fmt.Sprintf("$%s", f.USD))
	case chargehand.Overbilled:
		return phrase("OVERBILLED", holder(f.For, f.AttemptRef), when(f.Own, "of the subtask"), spent(chargehand.Usage{USD: f.Billed, InputTokens: f.BilledTokens}),
			"of", phrase(when(f.Billed > 0, "$%s", f.Reserved), when(f.BilledTokens > 0, "%d tokens", f.ReservedTokens)))
	case chargehand.Judged:
		return phrase("judged", ref(f.AttemptRef), fmt.Sprintf("%s %d", f.Verdict.Recommendation, f.Verdict.Confidence), when(f.Debate, "for position %d", f.Verdict.Choice), spent(f.Usage))
	case chargehand.JudgeFailed:
		return phrase("judge failed", ref(f.AttemptRef), quoted(f.Message), spent(f.Usage))
	case chargehand.RetryPlanned:
		return phrase("retry", ref(f.AttemptRef), "after", string(f.Cause), when(f.Reassign, "elsewhere"), when(f.Prefer != "", "prefer %s", f.Prefer),
			when(len(f.Avoid) > 0, "avoid %s", strings.Join(f.Avoid, ",")), when(f.Correction != "", "correction %q", f.Correction))
	case chargehand.SubtaskEnded:
		return phrase(f.Subtask, strings.ToUpper(string(f.State)), when(f.Score > 0, "%.2f", f.Score), string(f.Cause), f.Label, quoted(f.Why),
			when(f.DecidedBy != "", "by %s", f.DecidedBy), when(len(f.Lacks) > 0, "lacks %q", f.Lacks), when(f.Against != "", "against %q", f.Against))
	case chargehand.DebateOpened:
		return phrase("debate of", ref(f.AttemptRef), string(f.Cause), quoted(f.Why), when(len(f.Against) > 0, "against %s", strings.Join(f.Against, ",")),
			when(f.Acceptable, "acceptable at %.2f", f.Score), fmt.Sprintf("up to %d rounds, then %s", f.Rounds, f.Adjudicate))
	case chargehand.PositionTaken:
		return phrase("position", ref(f.AttemptRef), fmt.Sprintf("round %d", f.Round), when(f.Acceptable, "acceptable at %.2f", f.Score), quoted(f.Why))
	case chargehand.PositionsCompared:
		return phrase("compared", ref(f.AttemptRef), when(f.Agree, "agree"), when(!f.Agree, "differ on %s", strings.Join(f.Differ, ",")))
	case chargehand.DebateSettled:
		return phrase("SETTLED for", ref(f.AttemptRef), when(f.OtherAttempt > 0, "against attempt %d", f.OtherAttempt), when(f.By != "", "by %s", f.By),
			quoted(f.Why), when(f.ConfirmedBy != "", "confirmed by %s", f.ConfirmedBy))
	case chargehand.ToolsUsed:
		return phrase("tools", ref(f.AttemptRef), pinWords("pinned", f.Pins), changeWords(f.Changed), deniedWords(f.Denied),
			when(len(f.Done) > 0, "done %s", strings.Join(f.Done, ",")))
	case chargehand.ToolsAllowed:
		return phrase("tools allowed", ref(f.AttemptRef), pinWords("now", f.Pins), "by", f.By)
	case chargehand.ReviewOpened:
		return s.reviewLine(f.Review)
	case chargehand.ReviewDecided:
		d := f.Decision
		return phrase(s.reviewName(d.ReviewID), d.Outcome(), when(d.EditRef != "", "as %s", d.EditRef), when(d.Approver != "", "by"), when(d.ByPolicy, "policy"), d.Approver, when(d.ByRequester, "its requester"), quoted(d.Comment))
	}
	return fmt.Sprintf("%T", f)
}

func (s *script) reviewLine(r chargehand.Review) string {
	return phrase("review", s.reviewName(r.ID), "of", string(r.Subject), r.TaskID, string(r.Cause), quoted(r.Description), "until",
		moment(r.Deadline), "then", string(r.Auto), when(r.Required, "required"), when(r.Blocks > 0, "blocks %d", r.Blocks),
		when(r.OutputRef == "", "nothing to accept"), positionWords(r), conflictWords(r))
}

// conflictWords is what a person is told of accepted outputs that say otherwise.
func conflictWords(r chargehand.Review) string {
	for _, f := range r.Evidence {
		if f.Rule == "conflict" {
			return fmt.Sprintf("told %q, see %s", f.Message, f.Source.Document)
		}
	}
	return ""
}

func positionWords(r chargehand.Review) string {
	var out []string
	for _, p := range r.Positions {
		out = append(out, phrase(fmt.Sprintf("%s/%d", p.Worker, p.Attempt), p.OutputRef, string(p.Recommendation), when(p.Acceptable, "acceptable")))
	}
	return when(len(out) > 0, "[%s]", strings.Join(out, "; "))
}

func pinWords(verb string, pins []chargehand.ToolPin) string {
	var out []string
	for _, p := range pins {
		out = append(out, p.Tool+" as "+p.Digest)
	}
	return when(len(out) > 0, verb+" %s", strings.Join(out, ", "))
}

func changeWords(list []chargehand.ToolChange) string {
	var out []string
	for _, c := range list {
		out = append(out, c.String())
	}
	return strings.Join(out, "; ")
}

func deniedWords(list []chargehand.ToolDenial) string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s (%s)", d.Tool, d.Cause))
	}
	return when(len(out) > 0, "denied %s", strings.Join(out, ", "))
}

// reviewName is rev1 for the first review of a run, and so on.
func (s *script) reviewName(id string) string {
	for i, r := range s.m.desk.order {
		if r.ID == id {
			return fmt.Sprintf("rev%d", i+1)
		}
	}
	return id
}

func verdictWords(v chargehand.Verdict) string {
	if !v.SchemaPass {
		return "SCHEMA " + string(v.Recommendation)
	}
	return phrase(string(v.Recommendation), when(v.Recommendation == chargehand.Accept, "%.2f", v.Score))
}

func stanceWords(list []chargehand.Stance) string {
	var out []string
	for _, x := range first(list, 4) {
		out = append(out, x.Key+":"+x.Says)
	}
	return when(len(out) > 0, "says %s", strings.Join(out, ",")) + when(len(list) > 4, " and %d more", len(list)-4)
}

func planned(list []chargehand.Subtask) string {
	var out []string
	for _, s := range list {
		out = append(out, s.ID+when(len(s.Deps) > 0, "(%s)", strings.Join(s.Deps, ","))+when(s.Role != "", "[%s]", s.Role))
	}
	return strings.Join(out, " ")
}

func refs(list []chargehand.AttemptRef) string {
	var out []string
	for _, r := range list {
		out = append(out, ref(r))
	}
	return strings.Join(out, " ")
}

func candidates(list []chargehand.Candidate) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Worker+when(c.Rank > 0, "@%d", c.Rank))
	}
	return strings.Join(out, " ")
}

func messageLine(m Message) string {
	switch m := m.(type) {
	case Ask:
		return phrase("-> ask", ref(m.AttemptRef), "of", candidates(m.Candidates), when(m.Priority != 0, "priority %d", m.Priority))
	case Withdraw:
		return "-> withdraw " + ref(m.AttemptRef)
	case Give:
		return fmt.Sprintf("-> give %d back, %s", m.Epoch, m.Outcome)
	}
	return fmt.Sprintf("%T", m)
}

func effectLine(e Effect) string {
	switch e := e.(type) {
	case MakePlan:
		if e.Ref != "" {
			return fmt.Sprintf("=> read plan %d %s, by %s", e.Iteration, e.Ref, e.Source)
		}
		return phrase(fmt.Sprintf("=> make plan %d", e.Iteration), when(len(e.Errors) == 1, "without its errors"), when(len(e.Errors) > 1, "without its %d errors", len(e.Errors)), draft(e.Draft), when(len(e.Failed) > 0, "to make up for %d gaps", len(e.Failed)), earlierOnes(e))
	case Launch:
		var in []string
		for _, r := range e.Task.InputRefs {
			in = append(in, r.Name)
		}
		return phrase("=> launch", fmt.Sprintf("%s/%d", e.Task.TaskID, e.Task.Attempt), "on", e.Task.AssignedWorker, when(len(in) > 0, "with %s", strings.Join(in, ",")),
			when(len(e.Task.AllowedTools) > 0, "may use %s", strings.Join(e.Task.AllowedTools, ",")), digestWords(e.Task), when(e.Task.Role != "", "as %s", e.Task.Role),
			when(e.Task.LastOutput != nil, "to revise %s", last(e.Task)), when(len(e.Task.DoneActions) > 0, "not again %s", strings.Join(e.Task.DoneActions, ",")))
	case Stop:
		return "=> stop " + ref(e.AttemptRef)
	case Reschedule:
		return phrase("=> time of", ref(e.AttemptRef), when(e.DeadlineAt.IsZero(), "stands still"), when(!e.DeadlineAt.IsZero(), "until %s", moment(e.DeadlineAt)))
	case Judge:
		var shown []string
		for _, p := range e.Positions {
			shown = append(shown, p.Output)
		}
		return phrase("=> judge", ref(e.AttemptRef), "by", e.Reviewer, when(len(shown) > 0, "between %s", strings.Join(shown, ", ")))
	case Compare:
		return phrase("=> compare", ref(e.AttemptRef)+":", e.First, "with", e.Second)
	case Aggregate:
		var in []string
		for _, a := range e.Accepted {
			in = append(in, a.Subtask)
		}
		return phrase("=> aggregate", strings.Join(in, " "), caveatWords(e.Caveats))
	case WriteResult:
		return phrase("=> write result", string(e.Result.Status), "spent $"+e.Result.Cost.USD.String(), gapWords(e.Result.Gaps), doubtWords(e.Result.LowConfidence),
			questionWords(e.Result.OpenQuestions), unreviewedWords(e.Result.Provenance))
	}
	return fmt.Sprintf("%T", e)
}

func doubtWords(list []chargehand.Note) string {
	var out []string
	for _, n := range list {
		out = append(out, fmt.Sprintf("%q", n.Text))
	}
	return when(len(out) > 0, "doubts: %s", strings.Join(out, ", "))
}

func questionWords(list []chargehand.Note) string {
	var out []string
	for _, n := range list {
		out = append(out, fmt.Sprintf("%q", n.Text))
	}
	return when(len(out) > 0, "open: %s", strings.Join(out, ", "))
}

func unreviewedWords(list []chargehand.Provenance) string {
	var out []string
	for _, p := range list {
		if p.Unreviewed {
			out = append(out, p.Subtask)
		}
	}
	return when(len(out) > 0, "unreviewed: %s", strings.Join(out, " "))
}

func last(t chargehand.WorkerTask) string {
	if t.LastOutput == nil {
		return ""
	}
	return t.LastOutput.Hash
}

func digestWords(t chargehand.WorkerTask) string {
	var out []string
	for _, name := range t.AllowedTools {
		if d := t.ToolDigests[name]; d != "" {
			out = append(out, d)
		}
	}
	return when(len(out) > 0, "as %s", strings.Join(out, ","))
}

func caveatWords(c Caveats) string {
	var gaps, low string
	if c.Gaps != nil {
		gaps = fmt.Sprintf("%d of %d %s", len(c.Gaps.First), c.Gaps.Count, gapWords(c.Gaps.First))
	}
	if c.LowConfidence != nil {
		var texts []string
		for _, n := range c.LowConfidence.First {
			texts = append(texts, fmt.Sprintf("%q", n.Text))
		}
		low = fmt.Sprintf("%d of %d in doubt: %s", len(texts), c.LowConfidence.Count, strings.Join(texts, ", "))
	}
	return phrase(gaps, low)
}

func gapWords(gaps []chargehand.Gap) string {
	var out []string
	for _, g := range gaps {
		out = append(out, phrase(g.Subtask, string(g.Cause), quoted(g.Why)))
	}
	return when(len(out) > 0, "gaps: %s", strings.Join(out, ", "))
}
