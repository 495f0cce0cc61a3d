package contractreview

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/chargehand/chargehand"
)

// material is what the report is made from: the accepted items by category, the outlines, and the
// documents themselves.
type material struct {
	items    map[string][]sourced // by category, in the order they were accepted
	outlines map[string][]section // by document hash
	texts    map[string]string    // by document hash
	names    map[string]string    // by document hash
	only     string               // hash of the only document; empty where there are several
}

// A sourced item is an accepted item with where it comes from.
type sourced struct {
	item
	from chargehand.Item
}

// gather reads the aggregate that the engine hands to a synthesis.
func gather(t chargehand.WorkerTask) (*material, error) {
	m := &material{items: map[string][]sourced{}, outlines: map[string][]section{}, texts: map[string]string{}, names: map[string]string{}}
	docs, err := documents(t)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		m.texts[doc.Hash], m.names[doc.Hash] = doc.Text, doc.Name
		m.only = doc.Hash
	}
	if len(docs) > 1 {
		m.only = ""
	}
	for _, ref := range t.InputRefs {
		if ref.From == "aggregate" {
			return m, m.read(ref.Text)
		}
	}
	return nil, refuse("there is no aggregate to report on")
}

func (m *material) read(text string) error {
	var a struct {
		Items   []chargehand.Item `json:"items"`
		Outputs []struct {
			Output json.RawMessage `json:"output"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return fmt.Errorf("read aggregate: %w", err)
	}
	for _, from := range a.Items {
		s := sourced{from: from}
		if err := json.Unmarshal(from.Fields, &s.item); err != nil {
			return fmt.Errorf("read an item of %s: %w", from.Subtask, err)
		}
		m.items[s.Category] = append(m.items[s.Category], s)
	}
	for _, part := range a.Outputs {
		var out segments
		if json.Unmarshal(part.Output, &out) != nil {
			continue // another subtask's output
		}
		for _, d := range out.Documents {
			m.outlines[d.Document] = d.Sections
		}
	}
	return nil
}

// found are the items that show the category to be present, by whatever reading.
func (m *material) found(category string) []sourced {
	var out []sourced
	for _, s := range m.items[category] {
		if s.Present {
			out = append(out, s)
		}
	}
	return out
}

// contested reports whether accepted readings disagree about the category.
func (m *material) contested(category string) bool {
	items := m.items[category]
	return len(items) > 0 && items[0].from.Verdict == "conflict"
}

// citable reports whether the item can be cited to its source. What a person accepted may have
// words that are not there: it then rests on that decision and nothing else.
func (m *material) citable(s sourced) bool {
	if s.from.Verdict != string(chargehand.SubtaskAcceptedByHuman) {
		return true
	}
	text, ok := m.texts[m.document(s)]
	return ok && s.Present && s.Span != nil && 0 <= s.Start && s.Start <= s.End && s.End <= len(text) && text[s.Start:s.End] == s.Quote
}

func (m *material) document(s sourced) string {
	if s.Document == "" {
		return m.only
	}
	return s.Document
}

// clause names the section that a passage stands in: "9.2 Cap". Empty means not known.
func (m *material) clause(s sourced) string {
	list := m.outlines[m.document(s)]
	i := sort.Search(len(list), func(i int) bool { return list[i].Start > s.Start }) - 1
	if i < 0 {
		return ""
	}
	return strings.TrimRight(excerpt(bare(list[i].Heading), 60), ".: ")
}

// bare is a text on one line without the marks that Markdown acts on.
func bare(s string) string {
	s = markdown.Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

var markdown = strings.NewReplacer("*", "", "`", "", "#", "", "<", "(", ">", ")", "|", " ", "](", "] (", "\\", "")
