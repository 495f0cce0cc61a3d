package gate

import (
	"slices"

	"github.com/chargehand/chargehand"
)

// A source is a text that quotes are compared with.
type source struct {
	ref  chargehand.InputRef
	text string

	grams   *gramIndex // of the text in lower case; nil until asked for
	oddFold bool       // text holds a letter outside ASCII that equals one inside it when case is ignored
}

// sources are the inputs of a task by content hash.
type sources struct {
	room   []source
	byHash map[string]*source // nil where there are few
	all    []*source          // in the task's order, each hash once
	only   *source            // the document meant where none is named; nil if there is a choice
	count  int                // documents
}

// fewSources are found by looking through them.
const fewSources = 8

// fill takes up the inputs of a task, where there were none.
func (s *sources) fill(refs []chargehand.InputRef) {
	s.room = slices.Grow(s.room, len(refs))
	if len(refs) > fewSources {
		s.byHash = make(map[string]*source, len(refs))
	}
	for _, r := range refs {
		if s.find(r.Hash) != nil {
			continue
		}
		s.room = append(s.room, source{ref: r, text: r.Text})
		src := &s.room[len(s.room)-1]
		if s.byHash != nil {
			s.byHash[r.Hash] = src
		}
		s.all = append(s.all, src)
		if r.From == "" {
			s.count++
			s.only = src
		}
	}
	if s.count == 0 && len(s.all) == 1 {
		s.only = s.all[0]
	}
	if s.count > 1 {
		s.only = nil
	}
}

// empty forgets the inputs.
func (s *sources) empty() { *s = sources{room: emptied(s.room), all: emptied(s.all)} }

func (s *sources) find(hash string) *source {
	if s.byHash != nil {
		return s.byHash[hash]
	}
	for _, src := range s.all {
		if src.ref.Hash == hash {
			return src
		}
	}
	return nil
}

// of is the source an item names, or the reason why there is none.
func (s *sources) of(document string) (*source, string) {
	if document == "" {
		switch {
		case s.only != nil:
			return s.only.ready()
		case s.count > 1:
			return nil, "It names no document, and the task has " + counted(s.count, "document") + "; name one by its content hash."
		}
		return nil, "It rests on a document, and the task has none."
	}
	src := s.find(document)
	if src == nil {
		return nil, "The document " + quoted(document) + " is not among the task's inputs."
	}
	return src.ready()
}

// ready refuses a source whose text is not at hand: nothing can be compared with it.
func (s *source) ready() (*source, string) {
	if s.text == "" && s.ref.Size > 0 {
		return nil, "The text of the document " + quoted(s.ref.Name) + " is not at hand, so nothing can be compared with it."
	}
	return s, ""
}

// passage is a place in the source as a finding shows it.
func (s *source) passage(start, end int) *chargehand.Passage {
	return &chargehand.Passage{Document: s.ref.Hash, Start: start, End: end, Quote: visible(s.text[start:end], maxShown)}
}

// index finds words in the text, whatever the case of their ASCII letters.
func (s *source) index() *gramIndex {
	if s.grams == nil {
		folded := ""
		folded, s.oddFold = foldASCII(s.text)
		s.grams = newGramIndex(folded)
	}
	return s.grams
}

// foldASCII lowers ASCII letters and reports whether s holds ſ or K (Kelvin), which equal s and k
// when case is ignored.
func foldASCII(s string) (string, bool) {
	out, odd := []byte(s), false
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
		if c == 0xc5 && i+1 < len(out) && out[i+1] == 0xbf || c == 0xe2 && i+2 < len(out) && out[i+1] == 0x84 && out[i+2] == 0xaa {
			odd = true
		}
	}
	return string(out), odd
}
