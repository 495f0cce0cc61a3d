package gate

import (
	"encoding/json"
	"errors"
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
	v, bad := decode(output)
	if bad != nil {
		return nil, fmt.Errorf("list items: %s", bad.sentence())
	}
	items, faults := c.items.read(v)
	if len(faults) > 0 {
		return nil, fmt.Errorf("list items: %s", faults[0].sentence("the output"))
	}
	raw, err := rawList(output, c.items.path)
	if err != nil || len(raw) != len(items) {
		return nil, fmt.Errorf("list items: %w", errors.Join(err, errors.New("the list cannot be read twice")))
	}
	out := make([]Item, len(items))
	for i, it := range items {
		out[i] = Item{it.key, it.present, bounded(c.items.fact(it)), it.quote, raw[i]}
	}
	return out, nil
}

// fact is what two outputs must agree on for the item's key.
func (r *itemRule) fact(it *item) string {
	if len(r.facts) == 0 {
		switch {
		case !it.present:
			return "absent"
		case strings.TrimSpace(it.answer) == "":
			return "present"
		}
		return "present: " + canonicalAnswer(it.answer)
	}
	parts := make([]string, len(r.facts))
	for i, field := range r.facts {
		parts[i] = field + ": " + canonicalAnswer(wordsOf(it.fields[field]))
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

// rawList is the list at a path of plain tokens, its elements as they were written.
func rawList(output []byte, path pattern) ([]json.RawMessage, error) {
	raw := json.RawMessage(output)
	for _, token := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil && object != nil {
			raw = object[token]
			continue
		}
		list, err := rawList(raw, nil)
		if err != nil {
			return nil, err
		}
		var i int
		if _, err := fmt.Sscanf(token, "%d", &i); err != nil || i < 0 || i >= len(list) {
			return nil, fmt.Errorf("find element %q", token)
		}
		raw = list[i]
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	return list, nil
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
		f := fs.add(chargehand.LayerConsistency, r.id, r.severity)
		f.Message = r.message
		if err != nil {
			f.Message = fmt.Sprintf("The rule %s could not be applied: %s. It says: %s", quoted(r.id), visible(err.Error(), maxShown), r.message)
		}
	}
	return fs.list
}
