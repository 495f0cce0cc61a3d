package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/progress"
)

// A Demo is the guided story that "chargehand demo" tells (UX.md §4).
type Demo struct {
	Open    func(ctx context.Context, dir string) (Owned, error) // an engine that has the demo's workers
	Order   chargehand.Order
	Task    string                                    // what it is about, in one sentence
	Truth   string                                    // what the report without checks gets wrong
	Correct string                                    // what a person who knows the document tells the worker
	Without func(ctx context.Context) (string, error) // the report a caller without a supervisor makes
}

// demoPerson is who decides in the demo.
const demoPerson = "ana"

type demoForm struct {
	without bool
	decide  string // correct, approve, reject or timeout; empty: ask
}

func (a *app) demoCommand() *cobra.Command {
	var f demoForm
	c := &cobra.Command{
		Use: "demo", Short: "Watch a team review a contract while one worker lies and another stalls", Args: args(cobra.NoArgs),
		Long: "Reviews a sample contract with scripted workers, virtual money and the real engine, gate, deadlines and\n" +
			"ledger. Nothing leaves this machine. It exits with 0 when the story went as told.",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := oneOf("--decide", f.decide, "", "correct", "approve", "reject", "timeout"); err != nil {
				return err
			}
			ctx, stop := a.ctx(c)
			defer stop()
			if f.without {
				return cause(ctx, a.demoWithout(ctx))
			}
			return cause(ctx, a.demo(ctx, f))
		},
	}
	c.AddCommand(a.tamperCommand())
	c.Flags().BoolVar(&f.without, "without-gate", false, "show what a caller without any checks would have reported")
	c.Flags().StringVar(&f.decide, "decide", "", "what to answer when a person is asked: correct, approve, reject or timeout")
	choices(c, "decide", "correct", "approve", "reject", "timeout")
	return c
}

func (a *app) demo(ctx context.Context, f demoForm) error {
	o := a.Parts.Demo.Order
	fmt.Fprintf(a.io.Out, "chargehand demo: scripted workers, virtual money, nothing leaves this machine.\n"+
		"The engine, the checks, the deadlines and the ledger are real.\n"+
		"Task: %s   Budget $%s · policy %s\n\n", a.Parts.Demo.Task, o.Team.Budget.USD, o.Team.Policy.ID())
	dir, err := demoFolder()
	if err != nil {
		return err
	}
	e, err := a.Parts.Demo.Open(ctx, dir)
	if err != nil {
		return err
	}
	t := &telling{app: a, engine: e, form: f, story: progress.Story{Style: a.style(a.io.Out), Width: a.screen(a.io.Out).Width}, out: a.io.Out}
	err = t.tell(ctx, o)
	if err = errors.Join(err, e.Close()); err != nil {
		return err
	}
	return a.afterDemo(ctx, t, dir)
}

func demoFolder() (string, error) {
	dir, err := os.MkdirTemp("", "chargehand-demo-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the demo: %w", err)
	}
	return dir, nil
}

// afterDemo says what became of the run, and checks that the story went as told.
func (a *app) afterDemo(ctx context.Context, t *telling, dir string) error {
	v := &t.view
	code := exit.Of(&v.RunSummary)
	fmt.Fprintln(a.io.Out)
	for _, line := range (progress.Final{View: v, Style: a.style(a.io.Out), Width: a.screen(a.io.Out).Width, Remedy: remedyOf}).Lines() {
		if !strings.HasPrefix(line, "   result") && !strings.HasPrefix(line, "   verify") { // their commands lack the demo's folder; they come below
			fmt.Fprintln(a.io.Out, line)
		}
	}
	fmt.Fprintf(a.io.Out, "   A run that comes out so exits with %d.\n\n", code)
	record, err := a.Verify(ctx, dir, local.AuditOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.io.Out, "%s\n   Change one byte of it, and verify again:\n   chargehand demo tamper\n\n", a.auditLine(record))
	if record.Verdict != audit.Intact {
		return failed("the demo's record is not what was recorded")
	}
	fmt.Fprintf(a.io.Out, "Without the checks the report would have given the lie as the contract's words:\n"+
		"   chargehand demo --without-gate\n"+
		"Look at the run again, and verify its record:\n   chargehand runs result %s --data %s\n   chargehand audit verify --data %s\n"+
		"On your own contract, and then with a team of your own:\n   chargehand run contract-review FILE\n   chargehand init myteam\n", v.RunID, dir, dir)
	if missing := t.missing(); missing != "" {
		return &chargehand.Error{
			Code: chargehand.CodeInternal, What: "the demo did not go as told", Why: missing,
			Next: "a machine under heavy load can do that; run it once more",
		}
	}
	return nil
}

// A telling is the demo under way.
type telling struct {
	app    *app
	engine Owned
	form   demoForm
	story  progress.Story
	view   chargehand.View
	asked  bool
	settle func() // ends the question, where one is asked; nil before
	out    io.Writer
}

func (t *telling) tell(ctx context.Context, o chargehand.Order) error {
	run, err := t.engine.Start(ctx, o)
	if err != nil {
		return err
	}
	for r, err := range t.engine.Records(ctx, run, 0, true) {
		if err != nil {
			return err
		}
		t.view.Apply(r)
		if _, decided := r.Fact.(chargehand.ReviewDecided); decided && t.settle != nil {
			t.settle()
		}
		for _, line := range t.story.Tell(&t.view, r) {
			fmt.Fprintln(t.out, line)
		}
		if progress.Parked(&t.view) && !t.asked {
			t.asked = true
			if err := t.ask(ctx); err != nil {
				return err
			}
		}
	}
	return context.Cause(ctx)
}

// ask shows the review, when everything else is done, and answers it as the flag says, or has the
// person at the terminal do so.
func (t *telling) ask(ctx context.Context) error {
	r := t.view.Reviews[0]
	fmt.Fprintln(t.out)
	for _, line := range t.story.Question(&t.view, &r) {
		fmt.Fprintln(t.out, line)
	}
	fmt.Fprintln(t.out)
	switch {
	case t.form.decide != "" && t.form.decide != "timeout":
		return t.decide(ctx, &r, t.form.decide)
	case t.form.decide == "timeout" || !t.app.asks() || !canType:
		fmt.Fprintln(t.out, "No person answers.")
		return nil
	}
	ctx, t.settle = context.WithCancel(ctx)
	go t.listen(ctx, &r)
	return nil
}

// listen waits for an answer that is typed after the question, until the review is decided.
func (t *telling) listen(ctx context.Context, r *chargehand.Review) {
	line, err := typed(ctx, t.app.io.In, func() {
		fmt.Fprint(t.out, "[c]orrect: send it back with the figure of the contract, to be checked again\n"+
			"[a]pprove it as it is   [r]eject it   [Enter] wait for what the policy does\n> ")
	}, func() error { return nil })
	if err != nil || line == "" {
		return
	}
	for _, answer := range []string{"correct", "approve", "reject"} {
		if strings.HasPrefix(answer, strings.ToLower(line)) {
			if err := t.decide(ctx, r, answer); err != nil && ctx.Err() == nil {
				fmt.Fprintln(t.app.io.Err, err)
			}
			return
		}
	}
	fmt.Fprintln(t.out, "That is none of the answers: the policy decides.")
}

func (t *telling) decide(ctx context.Context, r *chargehand.Review, answer string) error {
	d := chargehand.Decision{
		ReviewID: r.ID, Approved: answer == "approve", SendBack: answer == "correct", Approver: demoPerson,
		ContentHash: r.ContentHash, Nonce: r.Nonce, Comment: "decided in the demo",
	}
	if d.SendBack {
		d.Comment = t.app.Parts.Demo.Correct
	}
	_, err := t.engine.Decide(ctx, d)
	return err
}

// missing names a part of the story that did not happen; empty if all of it did.
func (t *telling) missing() string {
	seen := map[chargehand.Cause]bool{}
	for _, row := range t.view.Rows {
		for _, a := range row.Attempts {
			seen[a.Cause] = true
		}
	}
	switch {
	case !seen[chargehand.CauseQuality]:
		return "no output failed its check"
	case !seen[chargehand.CauseDeadline]:
		return "no worker overran its deadline"
	case len(t.view.Reviews) == 0 || t.view.Reviews[0].Decision == nil:
		return "no person was asked"
	case t.form.decide == "approve" && t.view.State == chargehand.RunFailed:
		return "the run failed although the output was approved: " + t.view.Why
	case t.form.decide == "correct" && t.view.State != chargehand.RunCompleted:
		return "the run is not complete although the output was corrected: " + t.view.Why
	}
	return ""
}

// demoWithout shows the report of a caller that believes every worker.
func (a *app) demoWithout(ctx context.Context) error {
	fmt.Fprintln(a.io.Err, "The same workers, called one after the other by a plain program that checks nothing; the one that stalls is waited for.")
	report, err := a.Parts.Demo.Without(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.io.Out, report)
	fmt.Fprintln(a.io.Err, a.Parts.Demo.Truth+" The same workers under supervision: chargehand demo")
	return nil
}
