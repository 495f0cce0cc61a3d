package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/progress"
)

func (a *app) controlCommand(verb chargehand.Verb, short string) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: string(verb) + " RUN", Short: short, Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if verb == chargehand.Cancel && reason == "" {
				return usage("cancel needs a reason", `say why with --reason "..."`)
			}
			ctx, stop := a.ctx(c)
			defer stop()
			return a.deciding(ctx, func(s *session) error {
				return a.control(ctx, s, given[0], chargehand.Control{Verb: verb, By: me(), Reason: reason})
			})
		},
	}
	c.Flags().StringVarP(&reason, "reason", "r", "", "why, for the record")
	return c
}

// control asks something of a run.
func (a *app) control(ctx context.Context, s *session, id string, what chargehand.Control) error {
	v, err := find(ctx, s, id)
	if err != nil {
		return err
	}
	if what.Verb == chargehand.Cancel && a.asks() && !a.flags.yes {
		if err := a.confirm(fmt.Sprintf("Cancel %s? %s under way stop.", v.RunID, under(v))); err != nil {
			return err
		}
	}
	if err := s.Control(ctx, v.RunID, what); err != nil {
		return err
	}
	fmt.Fprintf(a.io.Err, "%s: %s\n", v.RunID, past[what.Verb])
	if what.Verb == chargehand.Cancel {
		return settled(ctx, s, v.RunID)
	}
	return nil
}

// settled gives a run a moment to be put together after something was decided about it, as long
// as that takes no worker.
func settled(ctx context.Context, s *session, run string) error {
	if !s.owner {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		v, err := s.Run(ctx, run)
		if ctx.Err() != nil {
			return nil // it takes longer: the next process that supervises the run puts it together
		}
		if err != nil || v.State.Final() || progress.Busy(v) || progress.Parked(v) {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil
		}
	}
}

var past = map[chargehand.Verb]string{
	chargehand.Pause: "paused", chargehand.Cancel: "cancelled",
}

func under(v *chargehand.View) string {
	n := 0
	for _, row := range v.Rows {
		if row.State == chargehand.SubtaskRunning || row.State == chargehand.SubtaskValidating {
			n++
		}
	}
	return fmt.Sprintf("%d of %d subtasks are accepted; %d", v.Accepted, v.Subtasks, n)
}
