package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/compare"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/progress"
	"github.com/chargehand/chargehand/internal/cli/report"
)

func (a *app) diffCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "diff RUN RUN", Short: "Show in what two runs differ",
		Long: "Show in what two runs differ: objective, team and plan, and of each subtask its state, workers, attempts, cost,\n" +
			"verdicts and output, and the result. Ids, moments and lengths of time are not compared.\n\n" +
			"Exits with 0 if the runs are the same, and with 1 if they differ.",
		Args: args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.with(ctx, func(s *session) error { return a.diff(ctx, s, given[0], given[1], form) })
		},
	}
	a.outputFlag(c, &form, "table", "json", "yaml")
	return c
}

func (a *app) diff(ctx context.Context, s *session, one, other string, form string) error {
	x, err := side(ctx, s, one)
	if err != nil {
		return err
	}
	y, err := side(ctx, s, other)
	if err != nil {
		return err
	}
	r := compare.Of(x, y)
	named := func(v *chargehand.View) map[string]any {
		return map[string]any{"runId": v.RunID, "title": v.Title, "state": v.State}
	}
	sign := func(v *chargehand.View) chargehand.Sign { return progress.Sign(v, !s.supervised) }
	err = a.show(form, page{
		value: map[string]any{
			"schema_version": 1, "same": r.Same(), "a": named(x.View), "b": named(y.View),
			"run": r.Run, "team": r.Team, "subtasks": r.Subtasks, "result": r.Result, "alike": r.Alike,
		},
		text: func() error { return report.Diff(a.io.Out, x.View, y.View, r, sign, a.screen(a.io.Out)) },
	})
	if err == nil && !r.Same() {
		err = &exit.Error{Code: exit.Different}
	}
	return err
}

// side reads what is compared of a run. Content that is not to be had is compared by its hash alone.
func side(ctx context.Context, s *session, id string) (*compare.Side, error) {
	v, err := find(ctx, s, id)
	if err != nil {
		return nil, err
	}
	had := func(hash string) []byte {
		b, err := content(ctx, s, "content", hash)
		if err != nil {
			return nil
		}
		return b
	}
	c := &compare.Side{View: v, Team: had(v.TeamDigest), Output: had}
	if v.State.Final() {
		if c.Result, err = s.Result(ctx, v.RunID); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// earlier is the last attempt at a subtask before one that has an output; nil: there is none.
func earlier(row *chargehand.SubtaskView, before int) *chargehand.AttemptView {
	for i := range slices.Backward(row.Attempts) {
		if at := &row.Attempts[i]; at.Attempt < before && at.Output != "" {
			return at
		}
	}
	return nil
}
