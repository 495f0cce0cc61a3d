package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
)

// The models: workers of the second tier, reviewers of the third.
const (
	workModel  = "claude-sonnet-4-5"
	cheapModel = "claude-haiku-4-5"
)

// usualSections make a document of the size of a short contract, some 25 KB.
const usualSections = 100

// A clause is what a worker finds in a section.
type clause struct {
	Key    string `json:"key"`
	Quote  string `json:"quote"`
	Answer string `json:"answer"`
}

// clauses are what section n says.
func clauses(n int) []clause {
	fee, day, notice, years := fmt.Sprintf("USD %d,%03d", 1+n%7, 100+n), 1+n%27, 30+n%60, 2+n%5
	return []clause{
		{"fee", fmt.Sprintf("The fee for service %02d is %s a month, taxes not included.", n, fee), fee},
		{"due", fmt.Sprintf("It falls due on day %d of each month after the invoice for service %02d.", day, n), fmt.Sprint(day)},
		{"notice", fmt.Sprintf("Either party may end service %02d by a notice of %d days in writing.", n, notice), fmt.Sprintf("%d days", notice)},
		{"term", fmt.Sprintf("Service %02d is agreed for %d years from the date of this agreement.", n, years), fmt.Sprintf("%d years", years)},
	}
}

// document is an agreement of so many sections.
func document(sections int) string {
	var b strings.Builder
	b.WriteString("SERVICES AGREEMENT\n")
	for n := range sections {
		fmt.Fprintf(&b, "\nSection %02d.\n", n)
		for _, c := range clauses(n) {
			b.WriteString(c.Quote + "\n")
		}
	}
	return b.String()
}

func goal(n int) string {
	return fmt.Sprintf("Find what section %02d says of its fee, when it is due, the notice period and the term.", n)
}

var aspects = []string{"fee", "due", "notice", "term"}

// contract is what an output is held to.
var contract = chargehand.Contract{
	Name: "clauses", Items: &chargehand.ItemRule{Path: "/clauses"},
	Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["clauses"],"properties":{"clauses":{"type":"array","items":` +
		`{"type":"object","required":["key","quote","answer"],"properties":{"key":{"type":"string"},"quote":{"type":"string"},"answer":{"type":"string"},` +
		`"start":{"type":"integer"},"end":{"type":"integer"}}}}}}`),
	Criteria: []string{"Are the clauses those of the section that was asked about?", "Does each answer say what its quote says?"},
}

// wrong reports whether a worker misquotes in its first answer about a section.
func wrong(n, attempt int) bool { return n%10 == 3 && attempt == 1 }

// output is a worker's answer about a section.
func output(n, attempt int) object {
	list := clauses(n)
	if wrong(n, attempt) {
		list[2].Quote = strings.Replace(list[2].Quote, "Either party", "The customer", 1)
	}
	return object{"clauses": list}
}

// misquoted reports whether an output says what the document does not.
func misquoted(body []byte, document string) (bool, error) {
	var out struct{ Clauses []clause }
	if err := json.Unmarshal(body, &out); err != nil {
		return false, fmt.Errorf("read an output: %w", err)
	}
	for _, c := range out.Clauses {
		if !strings.Contains(document, c.Quote) {
			return true, nil
		}
	}
	return len(out.Clauses) != len(aspects), nil
}

type object map[string]any

func (o object) String() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic("supervision: plain data does not encode: " + err.Error())
	}
	return string(b)
}
