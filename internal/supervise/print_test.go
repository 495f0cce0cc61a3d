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
		return phrase(fmt.Sprintf("plan %d asked", f.Iteration), when(len(f.Errors) > 0, "again"))
	case chargehand.PlanRefused:
		return phrase(fmt.Sprintf("plan %d refused %q", f.Iteration, f.Errors), spent(f.Usage))
	case chargehand.PlanAdopted:
		return phrase(fmt.Sprintf("plan %d adopted: %d subtasks, %s, estimate $%s", f.Iteration, f.Subtasks, f.Shape, f.Estimate),
			when(f.Reserve > 0, "hold $%s for the synthesis", f.Reserve), spent(f.Usage))
	case chargehand.SubtasksPlanned:
		return phrase("planned", when(f.Synthesis, "the synthesis"), planned(f.Subtasks))
	case chargehand.SubtasksQueued:
		return phrase("queued", refs(f.Attempts), "for", candidates(f.Candidates), fmt.Sprintf("tier %d", f.Tier), reserved(f.Reserved, f.Tokens))
	case chargehand.BudgetLow:
		return phrase("budget low:", spent(chargehand.Usage{USD: f.Settled, InputTokens: f.Tokens}), "are settled")
	case chargehand.Alerted:
		return "ALERT " + f.What + ": " + f.Why
	case chargehand.Recovered:
		return fmt.Sprintf("recovered by boot %d", f.Boot)
	case chargehand.AggregateAsked:
		return phrase("aggregate asked", when(f.Round > 1, "again"))
	case chargehand.Aggregated:
		return fmt.Sprintf("aggregated, %d conflicts", f.Conflicts)
	case chargehand.ResultAsked:
		return phrase("result asked:", string(f.State), string(f.Stop), fmt.Sprintf("%d gaps", f.Gaps), quoted(f.Why))
	case chargehand.RunEnded:
		return phrase("ENDED", string(f.State), string(f.Stop), quoted(f.Why))
	case chargehand.PauseBegan:
		return "paused by " + f.By
	case chargehand.PauseEnded:
		return phrase("pause ended", when(f.By != "", "by %s", f.By))
	case chargehand.RunStopping:
		return phrase("STOPPING", string(f.Stop), quoted(f.Why), when(f.By != "", "by %s", f.By))
	case chargehand.InputRefused:
		return phrase("refused", fmt.Sprintf("%q", f.What), string(f.Code))
	}
	return s.attemptLine(f)
}

func (s *script) attemptLine(f chargehand.Fact) string {
	switch f := f.(type) {
	case chargehand.AttemptStarted:
		return phrase("started", ref(f.AttemptRef), "on", f.Worker, when(f.Instance != "", "as %s", f.Instance),
			fmt.Sprintf("epoch %d until %s", f.Epoch, moment(f.DeadlineAt)), reserved(f.Reserved, f.ReservedTokens),
			when(f.Routing.FallbackUsed, "by fallback"), when(f.Feedback != "", "told %q", f.Feedback))
	case chargehand.AttemptResumed:
		return fmt.Sprintf("resumed %s epoch %d until %s", ref(f.AttemptRef), f.Epoch, moment(f.DeadlineAt))
	case chargehand.OutputChecked:
		return phrase("checked", ref(f.AttemptRef), verdictWords(f.Verdict), when(f.Status != chargehand.StatusSucceeded, "status %s", f.Status), spent(f.Usage))
	case chargehand.AttemptFailed:
		return phrase("failed", ref(f.AttemptRef), string(f.Cause), quoted(f.Message), when(f.Stopping, "still stopping"), spent(f.Usage))
	case chargehand.AttemptStopped:
		return phrase("stopped", ref(f.AttemptRef), spent(f.Usage))
	case chargehand.LateResult:
		return phrase("late", ref(f.AttemptRef), fmt.Sprintf("epoch %d", f.Epoch), quoted(f.Why), spent(f.Usage))
	case chargehand.JudgeAsked:
		return phrase("judge asked", ref(f.AttemptRef), when(f.Times > 1, "again"), reserved(f.Reserved, 0))
	case chargehand.Judged:
		return phrase("judged", ref(f.AttemptRef), fmt.Sprintf("%s %d", f.Verdict.Recommendation, f.Verdict.Confidence), spent(f.Usage))
	case chargehand.JudgeFailed:
		return phrase("judge failed", ref(f.AttemptRef), quoted(f.Message), spent(f.Usage))
	case chargehand.RetryPlanned:
		return phrase("retry", ref(f.AttemptRef), "after", string(f.Cause), when(f.Reassign, "elsewhere"), when(f.Prefer != "", "prefer %s", f.Prefer),
			when(len(f.Avoid) > 0, "avoid %s", strings.Join(f.Avoid, ",")), when(f.Correction != "", "correction %q", f.Correction))
	case chargehand.SubtaskEnded:
		return phrase(f.Subtask, strings.ToUpper(string(f.State)), when(f.Score > 0, "%.2f", f.Score), string(f.Cause), f.Label, quoted(f.Why),
			when(f.DecidedBy != "", "by %s", f.DecidedBy))
	case chargehand.ReviewOpened:
		return s.reviewLine(f.Review)
	case chargehand.ReviewDecided:
		d := f.Decision
		verb := answer(d.Approved)
		if d.Withdrawn {
			verb = "withdrawn"
		}
		return phrase(s.reviewName(d.ReviewID), verb, "by", when(d.ByPolicy, "policy"), d.Approver, quoted(d.Comment))
	}
	return fmt.Sprintf("%T", f)
}

func (s *script) reviewLine(r chargehand.Review) string {
	return phrase("review", s.reviewName(r.ID), "of", string(r.Subject), r.TaskID, string(r.Cause), quoted(r.Description), "until",
		moment(r.Deadline), "then", string(r.Auto), when(r.Required, "required"), when(r.Blocks > 0, "blocks %d", r.Blocks),
		when(r.OutputRef == "", "nothing to accept"))
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

func planned(list []chargehand.Subtask) string {
	var out []string
	for _, s := range list {
		out = append(out, s.ID+when(len(s.Deps) > 0, "(%s)", strings.Join(s.Deps, ",")))
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
		return phrase(fmt.Sprintf("=> make plan %d", e.Iteration), when(len(e.Errors) > 0, "without its errors"), when(len(e.Failed) > 0, "to make up for %d gaps", len(e.Failed)))
	case Launch:
		var in []string
		for _, r := range e.Task.InputRefs {
			in = append(in, r.Name)
		}
		return phrase("=> launch", fmt.Sprintf("%s/%d", e.Task.TaskID, e.Task.Attempt), "on", e.Task.AssignedWorker, when(len(in) > 0, "with %s", strings.Join(in, ",")))
	case Stop:
		return "=> stop " + ref(e.AttemptRef)
	case Judge:
		return phrase("=> judge", ref(e.AttemptRef), "by", e.Reviewer)
	case Aggregate:
		var in []string
		for _, a := range e.Accepted {
			in = append(in, a.Subtask)
		}
		return "=> aggregate " + strings.Join(in, " ")
	case WriteResult:
		return phrase("=> write result", string(e.Result.Status), "spent $"+e.Result.Cost.USD.String(), gapWords(e.Result.Gaps))
	}
	return fmt.Sprintf("%T", e)
}

func gapWords(gaps []chargehand.Gap) string {
	var out []string
	for _, g := range gaps {
		out = append(out, phrase(g.Subtask, string(g.Cause)))
	}
	return when(len(out) > 0, "gaps: %s", strings.Join(out, ", "))
}
