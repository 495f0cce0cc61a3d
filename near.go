package chargehand

import "strings"

// Near is the known word that word was probably meant to be: the same but for case and
// separators, at most two slips away (a letter missing, added, wrong, or two swapped), one the
// beginning of the other, or the first three quarters the same. The closest wins, the first among
// equals; empty if none is close.
func Near(word string, known []string) string {
	best, least := "", maxSlips+1
	w := fold(word)
	for _, k := range known {
		if d := distance(w, fold(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

const (
	maxSlips   = 2
	maxNear    = 64 // bytes; longer words are compared by beginning alone
	minPrefix  = 3  // bytes that a beginning must have to count
	maxGuesses = 32 // words that one check looks for, so that a plan full of errors stays cheap
)

var joints = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// fold leaves out what people mix up: case, and how words are joined.
func fold(s string) string { return joints.Replace(strings.ToLower(s)) }

// distance is how far apart two folded words are, maxSlips+1 where they are not near. A shared
// beginning counts as maxSlips, so that a slip goes before it.
func distance(a, b string) int {
	far := maxSlips + 1
	if a == b {
		return 0
	}
	if d := slips(a, b); d <= allowed(a, b) {
		return d
	}
	if n := shared(a, b); n >= minPrefix && (n == min(len(a), len(b)) || 4*n >= 3*max(len(a), len(b))) {
		return maxSlips
	}
	return far
}

// shared is how many bytes two words have in common at their beginning.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// allowed is how many slips two words may be apart: in a short word two slips are another word.
func allowed(a, b string) int { return min(maxSlips, min(len(a), len(b))/2) }

// slips is the Damerau–Levenshtein distance (optimal string alignment) by bytes.
func slips(a, b string) int {
	if d := len(a) - len(b); d > maxSlips || d < -maxSlips || len(a) > maxNear || len(b) > maxNear {
		return maxSlips + 1
	}
	var before, row, next [maxNear + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+differ(a[i], b[j]))
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}

// A speller finds what words of one kind were meant to be, each once, and gives up after
// maxGuesses.
type speller struct {
	known []string
	meant map[string]string
}

// hint is "did you mean …?", or what there is where that is little.
func (s *speller) hint(word string) string {
	m, ok := s.meant[word]
	if ok || len(s.meant) >= maxGuesses {
		return m
	}
	if s.meant == nil {
		s.meant = map[string]string{}
	}
	s.meant[word] = suggestion(word, s.known)
	return s.meant[word]
}

const fewWords = 8

func suggestion(word string, known []string) string {
	if h := didYouMean(word, known); h != "" || len(known) == 0 || len(known) > fewWords {
		return h
	}
	return "there is " + list(known)
}

func didYouMean(word string, known []string) string {
	if n := Near(word, known); n != "" {
		return "did you mean " + tick(n) + "?"
	}
	return ""
}

// list is "`a`, `b` and `c`".
func list(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(tick(w))
	}
	return b.String()
}
