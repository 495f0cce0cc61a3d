// Package teams has the ready-made teams: a declaration, the functions behind its workers, and what
// to ask of it. They are listed here and nowhere else.
package teams

import (
	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview"
	"github.com/chargehand/chargehand/worker"
)

// Ready is a team that an engine can run as it is.
type Ready struct {
	Team     chargehand.Team
	Workers  worker.Set
	Planners map[string]worker.Planner // by name; nil where the team has a template

	// Objective is what to ask of the team about the documents.
	Objective func(docs []chargehand.Document) chargehand.Objective
}

// ready lists the teams in the order in which they are shown. Each call makes new workers.
var ready = []struct {
	name string
	make func() Ready
}{
	{contractreview.Name, ContractReview},
}

// ContractReview reads a contract for 41 kinds of clause, rates its risks and writes a report.
func ContractReview() Ready {
	return Ready{Team: contractreview.Team(), Workers: contractreview.Workers(), Objective: contractreview.Objective}
}

// Names lists the ready-made teams.
func Names() []string {
	var out []string
	for _, r := range ready {
		out = append(out, r.name)
	}
	return out
}

// Find returns the team called name.
func Find(name string) (Ready, bool) {
	for _, r := range ready {
		if r.name == name {
			return r.make(), true
		}
	}
	return Ready{}, false
}
