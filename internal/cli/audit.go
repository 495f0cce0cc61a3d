package cli

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/evidence"
)

// An Archive is a data folder's records as they are stored.
type Archive interface {
	Looked
	Recorded(ctx context.Context, run string) (*local.Recorded, error)
	Extents(ctx context.Context) (map[string]local.Extent, error)
	Covered(ctx context.Context, anchor string) (int64, error)
	Evidence(ctx context.Context, run, anchor string) (*evidence.Source, error)
}

func (a *app) auditCommand() *cobra.Command {
	return group("audit", "See who did what, and verify that the record is what was recorded",
		a.auditListCommand(), a.auditShowCommand(), a.auditVerifyCommand(), a.auditExportCommand(), a.coverageCommand())
}

// archive opens the data folder's records for do. It reads the folder itself, whoever owns it.
func (a *app) archive(ctx context.Context, do func(Archive) error) error {
	dir, err := a.dataDir()
	if err != nil {
		return err
	}
	l, err := a.Archive(ctx, dir)
	if err != nil {
		return cause(ctx, err)
	}
	return cause(ctx, errors.Join(do(l), l.Close()))
}

func (a *app) auditListCommand() *cobra.Command {
	var form string
	limit := 50
	c := &cobra.Command{
		Use: "list", Short: "List runs with their records, and how many a signed checkpoint covers", Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usage("--limit must be at least 1", "")
			}
			ctx, stop := a.ctx(c)
			defer stop()
			return a.archive(ctx, func(l Archive) error { return a.auditList(ctx, l, limit, form) })
		},
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most so many, the newest first")
	a.outputFlag(c, &form, "table", "json")
	return c
}

// A logged run is one line of "audit list".
type logged struct {
	RunID   string              `json:"runId"`
	Title   string              `json:"title"`
	State   chargehand.RunState `json:"state"`
	Records int64               `json:"records"`
	Last    int64               `json:"lastLeaf"`
	Covered bool                `json:"covered"` // all of them, by a signed checkpoint

	sign chargehand.Sign
}

func (a *app) auditList(ctx context.Context, l Archive, limit int, form string) error {
	dir, err := a.dataDir()
	if err != nil {
		return err
	}
	_, supervised := a.Owner(dir)
	s := &session{Engine: onlyReads{l}, supervised: supervised}
	runs, err := s.list(ctx, listForm{limit: limit})
	if err != nil {
		return err
	}
	extents, err := l.Extents(ctx)
	if err != nil {
		return err
	}
	covered, err := l.Covered(ctx, a.anchor())
	if err != nil {
		return err
	}
	list := []logged{}
	for _, r := range runs {
		e := extents[r.RunID]
		list = append(list, logged{r.RunID, r.Title, r.State, e.Records, e.Last, e.Last < covered, r.sign})
	}
	if form == "json" {
		return a.writeJSON(map[string]any{"schema_version": 1, "checkpoint": covered, "runs": list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.io.Err, "no runs; start one with: chargehand run")
		return nil
	}
	st := a.style(a.io.Out)
	t := term.Table{Head: []string{"RUN", "RECORDS", "COVERED", "STATE", "TITLE"}, Width: a.screen(a.io.Out).Width}
	for _, r := range list {
		word := "not yet"
		if r.Covered {
			word = "yes"
		}
		t.Add(r.RunID, fmt.Sprint(r.Records), word, st.Glyph(r.sign)+" "+r.sign.Label, r.Title)
	}
	if err := t.Write(a.io.Out, st); err != nil {
		return err
	}
	fmt.Fprintf(a.io.Out, "the newest checkpoint covers %s of all streams; whether they are what was recorded, tells: chargehand audit verify\n",
		term.Count(int(covered), "record"))
	return nil
}

func (a *app) auditShowCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "show RUN", Short: "Tell a run's records, a sentence each; -o jsonl writes them as they are stored", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.archive(ctx, func(l Archive) error {
				run, err := runID(ctx, l, given[0])
				if err != nil {
					return err
				}
				r, err := l.Recorded(ctx, run)
				if err != nil {
					return err
				}
				return a.auditShow(r, form)
			})
		},
	}
	a.outputFlag(c, &form, "table", "json", "jsonl")
	return c
}

// runID is the id that is meant; "@latest" is the newest run's.
func runID(ctx context.Context, l Archive, given string) (string, error) {
	v, err := find(ctx, &session{Engine: onlyReads{l}}, given)
	if err != nil {
		return "", err
	}
	return v.RunID, nil
}

// A told record is one line of "audit show".
type told struct {
	evidence.Entry
	Leaf int64  `json:"leaf"`
	Hash string `json:"hash"` // of the leaf, in hexadecimal digits
}

func (a *app) auditShow(r *local.Recorded, form string) error {
	if form == "jsonl" {
		return a.writeLines(r.Lines)
	}
	list := []told{}
	for i, line := range r.Lines {
		var rec chargehand.Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		hash := audit.Leaf(line)
		list = append(list, told{evidence.Describe(rec), r.Leaves[i], hex.EncodeToString(hash[:])})
	}
	if form == "json" {
		return a.writeJSON(map[string]any{"schema_version": 1, "runId": r.Run, "records": list})
	}
	t := term.Table{Head: []string{"SEQ", "TIME", "WHO", "TYPE", "SUBJECT", "HASH", "WHAT"}, Width: a.screen(a.io.Out).Width}
	for _, e := range list {
		who := string(e.Actor)
		if e.Who != "" {
			who += " " + e.Who
		}
		t.Add(fmt.Sprint(e.Seq), term.Time(e.At), who, e.Type, e.Subject, e.Hash[:8], e.Text)
	}
	return t.Write(a.io.Out, a.style(a.io.Out))
}

// writeLines writes records byte for byte, so that they can be hashed, or what --jq makes of each; on a terminal, what could not
// be seen is shown.
func (a *app) writeLines(lines [][]byte) error {
	for _, line := range lines {
		if a.jq != nil {
			if err := a.writeJSON(json.RawMessage(line)); err != nil {
				return err
			}
			continue
		}
		text := string(line)
		if isTerminal(a.io.Out) {
			text = term.Line(text)
		}
		if _, err := io.WriteString(a.io.Out, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}
