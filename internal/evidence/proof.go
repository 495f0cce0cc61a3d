package evidence

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// A Node is the hash of the subtree over the leaves [Lo, Hi) of an RFC 6962 tree.
type Node struct {
	Lo, Hi int64
	Hash   tlog.Hash
}

var errProof = errors.New("the proof does not fit the leaves")

// Root is the root of the tree of size leaves, made of the nodes that are known, in order and
// without overlap, and of the proof: the hashes of the largest subtrees that hold none of them,
// left to right. Every hash is used, each once, or the proof does not fit.
func Root(size int64, known []Node, proof []tlog.Hash) (tlog.Hash, error) {
	if size < 1 || !ordered(size, known) {
		return tlog.Hash{}, errProof
	}
	w := walk{known, proof}
	root, err := w.root(0, size)
	if err == nil && len(w.known)+len(w.proof) > 0 {
		err = errProof
	}
	return root, err
}

// ordered reports whether nodes are within the tree, ascending and apart.
func ordered(size int64, nodes []Node) bool {
	end := int64(0)
	for _, n := range nodes {
		if n.Lo < end || n.Hi <= n.Lo || n.Hi > size {
			return false
		}
		end = n.Hi
	}
	return true
}

// A walk uses hashes up from left to right.
type walk struct {
	known []Node
	proof []tlog.Hash
}

func (w *walk) root(lo, hi int64) (tlog.Hash, error) {
	switch {
	case len(w.known) == 0 || w.known[0].Lo >= hi:
		if len(w.proof) == 0 {
			return tlog.Hash{}, errProof
		}
		h := w.proof[0]
		w.proof = w.proof[1:]
		return h, nil
	case w.known[0].Lo == lo && w.known[0].Hi == hi:
		h := w.known[0].Hash
		w.known = w.known[1:]
		return h, nil
	case hi-lo == 1 || w.known[0].Lo < lo:
		return tlog.Hash{}, errProof // a node that is no subtree of this tree
	}
	k := split(hi - lo)
	left, err := w.root(lo, lo+k)
	if err != nil {
		return tlog.Hash{}, err
	}
	right, err := w.root(lo+k, hi)
	if err != nil {
		return tlog.Hash{}, err
	}
	return tlog.NodeHash(left, right), nil
}

// split is where RFC 6962 splits n > 1 leaves: the largest power of two below n.
func split(n int64) int64 { return 1 << (bits.Len64(uint64(n-1)) - 1) }

// Prove is the proof that Root asks for, for the leaves at the given indexes. It reads the stored
// hashes of the subtrees and no others, in one call.
func Prove(size int64, leaves []int64, r tlog.HashReader) ([]tlog.Hash, error) {
	if !slices.IsSorted(leaves) || len(leaves) > 0 && (leaves[0] < 0 || leaves[len(leaves)-1] >= size) {
		return nil, fmt.Errorf("prove %d leaves of a tree of %d: %w", len(leaves), size, errProof)
	}
	apart := subtrees(0, size, leaves, nil)
	var indexes []int64
	for _, s := range apart {
		for lo := s.Lo; lo < s.Hi; {
			n := whole(s.Hi - lo)
			indexes = append(indexes, tlog.StoredHashIndex(bits.TrailingZeros64(uint64(n)), lo/n))
			lo += n
		}
	}
	stored, err := r.ReadHashes(indexes)
	if err != nil {
		return nil, fmt.Errorf("read the tree's hashes: %w", err)
	}
	proof := make([]tlog.Hash, len(apart))
	for i, s := range apart {
		n := parts(s.Hi - s.Lo)
		proof[i] = fold(stored[:n])
		stored = stored[n:]
	}
	return proof, nil
}

// subtrees appends the largest subtrees of [lo, hi) that hold none of the leaves.
func subtrees(lo, hi int64, leaves []int64, out []Node) []Node {
	first, _ := slices.BinarySearch(leaves, lo)
	if first == len(leaves) || leaves[first] >= hi {
		return append(out, Node{Lo: lo, Hi: hi})
	}
	if hi-lo == 1 {
		return out
	}
	k := split(hi - lo)
	return subtrees(lo+k, hi, leaves, subtrees(lo, lo+k, leaves, out))
}

// whole is the largest power of two that is at most n: a subtree of so many leaves is stored.
func whole(n int64) int64 { return 1 << (bits.Len64(uint64(n)) - 1) }

// parts is how many stored subtrees n leaves consist of.
func parts(n int64) int { return bits.OnesCount64(uint64(n)) }

// fold is the hash over subtrees of falling size.
func fold(stored []tlog.Hash) tlog.Hash {
	h := stored[len(stored)-1]
	for _, left := range slices.Backward(stored[:len(stored)-1]) {
		h = tlog.NodeHash(left, h)
	}
	return h
}
