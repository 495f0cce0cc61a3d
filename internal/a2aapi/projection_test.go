package a2aapi

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

var began = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

// A moment is facts that were decided together.
type moment []chargehand.Fact

// told is what moments make of a task: each piece of news as "STATE words", the words cut short.
func told(t *testing.T, moments ...moment) []string {
	t.Helper()
	p := &projection{where: func(r chargehand.Review) string { return "see " + r.ID }}
	var all []string
	seq := int64(0)
	for i, m := range moments {
		for j, f := range m {
			seq++
			r := chargehand.Record{Run: "run_1", Seq: seq, At: began.Add(time.Duration(i) * time.Second), Fact: f}
			if p.apply(step{r, j == len(m)-1}) {
				words, _, _ := strings.Cut(p.words, "\n")
				all = append(all, strings.TrimPrefix(string(p.state), "TASK_STATE_")+" "+excerpt.Of(words, 40))
			}
		}
	}
	return all
}

func start(goal string) chargehand.RunStarted {
	return chargehand.RunStarted{
		Objective: chargehand.Objective{Goal: goal}, Team: "readers",
		Key: origin{Caller{"ana", ""}, "c1", "m1"}.key(),
	}
}

func planned(ids ...string) moment {
	m := moment{chargehand.PlanAdopted{Version: 1, Subtasks: len(ids)}}
	var all []chargehand.Subtask
	for _, id := range ids {
		s, after, _ := strings.Cut(id, "<")
		sub := chargehand.Subtask{ID: s, Label: "Read " + s}
		if after != "" {
			sub.Deps = []string{after}
		}
		all = append(all, sub)
	}
	return append(m, chargehand.SubtasksPlanned{Version: 1, Subtasks: all})
}

func queued(ids ...string) chargehand.SubtasksQueued {
	var q chargehand.SubtasksQueued
	for _, id := range ids {
		q.Attempts = append(q.Attempts, chargehand.AttemptRef{Subtask: id, Attempt: 1})
	}
	return q
}

func accepted(id string) chargehand.SubtaskEnded {
	return chargehand.SubtaskEnded{Subtask: id, State: chargehand.SubtaskAccepted}
}

func opened(id string) chargehand.ReviewOpened {
	return chargehand.ReviewOpened{Review: chargehand.Review{ID: "rev_" + id, TaskID: id, Description: "look at " + id}}
}

func decided(id string) chargehand.ReviewDecided {
	return chargehand.ReviewDecided{Decision: chargehand.Decision{ReviewID: "rev_" + id, Approved: true}}
}

func ended(s chargehand.RunState) chargehand.RunEnded { return chargehand.RunEnded{State: s} }

func TestWhatIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		moments []moment
		want    []string
	}{
		"all goes well": {
			[]moment{{start("x"), chargehand.PlanAsked{}}, append(planned("a"), queued("a")), {accepted("a"), chargehand.AggregateAsked{}}, {chargehand.Aggregated{}, chargehand.ResultAsked{}}, {ended(chargehand.RunCompleted)}},
			[]string{"WORKING The team readers has taken the task on.", "WORKING Planned: 1 subtask.", "WORKING Read a: accepted. 1 of 1 accepted.", "COMPLETED Complete: 1 of 1 subtask accepted."},
		},
		"a review while other work goes on": {
			[]moment{{start("x")}, append(planned("a", "b"), queued("a", "b")), {opened("a")}, {accepted("b")}, {decided("a"), accepted("a")}, {ended(chargehand.RunCompleted)}},
			[]string{
				"WORKING The team readers has taken the task on.", "WORKING Planned: 2 subtasks.", "WORKING A person is asked, other work goes on. R…",
				"INPUT_REQUIRED A person has to decide. A message to thi…", "WORKING Review rev_a is decided: approved.", "WORKING Read a: accepted. 2 of 2 accepted.",
				"COMPLETED Complete: 2 of 2 subtasks accepted.",
			},
		},
		"what was freed is queued in the same moment": {
			[]moment{{start("x")}, append(planned("a", "b", "c<b"), queued("a", "b")), {opened("a")}, {accepted("b"), queued("c")}, {accepted("c")}},
			[]string{
				"WORKING The team readers has taken the task on.", "WORKING Planned: 3 subtasks.", "WORKING A person is asked, other work goes on. R…",
				"WORKING Read b: accepted. 1 of 3 accepted.", "INPUT_REQUIRED A person has to decide. A message to thi…",
			},
		},
		"the run goes on in spite of the review": {
			[]moment{{start("x")}, append(planned("a"), queued("a")), {opened("a"), chargehand.AggregateAsked{}}, {chargehand.Aggregated{}, chargehand.ResultAsked{}}, {ended(chargehand.RunPartial)}},
			[]string{
				"WORKING The team readers has taken the task on.", "WORKING Planned: 1 subtask.",
				"COMPLETED Complete with gaps: 0 of 1 subtask accep…",
			},
		},
		"an operator pauses it": {
			[]moment{{start("x")}, append(planned("a"), queued("a")), {chargehand.PauseBegan{By: "olu", Reason: "lunch"}}, {chargehand.PauseEnded{By: "olu"}}, {chargehand.RunStopping{Why: "canceled by olu"}}, {ended(chargehand.RunCancelled)}},
			[]string{
				"WORKING The team readers has taken the task on.", "WORKING Planned: 1 subtask.", "INPUT_REQUIRED The run is paused by olu: lunch. It goes…",
				"WORKING The work goes on.", "WORKING The run is being stopped: canceled by ol…", "CANCELED Cancelled: 0 of 1 subtask accepted.",
			},
		},
		"a plan waits to be approved": {
			[]moment{
				{start("x"), chargehand.PlanAsked{}},
				{chargehand.PlanProposed{Subtasks: 1}, opened("")},
				{decided(""), chargehand.PlanAsked{}},
				append(planned("a"), queued("a")),
			},
			[]string{
				"WORKING The team readers has taken the task on.", "INPUT_REQUIRED A person has to decide. A message to thi…",
				"WORKING Review rev_ is decided: approved.", "WORKING Planned: 1 subtask.",
			},
		},
		"nothing follows the end": {
			[]moment{{start("x")}, append(planned("a"), queued("a")), {ended(chargehand.RunFailed)}, {opened("a")}, {decided("a")}},
			[]string{"WORKING The team readers has taken the task on.", "WORKING Planned: 1 subtask.", "FAILED Failed: 0 of 1 subtask accepted."},
		},
	} {
		if diff := cmp.Diff(c.want, told(t, c.moments...)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestGapsAreNamed(t *testing.T) {
	var all []string
	for i := range mostGaps + 3 {
		all = append(all, string(rune('a'+i)))
	}
	p := &projection{}
	seq := int64(0)
	add := func(f chargehand.Fact) {
		seq++
		p.apply(step{chargehand.Record{Run: "run_1", Seq: seq, At: began, Fact: f}, true})
	}
	add(start("x"))
	for _, f := range planned(all...) {
		add(f)
	}
	add(chargehand.SubtaskEnded{Subtask: "a", State: chargehand.SubtaskNoWorker, Why: "nobody reads Latin"})
	add(ended(chargehand.RunPartial))
	if !strings.Contains(p.words, "Not covered: Read a, no capable worker: nobody reads Latin") || !strings.Contains(p.words, "and 3 more") {
		t.Error(p.words)
	}
}

// TestOriginsAreKept writes what began a run into its key and reads it again.
func TestOriginsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 20, 60)
		o := origin{Caller{text.Draw(t, "by"), text.Draw(t, "tenant")}, text.Draw(t, "context"), text.Draw(t, "message")}
		got, ok := originOf(o.key())
		if !ok || got != o {
			t.Fatalf("%q became %q", o, got)
		}
		other := o
		other.Message += "x"
		if other.key() == o.key() || newContext(o.Caller, o.Message) == newContext(o.Caller, other.Message) {
			t.Fatal("two messages are not told apart")
		}
	})
	for _, key := range []string{"", "mcp:x", "a2a:", "a2a:%zz", "a2a:by=a"} {
		if o, ok := originOf(key); ok {
			t.Errorf("%q is the key of %+v", key, o)
		}
	}
}

// TestPlacesHaveAnOrder reads tokens back, and orders by time and then by id.
func TestPlacesHaveAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := place{rapid.Int64Range(0, 3).Draw(t, "at"), rapid.StringMatching(`run_[a-c]`).Draw(t, "run")}
		b := place{rapid.Int64Range(0, 3).Draw(t, "at"), rapid.StringMatching(`run_[a-c]`).Draw(t, "run")}
		got, err := placeOf(a.token())
		if err != nil || got != a {
			t.Fatalf("%v became %v (%v)", a, got, err)
		}
		if c := a.compare(b); c != -b.compare(a) || (c == 0) != (a == b) || c < 0 && a.at < b.at {
			t.Fatalf("%v and %v compare as %d", a, b, c)
		}
	})
}
