package evidence

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/audit"
)

// A mutant is a pack that both verifiers must judge alike.
type mutant struct {
	pack []byte
	fits bool // its members are the pack's, and nothing else is in it
}

// mutants are ways to write the same members, and ways to add something to them.
func mutants(t *testing.T, s *shelf) map[string]mutant {
	pack := s.pack(t, Options{By: "iris", At: at})
	order, parts := apart(t, pack)
	out := map[string]mutant{"as it was exported": {pack, true}}
	again := func(name string, fits bool, change func(h *zip.FileHeader), end func(z *zip.Writer)) {
		out[name] = mutant{rezipped(t, order, parts, change, end), fits}
	}
	level := func(n int) func(z *zip.Writer) {
		return func(z *zip.Writer) {
			z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, n) })
		}
	}
	again("another level", true, nil, level(9))
	again("no compression in deflate", true, nil, level(0))
	again("stored", true, func(h *zip.FileHeader) { h.Method = zip.Store }, nil)
	again("other dates", true, func(h *zip.FileHeader) { h.ModifiedDate, h.ModifiedTime = 20000, 4711 }, nil) //nolint:staticcheck // Modified adds an extra field
	again("other attributes", true, func(h *zip.FileHeader) { h.ExternalAttrs, h.CreatorVersion = 1<<31, 3<<8|63 }, nil)
	again("a comment of the file", false, nil, func(z *zip.Writer) { _ = z.SetComment("hello") })
	again("a comment of a member", false, func(h *zip.FileHeader) { h.Comment = "hello" }, nil)
	again("an extra field", false, func(h *zip.FileHeader) { h.Extra = []byte{0x99, 0x99, 1, 0, 7} }, nil)
	again("another name in an extra field", false, func(h *zip.FileHeader) { h.Extra = []byte{0x75, 0x70, 6, 0, 1, 0, 0, 0, 0, 'x'} }, nil)
	backwards := slices.Clone(order)
	slices.Reverse(backwards)
	out["another order"] = mutant{rezipped(t, backwards, parts, nil, nil), true}
	out["sizes in the headers"] = mutant{sizedFirst(t, order, parts, ""), true}
	out["something behind a stream"] = mutant{sizedFirst(t, order, parts, "hidden"), false}
	out["something before it"] = mutant{append([]byte("#!/bin/sh\n"), pack...), false}
	out["something behind it"] = mutant{append(slices.Clone(pack), 0), false}
	out["twice in one file"] = mutant{append(slices.Clone(pack), pack...), false}
	out["a part twice"] = mutant{zipped(t, append(slices.Clone(order), partRecords), parts), false}
	out["a content twice"] = mutant{zipped(t, append(slices.Clone(order), order[0]), parts), false}
	out["a part missing"] = mutant{zipped(t, slices.DeleteFunc(slices.Clone(order), func(n string) bool { return n == partReport }), parts), false}
	out["a content missing"] = mutant{zipped(t, order[1:], parts), false}
	out["a folder"] = mutant{zipped(t, append(slices.Clone(order), artifactFolder), merge(parts, artifactFolder, "")), false}
	out["a name no pack has"] = mutant{zipped(t, append(slices.Clone(order), "notes.txt"), merge(parts, "notes.txt", "x")), false}
	out["a signature by somebody more"] = mutant{zipped(t, order, merge(parts, partSignature, parts[partSignature]+"— x AAAAAAAA\n")), false}
	out["the signature under another name"] = mutant{zipped(t, order, merge(parts, partSignature, strings.Replace(parts[partSignature], "— chargehand", "— Chargehand", 1))), false}
	out["a bit that base64 does not use"] = mutant{zipped(t, order, merge(parts, partSignature, unusedBit(parts[partSignature]))), false}
	out["a header's name"] = mutant{changed(pack, "records.ndjson", "Records.ndjson", 1), false}
	big := strings.Repeat("\x00", freeRatio+1)
	out["a bomb of zeros"] = mutant{bomb(t, order, merge(parts, partReport, big)), false}
	out["a bomb of line breaks"] = mutant{bomb(t, order, merge(parts, partRecords, strings.Repeat("\n", 200<<10))), false}
	return out
}

// rezipped writes a pack's members in another way.
func rezipped(t *testing.T, order []string, parts map[string]string, change func(h *zip.FileHeader), prepare func(z *zip.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if prepare != nil {
		prepare(z)
	}
	for _, name := range order {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, ModifiedDate: newYear1980}
		if change != nil {
			change(h)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(w, parts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sizedFirst writes members as a program does that knows their sizes before it writes their headers, and
// something more behind each packed stream.
func sizedFirst(t *testing.T, order []string, parts map[string]string, more string) []byte {
	t.Helper()
	pack := zipped(t, order, parts)
	from, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range from.File {
		raw, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: f.Name, Method: f.Method, CRC32: f.CRC32, CompressedSize64: f.CompressedSize64 + uint64(len(more)), UncompressedSize64: f.UncompressedSize64,
		})
		if err == nil {
			_, err = io.Copy(w, io.MultiReader(raw, strings.NewReader(more)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb packs as tightly as deflate can.
func bomb(t *testing.T, order []string, parts map[string]string) []byte {
	return rezipped(t, order, parts, nil, func(z *zip.Writer) {
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	})
}

// unusedBit changes the last letter of a signature such that it means the same 64 bytes.
func unusedBit(note string) string {
	b := []byte(note)
	i := strings.LastIndexByte(note, '=') - 1
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b[i] = letters[strings.IndexByte(letters, b[i])^1]
	return string(b)
}

// changed exchanges the nth occurrence of a text, counted from 1.
func changed(b []byte, from, to string, nth int) []byte {
	out := slices.Clone(b)
	at := -1
	for range nth {
		at += 1 + bytes.Index(out[at+1:], []byte(from))
	}
	copy(out[at:], to)
	return out
}

// TestBothVerifiersSayTheSame of every mutant: the program, and the script where there is Python.
func TestBothVerifiersSayTheSame(t *testing.T) {
	s := newShelf(t)
	_, err := exec.LookPath("python3")
	if err != nil {
		t.Log("there is no python3: only the program is asked")
	}
	for name, m := range mutants(t, s) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(m.pack, s.trust())
			if (r.Verdict == audit.Intact) != m.fits {
				t.Errorf("the program: %s, %s", r.Verdict, complaints(r))
			}
			if err != nil {
				return
			}
			if ok, out := python(t, m.pack, s.key.Public()); ok != m.fits {
				t.Errorf("the script: %t, %s", ok, out)
			}
		})
	}
}

// TestBothVerifiersSayTheSameOfFlippedBits flips bits where the zip file's own fields are.
func TestBothVerifiersSayTheSameOfFlippedBits(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	s := newShelf(t)
	pack := s.pack(t, Options{})
	dice := rand.New(rand.NewPCG(4861, 1))
	tail := bytes.Index(pack, []byte("PK\x01\x02"))
	for n := range 24 {
		b := slices.Clone(pack)
		at := dice.IntN(len(b))
		if n%2 == 0 {
			at = tail + dice.IntN(len(b)-tail)
		}
		bit := dice.IntN(8)
		b[at] ^= 1 << bit
		t.Run(fmt.Sprintf("bit %d of byte %d", bit, at), func(t *testing.T) {
			t.Parallel()
			r := check(b, s.trust())
			if ok, out := python(t, b, s.key.Public()); ok != (r.Verdict == audit.Intact) {
				t.Errorf("the program: %s %s; the script: %s", r.Verdict, complaints(r), out)
			}
		})
	}
}

// TestBombsDoNotFillMemory verifies what unpacks to a hundred times its size and more.
func TestBombsDoNotFillMemory(t *testing.T) {
	s := newShelf(t)
	order, parts := apart(t, s.pack(t, Options{}))
	zeros := strings.Repeat("\x00", 64<<20)
	lines := strings.Repeat("\n", 900<<10)
	objects := `{"run":"run_1","seq":1,"at":"2026-11-22T00:00:00Z","type":"subtasks_planned","data":{"version":1,"subtasks":[` + strings.Repeat("{},", 300<<10) + `{}]}}` + "\n"
	for name, p := range map[string]map[string]string{
		"the records are zeros":       merge(parts, partRecords, zeros),
		"the records are line breaks": merge(parts, partRecords, lines),
		"a record is of many objects": merge(parts, partRecords, objects),
		"the manifest is of objects":  merge(parts, partManifest, `{"artifacts":[`+strings.Repeat("{},", 300<<10)+`{}]}`),
		"the leaves are line breaks":  merge(parts, partLeaves, strings.Repeat("1\n", 400<<10)),
		"a content is of zeros":       merge(parts, order[0], zeros),
	} {
		pack := bomb(t, order, p)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := check(pack, s.trust())
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; r.Verdict != audit.Damaged || used > 300<<20 {
			t.Errorf("%s: %s, %d KB of zip took %d MB", name, r.Verdict, len(pack)>>10, used>>20)
		}
	}
}

// TestARepetitiveContentIsNoBomb: what is packed too well to be believed is stored.
func TestARepetitiveContentIsNoBomb(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := errors.Join(store(z, "x", bytes.Repeat([]byte("a"), 2*freeRatio)), store(z, "y", bytes.Repeat([]byte("a"), freeRatio)), z.Close())
	members, err2 := directory(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if members[0].method != stored || members[1].method != deflated {
		t.Errorf("methods %d and %d", members[0].method, members[1].method)
	}
}
