package gate

import (
	"hash/maphash"
	"strings"
)

// floodWords bounds how many words of a text are counted: a flood shows early, and memory is bounded.
const floodWords = 100_000

// flood reports whether a text mostly repeats one word or phrase.
func flood(s string) bool {
	seed := maphash.MakeSeed()
	count := map[[3]uint64]int{}
	var last [3]uint64
	words, most := 0, 0
	for w := range strings.FieldsSeq(s) {
		last = [3]uint64{last[1], last[2], maphash.String(seed, w)}
		if words++; words >= 3 {
			count[last]++
			most = max(most, count[last])
		}
		if words == floodWords {
			break
		}
	}
	return words >= 40 && most*3 > words/2
}
