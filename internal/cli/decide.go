package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/regular"
)

// An answer is what the flags of a decision say.
type answer struct {
	approve bool
	back    bool
	hash    string
	reason  string
	plan    string // file with a plan to approve instead

	settled chargehand.Settlement
	output  string // file with the output of a write that happened
}

func (a *app) approveCommand() *cobra.Command {
	f := answer{approve: true}
	c := &cobra.Command{
		Use: "approve REVIEW", Short: "Accept what a review is about", Args: args(cobra.ExactArgs(1)),
		Long: "Accept what a review is about. A script must name the content that it approves with --hash, so that it\ncannot approve what it has not seen; on a terminal the hash is shown and asked about once.",
		RunE: func(c *cobra.Command, given []string) error { return a.answer(c, given[0], f) },
	}
	c.Flags().StringVar(&f.hash, "hash", "", "hash of the content that is approved, or its first 8 digits or more")
	c.Flags().StringVarP(&f.reason, "reason", "r", "", "why, for the record")
	c.Flags().StringVar(&f.plan, "plan", "", "file with a plan to follow instead of the one the review is about")
	return c
}

func (a *app) sendBackCommand() *cobra.Command {
	f := answer{back: true}
	c := &cobra.Command{
		Use: "send-back REVIEW", Short: "Have what a review is about done again", Args: args(cobra.ExactArgs(1)),
		Long: "Have what a review is about done again: the next attempt gets the reason. An output uses up an attempt;\na plan goes back to its planner.",
		RunE: func(c *cobra.Command, given []string) error {
			if strings.TrimSpace(f.reason) == "" {
				return usage("send-back needs a reason", `say what is to be done otherwise with --reason "..."`)
			}
			return a.answer(c, given[0], f)
		},
	}
	c.Flags().StringVar(&f.hash, "hash", "", "hash of the content that is sent back")
	c.Flags().StringVarP(&f.reason, "reason", "r", "", "what is to be done otherwise")
	return c
}

func (a *app) settleCommand() *cobra.Command {
	var f answer
	var not, up bool
	c := &cobra.Command{
		Use: "settle REVIEW", Short: "Say what became of a write whose outcome is not known", Args: args(cobra.ExactArgs(1)),
		Long: "Say what became of a write that a crash interrupted. If it happened, its output is needed, and the gate checks\n" +
			"it. If it did not, it is done again as another attempt. To give it up is to reject the review.",
		Example: "  chargehand review settle rev_91ab --happened receipt.json --reason \"the bank shows it\"\n" +
			"  chargehand review settle rev_91ab --did-not-happen",
		RunE: func(c *cobra.Command, given []string) error {
			switch {
			case f.output != "" && !not && !up:
				f.settled = chargehand.SettledHappened
			case not && !up && f.output == "":
				f.settled = chargehand.SettledNot
			case !up || not || f.output != "":
				return usage("settle needs one of --happened, --did-not-happen and --give-up", "see: chargehand review settle --help")
			case strings.TrimSpace(f.reason) == "":
				return usage("--give-up needs a reason", `say why with --reason "..."`)
			}
			return a.answer(c, given[0], f)
		},
	}
	c.Flags().StringVar(&f.output, "happened", "", "it happened: `FILE` with its output as JSON, - for standard input")
	c.Flags().BoolVar(&not, "did-not-happen", false, "it did not happen: do it again")
	c.Flags().BoolVar(&up, "give-up", false, "leave it out of the result, whatever happened")
	c.Flags().StringVar(&f.hash, "hash", "", "hash of the content that the review shows")
	c.Flags().StringVarP(&f.reason, "reason", "r", "", "why, for the record")
	return c
}

// happened is the output in a file, for a write that happened; nil where there is none.
func (a *app) happened(f answer) (json.RawMessage, error) {
	if f.output == "" {
		return nil, nil
	}
	in := a.io.In
	if f.output != "-" {
		file, err := regular.Open(f.output)
		if err != nil {
			return nil, usage("the output cannot be read: "+err.Error(), "name a file with --happened")
		}
		defer file.Close()
		in = file
	}
	b, err := io.ReadAll(io.LimitReader(in, maxGiven+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the output: %w", err)
	case len(b) > maxGiven:
		return nil, usage("the output is too large", fmt.Sprintf("give at most %d bytes", maxGiven))
	case !json.Valid(b):
		return nil, usage("the output in "+f.output+" is not JSON", "write it as JSON, a text in quotation marks")
	}
	return b, nil
}

const maxGiven = 4 << 20 // bytes of an output, as much as a contract lets through that says nothing

func (a *app) rejectCommand() *cobra.Command {
	var f answer
	c := &cobra.Command{
		Use: "reject REVIEW", Short: "Refuse what a review is about", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if strings.TrimSpace(f.reason) == "" {
				return usage("reject needs a reason", `say why with --reason "..."`)
			}
			return a.answer(c, given[0], f)
		},
	}
	c.Flags().StringVar(&f.hash, "hash", "", "hash of the content that is rejected")
	c.Flags().StringVarP(&f.reason, "reason", "r", "", "why, for the record and for the person or program that corrects it")
	return c
}

func (a *app) answer(c *cobra.Command, id string, f answer) error {
	if f.approve && f.hash == "" && !a.asks() {
		return usage("approve needs the hash of what is approved", "see it with: chargehand review show "+id+"; then give it with --hash")
	}
	ctx, stop := a.ctx(c)
	defer stop()
	return a.deciding(ctx, func(s *session) error {
		r, err := review(ctx, s, id)
		if err != nil {
			return err
		}
		if err := decidable(r, f); err != nil {
			return err
		}
		if f.approve && f.hash == "" && !a.flags.yes {
			if err := a.confirm(fmt.Sprintf("Approve %s, content %s?", term.Line(r.Description), report.Short(r.ContentHash))); err != nil {
				return err
			}
		}
		return a.decide(ctx, s, r, f)
	})
}

func decidable(r *chargehand.Review, f answer) error {
	if d := r.Decision; d != nil {
		return &chargehand.Error{
			Code: chargehand.CodeDecided, What: r.ID + " is decided already", Why: fmt.Sprintf("%s decided it at %s: %s", d.Who(), term.Time(d.Timestamp), d.Outcome()),
			Next: "chargehand review show " + r.ID,
		}
	}
	if f.hash == "" || named(r.ContentHash, f.hash) {
		return nil
	}
	if digits := strings.TrimPrefix(f.hash, "sha256:"); len(digits) < minHash {
		return usage(fmt.Sprintf("--hash %q is too short", f.hash), fmt.Sprintf("give at least %d digits", minHash))
	}
	return &chargehand.Error{
		Code: chargehand.CodeStale, What: r.ID + " is not about that content", Why: "its content is " + report.Short(r.ContentHash) + ", not " + report.Short(f.hash),
		Next: "read it again: chargehand review show " + r.ID,
	}
}

const minHash = 8 // digits of a content hash that name it

func named(content, given string) bool {
	content, given = strings.TrimPrefix(content, "sha256:"), strings.TrimPrefix(given, "sha256:")
	return len(given) >= min(minHash, len(content)) && strings.HasPrefix(content, given)
}

// edit is the plan that a person approves instead; nil for none. Whether it fits the run's team is
// for the engine to say.
func (a *app) edit(f answer) (*chargehand.Plan, error) {
	if f.plan == "" {
		return nil, nil
	}
	return a.LoadPlan(f.plan, func(*chargehand.Plan) []chargehand.Problem { return nil })
}

func (a *app) decide(ctx context.Context, s *session, r *chargehand.Review, f answer) error {
	if err := a.send(ctx, s, r, f); err != nil || s.supervised {
		return err
	}
	if err := settled(ctx, s, r.RunID); err != nil {
		return err
	}
	if v, err := s.Run(ctx, r.RunID); err != nil || !v.State.Final() {
		fmt.Fprintf(a.io.Err, "no process supervises the run; go on with: chargehand runs resume %s\n", r.RunID)
		return err
	}
	return nil
}

// send gives the engine a decision, and says what it made of it.
func (a *app) send(ctx context.Context, s *session, r *chargehand.Review, f answer) error {
	edit, err := a.edit(f)
	if err != nil {
		return err
	}
	output, err := a.happened(f)
	if err != nil {
		return err
	}
	d, err := s.Decide(ctx, chargehand.Decision{
		Settled: f.settled, Output: output,
		ReviewID: r.ID, Approved: f.approve, SendBack: f.back, Approver: me(), ContentHash: r.ContentHash, Nonce: r.Nonce, Comment: f.reason,
		Plan: edit,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.io.Err, "%s: %s by %s\n", r.ID, d.Outcome(), term.Line(d.Approver))
	return nil
}
