package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) reviewCommand() *cobra.Command {
	return group("review", "See what waits for a decision, and decide", a.reviewsCommand(), a.nextCommand(), a.sheetCommand(), a.approveCommand(), a.sendBackCommand(), a.settleCommand(), a.rejectCommand())
}

func (a *app) reviewsCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "list", Short: "List the reviews that wait, the next deadline first", Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.with(ctx, func(s *session) error {
				reviews, err := s.Reviews(ctx)
				if err != nil {
					return err
				}
				return a.writeReviews(reviews, form)
			})
		},
	}
	a.outputFlag(c, &form, "table", "wide", "json", "yaml", "name")
	return c
}

func (a *app) writeReviews(reviews []chargehand.Review, form string) error {
	return a.show(form, page{
		value: map[string]any{"schema_version": 1, "reviews": nonNil(reviews)},
		names: names(reviews, func(r *chargehand.Review) string { return r.ID }),
		text:  func() error { return a.tabulateReviews(reviews, form) },
	})
}

func (a *app) tabulateReviews(reviews []chargehand.Review, form string) error {
	if len(reviews) == 0 {
		fmt.Fprintln(a.io.Err, "nothing waits for a decision")
		return nil
	}
	now := time.Now()
	t := term.Table{Head: []string{"REVIEW", "RISK", "RUN", "SUBTASK", "DUE", "AUTO", "SUBJECT", "CAUSE", "POLICY", "WHAT"}, Wrap: true}
	for i := range reviews {
		r := &reviews[i]
		due := fmt.Sprintf("%s (%s)", term.TimeOfDay(r.Due(), now), term.Span(r.Due().Sub(now)))
		risk := r.Risk
		if risk == "" {
			risk = chargehand.RiskLow
		}
		auto := string(r.Auto)
		if !r.RunEnds.IsZero() {
			auto = "run ends"
		}
		t.Add(r.ID, string(risk), r.RunID, r.TaskID, due, auto, string(r.Subject), string(r.Cause), r.Policy, r.Description)
	}
	return a.writeTable(form, &t, "SUBJECT", "CAUSE", "POLICY")
}

// A sheetForm is what the flags of "review show" say.
type sheetForm struct {
	around int
	raw    bool
	output string
}

func (a *app) sheetCommand() *cobra.Command {
	var f sheetForm
	c := &cobra.Command{
		Use: "show REVIEW", Short: "Show what is to be decided, with the lines of the source it is about", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			return a.showReview(c, f, func(ctx context.Context, s *session) (*chargehand.Review, error) { return review(ctx, s, given[0]) })
		},
	}
	f.register(a, c)
	return c
}

// nextCommand shows the review that is due first.
func (a *app) nextCommand() *cobra.Command {
	var f sheetForm
	c := &cobra.Command{
		Use: "next", Short: "Show the review that is due first", Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.showReview(c, f, func(ctx context.Context, s *session) (*chargehand.Review, error) {
				waiting, err := s.Reviews(ctx)
				if err != nil || len(waiting) == 0 {
					return nil, err
				}
				return &waiting[0], nil
			})
		},
	}
	f.register(a, c)
	return c
}

func (f *sheetForm) register(a *app, c *cobra.Command) {
	c.Flags().IntVar(&f.around, "source-lines", 3, "lines of a source before and after a passage")
	c.Flags().BoolVar(&f.raw, "raw", false, "show the output as it is")
	a.outputFlag(c, &f.output, "table", "json", "yaml", "name")
}

// showReview shows the review that which finds, or says that there is none.
func (a *app) showReview(c *cobra.Command, f sheetForm, which func(context.Context, *session) (*chargehand.Review, error)) error {
	if f.around < 0 {
		return usage("--source-lines cannot be negative", "")
	}
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		r, err := which(ctx, s)
		if err != nil {
			return err
		}
		if r == nil {
			fmt.Fprintln(a.io.Err, "nothing waits for a decision")
			return nil
		}
		return a.show(f.output, page{value: r, names: []string{r.ID}, text: func() error { return a.writeSheet(ctx, s, r, f) }})
	})
}

func (a *app) writeSheet(ctx context.Context, s *session, r *chargehand.Review, f sheetForm) error {
	v, err := s.Run(ctx, r.RunID)
	if err != nil {
		return err
	}
	sheet, err := sheet(ctx, s, v, r)
	if err != nil {
		return err
	}
	sheet.Around, sheet.Raw = f.around, f.raw
	return sheet.Write(a.io.Out, a.screen(a.io.Out))
}

// recent is how many runs are searched for a review that no longer waits.
const recent = 50

// review is the review of that id or unique prefix, decided ones of the newest runs included.
func review(ctx context.Context, s *session, id string) (*chargehand.Review, error) {
	waiting, err := s.Reviews(ctx)
	if err != nil {
		return nil, err
	}
	if r, err := match(waiting, id); r != nil || err != nil {
		return r, err
	}
	runs, err := s.Runs(ctx, chargehand.Filter{Limit: recent})
	if err != nil {
		return nil, err
	}
	for i := range runs {
		v, err := s.Run(ctx, runs[i].RunID)
		if err != nil {
			return nil, err
		}
		if r, err := match(v.Reviews, id); r != nil || err != nil {
			return r, err
		}
	}
	return nil, &chargehand.Error{
		Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no review %q", id),
		Why: fmt.Sprintf("none that waits, and none in the newest %d runs", recent), Next: "chargehand review list",
	}
}

func match(reviews []chargehand.Review, id string) (*chargehand.Review, error) {
	var found *chargehand.Review
	for i := range reviews {
		switch r := &reviews[i]; {
		case r.ID == id:
			return r, nil
		case id == "" || !strings.HasPrefix(r.ID, id):
		case found != nil:
			return nil, &chargehand.Error{
				Code: chargehand.CodeNotFound, What: fmt.Sprintf("%q is not one review", id),
				Why: fmt.Sprintf("%s and %s both begin so", found.ID, r.ID), Next: "give more of its id",
			}
		default:
			found = r
		}
	}
	return found, nil
}

// sheet gathers what there is to see about a review.
func sheet(ctx context.Context, s *session, v *chargehand.View, r *chargehand.Review) (*report.Sheet, error) {
	c, err := checked(ctx, s, v, r.OutputRef, r.VerdictRef, r.Evidence)
	sh := &report.Sheet{Review: r, Run: v, Checked: c, Now: time.Now()}
	if err != nil {
		return sh, err
	}
	for _, row := range v.Rows {
		if row.ID == r.TaskID && r.Subject == chargehand.SubjectOutput {
			sh.Prior = earlier(row, r.Attempt)
		}
	}
	if sh.Prior != nil {
		sh.Before, err = content(ctx, s, "the output before", sh.Prior.Output)
	}
	return sh, err
}

// checked gathers an output, the gate's verdict on it, and the documents that its findings point
// into, those of the record included. A hash that is empty names nothing.
func checked(ctx context.Context, s *session, v *chargehand.View, output, verdict string, issues []chargehand.Finding) (report.Checked, error) {
	c := report.Checked{Sources: map[string]report.Source{}, Around: 3}
	var err error
	if c.Output, err = content(ctx, s, "the output", output); err != nil {
		return c, err
	}
	b, err := content(ctx, s, "the verdict", verdict)
	if err != nil {
		return c, err
	}
	if b != nil {
		c.Verdict = new(chargehand.Verdict)
		if err := json.Unmarshal(b, c.Verdict); err != nil {
			return c, fmt.Errorf("read the verdict: %w", err)
		}
		issues = slices.Concat(issues, c.Verdict.Issues)
	}
	for i := range issues {
		if p := issues[i].Source; p != nil {
			if err := source(ctx, s, v, p.Document, c.Sources); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// content is what a hash names; nil where it is empty.
func content(ctx context.Context, s *session, what, hash string) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	b, err := s.Blob(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return b, nil
}

// source reads a document of the run once. A passage in anything else is shown by its quote.
func source(ctx context.Context, s *session, v *chargehand.View, hash string, into map[string]report.Source) error {
	if _, there := into[hash]; there {
		return nil
	}
	for _, d := range v.Objective.Documents {
		if d.Hash != hash {
			continue
		}
		b, err := content(ctx, s, d.Name, hash)
		if err != nil {
			return err
		}
		into[hash] = report.Source{Name: d.Name, Text: string(b)}
	}
	return nil
}

// shown is a review's sheet as text, for a person who follows the run.
func (a *app) shown(ctx context.Context, s *session, v *chargehand.View, r *chargehand.Review, decides bool) string {
	sh, err := sheet(ctx, s, v, r)
	if err != nil {
		return fmt.Sprintf("%s waits for a decision: chargehand review show %s\n", term.Line(r.Description), term.Line(r.ID))
	}
	sh.Brief = decides
	var b strings.Builder
	b.WriteString("\n")
	if err := sh.Write(&b, a.screen(a.io.Err)); err != nil {
		return ""
	}
	if decides {
		return b.String() + "\n"
	}
	return b.String() + "Decide in another terminal; this one goes on as soon as you have.\n\n"
}
