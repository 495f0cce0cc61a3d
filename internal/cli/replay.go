package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) replayCommand() *cobra.Command {
	return &cobra.Command{
		Use: "replay RUN", Short: "Rebuild a run from its records and compare with what is shown", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.with(ctx, func(s *session) error { return a.replay(ctx, s, given[0]) })
		},
	}
}

// replay folds the records up to the one that the engine's own picture ends with.
func (a *app) replay(ctx context.Context, s *session, id string) error {
	shown, err := find(ctx, s, id)
	if err != nil {
		return err
	}
	var folded chargehand.View
	for r, err := range s.Records(ctx, shown.RunID, 0, false) {
		if err != nil {
			return err
		}
		if err := follows(&folded, r); err != nil {
			return diverged(err)
		}
		if r.Seq > shown.Seq {
			break
		}
		folded.Apply(r)
	}
	where, err := difference(shown, &folded)
	if err != nil {
		return err
	}
	if where != "" {
		return diverged(fmt.Errorf("after %d records: %s", folded.Seq, where))
	}
	if m, ok := s.Engine.(replayer); ok {
		if err := m.Replay(ctx, shown.RunID); err != nil {
			return diverged(err)
		}
	}
	fmt.Fprintf(a.io.Out, "%s: %d records fold to exactly what is shown\n", shown.RunID, folded.Seq)
	return nil
}

// A replayer can fold a run's records into its machine, too.
type replayer interface {
	Replay(ctx context.Context, run string) error
}

func diverged(err error) error {
	return &exit.Error{Code: exit.Internal, Err: &chargehand.Error{
		Code: chargehand.CodeInternal, What: "the records do not tell what is shown", Why: err.Error(), Err: err,
	}}
}

// follows checks that a record comes next in its run.
func follows(v *chargehand.View, r chargehand.Record) error {
	if r.Seq != v.Seq+1 {
		return fmt.Errorf("record %d follows record %d", r.Seq, v.Seq)
	}
	if r.At.Before(v.At) {
		return fmt.Errorf("record %d is from %s, before record %d", r.Seq, r.At.Format(time.RFC3339Nano), v.Seq)
	}
	return nil
}

// difference is the first place where two pictures differ, empty if there is none.
func difference(shown, folded *chargehand.View) (string, error) {
	a, err := plainData(shown)
	if err != nil {
		return "", err
	}
	b, err := plainData(folded)
	if err != nil {
		return "", err
	}
	return differs("$", a, b), nil
}

// plainData is v as a reader of its JSON has it.
func plainData(v any) (data any, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return data, d.Decode(&data)
}

func differs(path string, shown, folded any) string {
	switch a := shown.(type) {
	case map[string]any:
		if b, ok := folded.(map[string]any); ok {
			return objectsDiffer(path, a, b)
		}
	case []any:
		if b, ok := folded.([]any); ok && len(a) == len(b) {
			for i := range a {
				if d := differs(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); d != "" {
					return d
				}
			}
			return ""
		}
	}
	if reflect.DeepEqual(shown, folded) {
		return ""
	}
	return fmt.Sprintf("%s is %s, and the records make it %s", path, short(shown), short(folded))
}

func objectsDiffer(path string, a, b map[string]any) string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if d := differs(path+"."+k, a[k], b[k]); d != "" {
			return d
		}
	}
	return ""
}

func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(term.Clip(string(b), 80, true))
}
