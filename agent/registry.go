package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// A registry is a team as a planner sees it: what can be done, under which contracts, at which risk
// and price, and never by whom (SPEC.md ·13, ·20).
type registry struct {
	Capabilities []ability        `json:"capabilities"`
	Contracts    []contractOnView `json:"contracts,omitempty"`
}

// An ability is a capability with what those who have it are like, taken together.
type ability struct {
	Capability string            `json:"capability"`
	About      []string          `json:"about,omitempty"`
	TaskTypes  []string          `json:"taskTypes,omitempty"` // empty means any
	Contracts  []string          `json:"outputContracts,omitempty"`
	Tools      []string          `json:"tools,omitempty"`
	MaxRisk    chargehand.Risk   `json:"maxRiskLevel"`
	CostUSD    chargehand.Micros `json:"averageCostUSD"`
	LatencyMS  int               `json:"averageLatencyMs,omitempty"`
	Workers    int               `json:"workers"`
}

// A contractOnView is what a planner has to know of a contract.
type contractOnView struct {
	Name         string   `json:"name"`
	About        string   `json:"about,omitempty"` // its schema's own description
	TakesAspects bool     `json:"takesAspects,omitempty"`
	Criteria     []string `json:"criteria,omitempty"`
}

// registryOf leaves out the team's reviewer where it can do nothing else, and what writes the result.
func registryOf(t *chargehand.Team) registry {
	by := map[string][]*chargehand.WorkerSpec{}
	for i := range t.Workers {
		w := &t.Workers[i]
		for _, c := range w.Capabilities {
			if w.WorkerID != t.Policy.Judge() && (t.Synthesis == nil || t.Synthesis.Capability != c) {
				by[c] = append(by[c], w)
			}
		}
	}
	var r registry
	for _, c := range slices.Sorted(maps.Keys(by)) {
		r.Capabilities = append(r.Capabilities, abilityOf(t, c, by[c]))
	}
	for i := range t.Contracts {
		c := &t.Contracts[i]
		if slices.ContainsFunc(r.Capabilities, func(a ability) bool { return slices.Contains(a.Contracts, c.Name) }) {
			r.Contracts = append(r.Contracts, contractOnView{c.Name, description(c.Schema), c.Items != nil, c.Criteria})
		}
	}
	return r
}

func abilityOf(t *chargehand.Team, name string, ws []*chargehand.WorkerSpec) ability {
	a := ability{Capability: name, Workers: len(ws), MaxRisk: chargehand.RiskLow}
	anyType, anyContract, timed := false, false, 0
	for _, w := range ws {
		a.CostUSD += w.CostPerCallEstimateUSD
		if a.LatencyMS += w.AverageLatencyMS; w.AverageLatencyMS > 0 {
			timed++
		}
		if w.MaxRiskLevel.Level() > a.MaxRisk.Level() {
			a.MaxRisk = w.MaxRiskLevel
		}
		anyType = anyType || len(w.TaskTypes) == 0
		anyContract = anyContract || len(w.OutputContracts) == 0
		a.TaskTypes = union(a.TaskTypes, w.TaskTypes)
		a.Contracts = union(a.Contracts, w.OutputContracts)
		a.Tools = union(a.Tools, w.ToolGrants)
		if w.Description != "" && !namesWorker(t, w.Description) {
			a.About = union(a.About, []string{w.Description})
		}
	}
	a.CostUSD /= chargehand.Micros(len(ws))
	a.LatencyMS /= max(1, timed) // of those that are known
	if anyType {
		a.TaskTypes = nil
	}
	if anyContract {
		for i := range t.Contracts {
			a.Contracts = union(a.Contracts, []string{t.Contracts[i].Name})
		}
	}
	return a
}

// namesWorker reports whether a text holds the name of one of the team's workers, which no planner
// may learn.
func namesWorker(t *chargehand.Team, text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(t.Workers, func(w chargehand.WorkerSpec) bool { return holdsName(text, strings.ToLower(w.WorkerID)) })
}

// withoutWorkers is a text with "a worker" where the name of one of the team's stands.
func withoutWorkers(t *chargehand.Team, text string) string {
	for i := range t.Workers {
		text = withoutName(text, strings.ToLower(t.Workers[i].WorkerID))
	}
	return text
}

func withoutName(text, name string) string {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		text = lower // letters of other lengths: their places are not the same
	}
	var b strings.Builder
	for {
		start, end := nameIn(lower, name)
		if start < 0 {
			return b.String() + text
		}
		b.WriteString(text[:start] + "a worker")
		text, lower = text[end:], lower[end:]
	}
}

// holdsName reports whether a name stands in a text by itself: "extract" does not in "extracts".
func holdsName(text, name string) bool {
	start, _ := nameIn(text, name)
	return start >= 0
}

// nameIn is where a name first stands in a text by itself; negative where it does not.
func nameIn(text, name string) (start, end int) {
	for from := 0; name != ""; from = end {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		start, end = from+i, from+i+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !partOfName(before) && !partOfName(after) {
			return start, end
		}
	}
	return -1, -1
}

func partOfName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// description is what a schema says of itself.
func description(schema json.RawMessage) string {
	var s struct{ Title, Description string }
	if json.Unmarshal(schema, &s) != nil {
		return ""
	}
	return excerpt.Of(or(s.Description, s.Title), 500)
}

func sortedKeys(o object) []string { return slices.Sorted(maps.Keys(o)) }
