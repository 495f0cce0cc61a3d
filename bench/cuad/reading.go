package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A reading is what was said of one contract, category by category. One that says nothing of a
// category is taken to have found none.
type reading map[string]clause.Found

// Find implements extractor.
func (r reading) Find(category string) (clause.Found, error) { return r[category], nil }

// A statement is the part of a reader's item that is scored.
type statement struct {
	Category string `json:"category"`
	Present  bool   `json:"present"`
	clause.Span
	Answer string `json:"answer"`
}

// newReading gathers items. Where several subtasks speak of a category, the one that comes first in
// the plan is taken: it is the first reading, or the second where that was not accepted.
func newReading(items []chargehand.Item, plan []chargehand.Subtask) (reading, error) {
	place := func(subtask string) int {
		return slices.IndexFunc(plan, func(s chargehand.Subtask) bool { return s.ID == subtask })
	}
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b chargehand.Item) int { return place(a.Subtask) - place(b.Subtask) })
	by := map[string]string{} // subtask that is taken, by category
	said := map[string][]statement{}
	for _, it := range sorted {
		var s statement
		if err := json.Unmarshal(it.Fields, &s); err != nil {
			return nil, fmt.Errorf("read an item of %s: %w", it.Subtask, err)
		}
		if taken, ok := by[s.Category]; ok && taken != it.Subtask {
			continue
		}
		by[s.Category] = it.Subtask
		said[s.Category] = append(said[s.Category], s)
	}
	out := reading{}
	for category, statements := range said {
		out[category] = foundIn(category, statements)
	}
	return out, nil
}

func foundIn(category string, said []statement) clause.Found {
	f := clause.Found{Category: category}
	var answers []string
	for _, s := range said {
		if s.Present {
			f.Quotes = append(f.Quotes, clause.Quote{Span: s.Span})
			answers = append(answers, s.Answer)
		}
	}
	f.Answer = joined(category, answers)
	return f
}

// joined makes one answer of those of the passages: all names, else the first that is in the
// category's form, else the first.
func joined(category string, answers []string) string {
	if len(answers) == 0 {
		return ""
	}
	if category == parties {
		return strings.Join(answers, "; ")
	}
	for _, a := range answers {
		if inForm(category, a) {
			return a
		}
	}
	return answers[0]
}
