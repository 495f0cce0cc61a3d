package chargehand

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckToolServers(t *testing.T) {
	team := Team{
		Name:    "t",
		Workers: []WorkerSpec{{WorkerID: "w", Capabilities: []string{"c"}}},
		Planner: Planner{Func: "plan"},
		Tools: []ToolServer{
			{Name: "fine", Command: []string{"serve"}, Tools: map[string]ToolPolicy{
				"read": {Effect: EffectRead, Digest: "sha256:" + strings.Repeat("0a", 32)},
			}},
			{Name: "wrong", URL: "https://tools.example/mcp", Tools: map[string]ToolPolicy{
				"a": {Digest: "sha256:cafe"}, "b": {Effect: "burn"},
			}},
			{Name: "no.where"},
			{Name: "both", Command: []string{"serve"}, URL: "https://tools.example/mcp"},
			{Name: "started", Command: []string{"serve"}, SignIn: &SignIn{ClientID: "https://client.example/metadata.json"}},
			{Name: "signed", URL: "https://tools.example/mcp", SignIn: &SignIn{ClientSecret: "written out", Port: 70_000}},
			{Name: "known", URL: "https://tools.example/mcp", SignIn: &SignIn{ClientID: "us", ClientSecret: "$SECRET", Port: 3000}},
		},
	}
	var got []string
	for _, p := range team.Check() {
		got = append(got, p.Path)
	}
	want := []string{
		"$.tools[1].tools.a.digest", "$.tools[1].tools.b.effect", "$.tools[2].name", "$.tools[2]", "$.tools[3]",
		"$.tools[4].signIn", "$.tools[5].signIn.clientId", "$.tools[5].signIn.clientSecret", "$.tools[5].signIn.port",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
