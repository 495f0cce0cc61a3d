package gate

import (
	"encoding/json"
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types"

	"github.com/chargehand/chargehand"
)

// maxFact bounds a keyed fact, in bytes (ARCHITECTURE.md, "How the two machines share one truth" 10).
const maxFact = 1 << 10

// An Item is one element of an accepted output, as the run compares and lists it.
type Item struct {
	Key     string
	Present bool
	Value   string          // "present: California", "absent": equal for all who mean the same, at most 1 KiB
	Quote   string          // verbatim; empty for an absent item
	Raw     json.RawMessage // the element as the worker wrote it
}

// CheckItems is Check, and the items of an output that is accepted, as Items lists them.
func (g *Gate) CheckItems(s Submission) (chargehand.Verdict, []Item) {
	k := g.begin(&s)
	v := k.layers()
	var items []Item
	if v.Recommendation == chargehand.Accept && k.contract.items != nil {
		items = k.contract.items.list(k.items, k.elements, &k.slab)
	}
	k.end()
	return v, items
}

// Items lists the items of an output that the gate accepted under the contract. An output that is
// not a list of items has none. The error says that the output was not accepted after all.
func (g *Gate) Items(contract string, output []byte) ([]Item, error) {
	c, ok := g.contract(contract)
	if !ok {
		return nil, fmt.Errorf("list items: there is no contract %q", contract)
	}
	if c.items == nil {
		return nil, nil
	}
	v, raw, bad := decodeList(output, c.items.path)
	if bad != nil {
		return nil, fmt.Errorf("list items: %s", bad.sentence())
	}
	items, faults := c.items.read(v, new(itemList))
	if len(faults) > 0 {
		return nil, fmt.Errorf("list items: %s", faults[0].sentence("the output"))
	}
	return c.items.list(items, raw, new(slab)), nil
}

// list is the items as they are handed out; raw are the elements they were read from.
func (r *itemRule) list(items []*item, raw []json.RawMessage, room *slab) []Item {
	out := make([]Item, len(items))
	for i, it := range items {
		out[i] = Item{it.key, it.present, bounded(r.fact(it, room)), it.quote, raw[i]}
	}
	return out
}

// fact is what two outputs must agree on for the item's key.
func (r *itemRule) fact(it *item, room *slab) string {
	if len(r.facts) == 0 {
		switch {
		case !it.present:
			return "absent"
		case strings.TrimSpace(it.answer) == "":
			return "present"
		}
		return "present: " + room.canonicalAnswer(it.answer)
	}
	parts := make([]string, len(r.facts))
	for i, field := range r.facts {
		parts[i] = field + ": " + room.canonicalAnswer(wordsOf(it.fields[field]))
	}
	return strings.Join(parts, "; ")
}

// bounded cuts a fact to its bound; the hash of the whole keeps two long ones apart.
func bounded(s string) string {
	if len(s) <= maxFact {
		return s
	}
	hash := chargehand.Hash([]byte(s))
	cut := maxFact - len(hash) - len("… ")
	for cut > 0 && !whole(s, cut) {
		cut--
	}
	return s[:cut] + "… " + hash
}

// A Fact is what one accepted output says about a key.
type Fact struct {
	Subtask string
	Worker  string
	Value   string // an Item's Value
}

// Invariants evaluates the team's rules across subtasks over the facts of all accepted outputs, by
// key. In CEL each fact is a map with subtask, worker and value.
func (g *Gate) Invariants(facts map[string][]Fact) []chargehand.Finding {
	byKey := make(map[string][]map[string]string, len(facts))
	for key, list := range facts {
		for _, f := range list {
			byKey[key] = append(byKey[key], map[string]string{"subtask": f.Subtask, "worker": f.Worker, "value": f.Value})
		}
	}
	var fs findings
	for _, r := range g.invariants {
		v, _, err := r.program.Eval(map[string]any{"facts": byKey})
		if err == nil && v == types.True {
			continue
		}
		if costly(err) {
			fs.add(chargehand.LayerConsistency, budgetRule, chargehand.SeverityReview).Message = gaveUp(chargehand.LayerConsistency, "the invariant "+quoted(r.id)+" takes more than "+grouped(maxCost)+" steps")
			continue
		}
		f := fs.add(chargehand.LayerConsistency, r.id, r.severity)
		f.Message = r.message
		if err != nil {
			f.Message = fmt.Sprintf("The rule %s could not be applied: %s. It says: %s", quoted(r.id), visible(err.Error(), maxShown), r.message)
		}
	}
	return fs.list
}
