package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// vectors calls f with every vector in a folder of merkle-proof-vectors and says how many there were.
func vectors[T any](t *testing.T, folder string, want int, f func(t *testing.T, v T)) {
	t.Helper()
	root := data(t, filepath.Join("merkle-proof-vectors", folder))
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		n++
		rel, _ := filepath.Rel(root, path)
		t.Run(rel, func(t *testing.T) { f(t, v) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != want {
		t.Errorf("%d vectors, want %d", n, want)
	}
	t.Logf("%s: %d vectors", folder, n)
}

// data is a folder of the data sets; the test is skipped where it is not there.
func data(t *testing.T, folder string) string {
	t.Helper()
	root := os.Getenv("CHARGEHAND_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, folder)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no data set: %v", err)
	}
	return dir
}

func wants(t *testing.T, err error, wantErr bool) {
	t.Helper()
	if (err != nil) != wantErr {
		t.Errorf("err = %v, want an error: %v", err, wantErr)
	}
}

// A hash in a vector may be of any length.
type anyHash []byte

func (a anyHash) hash() (h tlog.Hash, err error) {
	if len(a) != tlog.HashSize {
		return h, errProof
	}
	return tlog.Hash(a), nil
}

func hashes(in []anyHash) (out []tlog.Hash, err error) {
	for _, a := range in {
		h, err := a.hash()
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// A count may be more than there can be: it is then negative, which nothing accepts.
type count int64

func (c *count) UnmarshalJSON(b []byte) error {
	u, err := strconv.ParseUint(string(b), 10, 64)
	*c = count(u)
	return err
}

type inclusion struct {
	LeafIdx, TreeSize, Start, End count
	Root, LeafHash                anyHash
	Proof                         []anyHash
	WantErr                       bool
}

// TestInclusionVectors puts every vector through the library's check, which the database's own
// proofs use, and through ours, which a pack's proof uses.
func TestInclusionVectors(t *testing.T) {
	vectors(t, "inclusion", 98, func(t *testing.T, v inclusion) {
		wants(t, byTlog(v, 0, v.TreeSize), v.WantErr)
		wants(t, bySubtree(v, 0, v.TreeSize), v.WantErr)
	})
	vectors(t, "subtreeinclusion", 204, func(t *testing.T, v inclusion) {
		wants(t, byTlog(v, v.Start, v.End), v.WantErr)
		wants(t, bySubtree(v, v.Start, v.End), v.WantErr)
	})
}

func byTlog(v inclusion, start, end count) error {
	root, err1 := v.Root.hash()
	leaf, err2 := v.LeafHash.hash()
	proof, err3 := hashes(v.Proof)
	if err := errors.Join(err1, err2, err3); err != nil || !aligned(start, end) || v.LeafIdx < start || v.LeafIdx >= end {
		return errors.Join(errProof, err)
	}
	return tlog.CheckRecord(proof, int64(end-start), root, int64(v.LeafIdx-start), leaf)
}

func bySubtree(v inclusion, start, end count) error {
	root, err1 := v.Root.hash()
	leaf, err2 := v.LeafHash.hash()
	proof, err3 := hashes(v.Proof)
	if err := errors.Join(err1, err2, err3); err != nil || !aligned(start, end) || v.LeafIdx < start || v.LeafIdx >= end {
		return errors.Join(errProof, err)
	}
	i := int64(v.LeafIdx - start)
	return rootIs(int64(end-start), []Node{{i, i + 1, leaf}}, proof, root)
}

// rootIs checks a proof in the order of RFC 6962, from the leaves up.
func rootIs(size int64, known []Node, upwards []tlog.Hash, root tlog.Hash) error {
	if size < 1 {
		return errProof
	}
	got, err := Root(size, known, leftToRight(size, known[0], upwards))
	if err == nil && got != root {
		err = errProof
	}
	return err
}

// leftToRight puts the siblings of a path, which are in the order from the bottom up, into the
// order of a pack's proof.
func leftToRight(size int64, known Node, upwards []tlog.Hash) []tlog.Hash {
	left, right := splitPath(size, known, upwards)
	slices.Reverse(left)
	return append(left, right...)
}

// splitPath tells the siblings on the left of a path from those on its right, each from the bottom
// up. Those that are too many count as on the right.
func splitPath(size int64, known Node, upwards []tlog.Hash) (left, right []tlog.Hash) {
	var onLeft []bool // from the top down
	for lo, hi := int64(0), size; hi-lo > 1 && (lo < known.Lo || hi > known.Hi); {
		k := split(hi - lo)
		onLeft = append(onLeft, known.Lo >= lo+k)
		if known.Lo >= lo+k {
			lo += k
		} else {
			hi = lo + k
		}
	}
	slices.Reverse(onLeft)
	for i, h := range upwards {
		if i < len(onLeft) && onLeft[i] {
			left = append(left, h)
		} else {
			right = append(right, h)
		}
	}
	return left, right
}

// aligned reports whether [start, end) is a subtree: its start is a multiple of the power of two
// that holds it.
func aligned(start, end count) bool {
	return 0 <= start && start < end && start%(1<<bits.Len64(uint64(end-start-1))) == 0
}

type consistency struct {
	Size1, Size2, Start, End, Size count
	Root1, Root2                   anyHash
	Proof                          []anyHash
	WantErr                        bool
}

func TestConsistencyVectors(t *testing.T) {
	vectors(t, "consistency", 98, func(t *testing.T, v consistency) {
		wants(t, v.check(0, v.Size1, v.Size2), v.WantErr)
	})
	vectors(t, "subtreeconsistency", 118, func(t *testing.T, v consistency) {
		if v.Start == v.End && v.End <= v.Size {
			wants(t, v.empty(), v.WantErr)
			return
		}
		wants(t, v.check(v.Start, v.End, v.Size), v.WantErr)
	})
}

// check is whether root1, of the leaves [start, end), is part of root2, of size leaves. A tree that
// did not grow has the same root and needs no proof; with start zero this is the library's
// consistency proof, which witnesses check; and every one goes through ours.
func (v consistency) check(start, end, size count) error {
	if !aligned(start, end) || end > size {
		return errProof
	}
	if start == 0 && end == size {
		if len(v.Proof) > 0 || !bytes.Equal(v.Root1, v.Root2) {
			return errProof
		}
		return nil
	}
	old, err1 := v.Root1.hash()
	root, err2 := v.Root2.hash()
	proof, err3 := hashes(v.Proof)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	ours := bySubtrees(start, end, size, old, root, proof)
	if start > 0 {
		return ours
	}
	theirs := tlog.CheckTree(proof, int64(size), root, int64(end), old)
	if (ours == nil) != (theirs == nil) {
		return fmt.Errorf("ours says %v, the library's %w", ours, theirs)
	}
	return theirs
}

// empty is whether the root is that of no leaves; of them there is nothing to prove.
func (v consistency) empty() error {
	none := sha256.Sum256(nil)
	if !bytes.Equal(v.Root1, none[:]) || len(v.Proof) > 0 {
		return errProof
	}
	return nil
}

// bySubtrees takes the parts that [start, end) consists of from the proof, from the right, and
// wants them to give the old root, and with the rest of the proof the new one.
func bySubtrees(start, end, size count, old, root tlog.Hash, proof []tlog.Hash) error {
	var parts []Node
	for lo := start; lo < end; {
		n := count(whole(int64(end - lo)))
		parts = append(parts, Node{Lo: int64(lo), Hi: int64(lo + n)})
		lo += n
	}
	if len(parts) == 1 {
		parts[0].Hash = old
		return rootIs(int64(size), parts, proof, root)
	}
	// Upwards from the last part, its siblings are the parts on its left, and what is beyond.
	if len(proof) < len(parts) {
		return errProof
	}
	last := len(parts) - 1
	parts[last].Hash = proof[0]
	lefts, rest := splitPath(int64(size), parts[last], proof[1:])
	if len(lefts) < last {
		return errProof
	}
	for i := range last {
		parts[last-1-i].Hash = lefts[i]
	}
	lefts = lefts[last:]
	slices.Reverse(lefts)
	got, err := Root(int64(size), parts, append(lefts, rest...))
	if err != nil || got != root {
		return errProof
	}
	within := slices.Clone(parts)
	for i := range within {
		within[i].Lo, within[i].Hi = within[i].Lo-int64(start), within[i].Hi-int64(start)
	}
	if got, err = Root(int64(end-start), within, nil); err != nil || got != old {
		return errProof
	}
	return nil
}
