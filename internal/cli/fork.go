package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
)

func (a *app) forkCommand() *cobra.Command {
	var at int64
	var form string
	c := &cobra.Command{
		Use: "fork RUN", Short: "Begin a new run from any record of one",
		Long: "Begin a new run from any record of another, which is left as it is. What was accepted up to that record\n" +
			"stays accepted and counts as spent; what came after is done again, writes included. A write under way at\n" +
			"that record, and every open review, goes to a person anew. The records' numbers: chargehand runs logs RUN.\n" +
			"The new run's id is written to standard output.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if c.Flags().Changed("at") && at < 1 {
				return usage("--at must be at least 1", "")
			}
			ctx, stop := a.ctx(c)
			defer stop()
			return a.deciding(ctx, func(s *session) error { return a.fork(ctx, s, given[0], at, form) })
		},
	}
	c.Flags().Int64Var(&at, "at", 0, "number of the record to go on from (default the run's last)")
	a.outputFlag(c, &form, "table", "json")
	return c
}

func (a *app) fork(ctx context.Context, s *session, run string, at int64, form string) error {
	parent, err := find(ctx, s, run)
	if err != nil {
		return err
	}
	id, err := s.Fork(ctx, parent.RunID, chargehand.Fork{Seq: at, By: me()})
	if err != nil {
		return err
	}
	v, err := s.Run(ctx, id)
	if err != nil {
		return err
	}
	if form == "json" {
		return a.writeJSON(struct {
			Schema int                 `json:"schema_version"`
			Run    string              `json:"runId"`
			State  chargehand.RunState `json:"state"`
			Parent *chargehand.Parent  `json:"parent,omitempty"` // the record it goes on from
		}{1, id, v.State, v.Parent})
	}
	fmt.Fprintln(a.io.Out, id)
	if v.Parent != nil {
		fmt.Fprintf(a.io.Err, "forked from record %d of %s; it stays as it is\n", v.Parent.Seq, v.Parent.Run)
	}
	if v.State == chargehand.RunPaused {
		fmt.Fprintf(a.io.Err, "paused, as that run was; go on with: chargehand runs resume %s\n", id)
	} else if s.owner {
		fmt.Fprintf(a.io.Err, "no process supervises it; go on with: chargehand runs resume %s\n", id)
	} else {
		fmt.Fprintf(a.io.Err, "follow it with: chargehand runs watch %s\n", id)
	}
	return nil
}
