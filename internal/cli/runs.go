package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) runsCommand() *cobra.Command {
	return group("runs", "Look at runs, and pause, resume, cancel or fork them",
		a.listCommand(), a.getCommand(), a.watchCommand(), a.logsCommand(), a.resultCommand(), a.costCommand(),
		a.replayCommand(), a.forkCommand(), a.controlCommand(chargehand.Pause, "Begin nothing new in a run until it is resumed"),
		a.controlCommand(chargehand.Resume, "Let a paused run go on"),
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
	fl.StringSliceVar(&f.states, "state", nil, "only runs in this state; may be given more than once")
	fl.BoolVar(&f.needsHuman, "needs-human", false, "only runs that wait for a person")
	fl.BoolVar(&f.mine, "mine", false, "only runs that you started")
	fl.IntVar(&f.limit, "limit", 50, "at most so many")
	outputFlag(c, &f.output, "table", "table, json or jsonl")
	return c
}

var runStates = []string{"pending", "running", "paused", "human_control", "completed", "partial", "failed", "cancelled"}

func (a *app) list(c *cobra.Command, f listForm) error {
	if err := oneOf("--output", f.output, "table", "json", "jsonl"); err != nil {
		return err
	}
	filter := chargehand.Filter{NeedsHuman: f.needsHuman, Limit: f.limit}
	for _, s := range f.states {
		if err := oneOf("--state", s, runStates...); err != nil {
			return err
		}
		filter.States = append(filter.States, chargehand.RunState(s))
	}
	if f.limit < 1 {
		return usage("--limit must be at least 1", "")
	}
	if f.mine {
		filter.StartedBy = me()
	}
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		runs, err := s.Runs(ctx, filter)
		if err != nil {
			return err
		}
		return a.writeRuns(runs, f.output)
	})
}

func (a *app) writeRuns(runs []chargehand.RunSummary, form string) error {
	switch form {
	case "json":
		return term.WriteJSON(a.io.Out, map[string]any{"schema_version": 1, "runs": nonNil(runs)})
	case "jsonl":
		for i := range runs {
			if err := term.WriteJSON(a.io.Out, runs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(runs) == 0 {
		fmt.Fprintln(a.io.Err, "no runs; start one with: chargehand run")
		return nil
	}
	now, st := time.Now(), a.style(a.io.Out)
	t := term.Table{Head: []string{"RUN", "STATE", "DONE", "NEEDS", "SPENT", "AGE", "TITLE"}, Width: a.screen(a.io.Out).Width}
	for i := range runs {
		r := &runs[i]
		sign := r.State.Sign()
		needs := ""
		if r.NeedsHuman > 0 {
			needs = term.Count(r.NeedsHuman, "decision")
		}
		t.Add(r.RunID, st.Glyph(sign)+" "+sign.Label, done(r), needs, spent(r), term.Span(now.Sub(r.StartedAt)), r.Title)
	}
	return t.Write(a.io.Out, st)
}

func done(r *chargehand.RunSummary) string {
	text := fmt.Sprintf("%d/%d", r.Accepted, r.Subtasks)
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
			return a.view(c, given[0], form, func(v *chargehand.View) error { return report.Cost(a.io.Out, v, a.screen(a.io.Out)) })
		},
	}
	outputFlag(c, &form, "table", "table or json")
	return c
}

// view shows a run's View, as JSON or by write.
func (a *app) view(c *cobra.Command, id, form string, write func(*chargehand.View) error) error {
	if err := oneOf("--output", form, "table", "json"); err != nil {
		return err
	}
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		v, err := find(ctx, s, id)
		if err != nil {
			return err
		}
		if form == "table" {
			return write(v)
		}
		if c.Name() == "cost" {
			return term.WriteJSON(a.io.Out, map[string]any{
				"schema_version": 1, "runId": v.RunID, "spentUSD": v.Spent, "budgetUSD": v.Budget,
				"estimateUSD": v.Plan.Estimate, "tokens": v.Tokens, "costByPhase": v.Phases,
			})
		}
		return term.WriteJSON(a.io.Out, v)
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
			if err := oneOf("--output", form, "md", "table", "json"); err != nil {
				return err
			}
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
				return a.writeResult(a.io.Out, r, form)
			})
		},
	}
	outputFlag(c, &form, "md", "md, table or json")
	return c
}

func (a *app) writeView(v *chargehand.View) error {
	st := a.style(a.io.Out)
	sign := v.State.Sign()
	fmt.Fprintf(a.io.Out, "%s  %s  %s\n", st.Bold(v.RunID), term.Line(v.Title), st.Tone(sign.Tone, st.Glyph(sign)+" "+sign.Label))
	facts := []string{"team " + v.Team, done(&v.RunSummary) + " accepted", spent(&v.RunSummary), "started " + term.Time(v.StartedAt) + " by " + v.StartedBy}
	if !v.EndedAt.IsZero() {
		facts = append(facts, "took "+term.Span(v.EndedAt.Sub(v.StartedAt)))
	}
	fmt.Fprintf(a.io.Out, "%s\n", term.Line(strings.Join(facts, ", ")))
	if v.Why != "" {
		fmt.Fprintf(a.io.Out, "%s\n", term.Line(v.Why))
	}
	if len(v.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(a.io.Out)
	t := term.Table{Head: []string{"SUBTASK", "LABEL", "STATE", "ATTEMPTS", "WORKER", "WHY"}, Width: a.screen(a.io.Out).Width}
	for _, row := range v.Rows {
		worker := ""
		if n := len(row.Attempts); n > 0 {
			worker = row.Attempts[n-1].Worker
		}
		sign := row.State.Sign()
		if v.State.Final() && !row.State.Final() { // nobody is asked any more
			sign = chargehand.SubtaskDegraded.Sign()
			sign.Label = "Left out: not decided"
		}
		t.Add(row.ID, row.Label, st.Glyph(sign)+" "+sign.Label, fmt.Sprint(len(row.Attempts)), worker, why(v, row))
	}
	return t.Write(a.io.Out, st)
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

func outputFlag(c *cobra.Command, form *string, def, choices string) {
	c.Flags().StringVarP(form, "output", "o", def, "form of the output: "+choices)
}

// nonNil is never null in JSON.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
