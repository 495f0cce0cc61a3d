package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// Trust is what the reader of a pack knows from elsewhere. The zero Trust knows nothing: a pack is
// then checked with the key it brings, and can only be consistent with itself.
type Trust struct {
	Key       string          // the log's verifier key. Empty means the one in the pack
	Witnesses []note.Verifier // whose cosignatures must be there. Empty means none must
}

// A Report says what the verification of a pack found.
type Report struct {
	Manifest   Manifest          `json:"manifest"`
	Key        string            `json:"key,omitempty"` // that the signatures were checked with
	KeyGiven   bool              `json:"keyGiven"`      // it came from elsewhere than the pack
	Checkpoint *audit.Checkpoint `json:"checkpoint,omitempty"`
	Checks     []audit.Check     `json:"checks"`
	Findings   []audit.Finding   `json:"findings"`
	Verdict    audit.Verdict     `json:"verdict"`
}

// KindPack is what is wrong with a pack as such.
const KindPack audit.Kind = "pack"

// Verify checks a pack of size bytes. Whatever is wrong with it, the report says.
func Verify(r io.ReaderAt, size int64, t Trust) *Report {
	v := &verification{trust: t, report: &Report{Checks: []audit.Check{}, Findings: []audit.Finding{}}}
	v.run("container", func() audit.Check { return v.container(r, size) })
	for _, c := range []struct {
		name string
		look func() audit.Check
	}{
		{"manifest", v.manifest},
		{"signature", v.signature},
		{"witness", v.witness},
		{"proof", v.proof},
		{"sequence", v.sequence},
		{"artifacts", v.contents},
		{"result", v.result},
	} {
		if v.unread {
			c.look = func() audit.Check { return audit.Check{Status: audit.Skipped, NotProved: "the file could not be read"} }
		}
		v.run(c.name, c.look)
	}
	v.report.Verdict = audit.Intact
	if len(v.report.Findings) > 0 {
		v.report.Verdict = audit.Damaged
	}
	return v.report
}

// A verification is one pack under the eyes of the checks.
type verification struct {
	*archive
	trust  Trust
	report *Report
	check  string // under way
	unread bool   // the parts could not be read

	body    map[string][]byte // of every part
	lines   []line
	leaves  []int64
	ended   *chargehand.RunEnded
	outcome []byte // the content of the result that the run's end names; nil where it is removed
}

// A line is one of the pack's records.
type line struct {
	text   []byte
	hash   audit.Hash
	record chargehand.Record // where it could be read and is not removed
	hidden bool              // removed: only its hash is there
	err    error             // why it could not be read
}

func (v *verification) run(name string, look func() audit.Check) {
	v.check = name
	c := look()
	c.Name = name
	if c.Status == "" {
		c.Status = audit.Passed
	}
	for _, f := range v.report.Findings {
		if f.Check == name {
			c.Status, c.Proved = audit.Failed, ""
		}
	}
	v.report.Checks = append(v.report.Checks, c)
}

func (v *verification) fail(kind audit.Kind, format string, args ...any) {
	v.failAt(kind, -1, format, args...)
}

// failAt notes what is wrong with a line of the records; with -1, with none of them.
func (v *verification) failAt(kind audit.Kind, line int, format string, args ...any) {
	f := audit.Finding{Kind: kind, Check: v.check, What: fmt.Sprintf(format, args...), Leaf: -1}
	if line >= 0 {
		f.Run, f.Seq = v.report.Manifest.Run, int64(line+1)
		if line < len(v.leaves) {
			f.Leaf = v.leaves[line]
		}
	}
	v.report.Findings = append(v.report.Findings, f)
}

// container reads the parts.
func (v *verification) container(r io.ReaderAt, size int64) audit.Check {
	a, err := unzip(r, size)
	if err == nil {
		v.archive = a
		err = errors.Join(v.readParts(), v.readManifest(), v.readLeaves())
	}
	if err != nil {
		v.unread = true
		v.fail(KindPack, "%v", err)
		return audit.Check{}
	}
	v.readLines()
	return audit.Check{
		Count:  int64(len(a.parts) + len(a.artifacts)),
		Proved: "it holds the parts of a pack and nothing else, within its limits",
	}
}

func (v *verification) readParts() error {
	v.body = map[string][]byte{}
	for name, f := range v.parts {
		b, err := read(f)
		if err != nil {
			return err
		}
		v.body[name] = b
	}
	return nil
}

func (v *verification) readManifest() error {
	d := json.NewDecoder(bytes.NewReader(v.body[partManifest]))
	d.DisallowUnknownFields()
	if err := d.Decode(&v.report.Manifest); err != nil {
		return fmt.Errorf("read %s: %w", partManifest, err)
	}
	if f := v.report.Manifest.Format; f != Format {
		return fmt.Errorf("it is of the format %.100q, and this program reads %q", f, Format)
	}
	return nil
}

func (v *verification) readLeaves() error {
	for text := range strings.Lines(string(v.body[partLeaves])) {
		n, err := strconv.ParseInt(strings.TrimSuffix(text, "\n"), 10, 64)
		if err != nil {
			return fmt.Errorf("read %s: %w", partLeaves, err)
		}
		v.leaves = append(v.leaves, n)
	}
	return nil
}

func (v *verification) readLines() {
	for text := range bytes.Lines(v.body[partRecords]) {
		l := line{text: bytes.TrimSuffix(text, []byte("\n"))}
		if hash, ok := removed(l.text); ok {
			l.hidden, l.hash = true, hash
		} else {
			l.hash = audit.Leaf(l.text)
			l.err = json.Unmarshal(l.text, &l.record)
		}
		v.lines = append(v.lines, l)
	}
}
