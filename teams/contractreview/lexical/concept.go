package lexical

import "strings"

// A concept is a set of words and phrases that mean one thing to a category. Words are compared
// by stem.
type concept struct {
	opening map[string]*member // by first stem
}

// A member is what a concept holds for one first stem: the word itself, phrases, or both.
type member struct {
	single  bool
	phrases [][]string
}

// set declares a concept: "assign, transfer, operation of law".
func set(list string) *concept {
	c := &concept{opening: map[string]*member{}}
	for item := range strings.SplitSeq(list, ",") {
		var stems []string
		for _, w := range strings.Fields(item) {
			stems = append(stems, stem(strings.ToLower(w)))
		}
		c.add(stems)
	}
	return c
}

func (c *concept) add(stems []string) {
	m := c.opening[stems[0]]
	if m == nil {
		m = &member{}
		c.opening[stems[0]] = m
	}
	if len(stems) == 1 {
		m.single = true
		return
	}
	m.phrases = append(m.phrases, stems)
}

// in returns where the concept occurs, as word indices in order.
func (c *concept) in(ws []word) []int {
	var at []int
	for i := range ws {
		if m := c.opening[ws[i].stem]; m != nil && (m.single || m.phrase(ws[i:])) {
			at = append(at, i)
		}
	}
	return at
}

// phrase reports whether ws begins with one of the phrases.
func (m *member) phrase(ws []word) bool {
	for _, p := range m.phrases {
		if len(p) <= len(ws) && begins(ws, p) {
			return true
		}
	}
	return false
}

func begins(ws []word, stems []string) bool {
	for i, s := range stems {
		if ws[i].stem != s {
			return false
		}
	}
	return true
}
