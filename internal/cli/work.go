package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/progress"
	"github.com/chargehand/chargehand/internal/cli/report"
)

// A workForm is what the flags of "runs get" say.
type workForm struct {
	subtask    string
	attempt    int
	transcript bool
	raw        bool
	output     string
}

func (a *app) getCommand() *cobra.Command {
	var f workForm
	c := &cobra.Command{
		Use: "get RUN", Short: "Show how a run stands, or what was done about one of its subtasks", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if f.subtask != "" {
				return a.showWork(c, given[0], f)
			}
			if c.Flags().Changed("attempt") || f.transcript || f.raw {
				return usage("--attempt, --transcript and --raw are about a subtask", "name it with --subtask")
			}
			return a.view(c, given[0], f.output, a.writeView)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.subtask, "subtask", "", "what was done about this subtask: its attempts, and the last one whole")
	fl.IntVar(&f.attempt, "attempt", 0, "of that, this attempt instead of the last")
	fl.BoolVar(&f.transcript, "transcript", false, "also what the attempt's worker says it did: of a model, what was said")
	fl.BoolVar(&f.raw, "raw", false, "show output and transcript as they are")
	a.outputFlag(c, &f.output, "table", "json", "yaml", "name")
	return c
}

func (a *app) showWork(c *cobra.Command, id string, f workForm) error {
	ctx, stop := a.ctx(c)
	defer stop()
	return a.with(ctx, func(s *session) error {
		v, err := find(ctx, s, id)
		if err != nil {
			return err
		}
		k, err := work(ctx, s, v, f)
		if err != nil {
			return err
		}
		return a.show(f.output, page{
			value: workJSON(k), names: []string{k.Subtask.ID},
			text: func() error { return k.Write(a.io.Out, a.screen(a.io.Out)) },
		})
	})
}

// work gathers what there is to see about a subtask.
func work(ctx context.Context, s *session, v *chargehand.View, f workForm) (*report.Work, error) {
	row, err := subtask(v, f.subtask)
	if err != nil {
		return nil, err
	}
	k := &report.Work{Run: v, Subtask: row, Sign: progress.RowSign(v, row, !s.supervised)}
	if k.Attempt, err = attempt(row, f.attempt); err != nil || k.Attempt == nil {
		return k, err
	}
	var issues []chargehand.Finding
	for _, verdict := range []*chargehand.Verdict{k.Attempt.Verdict, k.Attempt.Judge} {
		if verdict != nil {
			issues = append(issues, verdict.Issues...)
		}
	}
	if k.Checked, err = checked(ctx, s, v, k.Attempt.Output, k.Attempt.VerdictRef, issues); err != nil {
		return nil, err
	}
	if k.Verdict == nil {
		k.Verdict = k.Attempt.Verdict
	}
	if k.Stderr, err = content(ctx, s, "stderr", k.Attempt.Stderr); err != nil {
		return nil, err
	}
	if k.Raw = f.raw; f.transcript {
		k.Transcript, err = content(ctx, s, "the transcript", k.Attempt.Transcript)
	}
	return k, err
}

// subtask is the run's subtask of that id.
func subtask(v *chargehand.View, id string) (*chargehand.SubtaskView, error) {
	ids := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		if ids[i] = row.ID; row.ID == id {
			return row, nil
		}
	}
	next := "chargehand runs get " + v.RunID + " lists them"
	if near := chargehand.Near(id, ids); near != "" {
		next = "did you mean " + near + "? " + next
	}
	return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: fmt.Sprintf("run %s has no subtask %q", v.RunID, id), Next: next}
}

// attempt is a subtask's attempt of that number, its last for zero; nil if none has begun.
func attempt(row *chargehand.SubtaskView, n int) (*chargehand.AttemptView, error) {
	var numbers []string
	for i := range row.Attempts {
		a := &row.Attempts[i]
		if a.Attempt == n || n == 0 && i == len(row.Attempts)-1 {
			return a, nil
		}
		numbers = append(numbers, fmt.Sprint(a.Attempt))
	}
	if n == 0 {
		return nil, nil
	}
	why := "none has begun"
	if len(numbers) > 0 {
		why = "it has " + strings.Join(numbers, ", ")
	}
	return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: fmt.Sprintf("subtask %s has no attempt %d", row.ID, n), Why: why}
}

func workJSON(k *report.Work) map[string]any {
	return map[string]any{
		"schema_version": 1, "runId": k.Run.RunID, "subtask": k.Subtask, "attempt": k.Attempt,
		"output": value(k.Output), "verdict": k.Verdict, "transcript": value(k.Transcript), "stderr": string(k.Stderr),
	}
}

// value is content as a member of an object: JSON as it is, anything else as text, null where there
// is none.
func value(b []byte) any {
	switch {
	case b == nil:
		return nil
	case json.Valid(b):
		return json.RawMessage(b)
	}
	return string(b)
}
