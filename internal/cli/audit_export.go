package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/config"
	"github.com/chargehand/chargehand/internal/evidence"
)

// An exportForm is what the flags of "audit export" say.
type exportForm struct {
	out    string
	redact string
	output string
}

func (a *app) auditExportCommand() *cobra.Command {
	var f exportForm
	c := &cobra.Command{
		Use: "export RUN", Short: "Write a run's records, and all they name, as one file that verifies by itself", Args: args(cobra.ExactArgs(1)),
		Long: "Writes an evidence pack: a zip file with a run's records as they are stored, everything they name, and a\n" +
			"signed proof of both. \"audit verify FILE\" checks it without the data folder, and docs/verify-pack.py without\n" +
			"chargehand. A redaction leaves out whole records and contents; their hashes stay, and the pack still verifies:\n\n" +
			"  reason: personal data\n  records: [attempt_started]\n  artifacts: [document, text/plain]",
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return cause(ctx, a.auditExport(ctx, given[0], f))
		},
	}
	c.Flags().StringVar(&f.out, "out", "", "file to write (default evidence_RUN.zip)")
	c.Flags().StringVar(&f.redact, "redact", "", "YAML file that says what to leave out, and why")
	a.outputFlag(c, &f.output, "table", "json")
	return c
}

func (a *app) auditExport(ctx context.Context, run string, f exportForm) error {
	opt := evidence.Options{By: me(), At: time.Now().UTC().Truncate(time.Second)}
	if f.redact != "" {
		r, err := config.Read(f.redact, "redaction", (*evidence.Redaction).Check)
		if err != nil {
			return err
		}
		opt.Redact = *r
	}
	return a.archive(ctx, func(l Archive) error {
		id, err := runID(ctx, l, run)
		if err != nil {
			return err
		}
		if err := a.makeCovered(ctx, l, id); err != nil {
			return err
		}
		src, err := l.Evidence(ctx, id, a.anchor())
		if err != nil {
			return err
		}
		if w, err := a.witnessKey(); err != nil {
			return err
		} else if w != nil {
			src.Witnesses = []string{w.String()}
		}
		if f.out == "" {
			f.out = "evidence_" + id + ".zip"
		}
		m, err := a.writePack(ctx, src, opt, f.out)
		if err != nil {
			return err
		}
		return a.exported(m, src, f)
	})
}

// makeCovered has a checkpoint written where none covers the run's end and no process would write
// one: whoever owns the folder does that when it leaves.
func (a *app) makeCovered(ctx context.Context, l Archive, run string) error {
	r, err := l.Recorded(ctx, run)
	if err != nil {
		return err
	}
	covered, err := l.Covered(ctx, a.anchor())
	if err != nil || len(r.Leaves) == 0 || r.Leaves[len(r.Leaves)-1] < covered {
		return err
	}
	s, err := a.open(ctx, Taking{Hold: true})
	if err != nil {
		fmt.Fprintf(a.io.Err, "warning: no newer checkpoint can be had: %v\n", err)
		return nil
	}
	return s.close()
}

// writePack writes the file as a whole or not at all. One that is there is only replaced where that
// was said beforehand.
func (a *app) writePack(ctx context.Context, src *evidence.Source, opt evidence.Options, path string) (m *evidence.Manifest, err error) {
	if _, err := os.Stat(path); err == nil && !a.flags.yes {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: path + " is there already, and was left as it is", Next: "name another file with --out, or replace it with --yes",
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unwritable(path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".evidence-*")
	if err != nil {
		return nil, unwritable(path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	m, err = evidence.Write(ctx, tmp, *src, opt)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return nil, err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return nil, unwritable(path, err)
	}
	return m, nil
}

func unwritable(path string, err error) error {
	return &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "cannot write " + path, Why: err.Error(), Err: err, Next: "name another file with --out",
	}
}

func (a *app) exported(m *evidence.Manifest, src *evidence.Source, f exportForm) error {
	if f.output == "json" {
		return a.writeJSON(struct {
			Schema int    `json:"schema_version"`
			File   string `json:"file"`
			Key    string `json:"key"`
			*evidence.Manifest
		}{1, f.out, src.Key.Public(), m})
	}
	fmt.Fprintf(a.io.Out, "%s: %s of %s, %s\n", f.out, term.Count(m.Records, "record"), m.Run, term.Count(len(m.Artifacts), "artifact"))
	if n := len(m.Removed); n > 0 {
		fmt.Fprintf(a.io.Out, "   removed   %s; the hashes are there\n", term.Count(n, "thing"))
	}
	if m.Uncovered > 0 {
		fmt.Fprintf(a.io.Out, "   left out  %s that no checkpoint covers yet\n", term.Count(m.Uncovered, "record"))
	}
	fmt.Fprintf(a.io.Out, "   key       %s\n   verify    chargehand audit verify %s --key KEY   (tell the key by another way than the file)\n", src.Key.Public(), f.out)
	return nil
}
