package pattern

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// An example is an invented text that states a category, or only seems to.
type example struct {
	category, text string
	states         bool
}

func examples(t *testing.T) []example {
	t.Helper()
	f, err := os.Open("testdata/clauses.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []example
	category := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		mark, text, _ := strings.Cut(lines.Text(), " ")
		switch mark {
		case "=":
			category = text
		case "+", "-":
			out = append(out, example{category: category, text: text, states: mark == "+"})
		}
	}
	return out
}

func TestExamples(t *testing.T) {
	for _, w := range examples(t) {
		f, err := Read(w.text).Find(w.category)
		if err != nil {
			t.Fatal(err)
		}
		if (len(f.Quotes) > 0) != w.states {
			t.Errorf("%s: quotes %v, want stated %v: %s", w.category, f.Quotes, w.states, w.text)
		}
		if !w.states {
			checkSearch(t, w.category, w.text, f.Search)
		}
	}
}

func TestEveryCategoryHasExamples(t *testing.T) {
	states, seems := map[string]int{}, map[string]int{}
	for _, w := range examples(t) {
		if w.states {
			states[w.category]++
		} else {
			seems[w.category]++
		}
	}
	for _, c := range clause.Categories() {
		if states[c.Name] < 3 || seems[c.Name] < 2 {
			t.Errorf("%s: %d examples that state it and %d that do not, want 3 and 2", c.Name, states[c.Name], seems[c.Name])
		}
	}
}

func TestFindRefusesUnknownCategory(t *testing.T) {
	if _, err := Read("text").Find("Weather"); err == nil {
		t.Error("Find accepted a category that does not exist")
	}
}

func TestConfidence(t *testing.T) {
	for _, c := range clause.Categories() {
		if p := Confidence(c.Name); p <= 0 || p > 1 {
			t.Errorf("Confidence(%q) = %v, want a share", c.Name, p)
		}
	}
	if p := Confidence("Weather"); p != 0 {
		t.Errorf("Confidence of no category = %v, want 0", p)
	}
}
