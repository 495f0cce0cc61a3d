// Command server is what the public conformance suite of the Model Context Protocol is run against:
// internal/mcpapi's tools over a real engine, behind its own door (callers, sessions, limits), with
// the tools, resources and prompts beside them that the suite's scenarios ask for by name.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/mcpapi"
	"github.com/chargehand/chargehand/worker"
)

func main() {
	data := flag.String("data", "", "data folder of the engine")
	flag.Parse()
	if err := serve(*data); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers on a free port of this machine, which it prints.
func serve(data string) error {
	engine, err := local.Open(context.Background(), local.Options{Dir: data, Workers: worker.Set{"hand": worker.Func(work)}})
	if err != nil {
		return err
	}
	defer engine.Close()
	o := mcpapi.Options{Teams: []chargehand.Team{team()}}
	api, err := mcpapi.New(engine, o)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	handler := mcpapi.Over(o, func(who mcpapi.Caller) *mcp.Server {
		s := fixtures()
		api.Register(s, who)
		return s
	})
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(l)
}

func work(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	out, err := json.Marshal(map[string]string{"answer": "Done: " + t.Objective})
	return chargehand.WorkerResult{Output: out}, err
}

func team() chargehand.Team {
	t := chargehand.Team{
		Name: "answers", Description: "Answers questions.",
		Workers: []chargehand.WorkerSpec{{WorkerID: "hand", Capabilities: []string{"answer"}, OutputContracts: []string{"answer"}}},
		Contracts: []chargehand.Contract{{Name: "answer", Schema: json.RawMessage(
			`{"type":"object","required":["answer"],"properties":{"answer":{"type":"string"}}}`)}},
	}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{
		ID: "s1", Label: "Answer", Goal: "Answer.", Capability: "answer", OutputContract: "answer",
	}}}
	return t
}
