package cli

import (
	"cmp"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) workersCommand() *cobra.Command {
	return group("workers", "Look at workers, and try one by hand", a.workerListCommand(), a.workerGetCommand(), a.workerLintCommand(), a.workerTestCommand())
}

func (a *app) workerListCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "list [TEAM|TEAM.yaml]", Short: "List how the workers fare, or those that a team declares", Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if len(given) == 1 {
				return a.writeSpecs(given[0], form)
			}
			return a.fleet(c, func(workers []chargehand.WorkerStatus) error { return a.writeFleet(workers, form) })
		},
	}
	a.outputFlag(c, &form, "table", "wide", "json", "yaml", "name")
	return c
}

func (a *app) fleet(c *cobra.Command, write func([]chargehand.WorkerStatus) error) error {
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		workers, err := s.Fleet(ctx)
		if err != nil {
			return err
		}
		return write(workers)
	})
}

func (a *app) writeFleet(workers []chargehand.WorkerStatus, form string) error {
	return a.show(form, page{
		value: map[string]any{"schema_version": 1, "workers": nonNil(workers)},
		names: names(workers, func(w *chargehand.WorkerStatus) string { return w.Worker }),
		text:  func() error { return a.tabulateFleet(workers, form) },
	})
}

func (a *app) tabulateFleet(workers []chargehand.WorkerStatus, form string) error {
	if len(workers) == 0 {
		fmt.Fprintln(a.io.Err, "no worker was used in this data folder yet")
		return nil
	}
	t := term.Table{Head: []string{"WORKER", "BUSY", "INSTANCES", "QUEUED", "BREAKER", "HEALTH", "CALLS", "FAILED", "AVERAGE", "ALERTS"}}
	for i := range workers {
		w := &workers[i]
		average := "unknown"
		if w.AverageMS > 0 {
			average = term.Span(time.Duration(w.AverageMS) * time.Millisecond)
		}
		t.Add(w.Worker, fmt.Sprintf("%d/%d", w.Active, w.Slots*max(1, w.Instances)), fmt.Sprint(max(1, w.Instances)), fmt.Sprint(w.Queued), string(w.Breaker), health(w),
			fmt.Sprint(w.Calls), fmt.Sprint(w.Failures), average, strings.Join(w.Alerts, ", "))
	}
	return a.writeTable(form, &t, "INSTANCES")
}

func health(w *chargehand.WorkerStatus) string {
	switch {
	case w.Drained:
		return "drained"
	case w.Healthy:
		return "well"
	}
	return "unwell"
}

func (a *app) writeSpecs(name, form string) error {
	r, err := a.team(name)
	if err != nil {
		return err
	}
	return a.show(form, page{
		value: map[string]any{"schema_version": 1, "workers": nonNil(r.Team.Workers)},
		names: names(r.Team.Workers, func(w *chargehand.WorkerSpec) string { return w.WorkerID }),
		text:  func() error { return a.tabulateSpecs(r.Team.Workers, form) },
	})
}

func (a *app) tabulateSpecs(workers []chargehand.WorkerSpec, form string) error {
	t := term.Table{Head: []string{"WORKER", "KIND", "TIER", "SLOTS", "COST", "AVERAGE", "RISK", "MODEL", "CAPABILITIES"}}
	for i := range workers {
		w := &workers[i]
		tier, average := "any", "unknown"
		if w.Tier > 0 {
			tier = fmt.Sprint(w.Tier)
		}
		if w.AverageLatencyMS > 0 {
			average = term.Span(w.Latency())
		}
		t.Add(w.ID(), kind(w), tier, fmt.Sprint(w.Slots()), callPrice(w), average, string(cmp.Or(w.MaxRiskLevel, chargehand.RiskLow)), w.Model, strings.Join(w.Capabilities, ", "))
	}
	return a.writeTable(form, &t, "RISK", "MODEL")
}

// callPrice is what a call of the worker costs, as far as it says.
func callPrice(w *chargehand.WorkerSpec) string {
	switch {
	case w.Free:
		return "free"
	case w.CostPerCallEstimateUSD == 0:
		return "unknown"
	}
	return term.Money(w.CostPerCallEstimateUSD)
}

func kind(w *chargehand.WorkerSpec) string {
	if w.Kind == "" {
		return string(chargehand.KindFunc)
	}
	return string(w.Kind)
}

func (a *app) workerGetCommand() *cobra.Command {
	var team, form string
	c := &cobra.Command{
		Use: "get WORKER", Short: "Show one worker: how it fares, or what a team declares of it", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if team != "" {
				return a.spec(team, given[0], form)
			}
			return a.fleet(c, func(workers []chargehand.WorkerStatus) error {
				for i := range workers {
					if workers[i].Worker == given[0] {
						return a.show(form, page{value: workers[i], names: given})
					}
				}
				return noWorker(given[0], "in the fleet of this data folder", "chargehand workers list")
			})
		},
	}
	c.Flags().StringVar(&team, "team", "", "show the declaration in this team or team file")
	a.outputFlag(c, &form, "json", "yaml", "name")
	return c
}

func (a *app) spec(team, id, form string) error {
	r, err := a.team(team)
	if err != nil {
		return err
	}
	w, err := declared(&r.Team, team, id)
	if err != nil {
		return err
	}
	return a.show(form, page{value: w, names: []string{w.WorkerID}})
}

func noWorker(id, where, next string) error {
	return &chargehand.Error{Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no worker %q %s", id, where), Next: next}
}

func (a *app) workerLintCommand() *cobra.Command {
	return &cobra.Command{
		Use: "lint TEAM|TEAM.yaml", Short: "Check the workers of a team, and that programs they need are there", Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := a.team(given[0])
			if err != nil {
				return err
			}
			if problems := reach(&r.Team); len(problems) > 0 {
				return &chargehand.Error{Code: chargehand.CodeInvalid, What: "not every worker of " + given[0] + " can be reached", Problems: problems}
			}
			return a.lint(given[0], r, "$.workers", term.Count(len(r.Team.Workers), "worker"))
		},
	}
}

// reach finds exec workers whose program is not there.
func reach(t *chargehand.Team) []chargehand.Problem {
	var problems []chargehand.Problem
	for i := range t.Workers {
		x := t.Workers[i].Exec
		if x == nil || len(x.Command) == 0 {
			continue
		}
		if _, err := exec.LookPath(x.Command[0]); err != nil {
			problems = append(problems, chargehand.Problem{
				Path: fmt.Sprintf("$.workers[%d].exec.command[0]", i), Message: fmt.Sprintf("the program %q cannot be started: %v", x.Command[0], err),
			})
		}
	}
	return problems
}
