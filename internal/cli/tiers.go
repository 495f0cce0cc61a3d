package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A tiered is what --model says.
type tiered struct {
	models chargehand.Models
	named  []int // the tiers that were named, in their order
}

// tiers is what --model says, by tier. A model without a tier is for all that have none.
func (a *app) tiers(given []string) (tiered, error) {
	var m tiered
	every := ""
	for _, text := range given {
		number, name, numbered := strings.Cut(text, "=")
		at, tier := &every, 0
		if numbered {
			tier = strings.Index("123", number) + 1
			if at = slot(&m.models, tier); at == nil || len(number) != 1 {
				return m, usage(fmt.Sprintf("--model cannot be %q", text), "the tiers are 1, 2 and 3, such as --model 2=openai/gpt-5-mini")
			}
			m.named = append(m.named, tier)
		} else {
			name = text
		}
		if *at != "" {
			return m, usage("--model names two models for the same tier", "give one for each tier")
		}
		var err error
		if *at, err = a.model("--model", name); err != nil {
			return m, err
		}
	}
	m.models = over(m.models, chargehand.Models{Tier1: every, Tier2: every, Tier3: every})
	return m, nil
}

// slot is where the model of a tier stands; nil where there is no such tier.
func slot(m *chargehand.Models, tier int) *string {
	switch tier {
	case 1:
		return &m.Tier1
	case 2:
		return &m.Tier2
	case 3:
		return &m.Tier3
	}
	return nil
}

// over is a with what b has besides.
func over(a, b chargehand.Models) chargehand.Models {
	return chargehand.Models{Tier1: cmp.Or(a.Tier1, b.Tier1), Tier2: cmp.Or(a.Tier2, b.Tier2), Tier3: cmp.Or(a.Tier3, b.Tier3)}
}

// A seat is somebody in a team who works with a language model.
type seat struct {
	name  string
	tier  int
	model string // of its own; empty where it has that of its tier
}

func seatsOf(t *chargehand.Team) []seat {
	var out []seat
	for i := range t.Workers {
		if w := &t.Workers[i]; w.Kind == chargehand.KindLLM {
			out = append(out, seat{w.WorkerID, cmp.Or(w.Tier, 2), w.Model})
		}
	}
	if p := t.Planner.LLM; p != nil {
		out = append(out, seat{"the planner", 1, p.Model})
	}
	return out
}

// seated is the error where --model leaves somebody in the team without a model. A model that it gives to
// nobody is said to be none's.
func (a *app) seated(t *chargehand.Team, m tiered) error {
	seats := seatsOf(t)
	var needs []string
	for _, s := range seats {
		if s.model == "" && t.Models.Of(s.tier) == "" {
			needs = append(needs, fmt.Sprintf("%s works with tier %d", s.name, s.tier))
		}
	}
	if len(needs) > 0 {
		return usage("--model leaves somebody without a model",
			strings.Join(needs, ", ")+": name a model for that tier or a better one, or one for all as --model PROVIDER/MODEL")
	}
	for _, tier := range m.named {
		if !serves(seats, t.Models, tier) {
			fmt.Fprintf(a.io.Err, "warning: nobody in the team %s works with tier %d: %s is not used\n",
				t.Name, tier, term.Line(*slot(&m.models, tier)))
		}
	}
	return nil
}

// serves reports whether the model of a tier is somebody's.
func serves(seats []seat, m chargehand.Models, tier int) bool {
	const probe = "that one"
	*slot(&m, tier) = probe
	for _, s := range seats {
		if s.model == "" && m.Of(s.tier) == probe {
			return true
		}
	}
	return false
}
