package local

import (
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"github.com/chargehand/chargehand"
)

// What the history is asked for advice, at most. Newer runs go first.
const (
	maxPast    = 500 // rows of runs that are looked at
	maxAlike   = 50  // runs of the team whose objectives are compared
	maxExample = 50  // subtasks of a plan that a planner is shown

	goalShare = 0.8 // of the confidence: the words of the goal; the rest is the documents
	gapsShare = 0.5 // what a run that ended with gaps counts for
)

// advice is the plan of the earlier run whose objective is most like this one's, of the same team
// and the same tenant; nil where none is like it enough to be applied (SPEC.md ·25).
func (j job) advice(ctx context.Context, o *chargehand.Objective) (*chargehand.Advice, *chargehand.Plan, error) {
	began, err := j.store.began(ctx, j.run)
	if err != nil {
		return nil, nil, err
	}
	past, err := j.store.past(ctx, began.Tenant, j.team.Name, j.run)
	if err != nil {
		return nil, nil, err
	}
	best := &chargehand.Advice{}
	for _, r := range past {
		old, err := j.store.began(ctx, r.RunID)
		if err != nil {
			return nil, nil, err
		}
		c := likeness(o, &old.Objective)
		if r.State != chargehand.RunCompleted {
			c *= gapsShare
		}
		if c > best.Confidence {
			best = &chargehand.Advice{Run: r.RunID, Confidence: c, Outcome: r.State}
		}
	}
	if !(best.Confidence > chargehand.AdviceAbove) {
		return nil, nil, nil
	}
	plan, err := j.store.example(ctx, best.Run)
	best.Summary = outline(plan)
	return best, plan, err
}

// past are runs of a tenant that ended with a result, of the team of that name, the newest first.
func (s *store) past(ctx context.Context, tenant, team, but string) ([]chargehand.RunSummary, error) {
	bodies, err := column[[]byte](s.read.QueryContext(ctx, `select summary from run where tenant = ? and state in (?, ?) and id <> ?
		order by started desc, id desc limit ?`, tenant, string(chargehand.RunCompleted), string(chargehand.RunPartial), but, maxPast))
	if err != nil {
		return nil, fmt.Errorf("look for runs alike: %w", err)
	}
	var out []chargehand.RunSummary
	for _, b := range bodies {
		var r chargehand.RunSummary
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, err
		}
		if r.Team == team && len(out) < maxAlike {
			out = append(out, r)
		}
	}
	return out, nil
}

// began is the record that a run begins with.
func (s *store) began(ctx context.Context, run string) (f chargehand.RunStarted, err error) {
	err = s.stream(ctx, run, 0, func(r chargehand.Record) bool {
		f, _ = r.Fact.(chargehand.RunStarted)
		return false
	})
	return f, err
}

// example is the plan that an earlier run followed, as far as a planner is shown it.
func (s *store) example(ctx context.Context, run string) (*chargehand.Plan, error) {
	p := &chargehand.Plan{}
	err := s.stream(ctx, run, 0, func(r chargehand.Record) bool {
		if f, ok := r.Fact.(chargehand.SubtasksPlanned); ok && !f.Synthesis {
			p.Subtasks = append(p.Subtasks, f.Subtasks...)
		}
		return len(p.Subtasks) < maxExample
	})
	p.Subtasks = p.Subtasks[:min(len(p.Subtasks), maxExample)]
	for i := range p.Subtasks {
		p.Subtasks[i].Assignee = "" // whoever did it then, a program chooses now
	}
	return p, err
}

// outline is a plan in a line.
func outline(p *chargehand.Plan) string {
	var parts []string
	for i := range p.Subtasks {
		parts = append(parts, p.Subtasks[i].ID+" ("+p.Subtasks[i].Capability+")")
	}
	return plain(strings.Join(parts, ", "))
}

// likeness is how alike two objectives are, from 0 to 1: the words of their goals, and the kinds
// and sizes of their documents.
func likeness(a, b *chargehand.Objective) float64 {
	return goalShare*overlap(words(a.Goal), words(b.Goal)) + (1-goalShare)*overlap(kinds(a.Documents), kinds(b.Documents))
}

// words counts each word of a text once, whatever its case.
func words(text string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w] = 1
	}
	return out
}

// kinds counts documents by media type and by size, to a factor of four.
func kinds(list []chargehand.Document) map[string]int {
	out := map[string]int{}
	for _, d := range list {
		out[d.MediaType+"/"+strconv.Itoa(bits.Len64(uint64(max(0, d.Size)))/2)]++
	}
	return out
}

// overlap is what two multisets share of what they hold together. Two empty ones are alike.
func overlap(a, b map[string]int) float64 {
	shared, all := 0, 0
	for k, n := range a {
		shared += min(n, b[k])
		all += max(n, b[k])
	}
	for k, n := range b {
		if a[k] == 0 {
			all += n
		}
	}
	if all == 0 {
		return 1
	}
	return float64(shared) / float64(all)
}
