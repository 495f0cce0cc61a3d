package worker

import "github.com/chargehand/chargehand"

// A Maker makes what a team declares and this package does not know: workers of kinds llm, mcp and
// a2a, and planners that are language models. Package agent has the one for real endpoints.
type Maker interface {
	// Complete fills in what a team leaves open, before it is recorded: the models of tiers, what a
	// call costs. The team given is not changed.
	Complete(t *chargehand.Team) (*chargehand.Team, []chargehand.Problem)

	// Worker is the worker that a registry entry of the team describes. Relative paths start from
	// dir; empty means the current folder.
	Worker(t *chargehand.Team, spec *chargehand.WorkerSpec, dir string) (Worker, error)

	// Planner is the team's planner, which is a language model.
	Planner(t *chargehand.Team) (Planner, error)
}
