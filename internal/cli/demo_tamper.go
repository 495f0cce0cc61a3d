package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) tamperCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "tamper", Short: "Run the demo, change one byte of its record, and verify", Args: args(cobra.NoArgs),
		Long: "Runs the demo's story in a temporary folder, changes one byte of one record in its database, as anybody\n" +
			"could who may write to it, and verifies. It exits with 0 when the byte was found.",
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return cause(ctx, a.demoTamper(ctx, form))
		},
	}
	a.outputFlag(c, &form, "table", "json")
	return c
}

// A tampering is what was changed, and what the verification made of it.
type tampering struct {
	Schema int           `json:"schema_version"`
	Data   string        `json:"data"` // the folder it was done in
	Run    string        `json:"runId"`
	Seq    int64         `json:"seq"` // of the record that was changed
	Was    string        `json:"was"`
	Is     string        `json:"is"`
	Found  bool          `json:"found"` // the verification names that record
	Report *audit.Report `json:"report"`
}

func (a *app) demoTamper(ctx context.Context, form string) error {
	var out io.Writer = a.io.Out
	if form == "json" {
		out = io.Discard
	}
	t, err := a.tamper(ctx, out)
	if err != nil {
		return err
	}
	if form == "json" {
		if err := a.writeJSON(t); err != nil {
			return err
		}
	}
	if !t.Found {
		return failed(fmt.Sprintf("nobody noticed that record %d of %s was changed", t.Seq, t.Run))
	}
	fmt.Fprintf(out, "\nFound: record %d of %s. A run that was recorded otherwise cannot be made by writing to the database;\nwhat it takes to get away with it, docs/audit.md tells.\n", t.Seq, t.Run)
	return nil
}

// tamper records the story, changes a byte and verifies, and tells out of each.
func (a *app) tamper(ctx context.Context, out io.Writer) (*tampering, error) {
	fmt.Fprintln(out, "The demo's story first; a person rejects what the liar says …")
	dir, run, err := a.quietDemo(ctx)
	if err != nil {
		return nil, err
	}
	before, err := a.Verify(ctx, dir, local.AuditOptions{})
	if err != nil {
		return nil, err
	}
	if before.Verdict != audit.Intact {
		return nil, failed("the demo's record is not intact before anything was changed")
	}
	fmt.Fprintf(out, "%s\n\n", a.auditLine(before))
	f, err := forge(ctx, dir, run)
	if err != nil {
		return nil, fmt.Errorf("change a byte: %w", err)
	}
	st := a.style(a.io.Out)
	fmt.Fprintf(out, "Now one byte is changed in %s, in record %d of %s: who decided.\n   was  %s\n   is   %s\n\n",
		filepath.Join(dir, "journal.db"), f.seq, run, term.Line(f.was), st.Tone(chargehand.ToneFail, term.Line(f.is)))
	fmt.Fprintln(out, st.Bold("chargehand audit verify --data "+dir))
	after, err := a.Verify(ctx, dir, local.AuditOptions{})
	if err != nil {
		return nil, err
	}
	found := slices.ContainsFunc(after.Findings, func(x audit.Finding) bool { return x.Run == run && x.Seq == f.seq })
	return &tampering{1, dir, run, f.seq, f.was, f.is, found, after}, folderVerdict(after, "").write(out, a.screen(a.io.Out))
}

// quietDemo tells the demo's story to nobody and returns where it is recorded.
func (a *app) quietDemo(ctx context.Context) (dir, run string, err error) {
	if dir, err = demoFolder(); err != nil {
		return "", "", err
	}
	e, err := a.Parts.Demo.Open(ctx, dir)
	if err != nil {
		return "", "", err
	}
	t := &telling{app: a, engine: e, form: demoForm{decide: "reject"}, out: io.Discard}
	err = t.tell(ctx, a.Parts.Demo.Order)
	return dir, t.view.RunID, errors.Join(err, e.Close())
}

// A forgery is what was changed.
type forgery struct {
	seq     int64
	was, is string
}

// forge changes the last letter of who decided the run's review.
func forge(ctx context.Context, dir, run string) (f forgery, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "journal.db"))
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `select id, first, packed, body from segment where run = ? order by first`, run)
	if err != nil {
		return f, err
	}
	var id int64
	var changed []byte
	for changed == nil && rows.Next() {
		var first int64
		var packed bool
		var body []byte
		err := rows.Scan(&id, &first, &packed, &body)
		if err == nil && packed {
			body, err = s2.Decode(nil, body)
		}
		if err != nil {
			return f, errors.Join(err, rows.Close())
		}
		if f, changed, err = misattribute(first, body); err != nil {
			return f, errors.Join(err, rows.Close())
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return f, err
	}
	if changed == nil {
		return f, errors.New("the run has no decision")
	}
	_, err = db.ExecContext(ctx, `update segment set packed = 0, body = ? where id = ?`, changed, id)
	return f, err
}

// misattribute changes one byte of the decision among a segment's records; changed is nil where
// there is none.
func misattribute(first int64, body []byte) (f forgery, changed []byte, err error) {
	at := 0
	for line := range bytes.Lines(body) {
		var r chargehand.Record
		if err := json.Unmarshal(line, &r); err != nil {
			return f, nil, err
		}
		d, ok := r.Fact.(chargehand.ReviewDecided)
		name := `"approver":"` + d.Decision.Approver + `"`
		if i := bytes.Index(line, []byte(name)); ok && i >= 0 {
			last := at + i + len(name) - len(`"`) - 1
			changed = bytes.Clone(body)
			changed[last] = 'a' + (changed[last]-'a'+1)%26
			return forgery{r.Seq, name, string(changed[at+i : at+i+len(name)])}, changed, nil
		}
		at += len(line)
	}
	return f, nil, nil
}

// auditLine is what a verification came to, in one line.
func (a *app) auditLine(r *audit.Report) string {
	st := a.style(a.io.Out)
	ok := func(names ...string) string {
		for _, c := range r.Checks {
			for _, n := range names {
				if c.Name == n && c.Status == audit.Failed {
					return st.Tone(chargehand.ToneFail, "NOT ok")
				}
			}
		}
		return "ok"
	}
	sign := statusSigns[audit.Passed]
	if r.Verdict != audit.Intact {
		sign = statusSigns[audit.Failed]
	}
	return fmt.Sprintf("%s audit: %s, tree %s, signature %s, contents %s, root %s", st.Tone(sign.tone, sign.mark.Of(st)),
		term.Count(int(r.Records), "record"), ok("records", "order", "tiles"), ok("keys", "checkpoints"), ok("contents", "tables"),
		st.Text(r.Root.String()[:8]+"…"))
}
