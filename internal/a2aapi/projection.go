package a2aapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// A projection is a task as a run's records tell it, up to one of them. Whoever folds the same
// records sees the same task and the same events.
type projection struct {
	view   chargehand.View
	origin origin
	where  func(chargehand.Review) string

	state state
	words string    // what is said of the state
	since time.Time // of state and words
	seq   int64     // of the record they are read off

	asked bool // the engine's own hands are at work: they plan, aggregate or write the result
}

// apply folds the next record in, and reports whether there is news to tell. Once the task is final
// nothing is. That input is required is told at the end of a moment only: what leads to a review
// and what goes on in spite of it are records of one.
func (p *projection) apply(x step) bool {
	r := x.record
	p.view.Apply(r)
	if p.state.final() {
		return false
	}
	p.engineWork(r.Fact)
	now, words := stateOf(&p.view), p.news(r.Fact)
	if now == inputRequired && p.asked && p.view.State == chargehand.RunRunning {
		now = working
	}
	switch {
	case now.final():
		words = p.outcome()
	case now == inputRequired && !x.last:
		return false
	case now == inputRequired:
		words = p.question()
	case words == "" && now != p.state:
		words = "The work goes on."
	case words == "":
		return false
	}
	if now == p.state && words == p.words {
		return false
	}
	p.state, p.words, p.since, p.seq = now, words, r.At, r.Seq
	return true
}

// engineWork keeps track of what no subtask shows.
func (p *projection) engineWork(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.RunStarted:
		p.origin, _ = originOf(f.Key)
	case chargehand.PlanAsked, chargehand.AggregateAsked, chargehand.ResultAsked, chargehand.RunStopping:
		p.asked = true
	case chargehand.PlanAdopted, chargehand.PlanRefused, chargehand.Aggregated:
		p.asked = false
	case chargehand.ReviewOpened:
		p.asked = p.asked && f.Review.TaskID != "" // it is the engine's own work that waits
	}
}

// stateOf is where the task of a run stands. While anything is under way it is working, even where
// a review waits; when nothing goes on until a person acts, input is required.
func stateOf(v *chargehand.View) state {
	switch v.State {
	case chargehand.RunPending:
		return submitted
	case chargehand.RunCompleted, chargehand.RunPartial:
		return completed
	case chargehand.RunFailed:
		return failed
	case chargehand.RunCancelled:
		return canceled
	case chargehand.RunPaused, chargehand.RunHumanControl:
		return inputRequired
	}
	if v.NeedsHuman > 0 && !busy(v) {
		return inputRequired
	}
	return working
}

// busy reports whether a subtask is under way, or about to be: one that waits for nothing but to be
// queued, which happens in the same turn as what freed it.
func busy(v *chargehand.View) bool {
	blocked := false
	for _, r := range v.Rows {
		switch r.State {
		case chargehand.SubtaskReady, chargehand.SubtaskQueued, chargehand.SubtaskRunning,
			chargehand.SubtaskValidating, chargehand.SubtaskRetrying:
			return true
		case chargehand.SubtaskBlocked:
			blocked = true
		}
	}
	return blocked && freed(v)
}

// freed reports whether a blocked subtask has nothing left to wait for.
func freed(v *chargehand.View) bool {
	final := map[string]bool{}
	for _, r := range v.Rows {
		final[r.ID] = r.State.Final()
	}
	for _, r := range v.Rows {
		waits := func(dep string) bool { return !final[dep] }
		if r.State == chargehand.SubtaskBlocked && !slices.ContainsFunc(r.Deps, waits) {
			return true
		}
	}
	return false
}

// news is what a fact means to whoever waits for the task; empty: nothing.
func (p *projection) news(f chargehand.Fact) string {
	v := &p.view
	switch f := f.(type) {
	case chargehand.RunStarted:
		return "The team " + f.Team + " has taken the task on."
	case chargehand.PlanAdopted:
		return "Planned: " + count(int64(f.Subtasks), "subtask") + "."
	case chargehand.RetryPlanned:
		return fmt.Sprintf("%s is done again: %s.", p.label(f.Subtask), plain(string(f.Cause)))
	case chargehand.SubtaskEnded:
		return fmt.Sprintf("%s: %s. %d of %d accepted.", p.label(f.Subtask), plain(string(f.State)), v.Accepted, v.Subtasks)
	case chargehand.ReviewOpened:
		return "A person is asked, other work goes on. " + p.ask(&f.Review)
	case chargehand.ReviewDecided:
		return "Review " + f.Decision.ReviewID + " is decided: " + verdict(&f.Decision) + "."
	case chargehand.BudgetLow:
		return "Four fifths of the budget are spent."
	case chargehand.RunStopping:
		return "The run is being stopped: " + f.Why
	}
	return ""
}

func verdict(d *chargehand.Decision) string {
	if d.ByPolicy && !d.Withdrawn {
		return d.Outcome() + " by the policy, nobody having answered"
	}
	return d.Outcome()
}

// question is what a task that requires input says: what is asked, and where it is answered.
func (p *projection) question() string {
	v := &p.view
	if v.State == chargehand.RunPaused || v.State == chargehand.RunHumanControl {
		why := ""
		if v.Why != "" {
			why = ": " + v.Why
		}
		return fmt.Sprintf("The run is paused by %s%s. It goes on when an operator resumes it: chargehand runs resume %s", cmp.Or(v.PausedBy, "an operator"), why, v.RunID)
	}
	var b strings.Builder
	b.WriteString("A person has to decide. A message to this task decides nothing: reviews are decided by people who are known here, and the task then goes on by itself.")
	for i := range v.Reviews {
		if r := &v.Reviews[i]; r.Open() {
			b.WriteString("\n" + p.ask(r))
		}
	}
	return b.String()
}

// ask is what one review asks.
func (p *projection) ask(r *chargehand.Review) string {
	s := "Review " + r.ID + ": " + cmp.Or(r.Description, plain(string(r.Cause)))
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	s += " Decide: " + p.where(*r)
	if !r.Deadline.IsZero() {
		s += fmt.Sprintf(" (until %s, else %s)", r.Due().UTC().Format(time.RFC3339), r.Otherwise())
	}
	return s
}

const mostGaps = 20 // named in a status; the report names all

// outcome is how the run ended, with what it does not cover.
func (p *projection) outcome() string {
	v := &p.view
	s := fmt.Sprintf("%s: %d of %s accepted.", v.Sign().Label, v.Accepted, count(int64(v.Subtasks), "subtask"))
	if v.State != chargehand.RunCompleted && v.Why != "" {
		s += " " + v.Why
	}
	n := 0
	for _, r := range v.Rows {
		if r.State.Accepted() && len(r.Lacks) == 0 {
			continue
		}
		if n++; n <= mostGaps {
			s += "\nNot covered: " + p.label(r.ID) + ", " + plain(string(r.State))
			if why := cmp.Or(strings.Join(r.Lacks, "; "), r.Why); why != "" {
				s += ": " + why
			}
		}
	}
	if n > mostGaps {
		s += fmt.Sprintf("\nand %d more", n-mostGaps)
	}
	for _, r := range v.Rows {
		if r.Against != "" {
			s += "\nAccepted against the checks: " + p.label(r.ID) + ": " + r.Against
		}
	}
	return s
}

func (p *projection) label(subtask string) string {
	for _, r := range p.view.Rows {
		if r.ID == subtask && r.Label != "" {
			return r.Label
		}
	}
	return subtask
}

// plain is a name of ours in words.
func plain(s string) string { return strings.ReplaceAll(s, "_", " ") }

// count is "1 byte", "2 bytes".
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
