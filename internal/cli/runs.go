package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/progress"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) runsCommand() *cobra.Command {
	return group("runs", "Look at runs, and pause, resume, cancel or fork them",
		a.listCommand(), a.getCommand(), a.watchCommand(), a.logsCommand(), a.resultCommand(), a.costCommand(), a.diffCommand(),
		a.replayCommand(), a.forkCommand(), a.resumeCommand(),
		a.controlCommand(chargehand.Pause, "Begin nothing new in a run until it is resumed"),
		a.controlCommand(chargehand.Cancel, "End a run with what it has"))
}

// A listForm is what the flags of "runs list" say.
type listForm struct {
	states     []string
	needsHuman bool
	mine       bool
	limit      int
	output     string
}

func (a *app) listCommand() *cobra.Command {
	var f listForm
	c := &cobra.Command{
		Use: "list", Short: "List runs, newest first", Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return a.list(c, f) },
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.states, "state", nil, "only runs in this state; \"waiting\" is a running one that only waits for people; may be given more than once")
	fl.BoolVar(&f.needsHuman, "needs-human", false, "only runs with a decision open, also where other work goes on")
	fl.BoolVar(&f.mine, "mine", false, "only runs that you started")
	fl.IntVar(&f.limit, "limit", 50, "at most so many")
	choices(c, "state", runStates...)
	a.outputFlag(c, &f.output, "table", "wide", "json", "jsonl", "yaml", "name")
	return c
}

const stateWaiting = "waiting" // a running run that does nothing until a person decides

var runStates = []string{"pending", "running", stateWaiting, "paused", "human_control", "completed", "partial", "failed", "cancelled"}

func (a *app) list(c *cobra.Command, f listForm) error {
	for _, s := range f.states {
		if err := oneOf("--state", s, runStates...); err != nil {
			return err
		}
	}
	if f.limit < 1 {
		return usage("--limit must be at least 1", "")
	}
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		runs, err := s.list(ctx, f)
		if err != nil {
			return err
		}
		return a.writeRuns(s, runs, f.output)
	})
}

// A listed is a run in a list.
type listed struct {
	chargehand.RunSummary
	sign chargehand.Sign
}

// list is the runs that the form asks for. An engine knows states; that a run only waits for people is
// a fold of its records, so runs with an open review are read.
func (s *session) list(ctx context.Context, f listForm) ([]listed, error) {
	filter := chargehand.Filter{NeedsHuman: f.needsHuman, Limit: f.limit}
	if f.mine {
		filter.StartedBy = me()
	}
	narrow := slices.Contains(f.states, stateWaiting) && !slices.Contains(f.states, string(chargehand.RunRunning))
	for _, state := range f.states {
		if state == stateWaiting {
			state, filter.Limit = string(chargehand.RunRunning), every
		}
		filter.States = append(filter.States, chargehand.RunState(state))
	}
	runs, err := s.Runs(ctx, filter)
	if err != nil {
		return nil, err
	}
	out := make([]listed, 0, min(len(runs), f.limit))
	for i := range runs {
		if narrow && runs[i].State == chargehand.RunRunning && runs[i].NeedsHuman == 0 {
			continue
		}
		v := &chargehand.View{RunSummary: runs[i]}
		if v.State == chargehand.RunRunning && v.NeedsHuman > 0 {
			if v, err = s.Run(ctx, runs[i].RunID); err != nil {
				return nil, err
			}
		}
		if narrow && v.State == chargehand.RunRunning && !v.Waiting() {
			continue
		}
		if out = append(out, listed{v.RunSummary, progress.Sign(v, !s.supervised)}); len(out) == f.limit {
			break
		}
	}
	return out, nil
}

func (a *app) writeRuns(s *session, runs []listed, form string) error {
	plain, lines := make([]chargehand.RunSummary, len(runs)), make([]any, len(runs))
	for i := range runs {
		plain[i], lines[i] = runs[i].RunSummary, runs[i].RunSummary
	}
	return a.show(form, page{
		value: map[string]any{"schema_version": 1, "runs": plain}, lines: lines,
		names: names(plain, func(r *chargehand.RunSummary) string { return r.RunID }),
		text:  func() error { return a.tabulateRuns(s, runs, plain, form) },
	})
}

func (a *app) tabulateRuns(s *session, runs []listed, plain []chargehand.RunSummary, form string) error {
	if len(runs) == 0 {
		fmt.Fprintln(a.io.Err, "no runs; start one with: chargehand run")
		return nil
	}
	now, st := time.Now(), a.style(a.io.Out)
	t := term.Table{Head: []string{"RUN", "STATE", "DONE", "NEEDS", "SPENT", "AGE", "STARTED", "BY", "TEAM", "TITLE"}, Wrap: true}
	for i := range runs {
		r := &runs[i]
		needs := ""
		if r.NeedsHuman > 0 {
			needs = term.Count(r.NeedsHuman, "decision")
		}
		t.Add(r.RunID, st.Glyph(r.sign)+" "+r.sign.Label, done(&r.RunSummary), needs, spent(&r.RunSummary), term.Span(now.Sub(r.StartedAt)), term.Time(r.StartedAt), r.StartedBy, r.Team, r.Title)
	}
	if err := a.writeTable(form, &t, "STARTED", "BY", "TEAM"); err != nil {
		return err
	}
	a.tellAlone(s, plain...)
	return nil
}

// tellAlone says which of the runs no process supervises, and what to type.
func (a *app) tellAlone(s *session, runs ...chargehand.RunSummary) {
	if s.supervised {
		return
	}
	var alone []string
	for i := range runs {
		if runs[i].State == chargehand.RunRunning || runs[i].State == chargehand.RunPending {
			alone = append(alone, runs[i].RunID)
		}
	}
	switch len(alone) {
	case 0:
	case 1:
		fmt.Fprintf(a.io.Err, "\nNo process supervises %s, so it stands still. Go on with: chargehand runs resume %s\n", alone[0], alone[0])
	default:
		fmt.Fprintf(a.io.Err, "\nNo process supervises %d of these runs, so they stand still. Go on with: chargehand runs resume --all\n", len(alone))
	}
}

func done(r *chargehand.RunSummary) string {
	text := fmt.Sprintf("%d/%d", r.Accepted, r.Subtasks)
	if r.Gaps > 0 {
		text += ", " + term.Count(r.Gaps, "gap")
	}
	return text
}

// accepted is done in a sentence.
func accepted(r *chargehand.RunSummary) string {
	text := fmt.Sprintf("%d/%d accepted", r.Accepted, r.Subtasks)
	if r.Gaps > 0 {
		text += ", " + term.Count(r.Gaps, "gap")
	}
	return text
}

func spent(r *chargehand.RunSummary) string {
	if r.Budget == 0 {
		return term.Money(r.Spent)
	}
	return term.Money(r.Spent) + " of " + term.Money(r.Budget)
}

func (a *app) costCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "cost RUN", Short: "Show what a run spent, and on what", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			return a.view(c, given[0], form, func(s *session, v *chargehand.View) error {
				sign := func(row *chargehand.SubtaskView) chargehand.Sign { return progress.RowSign(v, row, !s.supervised) }
				return report.Cost(a.io.Out, v, sign, a.screen(a.io.Out))
			})
		},
	}
	a.outputFlag(c, &form, "table", "json", "yaml", "name")
	return c
}

// view shows a run's View, for people by write.
func (a *app) view(c *cobra.Command, id, form string, write func(*session, *chargehand.View) error) error {
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		v, err := find(ctx, s, id)
		if err != nil {
			return err
		}
		p := page{value: v, names: []string{v.RunID}, text: func() error { return write(s, v) }}
		if c.Name() == "cost" {
			p.value = map[string]any{
				"schema_version": 1, "runId": v.RunID, "spentUSD": v.Spent, "budgetUSD": v.Budget,
				"estimateUSD": v.Plan.Estimate, "tokens": v.Tokens, "costByPhase": v.Phases,
			}
		}
		return a.show(form, p)
	})
}

// find is the run of that id or unique prefix; "@latest" is the newest.
func find(ctx context.Context, s *session, id string) (*chargehand.View, error) {
	if id == "@latest" {
		runs, err := s.Runs(ctx, chargehand.Filter{Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no run yet", Next: "start one with: chargehand run"}
		}
		id = runs[0].RunID
	}
	return s.Run(ctx, id)
}

func (a *app) resultCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "result RUN", Short: "Write a run's result; of one under way, what there is", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.with(ctx, func(s *session) error {
				v, err := find(ctx, s, given[0])
				if err != nil {
					return err
				}
				r, err := s.Result(ctx, v.RunID)
				if err != nil {
					return err
				}
				return a.showResults([]*chargehand.Result{r}, []chargehand.Sign{progress.Sign(v, !s.supervised)}, form, false)
			})
		},
	}
	a.outputFlag(c, &form, a.resultForms()...)
	return c
}

func (a *app) writeView(s *session, v *chargehand.View) error {
	defer a.tellAlone(s, v.RunSummary)
	st := a.style(a.io.Out)
	sign := progress.Sign(v, !s.supervised)
	fmt.Fprintf(a.io.Out, "%s  %s  %s\n", st.Bold(v.RunID), term.Line(v.Title), st.Tone(sign.Tone, st.Glyph(sign)+" "+sign.Label))
	facts := []string{"team " + v.Team, accepted(&v.RunSummary), spent(&v.RunSummary), "started " + term.Time(v.StartedAt) + " by " + v.StartedBy}
	if !v.EndedAt.IsZero() {
		facts = append(facts, "took "+term.Span(v.EndedAt.Sub(v.StartedAt)))
	}
	if until := deadline(&v.RunSummary); until != "" {
		facts = append(facts, until)
	}
	fmt.Fprintf(a.io.Out, "%s\n", term.Line(strings.Join(facts, ", ")))
	if v.Why != "" {
		fmt.Fprintf(a.io.Out, "%s\n", term.Line(v.Why))
	}
	if len(v.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(a.io.Out)
	t := term.Table{Head: []string{"SUBTASK", "LABEL", "STATE", "ATTEMPTS", "WORKER", "WHY"}, Width: a.screen(a.io.Out).Width, Wrap: true}
	for _, row := range v.Rows {
		worker := ""
		if n := len(row.Attempts); n > 0 {
			worker = row.Attempts[n-1].Worker
		}
		sign := progress.RowSign(v, row, !s.supervised)
		t.Add(row.ID, row.Label, st.Glyph(sign)+" "+sign.Label, fmt.Sprint(len(row.Attempts)), worker, why(v, row))
	}
	return t.Write(a.io.Out, st)
}

// deadline is when a run that is not over ends at the latest; empty where it may take as long as it wants.
func deadline(r *chargehand.RunSummary) string {
	switch {
	case r.State.Final():
	case r.Left > 0:
		return "paused " + term.Span(r.Left.Std()) + " before its deadline"
	case !r.DeadlineAt.IsZero():
		return "deadline " + term.Time(r.DeadlineAt)
	}
	return ""
}

// why is what there is to say of a subtask that is not accepted: of one that waits for a person, what
// that is asked.
func why(v *chargehand.View, row *chargehand.SubtaskView) string {
	for i := range v.Reviews {
		if r := &v.Reviews[i]; r.Open() && r.TaskID == row.ID {
			return r.Grounds(&row.Subtask)
		}
	}
	return row.Why
}

// nonNil is never null in JSON.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
