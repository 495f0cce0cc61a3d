package lexical

import "math"

// threshold is the score at which a sentence is quoted.
const threshold = 0.5

// A model weighs sentences for one category: the logistic of its bias and the weights of the cues
// that apply. A sentence without an anchor is not weighed.
type model struct {
	category string
	topic    string // what the anchors speak of, for a reader: "assignment"
	lacking  string // what a passage with an anchor lacks: "no restriction near the word"
	anchors  []anchor
	bias     float64
	cues     []cue
	answer   answer
}

// A cue is evidence for the category, or against it when its weight is negative.
type cue struct {
	weight float64
	test   test
}

// weigh scores a sentence between 0 and 1.
func (m *model) weigh(v *view) float64 {
	sum := m.bias
	for _, c := range m.cues {
		if c.test(v) {
			sum += c.weight
		}
	}
	return 1 / (1 + math.Exp(-sum))
}

func (m *model) anchored(s *sentence) bool {
	for i := range s.words {
		for _, a := range m.anchors {
			if a.opens(s.words[i:]) {
				return true
			}
		}
	}
	return false
}

// A view is a sentence under judgement, with what its neighbours show.
type view struct {
	s       *sentence
	before  *sentence // the sentence before, if any
	carried bool      // that sentence was quoted for the same category
	at      map[*concept][]int
}

func (v *view) find(c *concept) []int {
	at, ok := v.at[c]
	if !ok {
		at = c.in(v.s.words)
		v.at[c] = at
	}
	return at
}

// A test asks one question of a sentence.
type test func(*view) bool

// has: the concept occurs.
func has(c *concept) test { return func(v *view) bool { return len(v.find(c)) > 0 } }

// near: b occurs within n words of a, on either side.
func near(a, b *concept, n int) test {
	return func(v *view) bool { return paired(v.find(a), v.find(b), -n, n) }
}

// seq: b follows a within n words.
func seq(a, b *concept, n int) test {
	return func(v *view) bool { return paired(v.find(a), v.find(b), 1, n) }
}

// chain: b follows a within n words, and c follows that b within n words.
func chain(a, b, c *concept, n int) test {
	return func(v *view) bool {
		var middle []int
		for _, i := range v.find(b) {
			if paired(v.find(a), []int{i}, 1, n) {
				middle = append(middle, i)
			}
		}
		return paired(middle, v.find(c), 1, n)
	}
}

// clean: b follows a within n words and no c stands between them.
func clean(a, b, c *concept, n int) test {
	return func(v *view) bool {
		for _, i := range v.find(a) {
			for _, j := range v.find(b) {
				if i < j && j-i <= n && !within(v.find(c), i, j) {
					return true
				}
			}
		}
		return false
	}
}

func within(at []int, low, high int) bool {
	for _, i := range at {
		if i > low && i < high {
			return true
		}
	}
	return false
}

// early: the concept occurs among the first n words.
func early(c *concept, n int) test {
	return func(v *view) bool {
		at := v.find(c)
		return len(at) > 0 && at[0] < n
	}
}

// under: a heading above the sentence has the concept.
func under(c *concept) test {
	return func(v *view) bool { return len(c.in(v.s.minor)) > 0 || len(c.in(v.s.major)) > 0 }
}

// topped: the nearest heading above the sentence has the concept.
func topped(c *concept) test {
	return func(v *view) bool {
		if len(v.s.minor) > 0 {
			return len(c.in(v.s.minor)) > 0
		}
		return len(c.in(v.s.major)) > 0
	}
}

// follows: the sentence before was quoted for the same category.
func follows(v *view) bool { return v.carried }

func all(tests ...test) test {
	return func(v *view) bool {
		for _, t := range tests {
			if !t(v) {
				return false
			}
		}
		return true
	}
}

func either(tests ...test) test {
	return func(v *view) bool {
		for _, t := range tests {
			if t(v) {
				return true
			}
		}
		return false
	}
}

func not(t test) test { return func(v *view) bool { return !t(v) } }

// paired reports whether some b-a lies in [low, high].
func paired(as, bs []int, low, high int) bool {
	for _, a := range as {
		for _, b := range bs {
			if d := b - a; d >= low && d <= high && d != 0 {
				return true
			}
		}
	}
	return false
}
