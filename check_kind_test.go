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
			{Name: "machine", URL: "https://tools.example/mcp", SignIn: &SignIn{
				Grant: GrantClientCredentials, ClientID: "us", PrivateKey: "$KEY", Issuer: "https://auth.example", TokenURL: "http://127.0.0.1:9/token",
			}},
			{Name: "nameless", URL: "https://tools.example/mcp", SignIn: &SignIn{
				Grant: GrantClientCredentials, PrivateKey: "written out", ClientSecret: "$SECRET", Port: 3000, Issuer: "http://auth.example", TokenURL: "ftp://auth.example",
			}},
			{Name: "bare", URL: "https://tools.example/mcp", SignIn: &SignIn{Grant: GrantClientCredentials, ClientID: "us"}},
			{Name: "mixed", URL: "https://tools.example/mcp", SignIn: &SignIn{Grant: "password", ClientID: "us", PrivateKey: "$KEY", Issuer: "https://auth.example", TokenURL: "https://auth.example"}},
		},
	}
	var got []string
	for _, p := range team.Check() {
		got = append(got, p.Path)
	}
	want := []string{
		"$.tools[1].tools.a.digest", "$.tools[1].tools.b.effect", "$.tools[2].name", "$.tools[2]", "$.tools[3]",
		"$.tools[4].signIn", "$.tools[5].signIn.clientSecret", "$.tools[5].signIn.clientId", "$.tools[5].signIn.port",
		"$.tools[8].signIn.privateKey", "$.tools[8].signIn.clientId", "$.tools[8].signIn", "$.tools[8].signIn.port",
		"$.tools[8].signIn.issuer", "$.tools[8].signIn.tokenUrl", "$.tools[9].signIn.clientSecret",
		"$.tools[10].signIn.grant", "$.tools[10].signIn.privateKey", "$.tools[10].signIn.issuer", "$.tools[10].signIn.tokenUrl",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
