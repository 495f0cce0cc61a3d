package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// negatives are the ways of answering that something is not there.
var negatives = wordSet(`no none absent n/a false nil`)

// knownFacts compares answers with what is known to be true. An answer that is not given, or that
// leaves a thing open, contradicts nothing.
func (k *check) knownFacts() {
	for _, it := range k.items {
		known, ok := k.sub.Facts[it.key]
		if !ok || k.agreesWith(it, known) {
			continue
		}
		k.gainsay(known, it.key, stated(it), it.path)
		if it.claim != nil {
			it.claim.Support = chargehand.Contradicted
		}
	}
	object, ok := k.output.(map[string]any)
	if !ok || k.contract.items != nil {
		return
	}
	for _, key := range sortedKeys(object) {
		known, ok := k.sub.Facts[key]
		if said := wordsOf(object[key]); ok && said != "" && !k.slab.sameAnswer(said, known) {
			k.gainsay(known, key, said, []string{key})
		}
	}
}

func (k *check) gainsay(known, key, said string, path []string) {
	f := k.contradict("fact", path)
	f.Message = fmt.Sprintf("Output says %s of %s; it is known to be %s.", quoted(said), quoted(key), quoted(known))
	f.Quote = visible(said, maxShown)
}

func stated(it *item) string {
	switch {
	case !it.present:
		return "absent"
	case it.answer == "":
		return "present"
	}
	return it.answer
}

func (k *check) agreesWith(it *item, known string) bool {
	no := negatives[strings.ToLower(strings.TrimSpace(known))]
	if !it.present {
		return no
	}
	said := strings.TrimSpace(it.answer)
	if said == "" {
		return !no
	}
	return k.slab.sameAnswer(said, known)
}

// sameAnswer reports whether two answers say the same, or whether said is one of the several that
// are known, set apart by semicolons.
func (b *slab) sameAnswer(said, known string) bool {
	a := b.canonicalAnswer(said)
	if strings.EqualFold(a, b.canonicalAnswer(known)) {
		return true
	}
	parts := strings.Split(known, ";")
	return len(parts) > 1 && slices.ContainsFunc(parts, func(p string) bool { return strings.EqualFold(a, b.canonicalAnswer(p)) })
}

// canonicalAnswer is an answer in the one spelling that compares equal for all who mean the same:
// a date in ISO order, an amount with its currency code, a length of time in its own unit, anything
// else with single spaces and no mark at the end.
func (b *slab) canonicalAnswer(s string) string {
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), ".;,")
	if lower := strings.ToLower(s); verdicts[lower] && s != "" {
		return strings.ToUpper(lower[:1]) + lower[1:]
	}
	if len(s) > 80 {
		return s
	}
	fs := b.read(s)
	if len(fs.list) == 0 {
		return s
	}
	f := fs.list[0]
	if f.start != 0 || f.end != len(s) || slices.ContainsFunc(fs.list[1:], func(f figure) bool { return !f.part }) {
		return s
	}
	return f.canonical()
}

func (f *figure) canonical() string {
	switch f.kind {
	case kindDate:
		return f.dates[0].String()
	case kindMoney:
		return f.unit + " " + f.value
	case kindPercent:
		return f.value + "%"
	case kindTime:
		unit := f.unit
		if f.value != "1" {
			unit += "s"
		}
		return f.value + " " + unit
	}
	return f.value
}
