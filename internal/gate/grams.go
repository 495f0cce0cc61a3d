package gate

import (
	"math/bits"
	"slices"
)

// A gramIndex finds words in a text that many words are looked for in. It chains the offsets at
// which each three bytes stand, so that building it costs one pass and looking up a word that is
// not there costs next to nothing.
type gramIndex struct {
	text string // ASCII letters in lower case
	head []int32
	next []int32 // the offset before this one with the same hash, plus one; zero ends the chain
	drop int     // bits of a hash that are not used
}

// gramBits are the most bits of a hash that are used, for long texts.
const gramBits = 13

// leastGram is how long a word must be to be looked up.
const leastGram = 3

func newGramIndex(folded string) *gramIndex {
	used := min(gramBits, bits.Len(uint(len(folded))))
	x := &gramIndex{text: folded, head: make([]int32, 1<<used), next: make([]int32, len(folded)), drop: 32 - used}
	for i := 0; i+leastGram <= len(folded); i++ {
		h := x.gram(folded[i:])
		x.next[i], x.head[h] = x.head[h], int32(i+1)
	}
	return x
}

func (x *gramIndex) gram(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16) * 2654435761 >> x.drop
}

// has reports whether the text holds the word.
func (x *gramIndex) has(word string) bool {
	for i := x.head[x.gram(word)]; i > 0; i = x.next[i-1] {
		if x.at(int(i-1), word) {
			return true
		}
	}
	return false
}

// find lists the offsets of the word, falling.
func (x *gramIndex) find(word string, out []int) []int {
	for i := x.head[x.gram(word)]; i > 0; i = x.next[i-1] {
		if x.at(int(i-1), word) {
			out = append(out, int(i-1))
		}
	}
	return out
}

// findAny lists the offsets of all words, rising, each once.
func (x *gramIndex) findAny(words []string) []int {
	var out []int
	for _, w := range words {
		out = x.find(w, out)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (x *gramIndex) at(i int, word string) bool {
	return i+len(word) <= len(x.text) && x.text[i:i+len(word)] == word
}
