package evidence

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// A tree is stored hashes of an RFC 6962 tree, and its leaves.
type tree struct {
	leaves []tlog.Hash
	stored []tlog.Hash
	reads  int
}

func plant(n int64) *tree {
	t := &tree{}
	for i := range n {
		t.leaves = append(t.leaves, tlog.RecordHash(fmt.Appendf(nil, "leaf %d", i)))
		more, err := tlog.StoredHashesForRecordHash(i, t.leaves[i], t)
		if err != nil {
			panic(err)
		}
		t.stored = append(t.stored, more...)
	}
	t.reads = 0
	return t
}

func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	t.reads += len(indexes)
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		out[i] = t.stored[x]
	}
	return out, nil
}

func (t *tree) nodes(leaves []int64) []Node {
	var out []Node
	for _, i := range leaves {
		out = append(out, Node{i, i + 1, t.leaves[i]})
	}
	return out
}

func TestProofOfAnyLeavesGivesTheRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 300).Draw(t, "size")
		leaves := rapid.SliceOfNDistinct(rapid.Int64Range(0, size-1), 1, min(int(size), 40), rapid.ID).Draw(t, "leaves")
		slices.Sort(leaves)
		tr := plant(size)
		want, err := tlog.TreeHash(size, tr)
		if err != nil {
			t.Fatal(err)
		}
		tr.reads = 0
		proof, err := Prove(size, leaves, tr)
		if err != nil {
			t.Fatal(err)
		}
		if most := 2 * 9 * (len(leaves) + 1); tr.reads > most {
			t.Errorf("read %d hashes for %d leaves of %d", tr.reads, len(leaves), size)
		}
		known := tr.nodes(leaves)
		if got, err := Root(size, known, proof); err != nil || got != want {
			t.Fatalf("Root = %v, %v, want %v", got, err, want)
		}
		spoil(t, size, known, proof, want)
	})
}

// spoil changes one thing and wants another root, or none.
func spoil(t *rapid.T, size int64, known []Node, proof []tlog.Hash, root tlog.Hash) {
	known, proof = slices.Clone(known), slices.Clone(proof)
	k := rapid.IntRange(0, len(known)-1).Draw(t, "which")
	what := rapid.SampledFrom([]string{"leaf", "index", "drop leaf", "proof", "longer", "shorter", "swap", "size"}).Draw(t, "what")
	switch what {
	case "leaf":
		known[k].Hash[7] ^= 4
	case "index":
		known[k].Lo, known[k].Hi = known[k].Lo+1, known[k].Hi+1
	case "drop leaf":
		known = slices.Delete(known, k, k+1)
	case "longer":
		proof = append(proof, tlog.Hash{})
	case "size":
		size *= 2
	default:
		if len(proof) == 0 {
			return
		}
		i := rapid.IntRange(0, len(proof)-1).Draw(t, "where")
		switch what {
		case "proof":
			proof[i][31] ^= 1
		case "shorter":
			proof = slices.Delete(proof, i, i+1)
		case "swap":
			j := (i + 1) % len(proof)
			if i == j {
				return
			}
			proof[i], proof[j] = proof[j], proof[i]
		}
	}
	if got, err := Root(size, known, proof); err == nil && got == root {
		t.Fatalf("%s changed, and the root is the same", what)
	}
}

func TestRootRefusesWhatIsNoProof(t *testing.T) {
	tr := plant(8)
	for _, tt := range []struct {
		name  string
		size  int64
		known []Node
	}{
		{"an empty tree", 0, nil},
		{"no proof for no leaves", 8, nil},
		{"a leaf twice", 8, tr.nodes([]int64{2, 2})},
		{"a leaf outside", 4, tr.nodes([]int64{6})},
		{"a negative leaf", 8, []Node{{-1, 0, tlog.Hash{}}}},
		{"leaves out of order", 8, tr.nodes([]int64{3, 1})},
		{"a range across subtrees", 8, []Node{{1, 3, tlog.Hash{}}}},
		{"an immense tree", 1 << 62, tr.nodes([]int64{1})},
	} {
		if _, err := Root(tt.size, tt.known, nil); err == nil {
			t.Errorf("%s: not refused", tt.name)
		}
	}
	if _, err := Prove(4, []int64{4}, tr); err == nil {
		t.Error("proved a leaf that is not there")
	}
}
