package progress

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Level says what an event asks of whoever reads it.
type Level string

// The levels.
const (
	Info Level = "INFO"
	Warn Level = "WARN" // something went wrong and is being dealt with
	Wait Level = "WAIT" // a person is needed
	Fail Level = "FAIL" // something is lost
)

// An Event is a record in words: what the log shows, and what a terminal shows for a moment.
type Event struct {
	Level   Level
	Name    string
	Run     string
	Subtask string
	Attempt int
	Fields  []Field // in a fixed order
}

// A Field is one detail of an event.
type Field struct{ Key, Value string }

// levels in rising order, as flags name them.
var levels = []string{"info", "warn", "wait", "fail"}

// About reports whether a record, just folded into v, is about the subtask, and at least of the
// level; an empty subtask is any.
func About(v *chargehand.View, rec chargehand.Record, subtask, level string) bool {
	e := describe(v, rec)
	at := slices.Index(levels, strings.ToLower(string(e.Level)))
	return (subtask == "" || e.Subtask == subtask) && at >= slices.Index(levels, level)
}

// describe tells of a record that was just folded into v.
func describe(v *chargehand.View, rec chargehand.Record) Event {
	e := Event{Level: Info, Name: rec.Type(), Run: rec.Run}
	switch f := rec.Fact.(type) {
	case chargehand.RunStarted:
		e.with("team", f.Team).with("title", f.Objective.Title).money("budget", f.Budget.USD).time("deadline", f.DeadlineAt)
	case chargehand.PlanRefused:
		e.Level = Warn
		e.count("iteration", f.Iteration).with("errors", strings.Join(f.Errors, "; "))
	case chargehand.PlanAdvised:
		e.with("source", f.Advice.Run).with("outcome", string(f.Advice.Outcome)).with("plan", f.Advice.Summary)
		e.with("confidence", strconv.FormatFloat(f.Advice.Confidence, 'f', 2, 64))
	case chargehand.PlanProposed:
		e.Level = Wait
		e.count("subtasks", f.Subtasks).with("shape", string(f.Shape)).money("estimate", f.Estimate).with("source", f.Source)
	case chargehand.PlanAdopted:
		e.count("version", f.Version).count("subtasks", f.Subtasks).with("shape", string(f.Shape)).money("estimate", f.Estimate)
	case chargehand.SubtasksPlanned:
		e.count("subtasks", len(f.Subtasks))
	case chargehand.SubtasksReplaced:
		e.with("replaced", strings.Join(f.Subtasks, ", ")).with("by", strings.Join(f.By, ", ")).count("plan", f.Plan)
	case chargehand.SubtasksQueued:
		e.count("subtasks", len(f.Attempts)).with("strategy", string(f.Strategy)).count("candidates", len(f.Candidates))
	case chargehand.RunEnded:
		e.ended(v, f)
	case chargehand.BudgetLow:
		e.Level, e.Name = Warn, "budget_80"
		e.money("spent", f.Settled).money("budget", f.Ceiling).with("action", "tier_down")
	case chargehand.PauseBegan:
		e.Level = Wait
		e.with("by", f.By).with("reason", f.Reason).left(v)
	case chargehand.PauseEnded:
		e.with("by", f.By).with("reason", f.Reason).time("deadline", v.DeadlineAt)
	case chargehand.RunStopping:
		e.Level = Warn
		e.with("stop", string(f.Stop)).with("why", f.Why).with("by", f.By)
	case chargehand.InputRefused:
		e.Level = Warn
		e.with("what", f.What).with("code", string(f.Code)).with("why", f.Why).with("by", f.By)
	case chargehand.ReviewOpened, chargehand.ReviewDecided:
		e.review(v, f)
	case chargehand.ReservationRaised, chargehand.ReservationDenied, chargehand.Overbilled, chargehand.SpawnCharged, chargehand.Alerted:
		e.funds(f)
	case chargehand.DebateOpened, chargehand.PositionTaken, chargehand.PositionsCompared, chargehand.DebateSettled:
		e.debate(f)
	default:
		e.attempt(v, f)
	}
	return e
}

func (e *Event) funds(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReservationRaised:
		e.of(f.AttemptRef).with("for", string(f.For)).money("reserved", f.Reserved).tokens("tokens", f.Tokens)
	case chargehand.ReservationDenied:
		e.Level = Warn
		e.of(f.AttemptRef).with("for", string(f.For)).money("wanted", f.Wanted).tokens("tokens", f.Tokens).with("why", f.Why)
	case chargehand.Overbilled:
		e.Level = Warn
		e.of(f.AttemptRef).with("for", string(f.For)).money("billed", f.Billed).money("reserved", f.Reserved)
		e.tokens("billed_tokens", f.BilledTokens).tokens("reserved_tokens", f.ReservedTokens)
	case chargehand.SpawnCharged:
		e.of(f.AttemptRef).with("worker", f.Worker).money("billed", f.USD)
	case chargehand.Alerted:
		e.Level = Warn
		e.with("what", f.What).with("worker", f.Worker).with("sub", f.Subtask).with("why", f.Why)
	}
}

func (e *Event) ended(v *chargehand.View, f chargehand.RunEnded) {
	if f.State == chargehand.RunFailed {
		e.Level = Fail
	}
	e.with("state", string(f.State)).with("stop", string(f.Stop)).count("accepted", v.Accepted).count("gaps", v.Gaps)
	e.money("spent", v.Spent).with("why", f.Why)
}

// auto is what follows without a decision: the policy's answer, or the end of the run.
func auto(r *chargehand.Review) string {
	if r.RunEnds.IsZero() {
		return string(r.Auto)
	}
	return "run_ends"
}

func (e *Event) review(v *chargehand.View, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReviewOpened:
		e.Level, e.Name, e.Subtask, e.Attempt = Wait, "needs_human", f.Review.TaskID, f.Review.Attempt
		r := f.Review.Within(v.DeadlineAt)
		e.with("review", r.ID).with("what", r.Description).time("deadline", r.Due())
		e.with("auto", auto(&r)).with("in", term.Span(r.Due().Sub(v.At)))
	case chargehand.ReviewDecided:
		e.Name = "decided"
		d := f.Decision
		e.with("review", d.ReviewID).with("approved", strconv.FormatBool(d.Approved)).with("by", d.Approver)
		if d.ByPolicy || d.Withdrawn {
			e.with("person", "none")
		}
		if d.ByRequester {
			e.with("requester", "true")
		}
		if d.SendBack {
			e.with("sent_back", "true")
		}
		e.with("comment", d.Comment)
	}
}

func (e *Event) attempt(v *chargehand.View, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.AttemptStarted:
		e.of(f.AttemptRef).with("worker", f.Worker).time("deadline", f.DeadlineAt).with("feedback", f.Feedback)
	case chargehand.AttemptResumed:
		e.of(f.AttemptRef).time("deadline", f.DeadlineAt)
	case chargehand.OutputChecked:
		e.of(f.AttemptRef).checked(f.Verdict)
	case chargehand.OutputSupplied:
		e.of(f.AttemptRef).with("given_by", f.By).checked(f.Verdict)
	case chargehand.Judged:
		e.of(f.AttemptRef).checked(f.Verdict)
	case chargehand.AttemptFailed:
		e.of(f.AttemptRef).failed(v, f)
	case chargehand.AttemptStopped:
		e.of(f.AttemptRef)
	case chargehand.LateResult:
		e.of(f.AttemptRef).with("why", f.Why)
	case chargehand.ToolsUsed:
		e.of(f.AttemptRef).tools(f)
	case chargehand.ToolsAllowed:
		e.of(f.AttemptRef).count("tools", len(f.Pins)).with("by", f.By)
	case chargehand.JudgeAsked:
		e.of(f.AttemptRef).count("times", f.Times)
	case chargehand.JudgeFailed:
		e.Level = Warn
		e.of(f.AttemptRef).count("times", f.Times).with("message", f.Message)
	case chargehand.RetryPlanned:
		e.Level = Warn
		e.of(f.AttemptRef).with("cause", string(f.Cause)).with("prefer", f.Prefer).with("correction", f.Correction)
	case chargehand.SubtaskEnded:
		e.Subtask, e.Attempt = f.Subtask, f.Attempt
		if !f.State.Accepted() {
			e.Level = Fail
		}
		e.with("state", string(f.State)).with("cause", string(f.Cause)).with("why", f.Why).with("by", f.DecidedBy).
			with("lacks", strings.Join(f.Lacks, "; ")).with("against", f.Against)
	}
}

func (e *Event) checked(v chargehand.Verdict) {
	e.with("verdict", string(v.Recommendation)).with("by", v.Validator)
	if v.Recommendation == chargehand.Accept {
		return
	}
	e.Level = Warn
	if len(v.Issues) > 0 {
		e.count("findings", len(v.Issues)).with("finding", v.Issues[0].Message)
	}
}

func (e *Event) tools(f chargehand.ToolsUsed) {
	if len(f.Pins) > 0 {
		e.count("pinned", len(f.Pins))
	}
	if len(f.Done) > 0 {
		e.count("done", len(f.Done))
	}
	if len(f.Changed) > 0 {
		e.Level = Warn
		e.with("changed", f.Changed[0].String())
	}
	if len(f.Denied) > 0 {
		e.Level = Warn
		e.count("denied", len(f.Denied)).with("tool", f.Denied[0].Tool).with("why", f.Denied[0].Why)
	}
}

func (e *Event) failed(v *chargehand.View, f chargehand.AttemptFailed) {
	e.Level = Warn
	a := attemptOf(v, f.AttemptRef)
	if f.Cause == chargehand.CauseDeadline {
		e.Name = "deadline_breach"
		e.with("worker", a.Worker).with("limit", term.Span(a.Allowed()))
		return
	}
	e.with("worker", a.Worker).with("cause", string(f.Cause)).with("message", f.Message)
}

func attemptOf(v *chargehand.View, ref chargehand.AttemptRef) chargehand.AttemptView {
	for _, row := range v.Rows {
		if row.ID != ref.Subtask {
			continue
		}
		for _, a := range row.Attempts {
			if a.Attempt == ref.Attempt {
				return a
			}
		}
	}
	return chargehand.AttemptView{}
}

func (e *Event) of(ref chargehand.AttemptRef) *Event {
	e.Subtask, e.Attempt = ref.Subtask, ref.Attempt
	return e
}

// left adds the time that a paused run has until its deadline.
func (e *Event) left(v *chargehand.View) *Event {
	if v.Left == 0 {
		return e
	}
	return e.with("left", term.Span(v.Left.Std()))
}

// with adds a field that says something.
func (e *Event) with(key, value string) *Event {
	if value != "" {
		e.Fields = append(e.Fields, Field{key, value})
	}
	return e
}

func (e *Event) count(key string, n int) *Event { return e.with(key, strconv.Itoa(n)) }

func (e *Event) money(key string, m chargehand.Micros) *Event {
	if m == 0 {
		return e
	}
	return e.with(key, m.String())
}

func (e *Event) tokens(key string, n int64) *Event {
	if n == 0 {
		return e
	}
	return e.with(key, strconv.FormatInt(n, 10))
}

func (e *Event) time(key string, t time.Time) *Event {
	if t.IsZero() {
		return e
	}
	return e.with(key, term.Time(t))
}
