package contractreview

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

func TestCheck(t *testing.T) {
	sample, err := os.ReadFile("sample/nordwind-msa.md")
	if err != nil {
		t.Fatal(err)
	}
	const licence = "Permission to use this software is granted. The author gives no warranty and has no liability under this license."
	const clause = "The buyer pays EUR 500 within 30 days."
	for name, text := range map[string]string{"sample": string(sample), "licence": licence, "clause": clause} {
		if err := Check([]chargehand.Document{{Name: name, Text: text}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	recipe := strings.Repeat("Beat three eggs. Add the flour, in terms of spoons, and stir for as long as the section below says. ", 10)
	for _, text := range []string{"hello", "", recipe} {
		err := Check([]chargehand.Document{{Name: "note.txt", Text: text}})
		e, ok := errors.AsType[*chargehand.Error](err)
		if !ok || e.Code != chargehand.CodeInvalid || !strings.Contains(e.Error(), "does not look like a contract") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A text that is no contract is not rated for what a contract would have.
func TestWhatIsNoContractIsNotRated(t *testing.T) {
	c := compose(&material{
		items: map[string][]sourced{"Cap on Liability": {{item: item{Category: "Cap on Liability"}}}},
		texts: map[string]string{"h": "hello"}, names: map[string]string{"h": "note.txt"}, only: "h",
	})
	if len(c.Risks) != 0 || c.Summary != unlike {
		t.Errorf("%d risks, %q", len(c.Risks), c.Summary)
	}
}

// Both readers know exclusive dealing from a text that deals exclusively with something.
func TestDealsExclusivelyWith(t *testing.T) {
	for _, text := range []string{
		"A Secondary Section deals exclusively with the relationship of the publishers or authors of the Document to its overall subject.",
		"Those making or running the covered works for you must do so exclusively on your behalf, under your direction and control.",
	} {
		for name, r := range map[string]*reader{"pattern": newPatternReader(), "lexical": newLexicalReader()} {
			items, err := r.category([]chargehand.InputRef{{Text: text}}, "Exclusivity")
			if err != nil || len(items) != 1 || items[0].Present {
				t.Errorf("%s finds %+v, %v in %q", name, items, err, text)
			}
		}
	}
}
