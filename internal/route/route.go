// Package route decides which workers may serve a subtask, and in which order they are asked
// (SPEC.md ·11, ·30, ·34, ·35). Its functions are pure: the same facts give the same order.
// Which of the workers in that order has room is the fleet's to say.
package route

import (
	"fmt"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// A Question is one subtask that wants a worker.
type Question struct {
	Subtask *chargehand.Subtask
	Tenant  string
	Tier    int                // wanted; zero means any
	Avoid   []string           // workers that had their chance
	Prefer  string             // the worker to go first, as after a correction
	Afford  *chargehand.Micros // the most one call may cost; nil means no limit

	Unpriced chargehand.Micros // the price of a call of a worker that declares none
	Spent    chargehand.Micros // of the subtask's own budget, by earlier attempts
}

// A Choice answers it. Eligible is in order: lower ranks first, and within a rank the order in
// which the team lists its workers.
type Choice struct {
	Strategy chargehand.Strategy
	Eligible []chargehand.Candidate
	Excluded []chargehand.Candidate // those that have the capability and yet may not
}

// Select answers a question for a team.
func Select(t *chargehand.Team, q Question) Choice {
	r := t.Route(q.Subtask.Capability)
	c := Choice{Strategy: r.Strategy}
	for _, w := range listed(t, r) {
		if !w.Can(q.Subtask.Capability) {
			continue
		}
		cand := chargehand.Candidate{Worker: w.WorkerID, Tier: w.Tier, CostUSD: q.cost(w)}
		if cand.ExcludedBecause = exclusion(t, w, q); cand.ExcludedBecause != "" {
			c.Excluded = append(c.Excluded, cand)
			continue
		}
		cand.Rank = rank(w, r.Strategy, q)
		c.Eligible = append(c.Eligible, cand)
	}
	settle(c.Eligible)
	return c
}

// listed are the workers a route allows: all, or for a static one those it names, in its order.
func listed(t *chargehand.Team, r chargehand.Route) []*chargehand.WorkerSpec {
	var out []*chargehand.WorkerSpec
	if r.Strategy == chargehand.RouteStatic {
		for _, id := range r.Workers {
			if w := t.Worker(id); w != nil {
				out = append(out, w)
			}
		}
		return out
	}
	for i := range t.Workers {
		out = append(out, &t.Workers[i])
	}
	return out
}

// cost is what one call for the subtask may cost at most: what is left of the subtask's own budget,
// else the worker's price.
func (q *Question) cost(w *chargehand.WorkerSpec) chargehand.Micros {
	if own := q.Subtask.Budget.USD; own > 0 && !w.Free {
		return max(0, own-q.Spent)
	}
	return Price(w, q.Unpriced)
}

// Price is what one call of a worker costs: what it declares, or unpriced where it declares nothing.
func Price(w *chargehand.WorkerSpec, unpriced chargehand.Micros) chargehand.Micros {
	if w.Priced() {
		return w.CostPerCallEstimateUSD
	}
	return unpriced
}

// Timeout is how long the worker may take: the subtask's own limit, else twice the worker's
// average latency and at least a second, else a minute (SPEC.md ·85).
func Timeout(w *chargehand.WorkerSpec, s *chargehand.Subtask) time.Duration {
	if s.TimeoutMS > 0 {
		return time.Duration(s.TimeoutMS) * time.Millisecond
	}
	if w.Latency() == 0 {
		return chargehand.DefaultTimeout
	}
	return max(2*w.Latency(), time.Second)
}

// exclusion is why a capable worker may not serve, empty if it may. A missing right is never
// made up for by being idle or cheap (SPEC.md ·12).
func exclusion(t *chargehand.Team, w *chargehand.WorkerSpec, q Question) string {
	s := q.Subtask
	switch {
	case s.Assignee != "" && s.Assignee != w.WorkerID:
		return "the subtask is assigned to " + s.Assignee
	//guard:risk-ceiling
	case w.MaxRiskLevel.Level() < s.RiskLevel.Level():
		return fmt.Sprintf("may take risk %s at most, the subtask is %s", orLow(w.MaxRiskLevel), s.RiskLevel)
	case w.WorkerID == t.Policy.Reviewer && s.RiskLevel.Level() >= chargehand.RiskHigh.Level():
		return "is the reviewer, and would judge its own work at risk " + string(s.RiskLevel)
	//guard:tenant-worker
	case len(w.Tenants) > 0 && !slices.Contains(w.Tenants, q.Tenant):
		return "is not enabled for the tenant"
	case len(w.TaskTypes) > 0 && s.TaskType != "" && !slices.Contains(w.TaskTypes, s.TaskType):
		return "does not take tasks of type " + s.TaskType
	case missing(w.ToolGrants, s.ToolGrants) != "":
		return "has no grant for the tool " + missing(w.ToolGrants, s.ToolGrants)
	case len(w.OutputContracts) > 0 && s.OutputContract != "" && !slices.Contains(w.OutputContracts, s.OutputContract):
		return "does not promise the contract " + s.OutputContract
	case s.TimeoutMS > 0 && w.Latency() > Timeout(w, s):
		return fmt.Sprintf("takes %s on average, the subtask allows %s", w.Latency(), Timeout(w, s))
	case slices.Contains(q.Avoid, w.WorkerID):
		return "had its chance"
	case q.Afford != nil && q.cost(w) > *q.Afford:
		return fmt.Sprintf("may cost $%s, the budget leaves $%s", q.cost(w), *q.Afford)
	}
	return ""
}

func orLow(r chargehand.Risk) chargehand.Risk {
	if r == "" {
		return chargehand.RiskLow
	}
	return r
}

func missing(have, want []string) string {
	for _, g := range want {
		if !slices.Contains(have, g) {
			return g
		}
	}
	return ""
}

// rank is 0 for the wanted tier, 1 for a better one, 2 for a worse; a preferred worker goes
// before all. A static route has its own order, whatever the tiers.
func rank(w *chargehand.WorkerSpec, st chargehand.Strategy, q Question) int {
	if q.Prefer != "" && w.WorkerID == q.Prefer {
		return -1
	}
	switch {
	case st == chargehand.RouteStatic:
		return 0
	case q.Tier == 0 || w.Tier == 0 || w.Tier == q.Tier:
		return 0
	case w.Tier < q.Tier:
		return 1
	}
	return 2
}

// settle sorts by rank, keeping the order within one, and numbers the ranks in use from 0.
func settle(cs []chargehand.Candidate) {
	slices.SortStableFunc(cs, func(a, b chargehand.Candidate) int { return a.Rank - b.Rank })
	next, last := -1, 0
	for i := range cs {
		if i == 0 || cs[i].Rank != last {
			next, last = next+1, cs[i].Rank
		}
		cs[i].Rank = next
	}
}
