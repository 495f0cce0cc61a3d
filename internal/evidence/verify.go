package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

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

	body    map[string][]byte // of the parts that are held in memory
	sums    map[string]string // content hash of every part
	lines   []line
	leaves  []int64
	ended   *chargehand.RunEnded
	outcome []byte // the content of the result that the run's end names; nil where it is removed
}

// A line is what is kept of one of the pack's records.
type line struct {
	hash   audit.Hash
	run    string // what the record says that it is
	seq    int64
	at     time.Time
	names  []Artifact // the contents that it names
	hidden bool       // removed: only its hash is there
	err    error      // why it could not be read
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
		err = v.readParts()
	}
	if err != nil {
		v.unread = true
		v.fail(KindPack, "%v", err)
		return audit.Check{}
	}
	return audit.Check{
		Count:  int64(len(a.parts) + len(a.artifacts)),
		Proved: "it holds the parts of a pack and nothing else, within its limits",
	}
}

// readParts reads every part: the small ones into memory, the records line by line, and the page only
// to hash it.
func (v *verification) readParts() error {
	v.body, v.sums = map[string][]byte{}, map[string]string{}
	for _, name := range partNames {
		m := v.parts[name]
		if m == nil {
			continue
		}
		var body held
		var to io.Writer = &body
		switch name {
		case partRecords:
			to = &splitter{line: v.readLine}
		case partReport, partReadme:
			to = io.Discard
		default:
			if m.size > maxPart {
				return fmt.Errorf("%s has %d bytes, and at most %d are read", name, m.size, maxPart)
			}
		}
		sum := sha256.New()
		if err := v.copy(m, io.MultiWriter(to, sum)); err != nil {
			return err
		}
		if s, ok := to.(*splitter); ok && len(s.rest) > 0 {
			return fmt.Errorf("%s does not end with a line break", name)
		}
		v.body[name], v.sums[name] = body, "sha256:"+hex.EncodeToString(sum.Sum(nil))
	}
	return errors.Join(v.readManifest(), v.readLeaves())
}

func (v *verification) readManifest() error {
	if n := values(v.body[partManifest]); n > maxValues {
		return fmt.Errorf("%s has %d values, and at most %d are read", partManifest, n, maxValues)
	}
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
	for text := range bytes.Lines(v.body[partLeaves]) {
		n, err := strconv.ParseInt(string(bytes.TrimSuffix(text, []byte("\n"))), 10, 64)
		if err != nil {
			return fmt.Errorf("read %s: %w", partLeaves, err)
		}
		if v.leaves = append(v.leaves, n); len(v.leaves) > len(v.lines) {
			break // there are too many, which the check of the proof says
		}
	}
	return nil
}

// shortest is less than any line of records has, in bytes: what is shorter would only fill memory.
const shortest = len(redactedHead) + 44 + len(redactedTail)

// readLine takes the next record, and keeps of it what the checks need.
func (v *verification) readLine(text []byte) error {
	if len(text) < shortest {
		return fmt.Errorf("line %d of %s is no record", len(v.lines)+1, partRecords)
	}
	if hash, ok := removed(text); ok {
		v.lines = append(v.lines, line{hidden: true, hash: hash})
		return nil
	}
	l := line{hash: audit.Leaf(text)}
	var r chargehand.Record
	if n := values(text); n > maxValues {
		l.err = fmt.Errorf("it has %d values, and at most %d are read", n, maxValues)
	} else if l.err = json.Unmarshal(text, &r); l.err == nil {
		l.run, l.seq, l.at, l.names = r.Run, r.Seq, r.At, Contents(r.Fact)
		if f, ok := r.Fact.(chargehand.RunEnded); ok {
			v.ended = &f
		}
	}
	v.lines = append(v.lines, l)
	return nil
}
