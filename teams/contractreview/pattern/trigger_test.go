package pattern

import (
	"reflect"
	"regexp/syntax"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// stops reports whether re can match text that holds a full stop.
func stops(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '.' {
				return true
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '.' && '.' <= re.Rune[i+1] {
				return true
			}
		}
	}
	for _, sub := range re.Sub {
		if stops(sub) {
			return true
		}
	}
	return false
}

func TestNoTriggerMatchesFullStop(t *testing.T) {
	for name, r := range readers() {
		for _, tr := range r.triggers {
			tree, err := syntax.Parse(tr.re.String(), syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			if stops(tree) {
				t.Errorf("%s: %s can match a full stop", name, tr.re)
			}
		}
	}
}

func TestEveryTriggerHasAnchors(t *testing.T) {
	for name, r := range readers() {
		for _, tr := range r.triggers {
			if len(tr.anchors) == 0 && name != "Agreement Date" && name != "Effective Date" {
				t.Errorf("%s: %s has no anchor, so it runs over the whole text", name, tr.re)
			}
		}
	}
}

func TestMatchesEqualSearchOfWholeText(t *testing.T) {
	texts := []string{
		"ASSIGNMENT. No assign-\nment. Assigned to: the assignee. re-assign...assign",
		"A\u017fsignment and the \u212ailo. a\u017f\u017figned. assigned",
		"governed.by law. governed by the law",
	}
	for _, text := range append(texts, contractsIfAny(t)...) {
		d := Read(text)
		for _, r := range readers() {
			for _, tr := range r.triggers {
				var want []clause.Span
				for _, m := range tr.re.FindAllStringIndex(text, -1) {
					want = append(want, clause.Span{Start: m[0], End: m[1]})
				}
				if got := tr.matches(d); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: matches %v, want %v", tr.re, got, want)
				}
			}
		}
	}
}

// contractsIfAny returns one contract, none when the data set is not there.
func contractsIfAny(t *testing.T) (out []string) {
	t.Run("data", func(t *testing.T) { out = contracts(t)[:1] })
	return out
}
