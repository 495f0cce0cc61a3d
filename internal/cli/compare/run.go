package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// A Difference is one fact of which two runs do not say the same. An empty side says nothing.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A Side is one of the runs, with what is read of it.
type Side struct {
	View   *chargehand.View
	Result *chargehand.Result
	Team   []byte                   // its declaration as JSON; nil: not to be had
	Output func(hash string) []byte // an output's content; nil: not to be had
}

// Runs is in what two runs differ. Ids, moments and lengths of time are not compared: no two runs share them.
type Runs struct {
	Run      []Difference `json:"run"`
	Team     []Change     `json:"team"`
	Subtasks []Subtask    `json:"subtasks"` // those that differ, in the order of the first run and then of the second
	Result   []Difference `json:"result"`
	Alike    int          `json:"alike"` // subtasks that do not differ
}

// A Subtask is a subtask of which two runs do not say the same.
type Subtask struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Only        string       `json:"only,omitempty"` // "a" or "b": the other run has none
	Plan        []Change     `json:"plan"`           // how it was planned
	Differences []Difference `json:"differences"`
	Output      []Change     `json:"output"`
}

// Same reports whether the runs do not differ.
func (r *Runs) Same() bool {
	return len(r.Run)+len(r.Team)+len(r.Subtasks)+len(r.Result) == 0
}

// Of compares two runs.
func Of(a, b *Side) *Runs {
	r := &Runs{Run: aboutRun(a.View, b.View), Team: []Change{}, Subtasks: []Subtask{}, Result: aboutResult(a, b)}
	if a.View.TeamDigest != b.View.TeamDigest && a.Team != nil && b.Team != nil {
		r.Team = JSON(a.Team, b.Team)
	}
	for _, row := range a.View.Rows {
		r.subtask(a, b, row, find(b.View, row.ID))
	}
	for _, row := range b.View.Rows {
		if find(a.View, row.ID) == nil {
			r.subtask(a, b, nil, row)
		}
	}
	return r
}

func find(v *chargehand.View, id string) *chargehand.SubtaskView {
	for _, row := range v.Rows {
		if row.ID == id {
			return row
		}
	}
	return nil
}

// differences collects facts that differ.
type differences []Difference

func (d *differences) add(what, a, b string) {
	if a != b {
		*d = append(*d, Difference{what, a, b})
	}
}

func (d differences) list() []Difference { return append([]Difference{}, d...) }

func aboutRun(a, b *chargehand.View) []Difference {
	var d differences
	d.add("team", a.Team, b.Team)
	d.add("team digest", brief(a.TeamDigest), brief(b.TeamDigest))
	d.add("policy", a.Policy, b.Policy)
	d.add("goal", a.Objective.Goal, b.Objective.Goal)
	d.add("input", string(a.Objective.Input), string(b.Objective.Input))
	d.add("documents", documents(a), documents(b))
	d.add("budget", money(a.Budget), money(b.Budget))
	d.add("plan", plan(a), plan(b))
	d.add("estimate", money(a.Plan.Estimate), money(b.Plan.Estimate))
	d.add("state", state(a), state(b))
	d.add("why", a.Why, b.Why)
	d.add("accepted", fmt.Sprintf("%d of %d", a.Accepted, a.Subtasks), fmt.Sprintf("%d of %d", b.Accepted, b.Subtasks))
	d.add("gaps", fmt.Sprint(a.Gaps), fmt.Sprint(b.Gaps))
	d.add("spent", money(a.Spent), money(b.Spent))
	d.add("tokens", fmt.Sprint(a.Tokens), fmt.Sprint(b.Tokens))
	return d.list()
}

// state is a run's state, or "waiting" where it only waits for people.
func state(v *chargehand.View) string {
	if v.Waiting() {
		return "waiting"
	}
	return string(v.State)
}

func money(m chargehand.Micros) string { return "$" + m.String() }

// documents are the names and hashes of what a run read.
func documents(v *chargehand.View) string {
	out := make([]string, len(v.Objective.Documents))
	for i, d := range v.Objective.Documents {
		out[i] = d.Name + " " + brief(d.Hash)
	}
	return strings.Join(out, ", ")
}

func brief(hash string) string {
	const digits = len("sha256:") + 12
	return hash[:min(len(hash), digits)]
}

func plan(v *chargehand.View) string {
	if v.Plan.Version == 0 {
		return ""
	}
	return fmt.Sprintf("version %d, %s, %s", v.Plan.Version, v.Plan.Source, v.Plan.Shape)
}

func (r *Runs) subtask(a, b *Side, x, y *chargehand.SubtaskView) {
	s := Subtask{Plan: []Change{}, Differences: []Difference{}, Output: []Change{}}
	switch {
	case y == nil:
		s.ID, s.Name, s.Only = x.ID, x.Name(), "a"
	case x == nil:
		s.ID, s.Name, s.Only = y.ID, y.Name(), "b"
	default:
		s.ID, s.Name = x.ID, x.Name()
		s.compare(a, b, x, y)
		if len(s.Plan)+len(s.Differences)+len(s.Output) == 0 {
			r.Alike++
			return
		}
	}
	r.Subtasks = append(r.Subtasks, s)
}

func (s *Subtask) compare(a, b *Side, x, y *chargehand.SubtaskView) {
	s.Plan = append(s.Plan, JSON(raw(x.Subtask), raw(y.Subtask))...)
	var d differences
	d.add("state", string(x.State), string(y.State))
	d.add("why", x.Why, y.Why)
	d.add("attempts", fmt.Sprint(len(x.Attempts)), fmt.Sprint(len(y.Attempts)))
	d.add("workers", workers(x), workers(y))
	d.add("verdicts", verdicts(x), verdicts(y))
	d.add("decided by", x.DecidedBy, y.DecidedBy)
	d.add("cost", money(x.Usage().USD), money(y.Usage().USD))
	d.add("tokens", fmt.Sprint(x.Usage().Tokens()), fmt.Sprint(y.Usage().Tokens()))
	ha, hb := output(x), output(y)
	d.add("output", brief(ha), brief(hb))
	s.Differences = d.list()
	if ha == hb || ha == "" || hb == "" {
		return
	}
	if from, to := a.Output(ha), b.Output(hb); from != nil && to != nil {
		s.Output = append(s.Output, JSON(from, to)...)
	}
}

// workers are who tried, in turn; one that tried again at once is named once.
func workers(s *chargehand.SubtaskView) string {
	var names []string
	for i := range s.Attempts {
		names = append(names, s.Attempts[i].Worker)
	}
	return strings.Join(slices.Compact(names), ", ")
}

// verdicts are what was said of each attempt, in turn.
func verdicts(s *chargehand.SubtaskView) string {
	var said []string
	for i := range s.Attempts {
		at := &s.Attempts[i]
		var words []string
		if v := at.Verdict; v != nil {
			words = append(words, "gate "+spoken(string(v.Recommendation)))
		}
		if v := at.Judge; v != nil {
			words = append(words, "reviewer "+spoken(string(v.Recommendation)))
		}
		if at.Cause != "" {
			words = append(words, spoken(string(at.Cause)))
		}
		if len(words) > 0 {
			said = append(said, strings.Join(words, " "))
		}
	}
	return strings.Join(said, "; ")
}

func spoken(word string) string { return strings.ToLower(strings.ReplaceAll(word, "_", " ")) }

// output is the hash of what a subtask came to: the output that is used, or else the last one.
func output(s *chargehand.SubtaskView) string {
	for i := range s.Attempts {
		if s.Attempts[i].Attempt == s.Used {
			return s.Attempts[i].Output
		}
	}
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		if s.Attempts[i].Output != "" {
			return s.Attempts[i].Output
		}
	}
	return ""
}

func aboutResult(a, b *Side) []Difference {
	var d differences
	if x, y := a.Result, b.Result; x != nil && y != nil {
		d.add("stopped by", string(x.StopReason), string(y.StopReason))
		d.add("result hash", brief(x.ResultHash), brief(y.ResultHash))
		d.add("items", fmt.Sprint(len(x.Items)), fmt.Sprint(len(y.Items)))
		d.add("conflicts", fmt.Sprint(len(x.Conflicts)), fmt.Sprint(len(y.Conflicts)))
		d.add("low confidence", fmt.Sprint(len(x.LowConfidence)), fmt.Sprint(len(y.LowConfidence)))
		d.add("open questions", fmt.Sprint(len(x.OpenQuestions)), fmt.Sprint(len(y.OpenQuestions)))
		d.add("decisions", decisions(x), decisions(y))
	}
	return d.list()
}

// decisions are who decided what, in turn.
func decisions(r *chargehand.Result) string {
	out := make([]string, len(r.Decisions))
	for i := range r.Decisions {
		out[i] = r.Decisions[i].Outcome() + " by " + r.Decisions[i].Who()
	}
	return strings.Join(out, ", ")
}
