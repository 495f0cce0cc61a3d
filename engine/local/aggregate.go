package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	supervise.Caveats // first, where the gate looks for them

	ConsistentPoints    []point               `json:"consistentPoints"`
	Conflicts           []chargehand.Conflict `json:"conflicts"`
	MissingEvidence     []chargehand.Note     `json:"missingEvidence"`
	RequiresHumanReview bool                  `json:"requiresHumanReview"`
	Outputs             []part                `json:"outputs"`
	Items               []chargehand.Item     `json:"items"` // last, for around

	sources map[string]source // the outputs, by subtask; nil once it has been read back
	list    excerpt           // of its own JSON, the items; zero once it has been read back
}

// A source is an output that items came from.
type source struct {
	hash string
	body []byte
}

// list adds items to a draft, as a JSON list. What workers wrote in them is left as it is: copies
// of what their outputs say.
func (d *draft) list(items []chargehand.Item, outputs map[string]source) error {
	d.body = append(d.body, '[')
	for i, it := range items {
		if i > 0 {
			d.body = append(d.body, ',')
		}
		at := len(d.body)
		var err error
		if d.body, err = it.AppendJSON(d.body); err != nil {
			return fmt.Errorf("write item %d, of %s: %w", i, it.Subtask, err)
		}
		d.note(at, it.Fields, outputs[it.Subtask])
	}
	d.body = append(d.body, ']')
	return nil
}

// note notes that an item, written from at on, is a copy of its output's words but for its last
// bracket. One whose words had to be changed is not.
func (d *draft) note(at int, fields []byte, from source) {
	own := bytes.TrimSuffix(fields, []byte("}"))
	start := bytes.Index(from.body, own)
	if start >= 0 && bytes.HasPrefix(d.body[at:], own) {
		d.copies = append(d.copies, excerpt{at, len(own), from.hash, start})
	}
}

// encode is the aggregate as JSON.
func (a *aggregate) encode() (draft, error) {
	bare := *a
	bare.Items = nil
	head, tail, err := around(bare)
	if err != nil {
		return draft{}, err
	}
	d := draft{body: append(make([]byte, 0, len(head)+listSize(a.Items)+len(tail)), head...)}
	if err := d.list(a.Items, a.sources); err != nil {
		return draft{}, err
	}
	a.list = excerpt{at: len(head), size: len(d.body) - len(head)}
	d.body = append(d.body, tail...)
	return d, nil
}

// listSize is about how long a list of items is as JSON.
func listSize(items []chargehand.Item) int {
	const names = 100 // of the members that say where an item comes from
	n := 2
	for _, it := range items {
		n += names + len(it.Fields) + len(it.Subtask) + len(it.Worker) + len(it.Verdict)
	}
	return n
}

// around is v as JSON without its items, which are nil: what stands before their list, and what
// after it. What follows them in v has no member of that name and no raw JSON, so the last one is
// theirs.
func around(v any) (head, tail []byte, err error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	at := bytes.LastIndex(body, []byte(`"items":null`))
	if at < 0 {
		return nil, nil, errors.New("there is no place for the items")
	}
	at += len(`"items":`)
	return body[:at], body[at+len("null"):], nil
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
	Attempt int             `json:"attempt,omitempty"`
	Worker  string          `json:"worker"`
	Output  json.RawMessage `json:"output"`
}

// aggregate puts the accepted outputs together and reports where that is kept.
func (j job) aggregate(ctx context.Context, e supervise.Aggregate) {
	a, err := assemble(ctx, j.store, j.kit(), e.Accepted)
	var b blob
	if err == nil {
		a.Caveats = e.Caveats
		var d draft
		if d, err = a.encode(); err == nil {
			b, err = j.store.keepDraft(d)
			b.made = a
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
		MissingEvidence: []chargehand.Note{}, Outputs: []part{}, sources: map[string]source{},
	}
	for _, acc := range accepted {
		p, err := s.piece(ctx, acc.Output)
		if err != nil {
			return nil, err
		}
		items, err := itemsOf(k, acc, p)
		if err != nil {
			return nil, fmt.Errorf("read the items of %s: %w", acc.Subtask, err)
		}
		if len(items) == 0 {
			out.Outputs = append(out.Outputs, part{acc.Subtask, acc.Attempt, acc.Worker, p.body})
		}
		out.sources[acc.Subtask] = source{acc.Output, p.body}
		t.add(acc, items)
	}
	t.compare(out)
	for _, f := range k.gate.Invariants(t.facts()) {
		out.Conflicts = append(out.Conflicts, chargehand.Conflict{Key: f.Rule, Why: f.Message})
	}
	out.RequiresHumanReview = len(out.Conflicts) > 0
	return out, nil
}

func itemsOf(k *kit, from supervise.Accepted, p *piece) ([]gate.Item, error) {
	if l, ok := p.made.(*itemList); ok && l != nil && l.kit == k && l.contract == from.Contract {
		return l.items, nil
	}
	return k.gate.Items(from.Contract, p.body)
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

// confirmedBy are the workers that said the same in a debate of the side's subtask.
func (s *side) confirmedBy() []string {
	if s.from.ConfirmedBy == "" {
		return nil
	}
	return []string{s.from.ConfirmedBy}
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
				Value: s.value(), Quote: plain(s.quote()), ConfirmedBy: s.confirmedBy(),
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
		if by := first.from.ConfirmedBy; by != "" && verdict != "conflict" && !slices.Contains(agree, by) {
			agree = append(agree, by)
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
		who := v.Worker
		if len(v.ConfirmedBy) > 0 {
			who += " (confirmed by " + strings.Join(v.ConfirmedBy, ", ") + ")"
		}
		said = append(said, who+" says "+v.Value)
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
