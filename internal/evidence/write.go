package evidence

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// A Source is a run as its engine has it.
type Source struct {
	Run    string
	Lines  [][]byte // of every record, in order, without line breaks
	Leaves []int64  // the leaf of each

	Checkpoint []byte      // the newest, as a signed note
	Hashes     audit.Tiles // of a tree of at least the checkpoint's size
	Key        audit.Key   // which signed the checkpoint
	Witnesses  []string    // verifier keys of those whose cosignatures it bears

	// Content is the content of a hash that a record names.
	Content func(ctx context.Context, hash string) ([]byte, error)
}

// Options say who exports, and what is left out. The zero Options leave nothing out.
type Options struct {
	By     string    // who exports. Empty means nobody is named
	At     time.Time // when. Zero means no time is named
	Redact Redaction
}

// Write writes a pack of the source's records up to its checkpoint to w, and returns its manifest.
// The same source and options give the same bytes.
func Write(ctx context.Context, w io.Writer, src Source, opt Options) (*Manifest, error) {
	p, err := plan(src, opt)
	if err != nil {
		return nil, fmt.Errorf("pack the records of %s: %w", src.Run, err)
	}
	if n := len(p.contents) + len(partNames); n > maxMembers {
		return nil, tooLarge(src.Run, fmt.Sprintf("it would hold %d files, and %d is the most", n, maxMembers))
	}
	z := zip.NewWriter(w)
	total := int64(p.lines.Len())
	for _, a := range p.contents {
		body, err := src.Content(ctx, a.Hash)
		if err != nil {
			return nil, fmt.Errorf("pack what record %d of %s names: %w", a.Seq, src.Run, err)
		}
		if chargehand.Hash(body) != a.Hash {
			return nil, fmt.Errorf("pack what record %d of %s names: the content %s has another hash", a.Seq, src.Run, a.Hash)
		}
		a.Size = int64(len(body))
		if total += a.Size; total > maxBytes-maxPart {
			return nil, tooLarge(src.Run, fmt.Sprintf("its contents are more than %d bytes", int64(maxBytes-maxPart)))
		}
		p.Artifacts = append(p.Artifacts, a)
		if err := store(z, artifactFolder+strings.TrimPrefix(a.Hash, "sha256:"), body); err != nil {
			return nil, err
		}
	}
	if err := p.finish(z, src); err != nil {
		return nil, err
	}
	return &p.Manifest, z.Close()
}

func tooLarge(run, why string) error {
	return &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "the records of " + run + " do not go into one pack", Why: why,
		Next: "leave contents out of it with --redact",
	}
}

// packing is a pack under way.
type packing struct {
	Manifest
	records  []chargehand.Record // those that are not removed
	contents []Artifact
	checked  audit.Checkpoint
	lines    bytes.Buffer
	leaves   []int64
}

// plan decides what goes into a pack.
func plan(src Source, opt Options) (*packing, error) {
	keys, err := audit.Verifiers(src.Key.Public())
	if err != nil {
		return nil, err
	}
	c, _, err := audit.OpenCheckpoint(src.Checkpoint, keys)
	if err != nil {
		return nil, fmt.Errorf("open its checkpoint: %w", err)
	}
	p := &packing{checked: c, Manifest: Manifest{
		Format: Format, Run: src.Run, Origin: c.Origin, ExportedAt: opt.At, ExportedBy: opt.By,
		Artifacts: []Artifact{}, Removed: []Removal{}, Files: map[string]string{},
	}}
	seen := map[string]bool{}
	for i, line := range src.Lines {
		if src.Leaves[i] >= c.Size {
			p.Uncovered = len(src.Lines) - i
			break
		}
		if err := p.add(line, src.Leaves[i], opt, seen); err != nil {
			return nil, err
		}
	}
	if p.Records == 0 {
		return nil, &chargehand.Error{
			Code: chargehand.CodeUnavailable, What: "there is nothing to export yet",
			Why: "no checkpoint covers a record of " + src.Run, Next: "try again in a second",
		}
	}
	return p, nil
}

// add takes the next record in, or its hash where it is to be removed.
func (p *packing) add(line []byte, leaf int64, opt Options, seen map[string]bool) error {
	var r chargehand.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	p.Records++
	p.leaves = append(p.leaves, leaf)
	if opt.Redact.removes(r) {
		fmt.Fprintf(&p.lines, "%s%s%s\n", redactedHead, base64.StdEncoding.EncodeToString(hashBytes(audit.Leaf(line))), redactedTail)
		p.Removed = append(p.Removed, Removal{Seq: r.Seq, Type: r.Type(), Reason: opt.Redact.Reason, By: opt.By})
		return nil
	}
	p.lines.Write(line)
	p.lines.WriteByte('\n')
	p.records = append(p.records, r)
	if f, ok := r.Fact.(chargehand.RunStarted); ok {
		p.Title = f.Objective.Title
	}
	for _, a := range Contents(r.Fact) {
		if seen[a.Hash] {
			continue
		}
		seen[a.Hash] = true
		a.Seq = r.Seq
		if opt.Redact.drops(a) {
			p.Removed = append(p.Removed, Removal{Artifact: a.Hash, Kind: a.Kind, Reason: opt.Redact.Reason, By: opt.By})
			continue
		}
		p.contents = append(p.contents, a)
	}
	return nil
}

// A removed record's line is an object that holds its leaf hash.
const (
	redactedHead = `{"redacted":"`
	redactedTail = `"}`
)

func hashBytes(h audit.Hash) []byte { return h[:] }

// finish writes everything but the artifacts.
func (p *packing) finish(z *zip.Writer, src Source) error {
	proof, err := Prove(p.checked.Size, p.leaves, src.Hashes)
	if err != nil {
		return err
	}
	page, err := Page(&p.Manifest, p.checked, p.records)
	if err != nil {
		return err
	}
	parts := []struct {
		name string
		body []byte
	}{
		{partRecords, p.lines.Bytes()},
		{partLeaves, numbers(p.leaves)},
		{partProof, hashLines(proof)},
		{partCheckpoint, src.Checkpoint},
		{partKey, []byte(src.Key.Public() + "\n")},
		{partWitnesses, []byte(strings.Join(append(src.Witnesses, ""), "\n"))},
		{partReport, page},
		{partReadme, []byte(readme)},
	}
	for _, part := range parts {
		if part.name == partWitnesses && len(src.Witnesses) == 0 {
			continue
		}
		p.Files[part.name] = chargehand.Hash(part.body)
		if err := store(z, part.name, part.body); err != nil {
			return err
		}
	}
	body, err := json.MarshalIndent(p.Manifest, "", "  ")
	if err != nil {
		return err
	}
	signed, err := src.Key.Sign(signedText(body))
	if err != nil {
		return err
	}
	if err := store(z, partManifest, body); err != nil {
		return err
	}
	return store(z, partSignature, signed)
}

// signedText is what the log's key signs of a manifest. It cannot be taken for a checkpoint, whose
// second line is a number.
func signedText(manifest []byte) string { return Format + "\n" + chargehand.Hash(manifest) + "\n" }

// newYear1980 is the earliest date that zip can tell: the same pack has the same bytes at any time.
const newYear1980 = 1<<5 | 1

func store(z *zip.Writer, name string, body []byte) error {
	method := zip.Deflate
	if len(body) > freeRatio && shrinks(body, maxRatio) {
		method = zip.Store // a verifier would take it for a bomb
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, ModifiedDate: newYear1980})
	if err == nil {
		_, err = w.Write(body)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// shrinks reports whether a body is packed into less than its nth part.
func shrinks(body []byte, n int) bool {
	var packed counter
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(body)
		err = errors.Join(err, w.Close())
	}
	return err == nil && int(packed) < len(body)/n+1
}

// A counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func numbers(list []int64) []byte {
	var out []byte
	for _, n := range list {
		out = append(strconv.AppendInt(out, n, 10), '\n')
	}
	return out
}

func hashLines(list []audit.Hash) []byte {
	var out []byte
	for _, h := range list {
		out = append(base64.StdEncoding.AppendEncode(out, h[:]), '\n')
	}
	return out
}

const readme = `This is evidence of one supervised run. It is no legal determination. To verify it without the program that made it:
1. Get the log's public key from somebody you trust, not from this file, and compare it with keys/log.pub.
2. checkpoint is a C2SP signed note of that key: the log's name, how many records it had, and the root of their RFC 6962 tree.
3. Hash each line of records.ndjson as a leaf, at the place that leaves gives; where a subtree holds none, the next line of proof is its hash.
4. The root must be the checkpoint's. manifest.sig signs the manifest, which lists the SHA-256 of every part; artifacts are named by theirs.
Seventy lines of Python that do it: docs/verify-pack.py in the program's source. With the program: chargehand audit verify FILE.zip --key KEY
`
