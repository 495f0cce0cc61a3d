package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/worker"
)

// A trialForm is what the flags of "workers test" say.
type trialForm struct {
	goal     string
	inputs   []string
	aspects  []string
	contract string
	output   string
}

func (a *app) workerTestCommand() *cobra.Command {
	var f trialForm
	c := &cobra.Command{
		Use: "test TEAM|TEAM.yaml WORKER [FILE...]", Short: "Run one task of one worker by hand, and show all of it",
		Long: "Send one task to one worker and show the task, everything that comes back, and the gate's findings.\n" +
			"Nothing is recorded, supervised or tried again. The call is real: a worker that writes does write.\n\n" +
			"Exits with 0 if the gate would accept the output, with 3 if not, and with 5 if the worker fails.",
		Args: args(cobra.MinimumNArgs(2)),
		RunE: func(c *cobra.Command, given []string) error { return a.testWorker(c, given, f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.goal, "goal", "", "what to do (default the team's description)")
	fl.StringArrayVar(&f.inputs, "input", nil, "input as key=value; may be given more than once")
	fl.StringArrayVar(&f.aspects, "aspect", nil, "an aspect that the output must answer; may be given more than once")
	fl.StringVar(&f.contract, "contract", "", "contract of the output (default the worker's, if it declares one)")
	a.outputFlag(c, &f.output, "table", "json", "yaml")
	return c
}

func (a *app) testWorker(c *cobra.Command, given []string, f trialForm) error {
	r, err := a.team(given[0])
	if err != nil {
		return err
	}
	spec, err := declared(&r.Team, given[0], given[1])
	if err != nil {
		return err
	}
	docs, err := a.documents(given[2:])
	if err != nil {
		return err
	}
	task, err := f.task(&r.Team, spec, docs)
	if err != nil {
		return err
	}
	ctx, stop := a.ctx(c)
	defer stop()
	t, err := a.try(ctx, &r.Team, spec, task)
	if err != nil {
		return cause(ctx, err)
	}
	return a.writeTrial(t, f.output)
}

// declared is the team's worker of that name.
func declared(t *chargehand.Team, team, id string) (*chargehand.WorkerSpec, error) {
	if w := t.Worker(id); w != nil {
		return w, nil
	}
	return nil, noWorker(id, "in "+team, "chargehand workers list "+team)
}

// task is what the worker is sent. Its key is new each time, so that a service which keeps its answers
// by key does the work.
func (f *trialForm) task(team *chargehand.Team, spec *chargehand.WorkerSpec, docs []chargehand.Document) (t chargehand.WorkerTask, err error) {
	took := max(2*spec.Latency(), time.Minute) // a person waits, and a busy machine is slow
	t = chargehand.WorkerTask{
		TaskID: "test", RunID: "test", Attempt: 1, AssignedWorker: spec.WorkerID, IdempotencyKey: "test/" + rand.Text(),
		Objective: team.Description, Goal: cmp.Or(f.goal, team.Description), RequiredAspects: f.aspects,
		TimeoutMS: took.Milliseconds(), DeadlineAt: time.Now().Add(took).UTC(),
	}
	for _, d := range docs {
		t.InputRefs = append(t.InputRefs, chargehand.InputRef{
			Hash: chargehand.Hash([]byte(d.Text)), Name: d.Name, MediaType: d.MediaType, Size: int64(len(d.Text)), Text: d.Text,
		})
	}
	if t.Input, err = input(f.inputs); err != nil {
		return t, err
	}
	t.ExpectedOutputContract, err = f.promised(spec)
	return t, err
}

// promised is the contract that the output is checked against; empty accepts any JSON value.
func (f *trialForm) promised(spec *chargehand.WorkerSpec) (string, error) {
	switch all := spec.OutputContracts; {
	case f.contract != "" && len(all) > 0 && !slices.Contains(all, f.contract):
		return "", usage(fmt.Sprintf("%s does not deliver the contract %q", spec.WorkerID, f.contract), "name one of "+strings.Join(all, ", "))
	case f.contract != "" || len(all) == 0:
		return f.contract, nil
	case len(all) > 1:
		return "", usage(spec.WorkerID+" delivers several contracts", "name one with --contract: "+strings.Join(all, ", "))
	default:
		return all[0], nil
	}
}

// try sends the task once, and puts what comes through the gate.
func (a *app) try(ctx context.Context, team *chargehand.Team, spec *chargehand.WorkerSpec, task chargehand.WorkerTask) (*report.Trial, error) {
	g, problems := gate.Compile(team)
	for _, finding := range g.CheckInput(spec.WorkerID, task.Input) {
		problems = append(problems, chargehand.Problem{Path: "--input " + finding.Path, Message: finding.Message})
	}
	if len(problems) > 0 {
		return nil, &chargehand.Error{Code: chargehand.CodeInvalid, What: "nothing was sent to " + spec.WorkerID, Problems: problems}
	}
	w, err := a.byHand(spec)
	if err != nil {
		return nil, err
	}
	sent, err := json.Marshal(task)
	if err != nil {
		return nil, fmt.Errorf("encode the task: %w", err)
	}
	defer a.hideData()()
	ctx, cancel := context.WithDeadline(ctx, task.DeadlineAt)
	defer cancel()
	var x worker.Exchange
	began := time.Now()
	res, err := w.Do(worker.WithExchange(ctx, &x), task)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, context.Cause(ctx)
	}
	t := &report.Trial{
		Worker: spec.ID(), Kind: kind(spec), Isolation: isolationOf(spec), Task: sent, Took: time.Since(began),
		Ended: x.Ended, Answer: x.Answer, Result: res,
	}
	judgeTrial(t, g, task, err)
	return t, nil
}

// byHand is the worker of a registry entry, without an engine around it.
func (a *app) byHand(spec *chargehand.WorkerSpec) (worker.Worker, error) {
	switch spec.Kind {
	case chargehand.KindExec, chargehand.KindHTTP:
		return worker.FromSpec(spec, "")
	case chargehand.KindFunc, "":
		if f := a.Workers[spec.WorkerID]; f != nil {
			return worker.Caught(f), nil
		}
		return nil, usage(spec.WorkerID+" is a Go function, and not part of this program", "test it in Go: call its Do with a chargehand.WorkerTask")
	}
	return nil, usage(fmt.Sprintf("a worker of kind %s needs an engine", spec.Kind), "run a plan with one subtask: chargehand run TEAM.yaml --plan PLAN.yaml")
}

// isolationOf says how a program is kept from this process; empty for what is no program.
func isolationOf(spec *chargehand.WorkerSpec) string {
	if spec.Exec == nil {
		return ""
	}
	if why := sandbox.Exposed(spec.Exec.Isolation); why != "" {
		return "none (" + why + ")"
	}
	if strings.HasPrefix(string(spec.Exec.Isolation), "user:") {
		return string(spec.Exec.Isolation)
	}
	return string(chargehand.IsolationBwrap)
}

// hideData keeps isolated programs from the data folder and its anchor, as an engine does.
func (a *app) hideData() (show func()) {
	dir, err := a.dataDir()
	if err != nil {
		return func() {}
	}
	return sandbox.Hide(dir, a.anchor())
}

// judgeTrial puts what came through the gate. An answer that is no result is for the gate to refuse, as
// in a run; a worker that gave none has failed.
func judgeTrial(t *report.Trial, g *gate.Gate, task chargehand.WorkerTask, err error) {
	e, _ := errors.AsType[*worker.Error](err)
	s := gate.Submission{Contract: task.ExpectedOutputContract, Task: task, Result: t.Result}
	switch {
	case e != nil && e.Kind == worker.Garbage:
		s.Result.Output, s.NoResult = e.Raw, err.Error()
	case err != nil:
		t.Failure = string(worker.KindOf(err)) + ": " + err.Error()
		return
	case t.Result.Status == chargehand.StatusFailed, t.Result.Status == chargehand.StatusBlocked:
		t.Failure = "the worker says " + string(t.Result.Status)
		return
	}
	v := g.Check(s)
	t.Output, t.Verdict = s.Result.Output, &v
	t.Sources = map[string]report.Source{}
	for _, ref := range task.InputRefs {
		t.Sources[ref.Hash] = report.Source{Name: ref.Name, Text: ref.Text}
	}
}

func (a *app) writeTrial(t *report.Trial, form string) error {
	err := a.show(form, page{
		value: map[string]any{
			"schema_version": 1, "worker": t.Worker, "kind": t.Kind, "isolation": t.Isolation, "task": t.Task,
			"ended": t.Ended, "durationMs": t.Took.Milliseconds(), "stdout": string(t.Answer), "stderr": t.Result.Stderr,
			"result": t.Result, "failure": t.Failure, "verdict": t.Verdict, "accepted": t.Accepted(),
		},
		text: func() error { return t.Write(a.io.Out, a.screen(a.io.Out)) },
	})
	switch {
	case err != nil:
		return err
	case t.Failure != "":
		return &exit.Error{Code: exit.Aborted}
	case !t.Accepted():
		return &exit.Error{Code: exit.Gaps}
	}
	return nil
}
