package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestToolsOfAProcess(t *testing.T) {
	s := newServer(t, command("honest", nil), Options{})
	list, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"s.die", "s.echo", "s.env", "s.fail", "s.hang", "s.key"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	a, err := call(t, s, "echo", `{"text":"héllo"}`)
	if err != nil || a.Text != `{"text":"héllo"}` || string(a.Structured) != `{"text":"héllo"}` || a.Failed {
		t.Errorf("answer %+v, %v", a, err)
	}
	if a, err := call(t, s, "key", `{}`); err != nil || a.Text != "run/t/key" {
		t.Errorf("the key does not reach the server: %+v, %v", a, err)
	}
	if a, err := call(t, s, "fail", `{}`); err != nil || !a.Failed || a.Text != "no such file" {
		t.Errorf("a tool that fails: %+v, %v", a, err)
	}
	if a, err := call(t, s, "unheard-of", `{}`); err != nil || !a.Failed || !strings.Contains(a.Text, "refused") {
		t.Errorf("a tool that is not there: %+v, %v", a, err)
	}
}

func TestAProcessSeesLittleOfTheEnvironment(t *testing.T) {
	t.Setenv("API_KEY", "sk-very-secret")
	t.Setenv("OTHER_KEY", "sk-not-for-it")
	t.Setenv("PLACE", "lab") // too short to be a secret
	s := newServer(t, command("honest", map[string]string{"TOKEN": "$API_KEY", "AT": "$PLACE"}), Options{})
	a, err := call(t, s, "env", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Text, "AT=lab") || strings.Contains(a.Text, "OTHER_KEY") {
		t.Errorf("environment:\n%s", a.Text)
	}
	if !strings.Contains(a.Text, "TOKEN=$API_KEY") || strings.Contains(a.Text, "sk-very-secret") {
		t.Errorf("the server tells what it was told in confidence:\n%s", a.Text)
	}
}

func TestAServerThatTellsItsSecretIsNotHeard(t *testing.T) {
	t.Setenv("API_KEY", `sk-"very"-secret`)
	tells, _ := json.Marshal(map[string]any{"name": "tell", "description": `sk-"very"-secret`, "inputSchema": map[string]any{"type": "object", "title": `sk-"very"-secret`}})
	said, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": `it is sk-"very"-secret`}}, "structuredContent": map[string]any{"key": `sk-"very"-secret`}})
	script, _ := json.Marshal(map[string][]string{
		"initialize": {`{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`},
		"tools/list": {`{"jsonrpc":"2.0","id":$ID,"result":{"tools":[` + string(tells) + `]}}`},
		"tools/call": {`{"jsonrpc":"2.0","id":$ID,"result":` + string(said) + `}`},
	})
	s := newServer(t, command("raw", map[string]string{"SCRIPT": strings.ReplaceAll(string(script), "$", "$$"), "TOKEN": "$API_KEY"}), Options{})
	list, err := s.Tools(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if d := list[0]; d.Description != "$API_KEY" || string(d.Schema) != `{"title":"$API_KEY","type":"object"}` {
		t.Errorf("definition %q, %s", d.Description, d.Schema)
	}
	a, err := call(t, s, "tell", `{}`)
	if err != nil || a.Text != "it is $API_KEY" || string(a.Structured) != `{"key":"$API_KEY"}` {
		t.Errorf("answer %q, %s, %v", a.Text, a.Structured, err)
	}
}

func TestManyCallsShareOneConnection(t *testing.T) {
	s := newServer(t, command("honest", nil), Options{})
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if a, err := call(t, s, "echo", `{"text":"x"}`); err != nil || a.Failed {
				t.Errorf("answer %+v, %v", a, err)
			}
		})
	}
	wg.Wait()
}

func TestAProcessThatDiesMidCallIsStartedAgain(t *testing.T) {
	s := newServer(t, command("honest", nil), Options{})
	if _, err := call(t, s, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	_, err := call(t, s, "die", `{}`)
	if err == nil || notBegun(err) || !strings.Contains(err.Error(), "exit status 7: out of memory") {
		t.Fatalf("error %v; want the exit code, the last words, and that the outcome is not known", err)
	}
	if a, err := call(t, s, "echo", `{"text":"again"}`); err != nil || a.Failed {
		t.Errorf("after the crash: %+v, %v", a, err)
	}
}

func TestAProcessThatDoesNotStart(t *testing.T) {
	t.Setenv("API_KEY", "sk-very-secret")
	s := newServer(t, command("dead", map[string]string{"TOKEN": "$API_KEY"}), Options{})
	_, err := call(t, s, "echo", `{}`)
	if err == nil || !notBegun(err) || !strings.Contains(err.Error(), "no licence for $API_KEY") {
		t.Errorf("error %v; want its last words, without the secret", err)
	}
	spec := command("honest", nil)
	spec.Command = []string{"/no/such/program"}
	if _, err := call(t, newServer(t, spec, Options{}), "echo", `{}`); err == nil || !notBegun(err) {
		t.Errorf("error %v", err)
	}
}

func TestACallIsGivenUp(t *testing.T) {
	s := newServer(t, command("honest", nil), Options{Patience: 50 * time.Millisecond})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := call(t, s, "hang", `{}`)
	if err == nil || notBegun(err) || !strings.Contains(err.Error(), "silent for 50ms") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := s.Call(ctx, "s.hang", json.RawMessage(`{}`), "k"); err == nil || notBegun(err) {
		t.Errorf("error %v", err)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	s := newServer(t, command("honest", nil), Options{})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	over := make(chan error)
	go func() {
		_, err := call(t, s, "hang", `{}`)
		over <- err
	}()
	for len(s.pulsing()) == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if err := <-over; err == nil || !strings.Contains(err.Error(), "lets go") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Tools(t.Context()); err == nil {
		t.Error("a closed server lists tools")
	}
}

func TestAProcessThatDoesNotListenIsKilled(t *testing.T) {
	s := newServer(t, command("deaf", nil), Options{Connect: 50 * time.Millisecond})
	if _, err := s.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "did not come up within 50ms") {
		t.Errorf("error %v", err)
	}
}
