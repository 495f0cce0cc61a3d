package lexical

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// annotated is one contract of CUAD with the spans lawyers marked in it.
type annotated struct {
	File    string
	Clauses map[string]struct {
		Spans []struct {
			Text      string
			ByteStart int `json:"byte_start"`
		}
		Answer string
	}

	doc *Document
}

func (a *annotated) truth(category string) []clause.Span {
	for name, c := range a.Clauses {
		if !strings.EqualFold(name, category) {
			continue
		}
		var spans []clause.Span
		for _, s := range c.Spans {
			spans = append(spans, clause.Span{Start: s.ByteStart, End: s.ByteStart + len(s.Text)})
		}
		return spans
	}
	return nil
}

// loadCUAD skips the test when the data set is not there.
func loadCUAD(t *testing.T) []*annotated {
	t.Helper()
	root := os.Getenv("CHARGEHAND_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, "cuad")
	raw, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Skipf("CUAD is not there: %v", err)
	}
	var all []*annotated
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		text, err := os.ReadFile(filepath.Join(dir, "contracts", a.File))
		if err != nil {
			t.Fatal(err)
		}
		a.doc = Read(string(text))
	}
	return all
}

// tally counts quotes and annotations that meet: they overlap by half of the shorter or more.
type tally struct{ quoted, right, marked, hit int }

func (n tally) String() string {
	return fmt.Sprintf("precision %.2f (%d of %d), recall %.2f (%d of %d)",
		share(n.right, n.quoted), n.right, n.quoted, share(n.hit, n.marked), n.hit, n.marked)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func meets(a, b clause.Span) bool {
	return 2*(min(a.End, b.End)-max(a.Start, b.Start)) >= min(a.End-a.Start, b.End-b.Start)
}

func meetsAny(a clause.Span, bs []clause.Span) bool {
	for _, b := range bs {
		if meets(a, b) {
			return true
		}
	}
	return false
}

func (n *tally) add(quotes, marked []clause.Span) {
	n.quoted += len(quotes)
	n.marked += len(marked)
	for _, q := range quotes {
		if meetsAny(q, marked) {
			n.right++
		}
	}
	for _, s := range marked {
		if meetsAny(s, quotes) {
			n.hit++
		}
	}
}

func quoted(t *testing.T, d *Document, category string) []clause.Span {
	t.Helper()
	found, err := d.Find(category)
	if err != nil {
		t.Fatal(err)
	}
	var spans []clause.Span
	for _, q := range found.Quotes {
		spans = append(spans, q.Span)
	}
	return spans
}

// TestCUAD holds the figures a little below what the models reach. The first 25
// contracts serve for tuning, the others as a check.
func TestCUAD(t *testing.T) {
	floors := map[string][2]float64{ // precision, recall
		"Governing Law": {0.97, 0.97}, "Exclusivity": {0.70, 0.72},
		"Termination for Convenience": {0.85, 0.88}, "Change of Control": {0.85, 0.80},
		"Anti-Assignment": {0.85, 0.85}, "License Grant": {0.82, 0.79},
		"Uncapped Liability": {0.90, 0.90}, "Cap on Liability": {0.85, 0.80},
		"Insurance": {0.85, 0.90},
	}
	all := loadCUAD(t)
	for _, c := range Categories() {
		var tuned, other tally
		for i, a := range all {
			n := &other
			if i < 25 {
				n = &tuned
			}
			n.add(quoted(t, a.doc, c), a.truth(c))
		}
		both := tally{tuned.quoted + other.quoted, tuned.right + other.right, tuned.marked + other.marked, tuned.hit + other.hit}
		t.Logf("%s: %v; tuned on %v; other %v", c, both, tuned, other)
		if share(both.right, both.quoted) < floors[c][0] || share(both.hit, both.marked) < floors[c][1] {
			t.Errorf("%s: %v, want %v", c, both, floors[c])
		}
	}
}
