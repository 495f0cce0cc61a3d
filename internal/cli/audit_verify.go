package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/evidence"
	"github.com/chargehand/chargehand/internal/regular"
	"github.com/chargehand/chargehand/internal/witness"
)

// A verifyForm is what the flags of "audit verify" say.
type verifyForm struct {
	key    string
	kept   []string
	strict bool
	output string
}

func (a *app) auditVerifyCommand() *cobra.Command {
	var f verifyForm
	c := &cobra.Command{
		Use: "verify [RUN | PACK.zip | FOLDER]", Short: "Verify a data folder, or a pack without one", Args: args(cobra.MaximumNArgs(1)),
		Long: "Verifies that records are what they were when they were recorded, says what each check shows and what\n" +
			"not, and exits with 11 where something is wrong. Without an argument it verifies the data folder; a RUN\n" +
			"is verified with the folder it is in. A pack needs no data folder.",
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return cause(ctx, a.auditVerify(ctx, append(given, "")[0], f))
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.key, "key", "", "the log's public key, or a file with it, as you know it from elsewhere")
	fl.StringArrayVar(&f.kept, "checkpoint", nil, "file of a signed checkpoint that you kept; may be given more than once")
	fl.BoolVar(&f.strict, "strict", false, "exit with 11 also where less is shown than could be, or records are not covered yet")
	a.outputFlag(c, &f.output, "table", "json")
	return c
}

func (a *app) auditVerify(ctx context.Context, what string, f verifyForm) error {
	info, err := os.Stat(what)
	switch {
	case what != "" && err == nil && !info.IsDir():
		return a.verifyPack(what, f)
	case strings.HasSuffix(what, ".zip"):
		return &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no pack " + what}
	case what != "" && err == nil:
		return a.verifyFolder(ctx, what, "", f)
	}
	dir, err := a.dataDir()
	if err != nil {
		return err
	}
	return a.verifyFolder(ctx, dir, what, f)
}

// keyGiven is the text of --key: a verifier key, or a file's.
func keyGiven(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	text := given
	if !strings.Contains(given, "+") {
		b, err := audit.ReadFile(given, audit.MaxFile)
		if err != nil {
			return "", unreadableKey(given, err)
		}
		text = string(b)
	}
	text = strings.TrimSpace(text)
	if _, err := audit.Verifiers(text); err != nil || text == "" {
		return "", unreadableKey(given, err)
	}
	return text, nil
}

func unreadableKey(given string, err error) error {
	why := "it is empty"
	if err != nil {
		why = err.Error()
	}
	return &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "cannot use the key " + given, Why: why, Err: err,
		Next: "name a file such as key.pub, which lies beside the checkpoints",
	}
}

func (a *app) verifyPack(path string, f verifyForm) error {
	key, err := keyGiven(f.key)
	if err != nil {
		return err
	}
	trust := evidence.Trust{Key: key}
	if w, err := a.witnessKey(); err != nil {
		return err
	} else if w != nil {
		trust.Witnesses = []note.Verifier{w}
	}
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r := evidence.Verify(file, info.Size(), trust)
	if f.output == "json" {
		err = a.writeJSON(struct {
			Schema int    `json:"schema_version"`
			Pack   string `json:"pack"`
			*evidence.Report
		}{1, path, r})
	} else {
		err = packVerdict(path, r).write(a.io.Out, a.screen(a.io.Out))
	}
	if err != nil {
		return err
	}
	return outcome(r.Verdict, r.Checks, r.Findings, f.strict)
}

func packVerdict(path string, r *evidence.Report) *verdict {
	m := &r.Manifest
	v := &verdict{of: path, checks: r.Checks, findings: r.Findings, intact: r.Verdict == audit.Intact}
	if m.Run == "" {
		return v
	}
	v.of = fmt.Sprintf("%s of %s, in %s", term.Count(m.Records, "record"), m.Run, path)
	if r.Checkpoint != nil {
		v.facts = append(v.facts, fmt.Sprintf("checkpoint of %d records, root %s, log %s", r.Checkpoint.Size, r.Checkpoint.Root, r.Checkpoint.Origin))
	}
	v.facts = append(v.facts, "key "+r.Key)
	for _, gone := range m.Removed {
		what := fmt.Sprintf("record %d (%s)", gone.Seq, gone.Type)
		if gone.Seq == 0 {
			what = fmt.Sprintf("the %s %s", gone.Kind, gone.Artifact)
		}
		v.facts = append(v.facts, fmt.Sprintf("removed: %s by %s: %s", what, gone.By, gone.Reason))
	}
	return v
}

// verifyFolder verifies a data folder; with a run, what there is of that is told apart.
func (a *app) verifyFolder(ctx context.Context, dir, run string, f verifyForm) error {
	key, err := keyGiven(f.key)
	if err != nil {
		return err
	}
	if run != "" {
		if run, err = a.runIn(ctx, dir, run); err != nil {
			return err
		}
	}
	opt := local.AuditOptions{Anchor: a.anchor()}
	if key != "" {
		opt.Keys = strings.Split(key, "\n")
	}
	for _, path := range f.kept {
		b, err := audit.ReadFile(path, audit.MaxFile)
		if err != nil {
			return &chargehand.Error{Code: chargehand.CodeInvalid, What: "cannot read the checkpoint " + path, Why: err.Error(), Err: err}
		}
		opt.Kept = append(opt.Kept, local.KeptNote{Name: path, Note: b})
	}
	seen, err := a.askWitness(ctx, dir, &opt)
	if err != nil {
		return err
	}
	r, err := a.Verify(ctx, dir, opt)
	if err != nil {
		return err
	}
	if seen != nil {
		r.Add(*seen)
	}
	if f.output == "json" {
		err = a.writeJSON(struct {
			Schema int    `json:"schema_version"`
			Run    string `json:"runId,omitempty"`
			*audit.Report
		}{1, run, r})
	} else {
		err = folderVerdict(r, run).write(a.io.Out, a.screen(a.io.Out))
	}
	if err != nil {
		return err
	}
	if f.strict && r.Tail != nil {
		return failed(fmt.Sprintf("%s are not covered by a checkpoint", term.Count(int(r.Tail.Records), "record")))
	}
	return outcome(r.Verdict, r.Checks, r.Findings, f.strict)
}

// runIn is the id of a run in a folder. One whose records cannot be read any more is taken by its
// whole id: that is what the verification will tell of.
func (a *app) runIn(ctx context.Context, dir, run string) (string, error) {
	l, err := a.Archive(ctx, dir)
	if err != nil {
		return "", err
	}
	id, err := runID(ctx, l, run)
	if chargehand.CodeOf(err) == chargehand.CodeAudit {
		id, err = run, nil
	}
	return id, errors.Join(err, l.Close())
}

func folderVerdict(r *audit.Report, run string) *verdict {
	v := &verdict{
		of:     fmt.Sprintf("%s of %s, in %s", term.Count(int(r.Records), "record"), term.Count(r.Runs, "run"), r.Folder),
		checks: r.Checks, findings: r.Findings, intact: r.Verdict == audit.Intact,
		facts: []string{"root " + r.Root.String() + ", log " + r.Origin},
	}
	if n := r.Newest; n != nil {
		v.facts = append(v.facts, fmt.Sprintf("newest checkpoint: %d records, of the %s, key %s", n.Size, n.Place, n.Key))
	}
	if t := r.Tail; t != nil {
		for _, s := range t.Streams {
			v.facts = append(v.facts, fmt.Sprintf("not covered yet: records %d to %d of %s, from %s on", s.First, s.Last, s.Run, term.Time(s.At)))
		}
	}
	if run != "" {
		n := 0
		for _, f := range r.Findings {
			if f.Run == run {
				n++
			}
		}
		v.facts = append(v.facts, fmt.Sprintf("of %s itself: %s", run, term.Count(n, "finding")))
	}
	return v
}

// outcome is the error that a verification ends with.
func outcome(v audit.Verdict, checks []audit.Check, findings []audit.Finding, strict bool) error {
	if v != audit.Intact {
		why := term.Count(len(findings), "finding")
		if len(findings) > 0 {
			why += ", the first: " + where(findings[0]) + findings[0].What
		}
		return failed(why)
	}
	for _, c := range checks {
		if strict && c.Status == audit.Warned {
			return failed(c.Name + " does not show " + c.NotProved)
		}
	}
	return nil
}

func failed(why string) error {
	return &exit.Error{Code: exit.Audit, Err: &chargehand.Error{
		Code: chargehand.CodeAudit, What: "the verification failed", Why: why,
	}}
}

// witnessKey is the witness that is configured; nil if none is.
func (a *app) witnessKey() (*witness.Verifier, error) {
	given := a.witnessKeyGiven()
	if given == "" {
		return nil, nil
	}
	text := given
	if !strings.Contains(given, "+") {
		b, err := audit.ReadFile(given, audit.MaxFile)
		if err != nil {
			return nil, unreadableKey(given, err)
		}
		text = string(b)
	}
	v, err := witness.NewVerifier(text)
	if err != nil {
		return nil, unreadableKey(given, err)
	}
	return v, nil
}

// askWitness adds the witness's newest checkpoint to what the folder is held against: as the witness
// has it where it can be asked, else as it is kept beside the log's own. It returns the check's line.
func (a *app) askWitness(ctx context.Context, dir string, opt *local.AuditOptions) (*audit.Check, error) {
	v, err := a.witnessKey()
	if v == nil {
		return nil, err
	}
	check := &audit.Check{Name: "witness", Status: audit.Passed}
	kept, where := a.cosigned(dir, v), "the copy kept beside the log"
	if c, err := a.witnessClient(); err != nil {
		return nil, err
	} else if c != nil {
		latest, err := c.Latest(ctx, logName(dir))
		if err != nil {
			check.Status, check.NotProved = audit.Warned, "what the witness has seen last: "+err.Error()
		} else if latest != nil {
			kept, where = latest, "the witness itself"
		}
	}
	at, ok := v.Seen(kept)
	if !ok {
		check.Status, check.NotProved = audit.Warned, "anything: no checkpoint that the witness signed is to be had"
		return check, nil
	}
	opt.Kept = append(opt.Kept, local.KeptNote{Name: "witness", Note: kept})
	check.Proved = fmt.Sprintf("on %s %s signed the checkpoint that the records are held against, and none before it that disagrees (from %s)", term.Time(at), v.Name(), where)
	if check.NotProved == "" {
		check.NotProved = "anything, if the witness and whoever has the log's key work together"
	}
	return check, nil
}

// cosigned is the newest checkpoint beside the log that the witness signed; nil if there is none.
func (a *app) cosigned(dir string, v *witness.Verifier) []byte {
	files := []string{filepath.Join(dir, "checkpoints")}
	if anchor := a.anchor(); anchor != "" {
		if more, err := filepath.Glob(filepath.Join(anchor, "*", "checkpoints")); err == nil {
			files = append(files, more...)
		}
	}
	name := logName(dir)
	var best []byte
	var size int64
	for _, f := range files {
		for _, n := range notesIn(f) {
			text, _, _ := bytes.Cut(n, []byte("\n\n"))
			c, err := audit.ParseCheckpoint(string(text) + "\n")
			if _, ok := v.Seen(n); err == nil && ok && c.Origin == name && c.Size >= size {
				best, size = n, c.Size
			}
		}
	}
	return best
}

// logName is the log's, as the folder says: that of its last checkpoint, else of its key.
func logName(dir string) string {
	if notes := notesIn(filepath.Join(dir, "checkpoints")); len(notes) > 0 {
		name, _, _ := strings.Cut(string(notes[len(notes)-1]), "\n")
		return name
	}
	key, _ := audit.ReadFile(filepath.Join(dir, "key.pub"), audit.MaxFile) // without one the log has no name, and nobody has seen it
	name, _, _ := strings.Cut(string(key), "+")
	return name
}

// notesIn are a file's signed notes. What is no note, the verification itself finds.
func notesIn(path string) [][]byte {
	b, err := audit.ReadFile(path, audit.MaxFile)
	if err != nil {
		return nil
	}
	notes, _, _ := audit.Notes(b)
	return notes
}
