package lexical

import (
	"fmt"
	"slices"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A Document is a contract that has been split into sentences. It is safe for concurrent use.
type Document struct {
	text      string
	sentences []sentence
}

// Read splits text, which is valid UTF-8; the offsets of every later answer are bytes of text.
func Read(text string) *Document {
	return &Document{text: text, sentences: outline(split(text, words(text)))}
}

// Categories lists the categories that Find answers, in CUAD's order.
func Categories() []string {
	var names []string
	for _, c := range clause.Categories() {
		if models()[c.Name] != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// Find answers one category, spelled as in package clause. The error names a category that this
// extractor does not read.
func (d *Document) Find(category string) (clause.Found, error) {
	m := models()[category]
	if m == nil {
		return clause.Found{}, fmt.Errorf("read category %q: not one of the risk categories", category)
	}
	found := clause.Found{Category: category}
	scores := d.score(m)
	for i, score := range scores {
		if score >= threshold {
			span := d.sentences[i].span()
			found.Quotes = append(found.Quotes, clause.Quote{Span: span, Confidence: score})
		}
	}
	if len(found.Quotes) == 0 {
		found.Answer = m.answer(d, nil)
		found.Search = d.search(m, scores)
		return found, nil
	}
	found.Answer = m.answer(d, found.Quotes)
	return found, nil
}

// score weighs every sentence; a sentence without an anchor of the model scores 0.
func (d *Document) score(m *model) []float64 {
	scores := make([]float64, len(d.sentences))
	for i := range d.sentences {
		s := &d.sentences[i]
		if s.title || !m.anchored(s) {
			continue
		}
		v := &view{s: s, at: map[*concept][]int{}}
		if i > 0 {
			v.before, v.carried = &d.sentences[i-1], scores[i-1] >= threshold
		}
		scores[i] = m.weigh(v)
	}
	return scores
}

// strongest returns the indices of the quotes, the most confident first.
func strongest(quotes []clause.Quote) []int {
	order := make([]int, len(quotes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case quotes[a].Confidence > quotes[b].Confidence:
			return -1
		case quotes[a].Confidence < quotes[b].Confidence:
			return 1
		}
		return 0
	})
	return order
}
