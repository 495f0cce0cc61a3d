package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// completeness asks whether everything was answered, and whether each "absent" was searched for
// (SPEC.md ·63).
func (k *check) completeness() {
	k.aspects()
	k.absences()
	k.oneAnswer()
}

// aspects finds the required aspects that nothing addresses.
func (k *check) aspects() {
	severity := chargehand.SeverityError
	if k.sub.AllowPartial {
		severity = chargehand.SeverityWarning
	}
	addressed := k.addressed(len(k.sub.Task.RequiredAspects))
	for _, aspect := range k.sub.Task.RequiredAspects {
		//guard:required-aspects off=true
		if addressed(aspect) {
			continue
		}
		k.missing = append(k.missing, aspect)
		f := k.find(chargehand.LayerCompleteness, "aspect", severity, nil)
		f.Message = "Nothing is said about " + quoted(aspect) + "; " + k.wanted(aspect) + "."
	}
}

// fewKeys are compared one by one.
const fewKeys = 64

// addressed tells of each of n aspects whether the output speaks of it.
func (k *check) addressed(n int) func(aspect string) bool {
	if k.contract.items == nil {
		object, _ := k.output.(map[string]any)
		return func(aspect string) bool { return !empty(object[aspect]) }
	}
	if n*len(k.items) <= fewKeys {
		return func(aspect string) bool {
			return slices.ContainsFunc(k.items, func(it *item) bool { return it.key == aspect })
		}
	}
	keys := make(map[string]bool, len(k.items))
	for _, it := range k.items {
		keys[it.key] = true
	}
	return func(aspect string) bool { return keys[aspect] }
}

func (k *check) wanted(aspect string) string {
	if k.contract.items == nil {
		return "the output needs a key of that name with something in it"
	}
	for _, it := range k.items {
		if strings.EqualFold(it.key, strings.TrimSpace(aspect)) {
			return "the item " + it.name() + " is spelled differently"
		}
	}
	return "it needs an item, present with its quote or absent with its search"
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// absences repeats the search behind every absent item. A search that holds supports the claim.
func (k *check) absences() {
	for _, it := range k.items {
		if it.present {
			continue
		}
		claim := k.claim(it.key+": absent", it.path)
		it.claim = claim
		claim.Support = chargehand.Supported
		fault := k.searchFault(it)
		if k.searched > maxSearched {
			claim.Support = chargehand.NotChecked
			k.giveUp(chargehand.LayerCompleteness, searchBudget())
			return
		}
		//guard:absence-search
		if fault != nil {
			claim.Support = chargehand.Unsupported
			f := k.find(chargehand.LayerCompleteness, "search", chargehand.SeverityError, slices.Concat(it.path, fault.path))
			f.Message = fmt.Sprintf("%s is said to be absent, but its search does not show it: %s.", it.name(), fault.clause)
			f.Source = fault.where
		}
	}
}

// oneAnswer refuses a key that is both present and absent.
func (k *check) oneAnswer() {
	if !slices.ContainsFunc(k.items, func(it *item) bool { return !it.present }) {
		return
	}
	present := map[string]bool{}
	for _, it := range k.items {
		present[it.key] = present[it.key] || it.present
	}
	for _, it := range k.items {
		if !it.present && present[it.key] {
			k.find(chargehand.LayerCompleteness, "contradiction", chargehand.SeverityError, it.path).Message =
				"The output says both that " + it.name() + " is present and that it is absent."
		}
	}
}
