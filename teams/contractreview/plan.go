package contractreview

import (
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
	"github.com/chargehand/chargehand/teams/contractreview/lexical"
)

// Capabilities of the team's workers.
const (
	capSegment = "segment"
	capPattern = "clauses.pattern"
	capLexical = "clauses.lexical"
	capReport  = "report"
)

// A group is a section of the review: the categories that one subtask reads.
type group struct {
	id    string // clause.Category.Group
	label string
	risk  chargehand.Risk
}

// groups in the order in which a report tells them.
var groups = []group{
	{"liability", "Liability and insurance", chargehand.RiskHigh},
	{"control", "Assignment and control", chargehand.RiskHigh},
	{"competition", "Competition and exclusivity", chargehand.RiskHigh},
	{"term", "Term and termination", chargehand.RiskHigh},
	{"license", "Licences", chargehand.RiskMedium},
	{"law", "Governing law and third parties", chargehand.RiskMedium},
	{"commercial", "Commercial terms", chargehand.RiskMedium},
	{"ip", "Intellectual property", chargehand.RiskMedium},
	{"identity", "Names and dates", chargehand.RiskLow},
}

// categories are the names of the categories of a group, in CUAD's order.
func (g group) categories() []string {
	var out []string
	for _, c := range clause.Categories() {
		if c.Group == g.id {
			out = append(out, c.Name)
		}
	}
	return out
}

// second is the part of a group that the second reader reads as well.
func (g group) second() []string {
	known := lexical.Categories()
	return slices.DeleteFunc(g.categories(), func(name string) bool { return !slices.Contains(known, name) })
}

// reviewed is the risk level of the first reading of a group. The team has no reviewer: what is at risk
// high is read twice, and a category that the second reader does not know is not (SPEC.md ·66).
func (g group) reviewed() chargehand.Risk {
	if g.risk == chargehand.RiskHigh && len(g.second()) < len(g.categories()) {
		return chargehand.RiskMedium
	}
	return g.risk
}

// Time that one subtask may take. A contract of a hundred pages takes well under a second; this is
// for texts of several megabytes on a busy machine.
const readTimeoutMS = 180_000

// plan is the team's template. No subtask waits for another, so that one that fails takes nothing
// with it; the risk rating is part of the synthesis, which sees whatever was accepted.
func plan() *chargehand.Plan {
	p := &chargehand.Plan{
		Rationale:       "One subtask for each group of categories, a second and independent reading of those that decide risk, and an outline to cite clauses by.",
		ComplexityScore: 0.6,
	}
	for _, g := range groups {
		p.Subtasks = append(p.Subtasks, reading(g))
	}
	liability, others := []string{}, []string{}
	for _, g := range groups {
		if g.id == "liability" {
			liability = g.second()
		} else {
			others = append(others, g.second()...)
		}
	}
	p.Subtasks = append(p.Subtasks,
		secondReading("liability-second", "Liability, second reading", liability),
		secondReading("risk-second", "Other risks, second reading", others),
		chargehand.Subtask{
			ID: "outline", Label: "Outline", Goal: "List the sections of the contract with their headings and places.",
			Capability: capSegment, OutputContract: contractSegments, TimeoutMS: readTimeoutMS, Criticality: chargehand.Simple,
		})
	return p
}

func reading(g group) chargehand.Subtask {
	s := chargehand.Subtask{
		ID: g.id, Label: g.label, Goal: "Find and quote every clause of this group, or show that there is none.",
		Capability: capPattern, OutputContract: contractClauses, RequiredAspects: g.categories(),
		RiskLevel: g.reviewed(), TimeoutMS: readTimeoutMS, Criticality: chargehand.Standard,
	}
	if g.risk == chargehand.RiskHigh {
		s.Priority, s.Criticality = 1, chargehand.Critical
	}
	return s
}

func secondReading(id, label string, categories []string) chargehand.Subtask {
	return chargehand.Subtask{
		ID: id, Label: label, Goal: "Read the clauses that decide risk again, independently of the first reading.",
		Capability: capLexical, OutputContract: contractClauses, RequiredAspects: categories,
		RiskLevel: chargehand.RiskHigh, TimeoutMS: readTimeoutMS, Criticality: chargehand.Standard,
	}
}
