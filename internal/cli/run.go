package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/progress"
	"github.com/chargehand/chargehand/internal/cli/report"
)

// A runForm is what the flags of "run" say.
type runForm struct {
	orderForm
	models   modelForm
	planOnly bool
	strict   bool
	texts    bool
	detach   bool
	output   string
}

func (a *app) runCommand() *cobra.Command {
	var f runForm
	long := "Plan, supervise and wait. Each file is a run of its own; all go on at once, and the results come in\n" +
		"the order of the files; with -o json several are one array. The exit code is the highest of all runs:\n" +
		"see chargehand help exit-codes.\n\nReady-made teams:\n"
	for _, name := range slices.Sorted(maps.Keys(a.Teams)) {
		long += fmt.Sprintf("  %-18s %s\n", name, a.Teams[name].Summary)
	}
	c := &cobra.Command{
		Use: "run TEAM|TEAM.yaml [FILE...|-]", Short: "Run a team on documents, and wait for the results", Long: long,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error { return a.run(c, f, given[0], given[1:]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.budget, "budget", "", "most that each run may spend, in dollars")
	fl.StringVar(&f.deadline, "deadline", "", "when each run must end, from its start, such as 30m")
	fl.StringVar(&f.title, "title", "", "title of the run (default the file's name)")
	fl.StringVar(&f.goal, "goal", "", "what to do (default the team's description)")
	fl.StringVar(&f.plan, "plan", "", "file with a plan to follow instead of the team's planner")
	fl.StringVar(&f.tenant, "tenant", "", "tenant that the runs are for")
	fl.StringArrayVar(&f.inputs, "input", nil, "input as key=value; may be given more than once")
	f.models.register(fl)
	fl.BoolVar(&f.planOnly, "plan-only", false, "show the plan and start nothing")
	fl.BoolVar(&f.detach, "detach", false, "start the runs, leave them to a process in the background, and return")
	fl.BoolVar(&f.strict, "strict", false, "exit with 3 where anything was accepted with low confidence")
	textsFlag(c, &f.texts)
	a.outputFlag(c, &f.output, a.resultForms()...)
	return c
}

func (a *app) run(c *cobra.Command, f runForm, name string, files []string) error {
	r, err := a.team(name)
	if err != nil {
		return err
	}
	if err := r.enabled(f.tenant); err != nil {
		return err
	}
	if r, err = a.apply(f.models, r); err != nil {
		return err
	}
	docs, err := a.documents(files)
	if err != nil {
		return err
	}
	orders, err := a.orders(r, f.orderForm, docs)
	if err != nil {
		return err
	}
	if f.planOnly {
		return a.placed(r, a.showPlan(c.Context(), &orders[0], f.output))
	}
	if f.detach {
		return a.placed(r, a.detach(c.Context(), orders, c.Flags(), f.output))
	}
	j := a.journey(f.strict)
	j.texts = f.texts
	return j.finish(a.placed(r, j.start(c.Context(), orders, f.output)))
}

// start begins all runs, follows them and writes their results.
func (j *journey) start(ctx context.Context, orders []chargehand.Order, form string) error {
	if err := j.open(ctx, Taking{}); err != nil {
		return err
	}
	stop := j.signals.start()
	err := j.begin(ctx, orders)
	if err == nil {
		err = j.follow(ctx)
	}
	stop()
	if err != nil || j.stopped() {
		return err
	}
	return j.results(ctx, form)
}

// begin starts a run for each order, or none of them.
func (j *journey) begin(ctx context.Context, orders []chargehand.Order) error {
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer j.signals.peek(func(s os.Signal) { cancel(signalled(s)) })()
	for i := range orders {
		id, err := j.session.Start(asking, orders[i])
		if err != nil {
			j.abandon(ctx)
			return cmp.Or(context.Cause(asking), err)
		}
		source := ""
		if docs := orders[i].Objective.Documents; len(docs) > 0 && len(orders) > 1 {
			source = docs[0].Name
		}
		j.runs = append(j.runs, &progress.Run{ID: id, Source: source})
	}
	if why := context.Cause(asking); why != nil && !j.signals.on {
		j.abandon(ctx)
		return why
	}
	return nil
}

// abandon cancels what was started before an order was refused.
func (j *journey) abandon(ctx context.Context) {
	for _, r := range j.runs {
		err := j.session.Control(ctx, r.ID, chargehand.Control{Verb: chargehand.Cancel, By: me(), Reason: "another run of the same command could not be started"})
		if err != nil {
			fmt.Fprintf(j.app.io.Err, "warning: %s goes on: %v\n", r.ID, err)
		}
	}
	j.runs = nil
}

// results writes the result of every run, in the order of the orders.
func (j *journey) results(ctx context.Context, form string) error {
	var results []*chargehand.Result
	var stands []chargehand.Sign
	for _, r := range j.runs {
		if r.View.RunID == "" {
			continue
		}
		result, err := j.session.Result(ctx, r.ID)
		if err != nil {
			return fmt.Errorf("read the result of %s: %w", r.ID, err)
		}
		results, stands = append(results, result), append(stands, r.View.Sign())
	}
	return j.app.showResults(results, stands, form, len(j.runs) > 1)
}

// showResults writes results; stands says how their runs stand, for those that have not ended. Together
// they are one array in JSON and YAML.
func (a *app) showResults(results []*chargehand.Result, stands []chargehand.Sign, form string, together bool) error {
	if len(results) == 0 {
		return nil
	}
	documents := make([]resultDocument, len(results))
	for i, r := range results {
		documents[i] = documentOf(r)
	}
	p := page{value: documents[0], names: names(results, func(r **chargehand.Result) string { return (*r).RunID })}
	if together {
		p.value = documents
	}
	for _, d := range documents {
		p.lines = append(p.lines, d)
	}
	p.text = func() error {
		for i, r := range results {
			if err := a.writeResult(r, stands[i], form); err != nil {
				return fmt.Errorf("write the result of %s: %w", r.RunID, err)
			}
		}
		return nil
	}
	return a.show(form, p)
}

// A resultDocument is a result as a program reads it: its lists are never null.
type resultDocument struct {
	SchemaVersion int `json:"schema_version"`
	chargehand.Result
}

func documentOf(r *chargehand.Result) resultDocument {
	d := resultDocument{1, *r}
	d.Items, d.Gaps, d.Conflicts = nonNil(d.Items), nonNil(d.Gaps), nonNil(d.Conflicts)
	d.LowConfidence, d.MissingEvidence, d.OpenQuestions = nonNil(d.LowConfidence), nonNil(d.MissingEvidence), nonNil(d.OpenQuestions)
	d.Decisions, d.Provenance = nonNil(d.Decisions), nonNil(d.Provenance)
	if d.Cost.ByPhase == nil {
		d.Cost.ByPhase = map[string]chargehand.Micros{}
	}
	return d
}

// resultForms are the forms of a result. A terminal shows its text by default, a file gets Markdown.
func (a *app) resultForms() []string {
	forms := []string{"md", "text", "html", "table", "json", "jsonl", "yaml", "name"}
	if isTerminal(a.io.Out) {
		forms[0], forms[1] = forms[1], forms[0]
	}
	return forms
}

// writeResult writes a result for people.
func (a *app) writeResult(r *chargehand.Result, stands chargehand.Sign, form string) error {
	switch form {
	case "table":
		return report.Table(a.io.Out, r, stands, a.screen(a.io.Out))
	case "html":
		return report.HTML(a.io.Out, r, stands)
	case "text":
		return report.Text(a.io.Out, r, stands, a.screen(a.io.Out))
	}
	return report.Markdown(a.io.Out, r, stands)
}
