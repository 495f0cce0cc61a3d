package audit_test

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/chargehand/chargehand/internal/audit"
)

// shelf keeps tiles as a journal does: as the parts that growths added.
type shelf map[[2]int64][]byte

func (s shelf) put(t *rapid.T, parts []audit.Part) {
	for _, p := range parts {
		key := [2]int64{int64(p.Level), p.At / audit.Width}
		if have := int64(len(s[key]) / tlog.HashSize); have != p.At%audit.Width {
			t.Fatalf("a part begins at hash %d of tile %v, which has %d", p.At%audit.Width, key, have)
		}
		if s[key] = append(s[key], p.Hashes...); len(s[key]) > audit.Width*tlog.HashSize {
			t.Fatalf("tile %v has more than %d hashes", key, audit.Width)
		}
	}
}

func (s shelf) tiles() audit.Tiles {
	return func(level int, n int64) ([]byte, error) { return s[[2]int64{int64(level), n}], nil }
}

// oracle is every hash of a tree, by storage index, as tlog makes them one leaf at a time.
type oracle []tlog.Hash

func (o oracle) ReadHashes(at []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(at))
	for i, x := range at {
		out[i] = o[x]
	}
	return out, nil
}

// TestTreeGrowsAsTlogSays grows trees in any split: root, tiles, proofs and the tree loaded again
// are those that tlog makes of all the leaves.
func TestTreeGrowsAsTlogSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 700), 0, 8).Draw(t, "steps")
		if rapid.IntRange(0, 19).Draw(t, "big") == 0 {
			steps = append(steps, 66_000) // into the third level
		}
		var tree audit.Tree
		var want oracle
		shelf := shelf{}
		for _, n := range steps {
			var leaves []audit.Hash
			for range n {
				line := fmt.Appendf(nil, "leaf %d", tree.Size()+int64(len(leaves)))
				hashes, err := tlog.StoredHashes(tree.Size()+int64(len(leaves)), line, want)
				if err != nil {
					t.Fatal(err)
				}
				want, leaves = append(want, hashes...), append(leaves, audit.Leaf(line))
			}
			before, root := tree, tree.Root()
			shelf.put(t, tree.Grow(leaves))
			if before.Root() != root || before.Size()+int64(n) != tree.Size() {
				t.Fatal("a copy of the tree grew with it")
			}
			same(t, &tree, want, shelf.tiles())
		}
	})
}

func same(t *rapid.T, tree *audit.Tree, want oracle, tiles audit.Tiles) {
	size := tree.Size()
	root, err := tlog.TreeHash(size, want)
	if err != nil || tree.Root() != root {
		t.Fatalf("the root of %d leaves is %v, tlog says %v (%v)", size, tree.Root(), root, err)
	}
	loaded, err := audit.LoadTree(size, tiles)
	if err != nil || loaded != *tree {
		t.Fatalf("the tree of %d leaves loaded from its tiles is another (%v)", size, err)
	}
	if size == 0 {
		return
	}
	old := rapid.Int64Range(1, size).Draw(t, "old")
	proof, err := tlog.ProveTree(size, old, tiles)
	if err != nil {
		t.Fatal(err)
	}
	then, err := tiles.Root(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := tlog.CheckTree(proof, size, root, old, then); err != nil {
		t.Fatalf("from %d to %d leaves: %v", old, size, err)
	}
	leaf := rapid.Int64Range(0, size-1).Draw(t, "leaf")
	path, err := tlog.ProveRecord(size, leaf, tiles)
	if err != nil {
		t.Fatal(err)
	}
	if err := tlog.CheckRecord(path, size, root, leaf, audit.Leaf(fmt.Appendf(nil, "leaf %d", leaf))); err != nil {
		t.Fatalf("leaf %d of %d: %v", leaf, size, err)
	}
}

func TestTilesThatAreShort(t *testing.T) {
	var tree audit.Tree
	parts := tree.Grow(make([]audit.Hash, 100))
	short := audit.Tiles(func(int, int64) ([]byte, error) { return parts[0].Hashes[:99*tlog.HashSize], nil })
	if _, err := audit.LoadTree(100, short); err == nil {
		t.Error("a tree was loaded from tiles that lack a hash")
	}
}

// BenchmarkGrow is the cost of one leaf in a commit of 100.
func BenchmarkGrow(b *testing.B) {
	lines := make([][]byte, 100)
	for i := range lines {
		lines[i] = fmt.Appendf(nil, "%0400d", i)
	}
	leaves := make([]audit.Hash, len(lines))
	var tree audit.Tree
	b.ReportAllocs()
	for n := 0; n < b.N; n += len(lines) {
		for i, l := range lines {
			leaves[i] = audit.Leaf(l)
		}
		tree.Grow(leaves)
	}
}
