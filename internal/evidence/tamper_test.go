package evidence

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// tampered are packs with one thing changed, by what was, and the check that finds it first.
func tampered(t *testing.T, s *shelf) map[string]struct {
	pack  []byte
	check string
} {
	order, parts := apart(t, s.pack(t, Options{By: "iris", At: at}))
	type pack = struct {
		pack  []byte
		check string
	}
	out := map[string]pack{}
	change := func(name, check string, f func(p map[string]string)) {
		p := maps.Clone(parts)
		f(p)
		out[name] = pack{zipped(t, order, p), check}
	}
	replace := func(part, old, new string) func(map[string]string) {
		return func(p map[string]string) {
			if !strings.Contains(p[part], old) {
				t.Fatalf("%s has no %q", part, old)
			}
			p[part] = strings.Replace(p[part], old, new, 1)
		}
	}
	lines := strings.SplitAfter(strings.TrimSuffix(parts[partRecords], "\n"), "\n")
	change("a record's word", "manifest", replace(partRecords, "wrong", "right"))
	change("a record removed", "manifest", func(p map[string]string) { p[partRecords] = strings.Join(lines[1:], "") + "\n" })
	change("two records swapped", "manifest", func(p map[string]string) {
		swapped := slices.Clone(lines)
		swapped[1], swapped[2] = swapped[2], swapped[1]
		p[partRecords] = strings.Join(swapped, "") + "\n"
	})
	change("a record added", "manifest", func(p map[string]string) { p[partRecords] += lines[1] })
	change("a leaf's place", "manifest", replace(partLeaves, "3\n", "2\n"))
	change("a hash of the proof", "manifest", func(p map[string]string) { p[partProof] = p[partProof][4:] })
	change("the checkpoint's size", "manifest", replace(partCheckpoint, "\n313\n", "\n312\n"))
	change("the key", "manifest", func(p map[string]string) { p[partKey] = newShelf(t).key.Public() + "\n" })
	change("the manifest", "manifest", replace(partManifest, "iris", "ida"))
	change("the manifest's signature", "manifest", replace(partSignature, "sha256:", "sha256:0"))
	change("a page", "manifest", replace(partReport, "not a legal", "a legal"))
	invented := "an invented contract"
	name := inPack(chargehand.Hash([]byte(invented)))
	out["a content added"] = pack{zipped(t, append(slices.Clone(order), name), merge(parts, name, invented)), "artifacts"}
	out["a part twice"] = pack{zipped(t, append(slices.Clone(order), partRecords), parts), "container"}
	change("no proof", "container", func(p map[string]string) { delete(p, partProof) })
	for name := range parts {
		if !strings.HasPrefix(name, artifactFolder) {
			continue
		}
		change("content "+name[10:16], "artifacts", func(p map[string]string) { p[name] += " " })
		change("content away "+name[10:16], "artifacts", func(p map[string]string) { delete(p, name) })
	}
	out["cut short"] = pack{zipped(t, order, parts)[:2000], "container"}
	return out
}

// alsoInPython is one of each class: the script takes its time over a signature.
var alsoInPython = []string{
	"a record's word", "a record removed", "two records swapped", "a leaf's place", "a hash of the proof", "the checkpoint's size",
	"the key", "the manifest", "the manifest's signature", "a page", "no proof", "cut short",
	"a content added", "a part twice",
}

//guard:pack-signature
//guard:pack-parts
func TestTamperedPacksAreFound(t *testing.T) {
	s := newShelf(t)
	for name, p := range tampered(t, s) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(p.pack, s.trust())
			if r.Verdict != audit.Damaged {
				t.Fatal("not found")
			}
			if got := r.Findings[0].Check; got != p.check {
				t.Errorf("found by %s, want %s: %s", got, p.check, complaints(r))
			}
			if !slices.Contains(alsoInPython, name) && !strings.HasSuffix(name, chargehand.Hash([]byte("the contract"))[7:13]) {
				return
			}
			if ok, out := python(t, p.pack, s.key.Public()); ok {
				t.Errorf("the script is content: %s", out)
			}
		})
	}
}

// forged are packs whose manifest is signed again by the log's own key over something untrue: what
// the checks behind the manifest are for.
func forged(t *testing.T, s *shelf) map[string][]byte {
	pack := s.pack(t, Options{})
	order, parts := apart(t, pack)
	out := map[string][]byte{}
	sign := func(name string, f func(p map[string]string, m *Manifest)) { out[name] = s.forge(t, pack, f) }
	lines := strings.SplitAfter(strings.TrimSuffix(parts[partRecords], "\n"), "\n")
	leaves := strings.SplitAfter(strings.TrimSuffix(parts[partLeaves], "\n"), "\n")
	sign("a record's word", func(p map[string]string, _ *Manifest) {
		p[partRecords] = strings.Replace(p[partRecords], "wrong", "right", 1)
	})
	sign("the first record left out", func(p map[string]string, m *Manifest) {
		p[partRecords], p[partLeaves] = strings.Join(lines[1:], "")+"\n", strings.Join(leaves[1:], "")+"\n"
		p[partProof] = string(hashLines(must(Prove(s.tree.Size(), s.Leaves[1:], s.Hashes))))
		m.Records--
	})
	sign("one in the middle left out", func(p map[string]string, m *Manifest) {
		without := slices.Delete(slices.Clone(s.Leaves), 4, 5)
		p[partRecords] = strings.Join(slices.Delete(slices.Clone(lines), 4, 5), "") + "\n"
		p[partLeaves] = string(numbers(without))
		p[partProof] = string(hashLines(must(Prove(s.tree.Size(), without, s.Hashes))))
		m.Records--
	})
	sign("a content left out", func(p map[string]string, m *Manifest) {
		delete(p, artifactFolder+strings.TrimPrefix(m.Artifacts[0].Hash, "sha256:"))
	})
	invented := "an invented contract"
	sign("a content added", func(p map[string]string, _ *Manifest) { p[inPack(chargehand.Hash([]byte(invented)))] = invented })
	sign("a content added and listed", func(p map[string]string, m *Manifest) {
		hash := chargehand.Hash([]byte(invented))
		p[inPack(hash)] = invented
		m.Artifacts = append(m.Artifacts, Artifact{Hash: hash, Kind: chargehand.ContentDocument})
	})
	sign("another number of records", func(_ map[string]string, m *Manifest) { m.Records++ })
	sign("a record removed without a word", func(p map[string]string, _ *Manifest) {
		hidden := slices.Clone(lines)
		leaf := audit.Leaf([]byte(strings.TrimSuffix(lines[4], "\n")))
		hidden[4] = redactedHead + base64.StdEncoding.EncodeToString(leaf[:]) + redactedTail + "\n"
		p[partRecords] = strings.Join(hidden, "") + "\n"
		for _, name := range order { // what the record names goes as well
			if strings.HasPrefix(name, artifactFolder) && strings.Contains(lines[4], name[len(artifactFolder):]) && !strings.Contains(p[partRecords], name[len(artifactFolder):]) {
				delete(p, name)
			}
		}
	})
	sign("a proof too many", func(p map[string]string, _ *Manifest) { p[partProof] += p[partProof][:45] })
	sign("no records", func(p map[string]string, m *Manifest) {
		p[partRecords], p[partLeaves], p[partProof], m.Records = "", "", string(hashLines([]audit.Hash{s.tree.Root()})), 0
	})
	return out
}

// forge changes a pack and has the log's key sign what it became. What is added comes last.
func (s *shelf) forge(t *testing.T, pack []byte, change func(p map[string]string, m *Manifest)) []byte {
	t.Helper()
	order, p := apart(t, pack)
	var m Manifest
	if err := json.Unmarshal([]byte(p[partManifest]), &m); err != nil {
		t.Fatal(err)
	}
	change(p, &m)
	for n, b := range p {
		if _, ok := m.Files[n]; ok {
			m.Files[n] = chargehand.Hash([]byte(b))
		}
		if !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	sig, err := s.key.Sign(signedText(body))
	if err != nil {
		t.Fatal(err)
	}
	p[partManifest], p[partSignature] = string(body), string(sig)
	return zipped(t, order, p)
}

func inPack(hash string) string { return artifactFolder + strings.TrimPrefix(hash, "sha256:") }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestForgedPacksAreFound(t *testing.T) {
	s := newShelf(t)
	for name, pack := range forged(t, s) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(pack, s.trust())
			if r.Verdict != audit.Damaged {
				t.Fatal("not found")
			}
			if f := r.Findings[0]; f.Check == "manifest" {
				t.Errorf("the manifest was signed again, and still found: %s", f.What)
			}
			if ok, out := python(t, pack, s.key.Public()); ok {
				t.Errorf("the script is content: %s", out)
			}
		})
	}
}

// TestAnotherKeyIsFound is a log made up as a whole by somebody else.
func TestAnotherKeyIsFound(t *testing.T) {
	ours, theirs := newShelf(t), newShelf(t)
	pack := theirs.pack(t, Options{})
	if r := check(pack, ours.trust()); r.Verdict != audit.Damaged || r.Findings[0].Kind != audit.KindKey {
		t.Errorf("not found: %s", complaints(r))
	}
	if ok, out := python(t, pack, ours.key.Public()); ok {
		t.Errorf("the script is content: %s", out)
	}
	if ok, out := python(t, pack, ""); !ok {
		t.Errorf("the script does not take the pack's own key: %s", out)
	}
}

func TestRedaction(t *testing.T) {
	s := newShelf(t)
	opt := Options{By: "iris", Redact: Redaction{
		Reason: "personal data", Records: []string{"attempt_started"}, Artifacts: []string{"output", "text/plain"},
	}}
	pack := s.pack(t, opt)
	if bytes.Contains(pack, []byte("reader")) {
		t.Error("the worker's name is still there")
	}
	order, parts := apart(t, pack)
	if slices.Contains(order, artifactFolder+chargehand.Hash([]byte("the contract"))[7:]) || strings.Contains(parts[partRecords], "attempt_started") {
		t.Error("something removed is still there")
	}
	r := check(pack, s.trust())
	if r.Verdict != audit.Intact {
		t.Fatal(complaints(r))
	}
	if ok, out := python(t, pack, s.key.Public()); !ok {
		t.Errorf("the script refuses it: %s", out)
	}
	var got []string
	for _, m := range r.Manifest.Removed {
		got = append(got, fmt.Sprintf("%d %s %s %s %s", m.Seq, m.Type, m.Kind, m.Reason, m.By))
	}
	want := []string{"0  document personal data iris", "4 attempt_started  personal data iris", "0  output personal data iris"}
	if !slices.Equal(got, want) {
		t.Errorf("removed %q, want %q", got, want)
	}
	told := 0
	for _, c := range r.Checks {
		if strings.Contains(c.NotProved, "removed") {
			told++
		}
	}
	if told < 2 {
		t.Errorf("the report tells of removals %d times", told)
	}
}

func TestRedactionIsChecked(t *testing.T) {
	for _, tt := range []struct {
		r    Redaction
		want string
	}{
		{Redaction{Records: []string{"run_started"}}, "$.reason"},
		{Redaction{Reason: "r"}, "names neither"},
		{Redaction{Reason: "r", Records: []string{"moon_landed"}}, `"moon_landed"`},
		{Redaction{Reason: "r", Artifacts: []string{"outputs"}}, `"outputs"`},
		{Redaction{Reason: "r", Artifacts: []string{"all", "text/plain"}, Records: []string{"judged"}}, ""},
	} {
		var all []string
		for _, p := range tt.r.Check() {
			all = append(all, p.String())
		}
		got := strings.Join(all, "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.r, got, tt.want)
		}
	}
}

// TestUncoveredRecordsStayOut: what no checkpoint speaks for is not in the pack, and it says so.
func TestUncoveredRecordsStayOut(t *testing.T) {
	s := newShelf(t)
	s.add(t, s.Run, 9, chargehand.LateResult{Why: "too late"})
	r := check(s.pack(t, Options{}), s.trust())
	if r.Verdict != audit.Intact || r.Manifest.Records != 8 || r.Manifest.Uncovered != 1 {
		t.Errorf("%d records, %d uncovered: %s", r.Manifest.Records, r.Manifest.Uncovered, complaints(r))
	}
	s = newShelf(t)
	s.Lines, s.Leaves = s.Lines[:1], []int64{1 << 40}
	if _, err := Write(context.Background(), &bytes.Buffer{}, s.Source, Options{}); chargehand.CodeOf(err) != chargehand.CodeUnavailable {
		t.Errorf("err = %v", err)
	}
}

func TestMissingContentStopsTheExport(t *testing.T) {
	s := newShelf(t)
	for hash := range s.blobs {
		kept := s.blobs[hash]
		delete(s.blobs, hash)
		if _, err := Write(context.Background(), &bytes.Buffer{}, s.Source, Options{}); err == nil {
			t.Errorf("%s is missing, and nobody says so", hash)
		}
		s.blobs[hash] = append(slices.Clone(kept), '!')
		if _, err := Write(context.Background(), &bytes.Buffer{}, s.Source, Options{}); err == nil {
			t.Errorf("%s is another, and nobody says so", hash)
		}
		s.blobs[hash] = kept
	}
}

// TestHostileArchives are files that no exporter writes.
func TestHostileArchives(t *testing.T) {
	s := newShelf(t)
	order, parts := apart(t, s.pack(t, Options{}))
	with := func(name, body string) []byte {
		p := maps.Clone(parts)
		p[name] = body
		return zipped(t, append(slices.Clone(order), name), p)
	}
	bomb := func() []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: artifactFolder + strings.Repeat("0", 64), Method: zip.Deflate, CompressedSize64: 10, UncompressedSize64: 1 << 40,
		})
		if err := errors.Join(err, second(w.Write(make([]byte, 10))), z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, b := range map[string][]byte{
		"nothing":         nil,
		"no zip":          []byte("hello"),
		"a path upwards":  with("../evil", "x"),
		"an absolute one": with("/etc/passwd", "x"),
		"a backslash":     with(`artifacts\x`, "x"),
		"a stray file":    with("verify.html", "<script>"),
		"a folder":        with("artifacts/", ""),
		"a part twice":    with(partRecords, parts[partRecords]),
		"a bomb":          bomb(),
		"no number":       zipped(t, order, merge(parts, partLeaves, "3\nx\n")),
		"no manifest":     zipped(t, order, merge(parts, partManifest, "[]")),
		"a newer format":  zipped(t, order, merge(parts, partManifest, `{"format":"chargehand-evidence@2"}`)),
	} {
		r := check(b, s.trust())
		if r.Verdict != audit.Damaged || r.Findings[0].Check != "container" {
			t.Errorf("%s: %s, %s", name, r.Verdict, complaints(r))
		}
	}
}

func second[T any](_ T, err error) error { return err }

func merge(parts map[string]string, name, body string) map[string]string {
	p := maps.Clone(parts)
	p[name] = body
	return p
}

func FuzzVerify(f *testing.F) {
	s := newShelf(f)
	f.Add(s.pack(f, Options{}))
	f.Add([]byte("PK"))
	f.Fuzz(func(_ *testing.T, b []byte) { check(b, s.trust()) })
}

// TestPacksThatClaimTooMuch looks at what a directory says, before anything is unpacked.
func TestPacksThatClaimTooMuch(t *testing.T) {
	name := artifactFolder + strings.Repeat("0", 64)
	for what, m := range map[string]member{
		"more than a content is packed": {packed: 1 << 20, size: 1<<20*(maxRatio+1) + 1},
		"more than a pack may hold":     {packed: maxBytes, size: maxBytes},
	} {
		m.name = name
		a := archive{parts: map[string]*member{}, artifacts: map[string]*member{}, bytes: 1}
		if err := a.add(&m); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}
