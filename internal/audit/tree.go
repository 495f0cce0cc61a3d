package audit

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Tree is the growing edge of a log: all that is needed to add leaves and to state the root. It
// is a value: a copy grows by itself, so a caller keeps the old one until the leaves are durable.
// The zero Tree is empty.
type Tree struct {
	size int64
	edge [63]Hash // [h] is the root of the complete subtree of 1<<h leaves at the right, where bit h of size is set; zero elsewhere
}

// LoadTree is the tree of size leaves whose tiles t reads.
func LoadTree(size int64, t Tiles) (Tree, error) {
	tree := Tree{size: size}
	var at []int64
	for h := range tree.edge {
		if size>>h&1 == 1 {
			at = append(at, tlog.StoredHashIndex(h, size>>h-1))
		}
	}
	hashes, err := t.ReadHashes(at)
	if err != nil {
		return Tree{}, fmt.Errorf("load the tree of %d leaves: %w", size, err)
	}
	for i, x := range at {
		h, _ := tlog.SplitStoredHashIndex(x)
		tree.edge[h] = hashes[i]
	}
	return tree, nil
}

// Size is how many leaves there are.
func (t *Tree) Size() int64 { return t.size }

// Root is the root hash; that of the empty tree is the hash of nothing.
func (t *Tree) Root() Hash {
	root, err := tlog.TreeHash(t.size, tlog.HashReaderFunc(func(at []int64) ([]Hash, error) {
		hashes := make([]Hash, len(at))
		for i, x := range at {
			h, _ := tlog.SplitStoredHashIndex(x)
			hashes[i] = t.edge[h]
		}
		return hashes, nil
	}))
	if err != nil {
		panic("audit: " + err.Error()) // the reader above does not fail
	}
	return root
}

// A Part is a row of neighbouring hashes of one tile, not all of it as a rule: what one growth adds.
type Part struct {
	Level  int   // of the tile: a hash stands for 256^Level leaves
	At     int64 // index of the first hash within the level; the tile is number At / 256
	Hashes []byte
}

// Grow adds leaves, and returns what that adds to the tiles, by level and then by index. No part
// reaches over the end of its tile.
func (t *Tree) Grow(leaves []Hash) []Part {
	var g growth
	g.hashes[0] = make([]byte, 0, len(leaves)*tlog.HashSize)
	for _, h := range leaves {
		g.add(0, t.size, h)
		k := 0
		for ; t.size>>k&1 == 1; k++ {
			h, t.edge[k] = tlog.NodeHash(t.edge[k], h), Hash{}
			if (k+1)%Height == 0 {
				g.add((k+1)/Height, t.size>>(k+1), h)
			}
		}
		t.edge[k] = h
		t.size++
	}
	return g.parts()
}

// growth collects what is new at each level of tiles.
type growth struct {
	first  [8]int64
	hashes [8][]byte
}

func (g *growth) add(level int, at int64, h Hash) {
	if len(g.hashes[level]) == 0 {
		g.first[level] = at
	}
	g.hashes[level] = append(g.hashes[level], h[:]...)
}

func (g *growth) parts() []Part {
	var out []Part
	for level, hashes := range g.hashes {
		at := g.first[level]
		for len(hashes) > 0 {
			n := min(len(hashes)/tlog.HashSize, int(Width-at%Width))
			out = append(out, Part{level, at, hashes[:n*tlog.HashSize]})
			at, hashes = at+int64(n), hashes[n*tlog.HashSize:]
		}
	}
	return out
}
