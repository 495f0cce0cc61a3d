package pattern

import (
	"slices"
	"testing"
)

func TestZeroWordingMatchesNothing(t *testing.T) {
	if newWording("").in("") {
		t.Error("the zero wording matched")
	}
}

// TestWordingEqualsItsExpression checks the short cut on every sentence of one contract.
func TestWordingEqualsItsExpression(t *testing.T) {
	texts := contractsIfAny(t)
	for _, e := range examples(t) {
		texts = append(texts, e.text)
	}
	var sentences []sentence
	for _, text := range texts {
		sentences = append(sentences, Read(text).sentences...)
	}
	for _, expr := range expressions() {
		w := newWording(expr)
		for _, s := range sentences {
			if got, want := w.in(s.lower), w.re.MatchString(s.lower); got != want {
				t.Fatalf("%s: in %q is %v, want %v", expr, s.lower, got, want)
			}
		}
	}
}

// expressions lists what the rules match against sentences.
func expressions() []string {
	var out []string
	for _, r := range slices.Concat(termRules, lawRules, commercialRules, competitionRules, controlRules, ipRules, licenseRules, liabilityRules) {
		out = append(out, r.veto, r.more, r.title)
		for _, t := range r.accept {
			out = append(out, t.need, t.not)
		}
	}
	return slices.DeleteFunc(out, func(expr string) bool { return expr == "" })
}
