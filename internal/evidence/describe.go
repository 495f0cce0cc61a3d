package evidence

import (
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// An Entry is one record in words.
type Entry struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Actor   Actor     `json:"actor"`
	Who     string    `json:"who,omitempty"` // the actor's name
	Type    string    `json:"type"`
	Subject string    `json:"subject,omitempty"` // subtask and attempt, or review
	Text    string    `json:"text"`              // one sentence; it holds words of workers and people
}

// An Actor is what kind of party a record is the doing of.
type Actor string

// The actors.
const (
	ActorPerson Actor = "person"
	ActorPolicy Actor = "policy"
	ActorSystem Actor = "system"
	ActorWorker Actor = "worker"
)

// Describe puts a record into words.
func Describe(r chargehand.Record) Entry {
	e := Entry{Seq: r.Seq, At: r.At, Type: r.Type(), Actor: ActorSystem}
	switch f := r.Fact.(type) {
	case chargehand.RunStarted, chargehand.RunEnded, chargehand.ResultAsked, chargehand.RunStopping, chargehand.Recovered, chargehand.Forked,
		chargehand.PauseBegan, chargehand.PauseEnded, chargehand.InputRefused, chargehand.BudgetLow:
		e.run(f)
	case chargehand.PlanAsked, chargehand.PlanAdvised, chargehand.PlanRefused, chargehand.PlanProposed, chargehand.PlanAdopted, chargehand.SubtasksPlanned, chargehand.SubtasksReplaced,
		chargehand.AggregateAsked, chargehand.Aggregated:
		e.planning(f)
	case chargehand.ReservationRaised, chargehand.ReservationDenied, chargehand.Overbilled, chargehand.SpawnCharged:
		e.money(f)
	case chargehand.ReviewOpened, chargehand.ReviewDecided:
		e.review(f)
	case chargehand.SubtasksQueued, chargehand.AttemptStarted, chargehand.AttemptResumed, chargehand.AttemptFailed,
		chargehand.AttemptStopped, chargehand.LateResult:
		e.attempt(f)
	case chargehand.DebateOpened, chargehand.PositionTaken, chargehand.PositionsCompared, chargehand.DebateSettled:
		e.debate(f)
	case chargehand.ToolsUsed, chargehand.ToolsAllowed:
		e.tools(f)
	case chargehand.OutputChecked, chargehand.JudgeAsked, chargehand.Judged, chargehand.JudgeFailed,
		chargehand.RetryPlanned, chargehand.OutputSupplied, chargehand.SubtaskEnded:
		e.judgement(f)
	default:
		e.shared(f)
	}
	return e
}

func (e *Entry) run(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.RunStarted:
		e.by(f.StartedBy)
		e.says("started the run %q with team %s under policy %s", f.Objective.Title, f.Team, f.Policy)
	case chargehand.ResultAsked:
		e.says("the result is put together: %s", f.State)
	case chargehand.RunEnded:
		e.says("the run ended: %s, %s%s", f.State, f.Stop, after(": ", f.Why))
	case chargehand.RunStopping:
		e.by(f.By)
		e.says("the run takes nothing more on: %s%s", f.Stop, after(": ", f.Why))
	case chargehand.Recovered:
		e.says("the run was taken up again by process %d%s%s", f.Boot, map[bool]string{true: ", which calls no worker"}[f.Held], after(", by force: ", strings.Join(f.Forced, "; ")))
	case chargehand.Forked:
		e.by(f.By)
		e.says("forked the run from record %d of %s; the records before are that run's", f.Parent.Seq, f.Parent.Run)
	case chargehand.PauseBegan:
		e.by(f.By)
		e.says("paused the run%s", after(": ", f.Reason))
	case chargehand.PauseEnded:
		e.by(f.By)
		e.says("resumed the run%s", after(": ", f.Reason))
	case chargehand.InputRefused:
		e.by(f.By)
		e.says("was refused: %s, because %s", f.What, f.Why)
	case chargehand.BudgetLow:
		e.says("four fifths of the ceiling are spent: $%s of $%s", f.Settled, f.Ceiling)
	}
}

func (e *Entry) money(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReservationRaised:
		e.Subject = holder(f.For, f.AttemptRef)
		e.says("what is set aside for its %s was raised to $%s and %d tokens", f.For, f.Reserved, f.Tokens)
	case chargehand.ReservationDenied:
		e.Subject = holder(f.For, f.AttemptRef)
		e.says("its %s was denied $%s and %d tokens: %s", f.For, f.Wanted, f.Tokens, f.Why)
	case chargehand.Overbilled:
		e.Subject = holder(f.For, f.AttemptRef)
		e.says("its %s was billed $%s and %d tokens, above what was set aside: $%s and %d tokens", f.For, f.Billed, f.BilledTokens, f.Reserved, f.ReservedTokens)
	case chargehand.SpawnCharged:
		e.Subject = holder(chargehand.HeldForAttempt, f.AttemptRef)
		e.says("a dynamic instance of %s is brought up for it; $%s count as spent", f.Worker, f.USD)
	}
}

// holder is whose money it is about.
func holder(h chargehand.Holder, a chargehand.AttemptRef) string {
	if h == chargehand.HeldForPlan {
		return string(h)
	}
	return subject(a)
}

func (e *Entry) planning(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.PlanAsked:
		e.says("a plan was asked for, number %d%s%s", f.Iteration, after(", told what was wrong: ", strings.Join(f.Errors, "; ")),
			after(", and given the last one again: ", f.Draft.Ref))
	case chargehand.PlanRefused:
		e.says("the plan%s was refused: %s", after(" ", f.Draft.Ref), strings.Join(f.Errors, "; "))
	case chargehand.PlanAdvised:
		a := &f.Advice
		e.says("the planner was shown the plan of run %s, which ended as %s, at a likeness of %.2f: %s", a.Run, a.Outcome, a.Confidence, a.Summary)
	case chargehand.PlanProposed:
		e.says("a plan of %d subtasks waits for approval, estimated at $%s, made by %s", f.Subtasks, f.Estimate, f.Source)
	case chargehand.PlanAdopted:
		e.says("plan v%d is in force: %d subtasks, estimated at $%s, made by %s", f.Version, f.Subtasks, f.Estimate, f.Source)
	case chargehand.SubtasksPlanned:
		var names []string
		for _, s := range f.Subtasks {
			names = append(names, joined(" ", s.ID, s.Label))
		}
		e.says("planned: %s", strings.Join(names, ", "))
	case chargehand.SubtasksReplaced:
		e.says("%s made up for by %s, of plan v%d", strings.Join(f.Subtasks, ", "), strings.Join(f.By, ", "), f.Plan)
	case chargehand.AggregateAsked:
		e.says("the accepted outputs are put together")
	case chargehand.Aggregated:
		e.says("put together: %d items, %d conflicts, %d aspects without evidence", f.Items, f.Conflicts, f.Missing)
	}
}

func (e *Entry) review(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReviewOpened:
		e.Subject = joined(" ", f.Review.ID, f.Review.TaskID)
		e.says("a person is asked to %s, until %s, else %s: %s",
			f.Review.Action, f.Review.Deadline.UTC().Format(time.RFC3339), f.Review.Auto, f.Review.Description)
	case chargehand.ReviewDecided:
		d := f.Decision
		e.Subject, e.Actor, e.Who = d.ReviewID, ActorPerson, d.Approver
		switch {
		case d.Withdrawn && (d.ByPolicy || d.Approver == ""):
			e.Actor, e.Who = ActorSystem, ""
		case d.ByPolicy:
			e.Actor = ActorPolicy
		}
		e.says("%s: %s%s", d.Outcome(), d.ContentHash, after(": ", d.Comment))
	}
}

func (e *Entry) attempt(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.SubtasksQueued:
		var names []string
		for _, a := range f.Attempts {
			names = append(names, subject(a))
		}
		e.says("wait for a worker, by strategy %s with %d candidates: %s", f.Strategy, len(f.Candidates), strings.Join(names, ", "))
	case chargehand.AttemptStarted:
		e.Subject = subject(f.AttemptRef)
		e.says("given to %s %s until %s, with $%s set aside%s", f.Worker, f.Version,
			f.DeadlineAt.UTC().Format(time.RFC3339), f.Reserved, after("; told: ", f.Feedback))
	case chargehand.AttemptResumed:
		e.Subject = subject(f.AttemptRef)
		e.says("pursued again after a restart, until %s", f.DeadlineAt.UTC().Format(time.RFC3339))
	case chargehand.AttemptFailed:
		e.Subject, e.Actor = subject(f.AttemptRef), ActorWorker
		e.says("ended without an output: %s%s%s", f.Cause, after(": ", f.Message), left(f.Transcript, f.Stderr))
	case chargehand.AttemptStopped:
		e.Subject, e.Actor = subject(f.AttemptRef), ActorWorker
		e.says("confirmed that its attempt stopped%s", left(f.Transcript, f.Stderr))
	case chargehand.LateResult:
		e.Subject, e.Actor = subject(f.AttemptRef), ActorWorker
		e.says("answered too late; kept and not used: %s%s", f.Why, left(f.Transcript, f.Stderr))
	}
}

// left names what an attempt leaves besides its output.
func left(transcript, stderr string) string {
	return after("; its transcript is ", transcript) + after("; its stderr is ", stderr)
}

func (e *Entry) tools(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ToolsUsed:
		e.Subject = subject(f.AttemptRef)
		var parts []string
		for _, p := range f.Pins {
			parts = append(parts, fmt.Sprintf("the run goes by %s as %s", p.Tool, p.Digest))
		}
		for _, c := range f.Changed {
			parts = append(parts, c.String())
		}
		if n := len(f.Done); n > 0 {
			parts = append(parts, fmt.Sprintf("%d calls did something that is not done again", n))
		}
		for _, d := range f.Denied {
			parts = append(parts, fmt.Sprintf("a call of %s was not let through (%s): %s", d.Tool, d.Cause, d.Why))
		}
		e.says("tools: %s", strings.Join(parts, "; "))
	case chargehand.ToolsAllowed:
		e.Subject = subject(f.AttemptRef)
		e.by(f.By)
		var names []string
		for _, p := range f.Pins {
			names = append(names, p.Tool+" as "+p.Digest)
		}
		e.says("let the run go by %s", strings.Join(names, ", "))
	}
}

func (e *Entry) judgement(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.OutputChecked:
		e.Subject = subject(f.AttemptRef)
		e.says("the output %s was checked: %s%s%s", f.Output, f.Verdict.Recommendation, found(f.Verdict), left(f.Transcript, f.Stderr))
	case chargehand.JudgeAsked:
		e.Subject = subject(f.AttemptRef)
		e.says("the reviewer was asked%s", map[bool]string{true: " to choose between two positions"}[f.Debate])
	case chargehand.Judged:
		e.Subject, e.Actor, e.Who = subject(f.AttemptRef), ActorWorker, f.Verdict.Validator
		if f.Debate {
			e.says("chose position %d of two: %s, %d of 10%s", f.Verdict.Choice, f.Verdict.Recommendation, f.Verdict.Confidence, found(f.Verdict))
			return
		}
		e.says("judged: %s, %d of 10%s", f.Verdict.Recommendation, f.Verdict.Confidence, found(f.Verdict))
	case chargehand.JudgeFailed:
		e.Subject = subject(f.AttemptRef)
		e.says("the reviewer gave no verdict: %s", f.Message)
	case chargehand.RetryPlanned:
		e.Subject = subject(f.AttemptRef)
		how := "tried again"
		if f.Reassign {
			how = "given to another worker"
		}
		e.says("%s because of %s%s", how, f.Cause, after(": ", f.Correction))
	case chargehand.OutputSupplied:
		e.Subject, e.Actor, e.Who = subject(f.AttemptRef), ActorPerson, f.By
		e.says("the output is given by a person, and the gate says %s: %s", f.Verdict.Recommendation, f.Output)
	case chargehand.SubtaskEnded:
		e.Subject = f.Subtask
		e.says("%s%s%s%s%s", f.State, after(", decided by ", f.DecidedBy), after(": ", f.Why), after("; it lacks: ", strings.Join(f.Lacks, "; ")),
			after("; the checks say: ", f.Against))
	}
}

// shared is what concerns all runs.
func (e *Entry) shared(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.WorkersRegistered:
		e.says("%d workers are known", len(f.Workers))
	case chargehand.LeaseGranted:
		e.Subject = joined(" ", f.Run, subject(f.AttemptRef))
		e.says("%s has a place for it, lease %d", f.Instance, f.Epoch)
	case chargehand.LeaseFreed:
		e.says("lease %d is free again: %s", f.Epoch, f.Outcome)
	case chargehand.BreakerMoved:
		e.says("the breaker of %s is %s: %s", f.Worker, f.State, f.Why)
	case chargehand.AuditBegan:
		e.says("from here on records are checkpointed as %s by the key %s", f.Origin, f.Key)
	case chargehand.KeyReplaced:
		e.by(f.By)
		e.says("replaced the key %s by %s", f.Old, f.New)
	case chargehand.RollbackAccepted:
		e.by(f.By)
		e.says("accepted that records are missing or others; what follows is checkpointed as %s", f.Origin)
	case chargehand.HealthChanged:
		well := "is not well"
		if f.Healthy {
			well = "is well"
		}
		e.says("%s %s%s", f.Worker, well, after(": ", f.Why))
	case chargehand.ClockStepped:
		e.says("the wall clock was set: it is %s off the time of the records, and says %s", time.Duration(f.OffMS)*time.Millisecond, f.Wall.UTC().Format(time.RFC3339))
	case chargehand.SpawnAsked:
		e.Subject = joined(" ", f.Run, subject(f.AttemptRef))
		e.says("%s is brought up for it", f.Instance)
	case chargehand.SpawnFailed:
		e.says("%s did not come up: %s", f.Instance, f.Why)
	case chargehand.WorkerDrained:
		e.by(f.By)
		what := "takes work again"
		if f.Drained {
			what = "takes nothing new"
		}
		e.says("%s %s%s", f.Worker, what, after(": ", f.Reason))
	case chargehand.Alerted:
		e.says("alert, %s: %s", f.What, f.Why)
	default:
		e.says("%s", strings.ReplaceAll(e.Type, "_", " "))
	}
}

func (e *Entry) says(format string, args ...any) { e.Text = fmt.Sprintf(format, args...) }

// by makes a person the actor, where one is named.
func (e *Entry) by(who string) {
	if who != "" {
		e.Actor, e.Who = ActorPerson, who
	}
}

func subject(a chargehand.AttemptRef) string { return fmt.Sprintf("%s·%d", a.Subtask, a.Attempt) }

func found(v chargehand.Verdict) string {
	if len(v.Issues) == 0 {
		return ""
	}
	return after("; ", v.Issues[0].Message)
}

// after is text behind a lead; nothing where there is no text.
func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}
