package contractreview

import (
	"slices"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
	"github.com/chargehand/chargehand/teams/contractreview/lexical"
	"github.com/chargehand/chargehand/teams/contractreview/pattern"
)

// triggers are the words that may speak of a category, whichever reader looks for them. Who says
// that a category is absent accounts for all of them.
func triggers() map[string][]string {
	out := map[string][]string{}
	for _, c := range clause.Categories() {
		if words := wording(c.Name); len(words) > 0 {
			out[c.Name] = words
		}
	}
	return out
}

// wording is what both readers look for under a category, as far as it spells out a word.
func wording(category string) []string {
	all := spelled(slices.Concat(pattern.Triggers(category), lexical.Triggers(category)))
	slices.Sort(all)
	return slices.Compact(all)
}

// cued are the categories in which every passage that lawyers marked, in the contracts the readers
// were tuned on, holds one of these words. The others have passages that go on from a sentence
// before, or name no more than a party or a date.
var cued = []string{
	"Renewal Term", "Governing Law", "Most Favored Nation", "Exclusivity", "No-Solicit of Employees", "Non-Disparagement",
	"Termination for Convenience", "Change of Control", "Anti-Assignment", "Price Restrictions", "Joint IP Ownership",
	"Non-Transferable License", "Affiliate License-Licensor", "Affiliate License-Licensee", "Audit Rights",
	"Uncapped Liability", "Covenant Not to Sue", "Third Party Beneficiary",
}

// cues are the words without which a quote is not about its category.
func cues() map[string][]string {
	all, out := triggers(), map[string][]string{}
	for _, name := range cued {
		out[name] = all[name]
	}
	return out
}
