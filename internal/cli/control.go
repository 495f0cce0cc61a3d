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
	var force, texts bool
	c := &cobra.Command{
		Use: string(verb) + " RUN", Short: short, Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if verb == chargehand.Cancel && reason == "" {
				return usage("cancel needs a reason", `say why with --reason "..."`)
			}
			j := a.journey(false)
			j.texts = texts
			return j.finish(j.control(c, given[0], chargehand.Control{Verb: verb, By: me(), Reason: reason}, force))
		},
	}
	c.Flags().StringVarP(&reason, "reason", "r", "", "why, for the record")
	if verb == chargehand.Resume {
		textsFlag(c, &texts)
		c.Flags().BoolVar(&force, "force", false, "go on although workers have other versions now; the run records it")
	}
	return c
}

// control asks something of a run. A run that is resumed in this process is followed: it would
// stand still without it.
func (j *journey) control(c *cobra.Command, id string, what chargehand.Control, force bool) error {
	ctx, stop := j.app.ctx(c)
	defer stop()
	if err := j.open(ctx, Taking{Hold: what.Verb != chargehand.Resume, Force: force}); err != nil {
		return err
	}
	v, err := find(ctx, j.session, id)
	if err != nil {
		return err
	}
	if what.Verb == chargehand.Cancel && j.app.asks() && !j.app.flags.yes {
		if err := j.app.confirm(fmt.Sprintf("Cancel %s? %s under way stop.", v.RunID, under(v))); err != nil {
			return err
		}
	}
	// A run whose process has ended is not paused: it goes on since somebody has the folder.
	abandoned := what.Verb == chargehand.Resume && v.State == chargehand.RunRunning && j.session.owner
	if !abandoned {
		if err := j.session.Control(ctx, v.RunID, what); err != nil {
			return err
		}
	}
	fmt.Fprintf(j.app.io.Err, "%s: %s\n", v.RunID, past[what.Verb])
	if what.Verb == chargehand.Cancel {
		return settled(ctx, j.session, v.RunID)
	}
	if what.Verb != chargehand.Resume || !j.session.owner {
		return nil
	}
	stop()
	j.runs = []*progress.Run{{ID: v.RunID}}
	return j.follow(c.Context())
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
			return nil // it takes longer: whoever supervises the run next puts it together
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
	chargehand.Pause: "paused", chargehand.Resume: "resumed", chargehand.Cancel: "cancelled",
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
