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

// searchesKey is the member of an output that is no list of items which holds, by aspect, the records
// of the searches behind what it says to be absent.
const searchesKey = "searches"

// saidAbsent settles an aspect of an output without items that is answered by saying that it is not
// there: like an absent item it needs a search that shows it. False means that it is answered otherwise,
// or not at all.
func (k *check) saidAbsent(object map[string]any, aspect string) bool {
	value := object[aspect]
	searches, _ := object[searchesKey].(map[string]any)
	record := searches[aspect]
	if record == nil && empty(value) || !isAbsence(value, aspect) {
		return false
	}
	fields, _ := record.(map[string]any)
	document, _ := fields["document"].(string)
	a := absence{key: aspect, document: document, record: record, field: searchesKey, at: []string{searchesKey, aspect}}
	if record == nil {
		a.at = []string{aspect}
	}
	k.shown(&a, k.claim(aspect+": absent", []string{aspect}), nil)
	return true
}

// fewKeys are compared one by one.
const fewKeys = 64

// addressed tells of each of n aspects whether the output speaks of it.
func (k *check) addressed(n int) func(aspect string) bool {
	if k.contract.items == nil {
		object, _ := k.output.(map[string]any)
		return func(aspect string) bool { return k.saidAbsent(object, aspect) || !empty(object[aspect]) }
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
		return "the output needs a key of that name with something in it, or a search that shows its absence in " + quoted(searchesKey)
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
			k.answered(it)
			continue
		}
		rule := k.contract.items
		it.claim = k.claim(it.key+": absent", it.path)
		a := absence{key: it.key, document: it.document, record: it.fields[rule.search], field: rule.search, at: it.path, triggers: rule.triggers[it.key]}
		k.shown(&a, it.claim, rule.searchPath)
		if k.gaveUp[chargehand.LayerCompleteness] {
			return
		}
	}
}

// shown settles the claim that something is absent. The record stands at the path beneath the absence.
func (k *check) shown(a *absence, claim *chargehand.Claim, beneath []string) {
	claim.Support = chargehand.Supported
	fault := k.searchFault(a)
	if k.searched > maxSearched || k.effort.stopped {
		claim.Support = chargehand.NotChecked
		k.giveUp(chargehand.LayerCompleteness, searchBudget())
		return
	}
	//guard:absence-search
	if fault != nil {
		claim.Support = chargehand.Unsupported
		f := k.find(chargehand.LayerCompleteness, "search", chargehand.SeverityError, slices.Concat(a.at, beneath, fault.path))
		f.Message = fmt.Sprintf("%s is said to be absent, but its search does not show it: %s.", quoted(a.key), fault.clause)
		f.Source = fault.where
	}
}

// answered refuses an item that is said to be present by an answer that says that it is not. Words that
// answer a question, such as "None", are left to the quote.
func (k *check) answered(it *item) {
	if it.answer == "" || figured(it.answer, it.key) { // most say something: they cost no allocation
		return
	}
	word := strings.ToLower(strings.TrimSpace(it.answer))
	if verdicts[word] && word != "absent" || !absentWordsOf(it.answer, it.key) {
		return
	}
	f := k.find(chargehand.LayerCompleteness, "search", chargehand.SeverityError, it.at(k.contract.items.answer))
	f.Message = fmt.Sprintf("%s is said to be present, and its answer %s says that it is not: an absence is present false, with a search.", it.name(), quoted(it.answer))
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
