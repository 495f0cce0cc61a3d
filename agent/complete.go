package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// What a call is taken to need where nothing else is known.
const (
	usualInput     = 6_000  // tokens of a prompt with some pages of material
	usualPlanInput = 10_000 // tokens of a registry and the beginnings of documents
	workTokens     = 4_096  // of an answer, where a team says nothing
	planTokens     = 8_192  // of a plan
)

// Complete fills in what a team leaves open: the models of tiers, what a call of a worker or the
// planner is reserved at, the prices of the models it uses and the
// digest of the built-in prompts. So a run keeps all of it as it began. A model without a known
// price is a problem (SPEC.md ·90).
func (a *Agents) Complete(t *chargehand.Team) (*chargehand.Team, []chargehand.Problem) {
	c := completion{agents: a, team: *t}
	c.team.Workers = slices.Clone(t.Workers)
	c.team.Prices = slices.Clone(t.Prices)
	for i := range c.team.Workers {
		if w := &c.team.Workers[i]; w.Kind == chargehand.KindLLM {
			c.worker(w, fmt.Sprintf("$.workers[%d]", i))
		}
	}
	if t.Planner.LLM != nil {
		c.planner()
	}
	if c.models {
		c.team.Prompts = Prompts
	}
	return &c.team, c.problems
}

type completion struct {
	agents   *Agents
	team     chargehand.Team
	models   bool // the team uses some
	problems []chargehand.Problem
}

func (c *completion) worker(w *chargehand.WorkerSpec, path string) {
	if w.Model == "" {
		w.Model = c.team.Models.Of(w.Tier)
	}
	price, ok := c.price(w.Model, path+".model")
	if ok && w.CostPerCallEstimateUSD == 0 {
		w.CostPerCallEstimateUSD = price.Most().Of(usualInput, 0, 0, int64(min(answerTokens(w), workTokens)))
	}
}

func answerTokens(w *chargehand.WorkerSpec) int {
	if w.LLM == nil || w.LLM.MaxTokens == 0 {
		return workTokens
	}
	return w.LLM.MaxTokens
}

func (c *completion) planner() {
	p := *c.team.Planner.LLM
	if p.Model == "" {
		p.Model = c.team.Models.Of(1)
	}
	c.team.Planner.LLM = &p
	price, ok := c.price(p.Model, "$.planner.llm.model")
	if ok && c.team.Planner.EstimateUSD == 0 {
		c.team.Planner.EstimateUSD = price.Most().Of(usualPlanInput, 0, 0, int64(planAnswer(&p)))
	}
}

func planAnswer(p *chargehand.LLMPlanner) int {
	if p.MaxTokens == 0 {
		return planTokens
	}
	return p.MaxTokens
}

// price is a model's price, which the team then has for good. A name that is missing is for
// Team.Check to say.
func (c *completion) price(ref, path string) (chargehand.ModelPrice, bool) {
	c.models = true
	if ref == "" {
		return chargehand.ModelPrice{}, false
	}
	p, ok := c.agents.price(&c.team, ref)
	if !ok {
		c.problems = append(c.problems, chargehand.Problem{
			Path: path, Message: unpriced(ref).Error(),
			Hint: "add it to the team's `prices` with inputUSD and outputUSD for a million tokens or with `unpriced: true`, or give chargehand run --price " + ref + "=IN/OUT",
		})
		return p, false
	}
	p.Model, p.Unpriced = ref, p.Most() == chargehand.Price{}
	c.keep(p)
	return p, true
}

// keep puts a price into the team's list, in place of an entry that says nothing.
func (c *completion) keep(p chargehand.ModelPrice) {
	for i := range c.team.Prices {
		if c.team.Prices[i].Model == p.Model {
			c.team.Prices[i] = p
			return
		}
	}
	c.team.Prices = append(c.team.Prices, p)
}

// price is what a model costs: what the team says, else what is known. An entry without a price says
// something only where it says unpriced.
func (a *Agents) price(t *chargehand.Team, ref string) (chargehand.ModelPrice, bool) {
	for i := range t.Prices {
		if p := &t.Prices[i]; (p.Model == ref || p.Model == plainRef(ref)) && (p.Unpriced || p.Most() != chargehand.Price{}) {
			return *p, true
		}
	}
	return a.opt.Price(ref)
}

// plainRef is a ref without the protocol that the model is called by, which changes nothing of its price.
func plainRef(ref string) string {
	provider, name, ok := strings.Cut(ref, "/")
	provider, _, _ = strings.Cut(provider, "+")
	if !ok {
		return ref
	}
	return provider + "/" + name
}

func unpriced(ref string) error {
	return fmt.Errorf("it is not known what the model %s costs, so its calls cannot be reserved", ref)
}
