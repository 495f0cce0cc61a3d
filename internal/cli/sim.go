package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/sim"
)

// simFlags are those of the simulator.
type simFlags struct {
	form     string
	runs     int
	seed     uint64
	faults   string
	team     string
	jobs     int
	run      string
	alone    bool
	subtasks int
	script   string
	trace    bool
	explore  bool
	depth    int
}

func (a *app) simCommand() *cobra.Command {
	var f simFlags
	c := &cobra.Command{
		Use: "sim", Short: "Simulate runs in virtual time, with everything going wrong that can",
		Long: "Simulate supervises made-up runs in virtual time, on the machines and the turn loop that supervise real\n" +
			"ones. Workers, people, clocks and the process itself misbehave as the seed says. What must always hold\n" +
			"is checked after every turn; where it does not, the command that shows it again is printed, and the exit\n" +
			"code is 1. The same seed gives the same runs.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			defer debug.SetGCPercent(debug.SetGCPercent(400)) // worlds are many, small and short-lived
			if f.explore {
				return a.explore(&f)
			}
			return a.simulate(c, &f)
		},
	}
	fs := c.Flags()
	fs.IntVar(&f.runs, "runs", 1_000, "how many runs to simulate, a few of them to each fleet")
	fs.Uint64Var(&f.seed, "seed", 1, "what all that is drawn depends on")
	fs.StringVar(&f.faults, "faults", "all", "what may go wrong, each with a weight: \"crash,late=0.5\", all or none")
	fs.StringVar(&f.team, "team", "", "team to simulate; its workers are made up (default: teams are drawn)")
	fs.IntVar(&f.jobs, "jobs", runtime.NumCPU(), "how much to do at a time; nothing else depends on it")
	fs.StringVar(&f.run, "run", "", "simulate only this run, with those that share its fleet")
	fs.BoolVar(&f.alone, "alone", false, "with --run, which may name several: leave the others of their fleet out")
	fs.IntVar(&f.subtasks, "subtasks", 0, "with --run: cut plans to so many subtasks")
	fs.StringVar(&f.script, "script", "", "with --run: the faults that happen, and no others, as a failure tells them")
	fs.BoolVar(&f.trace, "trace", false, "with --run: tell every turn")
	fs.BoolVar(&f.explore, "explore", false, "go through every order of events of small configurations instead")
	fs.IntVar(&f.depth, "depth", 0, "with --explore: how many events in a row (default: as each configuration says)")
	a.outputFlag(c, &f.form, "table", "json")
	return c
}

func (a *app) simulate(c *cobra.Command, f *simFlags) error {
	faults, err := sim.ParseFaults(f.faults)
	if err != nil {
		return wrongFlag("--faults", err.Error())
	}
	team, err := a.simTeam(f.team)
	if err != nil {
		return err
	}
	began := time.Now()
	var r *sim.Report
	if f.run == "" {
		r, err = sim.Run(sim.Options{Runs: f.runs, Seed: f.seed, Faults: faults, Team: team, Jobs: f.jobs})
	} else {
		var one *sim.Case
		if one, err = f.single(c, faults, team, a.io.Out); err == nil {
			r, err = sim.Replay(one)
		}
	}
	if err != nil {
		return err
	}
	if err := a.writeSim(f.form, r, time.Since(began)); err != nil {
		return err
	}
	if r.Failure != nil || len(r.Missed) > 0 {
		return &exit.Error{Code: exit.Internal}
	}
	return nil
}

// explore goes through every order of events of the small configurations, several at a time.
func (a *app) explore(f *simFlags) error {
	scenes := sim.Scenes()
	surveys, errs := make([]*sim.Survey, len(scenes)), make([]error, len(scenes))
	slots := make(chan struct{}, max(1, f.jobs))
	var wg sync.WaitGroup
	for i, s := range scenes {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			surveys[i], errs[i] = sim.Explore(s, f.depth)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := a.writeSurveys(f.form, surveys); err != nil {
		return err
	}
	if slices.ContainsFunc(surveys, func(s *sim.Survey) bool { return s.Breach != nil }) {
		return &exit.Error{Code: exit.Internal}
	}
	return nil
}

func (a *app) simTeam(name string) (*sim.Team, error) {
	if name == "" {
		return nil, nil
	}
	r, err := a.team(name)
	if err != nil {
		return nil, err
	}
	return &sim.Team{Path: name, Team: r.Team}, nil
}

// single is the world of one run, or those of its runs that are named.
func (f *simFlags) single(c *cobra.Command, faults sim.Faults, team *sim.Team, out io.Writer) (*sim.Case, error) {
	one := &sim.Case{Seed: f.seed, Faults: faults, Team: team, Subtasks: f.subtasks}
	for _, text := range strings.Split(f.run, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, wrongFlag("--run", fmt.Sprintf("%q is no number of a run: they begin at 1", text))
		}
		one.Runs = append(one.Runs, n)
	}
	one.World, _ = sim.World(one.Runs[0])
	for _, n := range one.Runs {
		if world, _ := sim.World(n); world != one.World {
			return nil, wrongFlag("--run", fmt.Sprintf("runs %d and %d share no fleet", one.Runs[0], n))
		}
	}
	if !f.alone {
		one.Runs = nil
	}
	if c.Flags().Changed("script") {
		one.Script = append([]string{}, strings.Fields(f.script)...)
	}
	if f.trace {
		one.Story = out
	}
	return one, nil
}

func wrongFlag(flag, why string) error {
	return &chargehand.Error{Code: chargehand.CodeInvalid, What: "cannot use " + flag, Why: why}
}
