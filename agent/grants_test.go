package agent_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
)

// What a team grants and its servers do not have is found when the servers are asked.
func TestGrantsOfToolsThatAreNotThere(t *testing.T) {
	address, _ := files(t)
	silent := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(silent.Close)
	for _, c := range []struct {
		name   string
		worker chargehand.WorkerSpec
		want   string
	}{
		{"granted", chargehand.WorkerSpec{Kind: chargehand.KindLLM, ToolGrants: []string{"files.read", "files.delete"}}, ""},
		{
			"misspelt",
			chargehand.WorkerSpec{Kind: chargehand.KindLLM, ToolGrants: []string{"files.read", "files.raed"}},
			"$.workers[0].toolGrants[1]: the tool server `files` has no tool `raed` (did you mean `files.read`?)",
		},
		{
			"nothing like it",
			chargehand.WorkerSpec{Kind: chargehand.KindMCP, MCP: &chargehand.MCPKind{Tool: "files.burn"}},
			"$.workers[0].mcp.tool: the tool server `files` has no tool `burn` (it has `delete`, `read`)",
		},
		{"a server that does not answer", chargehand.WorkerSpec{Kind: chargehand.KindLLM, ToolGrants: []string{"silent.raed"}}, ""},
		{"a worker's own tool", chargehand.WorkerSpec{Kind: chargehand.KindExec, ToolGrants: []string{"shell", "its.own"}}, ""},
		{
			"a server's tool that a program is told of",
			chargehand.WorkerSpec{Kind: chargehand.KindExec, ToolGrants: []string{"files.reed"}},
			"$.workers[0].toolGrants[0]: the tool server `files` has no tool `reed` (did you mean `files.read`?)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := agent.New(agent.Options{})
			t.Cleanup(func() { closed(t, a) })
			tm := &chargehand.Team{Name: "t", Workers: []chargehand.WorkerSpec{c.worker}, Tools: []chargehand.ToolServer{
				{Name: "files", URL: address}, {Name: "silent", URL: silent.URL},
			}}
			var got []string
			for _, p := range a.Grants(t.Context(), tm, "") {
				got = append(got, p.String())
			}
			if s := strings.Join(got, "\n"); s != c.want {
				t.Errorf("got %s\nwant %s", s, c.want)
			}
		})
	}
}
