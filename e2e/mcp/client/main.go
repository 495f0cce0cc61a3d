// Command client is this project's MCP client as the public conformance suite starts it: the
// address of a server as its argument, the name of the scenario in MCP_CONFORMANCE_SCENARIO. It
// does what an attempt of a worker does, through the same executor: it lists the tools and calls
// those that the scenario is about.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/tool/mcp"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: client URL, with MCP_CONFORMANCE_SCENARIO set")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Getenv("MCP_CONFORMANCE_CONTEXT")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A call is one that a scenario wants. Without a name it is made of every tool there is.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// scenarios are the calls of each. One that is not listed only lists the tools.
var scenarios = map[string][]call{
	"tools_call":                          {{"add_numbers", json.RawMessage(`{"a":5,"b":3}`)}},
	"elicitation-sep1034-client-defaults": {{"test_client_elicitation_defaults", json.RawMessage(`{}`)}},
	"sse-retry":                           {{"test_reconnection", json.RawMessage(`{}`)}},
	"sep-2322-client-request-state":       {{"", json.RawMessage(`{}`)}},
	"http-standard-headers":               {{"", json.RawMessage(`{}`)}},
	"auth/scope-step-up":                  {{"test-tool", json.RawMessage(`{}`)}},
	"http-invalid-tool-headers":           {{"", json.RawMessage(`{"region":"us-west1"}`)}},
}

func run(ctx context.Context, url, scenario, given string) error {
	in, err := client(scenario, given)
	if err != nil {
		return err
	}
	spec := chargehand.ToolServer{Name: "suite", URL: url, SignIn: in}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	grants, err := os.MkdirTemp("", "grants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(grants) }()
	server, err := mcp.NewServer(&spec, "", mcp.Options{Log: log, Grants: mcp.Folder(grants), Consent: agree()})
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	list, err := server.Tools(ctx)
	if err != nil {
		return err
	}
	x, err := executor(ctx, &spec, server, list)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }()
	calls, err := wanted(scenario, list)
	for _, c := range calls {
		text, failed := x.Call(ctx, "suite."+c.Name, string(c.Arguments))
		log.Info("called", "tool", c.Name, "failed", failed, "answer", text)
	}
	if err != nil {
		return err
	}
	return sendGiven(ctx, server, given)
}

// sendGiven makes the calls that the suite gives. Some do not fit their tool's schema on purpose,
// so they go past the executor.
func sendGiven(ctx context.Context, server *mcp.Server, given string) error {
	var suite struct {
		ToolCalls []call `json:"toolCalls"`
	}
	if given == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(given), &suite); err != nil {
		return fmt.Errorf("read MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	for _, c := range suite.ToolCalls {
		if _, err := server.Call(ctx, "suite."+c.Name, c.Arguments, "run/suite/"+c.Name); err != nil {
			return err
		}
	}
	return nil
}

// executor may call every tool of the suite's server.
func executor(ctx context.Context, spec *chargehand.ToolServer, server *mcp.Server, list []tool.Definition) (*tool.Executor, error) {
	team := &chargehand.Team{Tools: []chargehand.ToolServer{*spec}}
	belt, err := tool.NewBelt(team, map[string]tool.Source{spec.Name: server}, tool.Options{Tries: 1})
	if err != nil {
		return nil, err
	}
	task := chargehand.WorkerTask{RunID: "run", TaskID: "suite", Attempt: 1, Effect: chargehand.EffectWrite}
	for _, d := range list {
		task.AllowedTools = append(task.AllowedTools, d.Name)
	}
	return belt.Executor(ctx, &task)
}

// wanted are the calls of a scenario.
func wanted(scenario string, list []tool.Definition) ([]call, error) {
	if scenario == "json-schema-2020-12-preservation" {
		return echo(list)
	}
	var out []call
	for _, c := range scenarios[scenario] {
		if c.Name != "" {
			out = append(out, c)
			continue
		}
		for _, d := range list {
			out = append(out, call{d.Name[len("suite."):], c.Arguments})
		}
	}
	return out, nil
}

// echo hands a tool's schema back, for the suite to compare.
func echo(list []tool.Definition) ([]call, error) {
	for _, d := range list {
		if d.Name == "suite.json_schema_2020_12_tool" {
			arguments, err := json.Marshal(map[string]any{"schema": d.Schema})
			return []call{{"json_schema_echo", arguments}}, err
		}
	}
	return nil, nil
}
