package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/evidence"
)

// A coverageForm is what the flags of "audit coverage" say.
type coverageForm struct {
	since  string
	under  float64
	output string
}

func (a *app) coverageCommand() *cobra.Command {
	var f coverageForm
	c := &cobra.Command{
		Use: "coverage", Short: "Count escalations, and those with all five fields of human oversight on record", Args: args(cobra.NoArgs),
		Long: "Lists what people were asked about: the subtask's description, the worker's output, why it was not simply\n" +
			"accepted, who decided, and what (EU AI Act, Art. 14). One that waits for its decision is listed and not counted.",
		RunE: func(c *cobra.Command, _ []string) error {
			since, err := span(f.since)
			if err != nil {
				return err
			}
			if f.under < 0 || f.under > 100 {
				return usage("--fail-under is a percentage", "give a number from 0 to 100")
			}
			ctx, stop := a.ctx(c)
			defer stop()
			return a.archive(ctx, func(l Archive) error { return a.coverage(ctx, l, since, f) })
		},
	}
	c.Flags().StringVar(&f.since, "since", "30d", "how far back, such as 30d or 12h; by when a run was started")
	c.Flags().Float64Var(&f.under, "fail-under", 0, "exit with 12 where fewer than so many percent of those decided are complete")
	a.outputFlag(c, &f.output, "table", "json")
	return c
}

// span reads a length of time; "d" is a day.
func span(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return 0, usage(fmt.Sprintf("--since cannot be %q", text), "give a length of time such as 30d or 12h")
	}
	return d, nil
}

func (a *app) coverage(ctx context.Context, l Archive, since time.Duration, f coverageForm) error {
	list, runs, err := escalations(ctx, l, time.Now().Add(-since))
	if err != nil {
		return err
	}
	c := evidence.Cover(list)
	if f.output == "json" {
		err = a.writeJSON(struct {
			Schema int `json:"schema_version"`
			Runs   int `json:"runs"`
			evidence.Coverage
			List []evidence.Escalation `json:"list"`
		}{1, runs, c, nonNil(list)})
	} else {
		err = a.writeCoverage(list, runs, c)
	}
	if err != nil {
		return err
	}
	if c.Percent < f.under {
		return &exit.Error{Code: exit.Target, Err: &chargehand.Error{
			What: fmt.Sprintf("%.1f %% of the decided escalations are complete, and %.1f %% are wanted", c.Percent, f.under),
		}}
	}
	return nil
}

// escalations are those of all runs started since a time, the newest run first.
func escalations(ctx context.Context, l Archive, since time.Time) ([]evidence.Escalation, int, error) {
	runs, err := l.Runs(ctx, chargehand.Filter{Limit: 1_000_000})
	if err != nil {
		return nil, 0, err
	}
	var list []evidence.Escalation
	n := 0
	for _, r := range runs {
		if r.StartedAt.Before(since) {
			break
		}
		n++
		var records []chargehand.Record
		for rec, err := range l.Records(ctx, r.RunID, 0, false) {
			if err != nil {
				return nil, 0, err
			}
			records = append(records, rec)
		}
		list = append(list, evidence.Escalations(records)...)
	}
	return list, n, nil
}

func (a *app) writeCoverage(list []evidence.Escalation, runs int, c evidence.Coverage) error {
	st := a.style(a.io.Out)
	fmt.Fprintf(a.io.Out, "%s in %s: %d of %d decided have all five fields (%.1f %%); %d decided by people, %d by policy, %d withdrawn, %d waiting\n",
		term.Count(c.Escalations, "escalation"), term.Count(runs, "run"), c.Complete, c.Escalations-c.Waiting, c.Percent,
		c.People, c.Policy, c.Withdrawn, c.Waiting)
	if len(list) == 0 {
		return nil
	}
	t := term.Table{Head: []string{"RUN", "REVIEW", "LACKS", "REVIEWER", "DECISION", "SUBTASK", "OUTPUT", "WHY"}, Width: a.screen(a.io.Out).Width}
	for _, e := range list {
		who, what := e.Reviewer, e.Decision
		switch {
		case e.Waiting:
			what = "waiting"
		case e.ByPolicy && !e.Withdrawn:
			who = "policy " + who
		}
		output := e.Output
		if len(output) > 15 && strings.HasPrefix(output, "sha256:") {
			output = output[:15]
		}
		t.Add(e.Run, e.Review, strings.Join(e.Missing, ","), who, what, e.Subtask, output, e.Failure)
	}
	return t.Write(a.io.Out, st)
}
