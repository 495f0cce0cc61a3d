package chargehand

import "context"

// A Moment is where a run stands when everything that was decided together is known.
type Moment struct {
	*View
	News  []Record // that led here from the moment before
	Waits bool     // nothing goes on until a person acts; other work may still be done elsewhere
}

// Follow folds a run's records, those to come included, and tells of each moment, until done says
// that this is enough or the run has ended. It returns the run as it is then. Where ctx ends first
// that is the run as it was at the moment before, zero if there was none, with the cause. A run that
// is not there is an *Error of CodeNotFound.
func Follow(ctx context.Context, e Reader, run string, done func(Moment) bool) (*View, error) {
	var f follower
	for {
		var news []Record
		for r, err := range e.Records(ctx, run, f.view.Seq, false) {
			if err != nil {
				return &f.view, err
			}
			news = append(news, r)
		}
		for _, r := range news {
			f.apply(r)
		}
		if done(Moment{&f.view, news, f.waits()}) || f.view.State.Final() {
			return &f.view, nil
		}
		if err := f.more(ctx, e, run); err != nil {
			return &f.view, err
		}
	}
}

// A follower is a run as its records tell it, with what no subtask shows.
type follower struct {
	view  View
	asked bool // the engine's own hands are at work: they plan, aggregate or write the result
}

func (f *follower) apply(r Record) {
	f.view.Apply(r)
	switch r.Fact.(type) {
	case RunStarted, PlanAsked, AggregateAsked, ResultAsked, RunStopping:
		f.asked = true
	case PlanAdopted, PlanRefused, PlanProposed, Aggregated:
		f.asked = false
	}
}

// more waits for a record after the last. A record that comes has come with all of its moment, so
// these are read at one go.
func (f *follower) more(ctx context.Context, e Reader, run string) error {
	for _, err := range e.Records(ctx, run, f.view.Seq, true) {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return &Error{
		Code: CodeUnavailable, What: "cannot follow " + run, Why: "its engine tells no more of it",
		Next: "ask again when the engine is back",
	}
}

// waits reports whether the run is paused, or all that is left waits for people.
func (f *follower) waits() bool {
	switch f.view.State {
	case RunPaused, RunHumanControl:
		return true
	}
	return f.view.Waiting() && !f.asked
}

// Waiting reports whether all that is open in the run waits for people.
func (v *View) Waiting() bool { return v.State == RunRunning && v.NeedsHuman > 0 && !v.busy() }

// busy reports whether a subtask is under way, or about to be: one that waits for nothing but to be
// queued is queued with what freed it.
func (v *View) busy() bool {
	final := make(map[string]bool, len(v.Rows))
	for _, r := range v.Rows {
		final[r.ID] = r.State.Final()
	}
	for _, r := range v.Rows {
		switch r.State {
		case SubtaskReady, SubtaskQueued, SubtaskRunning, SubtaskValidating, SubtaskRetrying:
			return true
		case SubtaskBlocked:
			free := true
			for _, d := range r.Deps {
				free = free && final[d]
			}
			if free {
				return true
			}
		}
	}
	return false
}
