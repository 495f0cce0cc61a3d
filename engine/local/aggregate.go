package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
)

// An aggregate is the accepted outputs put together by contract, never by concatenation (SPEC.md
// ·140).
type aggregate struct {
	ConsistentPoints    []point               `json:"consistentPoints"`
	Items               []chargehand.Item     `json:"items"`
	Conflicts           []chargehand.Conflict `json:"conflicts"`
	MissingEvidence     []chargehand.Note     `json:"missingEvidence"`
	RequiresHumanReview bool                  `json:"requiresHumanReview"`
	Outputs             []part                `json:"outputs"`
}

// A point is something that accepted outputs of more than one subtask say alike.
type point struct {
	Key      string   `json:"key"`
	Value    string   `json:"value"`
	Subtasks []string `json:"subtasks"`
}

// A part is an output that has no items, as it is.
type part struct {
	Subtask string          `json:"subtask"`
	Worker  string          `json:"worker"`
	Output  json.RawMessage `json:"output"`
}

// aggregate puts the accepted outputs together and reports where that is kept.
func (j job) aggregate(ctx context.Context, e supervise.Aggregate) {
	a, err := assemble(ctx, j.store, j.kit(), e.Accepted)
	var b blob
	if err == nil {
		var body []byte
		if body, err = json.Marshal(a); err == nil {
			b, err = j.store.keep(body)
		}
	}
	if err != nil {
		j.retry(ctx, e, err)
		return
	}
	j.report(supervise.WorkAggregated{
		Round: e.Round, Ref: b.hash, Items: len(a.Items), Conflicts: len(a.Conflicts),
		Missing: len(a.MissingEvidence),
	}, b)
}

func assemble(ctx context.Context, s *store, k *kit, accepted []supervise.Accepted) (*aggregate, error) {
	t := tally{sides: map[string][]*side{}}
	out := &aggregate{
		ConsistentPoints: []point{}, Items: []chargehand.Item{}, Conflicts: []chargehand.Conflict{},
		MissingEvidence: []chargehand.Note{}, Outputs: []part{},
	}
	for _, acc := range accepted {
		body, err := s.content(ctx, acc.Output)
		if err != nil {
			return nil, err
		}
		items, err := k.gate.Items(acc.Contract, body)
		if err != nil {
			return nil, fmt.Errorf("read the items of %s: %w", acc.Subtask, err)
		}
		if len(items) == 0 {
			out.Outputs = append(out.Outputs, part{acc.Subtask, acc.Worker, body})
		}
		t.add(acc, items)
	}
	t.compare(out)
	for _, f := range k.gate.Invariants(t.facts()) {
		out.Conflicts = append(out.Conflicts, chargehand.Conflict{Key: f.Rule, Why: f.Message})
	}
	out.RequiresHumanReview = len(out.Conflicts) > 0
	return out, nil
}

// A side is what one subtask's output says of one key.
type side struct {
	from  supervise.Accepted
	items []gate.Item
}

// tally gathers what is said of each key, in the order in which keys first come up.
type tally struct {
	keys  []string
	sides map[string][]*side
}

func (t *tally) add(from supervise.Accepted, items []gate.Item) {
	for _, it := range items {
		sides := t.sides[it.Key]
		if len(sides) == 0 {
			t.keys = append(t.keys, it.Key)
		}
		if n := len(sides); n == 0 || sides[n-1].from.Subtask != from.Subtask {
			sides = append(sides, &side{from: from})
		}
		s := sides[len(sides)-1]
		s.items = append(s.items, it)
		t.sides[it.Key] = sides
	}
}

// value is what the side says, whatever the number of its quotes.
func (s *side) value() string {
	var values []string
	for _, it := range s.items {
		if !slices.Contains(values, it.Value) {
			values = append(values, it.Value)
		}
	}
	slices.Sort(values)
	return strings.Join(values, "; ")
}

func (s *side) quote() string {
	for _, it := range s.items {
		if it.Quote != "" {
			return it.Quote
		}
	}
	return ""
}

// compare writes the items of each key: one side's where the others say the same, and every side's
// where they do not, which is recorded as a conflict.
func (t *tally) compare(out *aggregate) {
	for _, key := range t.keys {
		sides := t.sides[key]
		first := sides[0]
		shown := sides[:1]
		var agree []string
		conflict := chargehand.Conflict{Key: key}
		for _, s := range sides {
			conflict.Values = append(conflict.Values, chargehand.ConflictValue{
				Subtask: s.from.Subtask, Worker: s.from.Worker,
				Value: s.value(), Quote: plain(s.quote()),
			})
			if s != first && s.value() == first.value() {
				agree = append(agree, s.from.Worker)
			}
		}
		verdict := string(first.from.State)
		switch {
		case len(agree) < len(sides)-1:
			verdict, shown, agree = "conflict", sides, nil
			conflict.Why = disagreement(key, conflict.Values)
			out.Conflicts = append(out.Conflicts, conflict)
		case len(sides) > 1:
			out.ConsistentPoints = append(out.ConsistentPoints, t.agreed(key))
		}
		for _, s := range shown {
			for _, it := range s.items {
				out.Items = append(out.Items, chargehand.Item{
					Fields: it.Raw, Subtask: s.from.Subtask, Attempt: s.from.Attempt,
					Worker: s.from.Worker, Verdict: verdict, ConfirmedBy: agree,
				})
			}
		}
	}
}

func disagreement(key string, values []chargehand.ConflictValue) string {
	var said []string
	for _, v := range values {
		said = append(said, v.Worker+" says "+v.Value)
	}
	return key + ": " + strings.Join(said, ", ")
}

func (t *tally) agreed(key string) point {
	p := point{Key: key, Value: t.sides[key][0].value()}
	for _, s := range t.sides[key] {
		p.Subtasks = append(p.Subtasks, s.from.Subtask)
	}
	return p
}

// facts are what invariants look at.
func (t *tally) facts() map[string][]gate.Fact {
	facts := map[string][]gate.Fact{}
	for _, key := range t.keys {
		for _, s := range t.sides[key] {
			facts[key] = append(facts[key], gate.Fact{Subtask: s.from.Subtask, Worker: s.from.Worker, Value: s.value()})
		}
	}
	return facts
}

// retry pursues an effect again a little later: what it needs may be readable then.
func (j job) retry(ctx context.Context, e supervise.Effect, err error) {
	j.log.Error("an effect is tried again", "run", j.run, "error", err)
	if pause(ctx, respite) {
		j.pursue(ctx, e)
	}
}
