package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/chargehand/chargehand/internal/provider/issuer"
)

// guarded opens a tool server that wants somebody to sign in, for the rest of a script, and writes
// its address into a file in place of ISSUER: "issuer team.yaml".
func guarded(ts *testscript.TestScript, _ bool, args []string) {
	server := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	type question struct {
		Title string `json:"title"`
	}
	type answer struct {
		Note string `json:"note"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "look_up", Description: "Looks a note up."},
		func(_ context.Context, _ *sdk.CallToolRequest, q question) (*sdk.CallToolResult, answer, error) {
			return nil, answer{"what is noted of " + q.Title}, nil
		})
	i := issuer.Open(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true}))
	ts.Defer(i.Close)
	ts.Defer(i.CloseClientConnections)
	path := ts.MkAbs(args[0])
	text, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(text, []byte("ISSUER"), []byte(i.URL)), 0o600))
}

// browse goes to a page, and wherever that leads, as a browser does.
func browse() {
	res, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = res.Body.Close()
}
