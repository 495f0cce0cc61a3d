package cli

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/config"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/scaffold"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/teams/contractreview"
	"github.com/chargehand/chargehand/tool/mcp"
)

// teams are the ready-made ones, by the name that "chargehand run" knows them by.
var teams = map[string]Ready{
	contractreview.Name: {
		Team:      contractreview.Team(),
		Objective: contractreview.Objective,
		Check:     contractreview.Check,
		Documents: true,
		Summary:   "reads a contract for 41 kinds of clause and rates its risks; needs no model",

		WithModels: contractreview.WithModels,
	},
}

// Standard is the program as it is shipped: the local engine, and the teams that come with it.
func Standard() Parts {
	agents := agent.New(agent.Options{Servers: mcp.Options{Grants: grants()}})
	return Parts{
		Teams:   teams,
		Workers: contractreview.Workers(),
		Agents:  agents,
		Model:   func(name string) (string, error) { return open.Resolve(name, os.LookupEnv) },
		Own: func(ctx context.Context, dir string, how Taking) (Owned, error) {
			return local.Open(ctx, local.Options{
				Dir: dir, Workers: contractreview.Workers(), Hold: how.Hold, Force: how.Force, Log: operatorLog(dir),
				Anchor: how.Anchor, AcceptRollback: how.AcceptRollback, AcceptNewKey: how.AcceptNewKey,
				Witness: how.Witness, Agents: agents,
			})
		},
		Look:     func(ctx context.Context, dir string) (Looked, error) { return local.LookAt(ctx, dir) },
		Owner:    local.OwnerOf,
		Archive:  func(ctx context.Context, dir string) (Archive, error) { return local.LookAt(ctx, dir) },
		Verify:   local.Audit,
		LoadTeam: func(path string) (*chargehand.Team, error) { return config.Load(path, compile) },
		Place:    config.Place,
		LoadPlan: config.LoadPlan,
		Lint:     compile,
		Scaffold: scaffold.Write,
		Schema:   config.Schema,
		Demo:     demonstration(),
	}
}

// operatorLog is engine.log in the data folder. Where it cannot be written there is no log, and the
// engine says itself what is wrong with the folder.
func operatorLog(dir string) *slog.Logger {
	f, err := os.OpenFile(filepath.Join(dir, "engine.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil
	}
	return slog.New(slog.NewJSONHandler(f, nil))
}

func demonstration() Demo {
	d := contractreview.Demo()
	return Demo{
		Open: func(ctx context.Context, dir string) (Owned, error) {
			return local.Open(ctx, local.Options{Dir: dir, Workers: d.Workers})
		},
		Order:   chargehand.Order{Team: d.Team, Objective: d.Objective, StartedBy: "sam"},
		Task:    "review a supplier contract of " + words(d.Objective) + " words for publication.",
		Truth:   "The report says that liability is capped at EUR 5,000,000; clause 9.2 of the contract says EUR 500,000.",
		Correct: "Clause 9.2 limits the liability to EUR 500,000 in the aggregate. Quote it word for word, and answer with that.",
		Without: contractreview.PlainReport,
	}
}

// words is about how long the documents are.
func words(o chargehand.Objective) string {
	n := 0
	for _, d := range o.Documents {
		n += len(strings.Fields(d.Text))
	}
	return strconv.Itoa(n / 100 * 100)
}

// compile is what only the gate finds wrong with a team: schemas and rules that do not compile.
func compile(t *chargehand.Team) []chargehand.Problem {
	_, problems := gate.Compile(t)
	return problems
}
