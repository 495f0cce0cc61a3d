package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/progress"
)

// A resumeForm is what the flags of "runs resume" say.
type resumeForm struct {
	reason string
	all    bool
	force  bool
	texts  bool
	stay   bool // follow the runs also where another process supervises them, and go on when that ends
}

func (a *app) resumeCommand() *cobra.Command {
	var f resumeForm
	c := &cobra.Command{
		Use: "resume [RUN...]", Short: "Let paused runs go on, and supervise what no process supervises",
		Long: "Let paused runs go on, and supervise runs that no process supervises, because theirs has ended. This process\n" +
			"supervises them until they end. Where another process has the data folder, that one goes on with a paused run.\n" +
			"--all takes up every run that is under way, and leaves paused ones as they are.",
		RunE: func(c *cobra.Command, given []string) error {
			switch {
			case f.all && len(given) > 0:
				return usage("--all is about every run, and runs are named too", "give one of the two")
			case !f.all && len(given) == 0:
				return usage("resume needs a run", "name one or more, or give --all: chargehand runs list shows them")
			}
			j := a.journey(false)
			j.texts = f.texts
			return j.finish(j.resume(c, given, f))
		},
	}
	fl := c.Flags()
	fl.StringVarP(&f.reason, "reason", "r", "", "why, for the record")
	fl.BoolVar(&f.all, "all", false, "every run that is under way; paused ones stay paused")
	fl.BoolVar(&f.force, "force", false, "go on although workers have other versions now; the run records it")
	fl.BoolVar(&f.stay, "stay", false, "follow the runs where another process has the data folder, and take them over when it ends")
	fl.Lookup("stay").Hidden = true // "run --detach" gives it to the process that it starts
	textsFlag(c, &f.texts)
	return c
}

// resume has runs go on, and follows those that would stand still without this process.
func (j *journey) resume(c *cobra.Command, ids []string, f resumeForm) error {
	ctx, stop := j.app.ctx(c)
	defer stop()
	if err := j.open(ctx, Taking{Force: f.force}); err != nil {
		return err
	}
	views, err := j.session.named(ctx, ids)
	if f.all {
		views, err = j.session.underWay(ctx)
	}
	if err != nil {
		return err
	}
	for _, v := range views {
		if err := j.goOn(ctx, v, f); err != nil {
			return err
		}
	}
	if f.all && len(views) == 0 {
		fmt.Fprintln(j.app.io.Err, "no run is under way")
		return nil
	}
	if !j.session.owner && !f.stay {
		return nil
	}
	for _, v := range views {
		j.runs = append(j.runs, &progress.Run{ID: v.RunID})
	}
	stop()
	return j.follow(c.Context())
}

// named are the runs of these ids.
func (s *session) named(ctx context.Context, ids []string) (views []*chargehand.View, err error) {
	for _, id := range ids {
		v, err := find(ctx, s, id)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// underWay are the runs that are neither paused nor ended.
func (s *session) underWay(ctx context.Context) ([]*chargehand.View, error) {
	runs, err := s.Runs(ctx, chargehand.Filter{States: []chargehand.RunState{chargehand.RunPending, chargehand.RunRunning}, Limit: every})
	ids := make([]string, len(runs))
	for i := range runs {
		ids[i] = runs[i].RunID
	}
	if err != nil {
		return nil, err
	}
	return s.named(ctx, ids)
}

const every = 1_000_000 // runs: more than a data folder lists

// goOn lets a run go on. One that is under way needs a process and nothing else: this one, if it has
// the data folder.
func (j *journey) goOn(ctx context.Context, v *chargehand.View, f resumeForm) error {
	if v.State != chargehand.RunRunning {
		err := j.session.Control(ctx, v.RunID, chargehand.Control{Verb: chargehand.Resume, By: me(), Reason: f.reason})
		if err != nil {
			return err
		}
	} else if !j.session.owner && !f.stay && !f.all {
		return &chargehand.Error{
			Code: chargehand.CodeNothing, What: v.RunID + " is not paused", Why: j.app.ownerHere() + " supervises it",
			Next: "follow it with: chargehand runs watch " + v.RunID,
		}
	}
	fmt.Fprintf(j.app.io.Err, "%s: resumed\n", v.RunID)
	return nil
}
