package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/progress"
)

func (a *app) watchCommand() *cobra.Command {
	var until string
	var texts bool
	var timeout time.Duration
	c := &cobra.Command{
		Use: "watch RUN", Short: "Follow a run until it ends; Ctrl-C leaves it alone",
		Long: "Follow a run that a process supervises until it ends. To watch a run does not make it go on: where no process\n" +
			"supervises it, watch says so and what to type, and exits with 8.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if err := oneOf("--until", until, "done", "needs-human"); err != nil {
				return err
			}
			j := a.journey(false)
			j.reads, j.timeout, j.texts = true, timeout, texts
			if until == "needs-human" {
				j.until = func(v *chargehand.View) bool { return v.NeedsHuman > 0 }
			}
			return j.finish(j.join(c.Context(), given[0]))
		},
	}
	c.Flags().StringVar(&until, "until", "done", "watch until: done or needs-human")
	c.Flags().DurationVar(&timeout, "timeout", 0, "stop watching after this time, such as 20m")
	choices(c, "until", "done", "needs-human")
	textsFlag(c, &texts)
	return c
}

// textsFlag is the flag of commands that follow runs.
func textsFlag(c *cobra.Command, texts *bool) {
	c.Flags().BoolVar(texts, "texts", false, "show in a log too, as provisional, what workers write while they write it")
}

// join follows a run that is there already. Where no process supervises it, it tells how the run
// stands: to watch a run does not make it go on.
func (j *journey) join(ctx context.Context, id string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer onSignal(func(s os.Signal) { cancel(signalled(s)) })()
	var err error
	if j.session, err = j.app.look(ctx); err != nil {
		return cause(ctx, err)
	}
	v, err := find(ctx, j.session, id)
	if err != nil {
		return cause(ctx, err)
	}
	j.runs = []*progress.Run{{ID: v.RunID}}
	if !j.session.supervised && !v.State.Final() {
		return j.standStill(ctx)
	}
	return j.follow(ctx)
}

// standStill takes the runs as they are, and ends the journey: they wait for a process.
func (j *journey) standStill(ctx context.Context) error {
	for _, r := range j.runs {
		v, err := j.session.Run(ctx, r.ID)
		if err != nil {
			return err
		}
		r.View, r.Err = *v, nil
		if !v.State.Final() {
			j.halted = &exit.Error{Code: exit.Waiting}
		}
	}
	return nil
}

// A logForm is what the flags of "runs logs" say.
type logForm struct {
	follow  bool
	subtask string
	level   string
	since   string
	output  string
}

func (a *app) logsCommand() *cobra.Command {
	var f logForm
	c := &cobra.Command{
		Use: "logs RUN", Short: "Write what happened to a run, one event a line", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error { return a.logs(c, given[0], f) },
	}
	c.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on with what happens, until the run ends")
	c.Flags().StringVar(&f.subtask, "subtask", "", "only this subtask")
	c.Flags().StringVar(&f.level, "level", "info", "only what is at least: info, warn, wait or fail")
	c.Flags().StringVar(&f.since, "since", "", "only what happened since a `TIME`, such as 2026-11-21T14:00:00Z, or in the time up to now, such as 10m or 2h")
	choices(c, "level", "info", "warn", "wait", "fail")
	a.outputFlag(c, &f.output, "plain", "jsonl")
	return c
}

// moment is the time that --since names: a time, or how long before now. It is zero where text is empty.
func moment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, usage(fmt.Sprintf("--since cannot be %q", text), "give a length of time with its unit, such as 10m or 2h, or a time such as 2026-11-21T14:00:00Z")
	}
	return at, nil
}

func (a *app) logs(c *cobra.Command, id string, f logForm) error {
	if err := oneOf("--level", f.level, "info", "warn", "wait", "fail"); err != nil {
		return err
	}
	since, err := moment(f.since, time.Now())
	if err != nil {
		return err
	}
	ctx, stop := a.ctx(c)
	defer stop()
	run := new(progress.Run)
	var out progress.Renderer = progress.NewPlain(a.io.Out, []*progress.Run{run})
	if f.output == "jsonl" {
		out = progress.NewJSONL(a.io.Out)
	}
	write := func(s *session) error {
		v, err := find(ctx, s, cmp.Or(run.ID, id))
		if err != nil {
			return err
		}
		follow := f.follow && !v.State.Final() && s.supervised
		if f.follow && !follow {
			defer a.tellAlone(s, v.RunSummary)
		}
		run.ID = v.RunID
		for rec, err := range s.Records(ctx, run.ID, run.View.Seq, follow) {
			if err != nil {
				return err
			}
			run.View.Apply(rec)
			if !rec.At.Before(since) && progress.About(&run.View, rec, f.subtask, f.level) {
				out.Record(run, rec)
			}
		}
		return context.Cause(ctx)
	}
	for tries := 0; ; tries++ {
		seen := run.View.Seq
		err := a.with(ctx, write)
		if run.View.Seq > seen {
			tries = 0
		}
		// The process that had the run may have ended: what it recorded is in the journal.
		if !f.follow || ctx.Err() != nil || tries == 3 || chargehand.CodeOf(err) != chargehand.CodeUnavailable {
			return err
		}
	}
}
