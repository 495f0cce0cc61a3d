package mcpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/mcpapi"
)

type object = map[string]any

var revisions = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

func TestTeamsAreTools(t *testing.T) {
	s := stage(t, nil)
	for _, revision := range revisions {
		p := s.connect(t, "", revision)
		list, err := p.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Description == "" || tool.OutputSchema == nil {
				t.Errorf("%s is not described", tool.Name)
			}
		}
		if diff := cmp.Diff([]string{"a_team", "answers", "cancel_run", "get_run", "wait_run"}, names); diff != "" {
			t.Errorf("%s: %s", revision, diff)
		}
	}
}

// What tools answer is what their schemas say, which clients check.
func TestAnswersAreAsTheirSchemaSays(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, goal := range []string{"answer", "lie", "fail"} {
		res, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "answers", Arguments: object{"goal": goal}})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			raw, err := json.Marshal(tool.OutputSchema)
			if err != nil {
				t.Fatal(err)
			}
			var schema jsonschema.Schema
			if err := json.Unmarshal(raw, &schema); err != nil {
				t.Fatal(err)
			}
			resolved, err := schema.Resolve(nil)
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			if err := resolved.Validate(res.StructuredContent); err != nil {
				t.Errorf("%s, %s: %v", tool.Name, goal, err)
			}
		}
	}
}

// Money is a text or a number, as everywhere: the schema says so, and a run takes either.
func TestABudgetIsATextOrANumber(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "answers" })
	raw, err := json.Marshal(list.Tools[i].InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []any{"0.50", 0.5} {
		args := object{"goal": "Greet.", "budget": budget}
		if err := resolved.Validate(args); err != nil {
			t.Errorf("%v: %v", budget, err)
		}
		r, text := p.call(t.Context(), t, "answers", args)
		v, err := s.engine.Run(t.Context(), r.Run)
		if err != nil || v.Budget != chargehand.USD/2 {
			t.Errorf("%v: %s, %v %s", budget, v.Budget, err, text)
		}
	}
	for _, budget := range []any{"free", 0.0, -1.0, true} {
		if resolved.Validate(map[string]any{"budget": budget}) == nil {
			t.Errorf("%v is a budget", budget)
		}
	}
}

func TestACallIsARun(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			s := stage(t, nil)
			p := s.connect(t, "", revision)
			var r reply
			var text string
			called := make(chan struct{})
			go func() {
				defer close(called)
				r, text = p.call(t.Context(), t, "answers", object{
					"goal": "Greet, and wait.", "documents": []object{{"name": "a.txt", "text": "Hello."}}, "input": object{"depth": 1},
					"budget": "0.50", "title": "A greeting",
				})
			}()
			last := 0.0
			for range 2 { // a run that has ended by now might have told of its end alone
				n := <-p.progress
				if n.Progress <= last || n.Message == "" {
					t.Errorf("progress %v after %v: %q", n.Progress, last, n.Message)
				}
				last = n.Progress
			}
			s.open()
			<-called
			if text != "" || r.State != "completed" || string(r.Output) != `{"answer":"Hello <world>."}` || len(r.Items) != r.Count {
				t.Fatalf("got %+v %s", r, text)
			}
			v, err := s.engine.Run(t.Context(), r.Run)
			if err != nil {
				t.Fatal(err)
			}
			if v.StartedBy != "mcp" || v.Title != "A greeting" || v.Budget != chargehand.USD/2 || v.Objective.Goal != "Greet, and wait." || len(v.Objective.Documents) != 1 {
				t.Errorf("the run is %+v", v.RunSummary)
			}
		})
	}
}

func TestAQuietCallShowsThatItGoesOn(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	done := make(chan reply)
	go func() {
		r, _ := p.call(t.Context(), t, "answers", object{"goal": "wait"})
		done <- r
	}()
	<-s.entered
	for range 6 { // of which three at most are news
		<-p.progress
	}
	s.open()
	if r := <-done; r.State != "completed" {
		t.Errorf("got %+v", r)
	}
}

func TestAPersonDecidesAndNoTool(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	r, _ := p.call(t.Context(), t, "answers", object{"goal": "lie"})
	if r.State != "needs_human" || len(r.Reviews) != 1 || !strings.Contains(r.Reviews[0].Where, r.Reviews[0].Review) {
		t.Fatalf("got %+v", r)
	}
	if again, _ := p.call(t.Context(), t, "wait_run", object{"run_id": r.Run, "wait_seconds": 0}); again.State != "needs_human" {
		t.Errorf("waited for nothing: %+v", again)
	}
	done := make(chan reply)
	go func() {
		w, _ := p.call(t.Context(), t, "wait_run", object{"run_id": r.Run, "wait_seconds": 600})
		done <- w
	}()
	<-p.progress // it waits
	s.decide(t, r.Run, false)
	if w := <-done; w.State != "needs_human" && w.State != "partial" && w.State != "failed" {
		t.Errorf("after the decision: %+v", w)
	}
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if strings.Contains(tool.Name, "decide") || strings.Contains(tool.Name, "approve") {
			t.Errorf("%s decides", tool.Name)
		}
	}
}

func TestCancellingACallCancelsItsRun(t *testing.T) {
	for _, revision := range revisions {
		for _, key := range []string{"", "k1"} {
			t.Run(revision+key, func(t *testing.T) {
				s := stage(t, nil)
				p := s.connect(t, "", revision)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan string)
				args := object{"goal": "wait"}
				if key != "" {
					args["key"] = key
				}
				go func() {
					_, text := p.call(ctx, t, "answers", args)
					done <- text
				}()
				<-s.entered
				runs, err := s.engine.Runs(t.Context(), chargehand.Filter{})
				if err != nil || len(runs) != 1 {
					t.Fatalf("%d runs, %v", len(runs), err)
				}
				cancel()
				if text := <-done; text == "" {
					t.Error("the cancelled call was answered")
				}
				want := chargehand.RunCancelled
				if key != "" { // the run goes on for whoever asks again
					s.open()
					r, text := p.call(t.Context(), t, "answers", args)
					if want = chargehand.RunCompleted; r.Run != runs[0].RunID {
						t.Errorf("the key began %s and %s %s", runs[0].RunID, r.Run, text)
					}
				}
				if got := s.ends(t, runs[0].RunID); got != want {
					t.Errorf("the run is %s, want %s", got, want)
				}
			})
		}
	}
}

func TestACallDoesNotWaitForEver(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	r, _ := p.call(t.Context(), t, "answers", object{"goal": "wait", "wait_seconds": 0})
	if r.State != "running" || !strings.Contains(r.Next, "wait_run") {
		t.Fatalf("got %+v", r)
	}
	if g, _ := p.call(t.Context(), t, "get_run", object{"run_id": r.Run}); g.State != "running" {
		t.Errorf("got %+v", g)
	}
	done := make(chan reply)
	go func() {
		w, _ := p.call(t.Context(), t, "wait_run", object{"run_id": r.Run})
		done <- w
	}()
	<-p.progress
	close(s.leaving)
	if w := <-done; w.State != "running" || !strings.Contains(w.Next, "restarted") {
		t.Errorf("on leaving: %+v", w)
	}
	c, text := p.call(t.Context(), t, "cancel_run", object{"run_id": r.Run, "reason": "enough"})
	if text != "" || c.Run != r.Run {
		t.Errorf("cancel: %+v %s", c, text)
	}
	if got := s.ends(t, r.Run); got != chargehand.RunCancelled {
		t.Errorf("it is %s", got)
	}
}

func TestAKeyNamesOneRun(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	first, _ := p.call(t.Context(), t, "answers", object{"goal": "Greet.", "key": "k"})
	second, _ := p.call(t.Context(), t, "answers", object{"goal": "Greet.", "key": "k"})
	if first.Run == "" || first.Run != second.Run {
		t.Errorf("%s and %s", first.Run, second.Run)
	}
	if _, text := p.call(t.Context(), t, "answers", object{"goal": "Leave.", "key": "k"}); !strings.Contains(text, "$.key: it began run "+first.Run) {
		t.Errorf("another order under the same key: %s", text)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	r, _ := p.call(t.Context(), t, "answers", object{"goal": "long"})
	if r.State != "completed" || r.Output != nil || len(r.Omitted) == 0 {
		t.Errorf("got %d items, output of %d bytes, omitted %q", len(r.Items), len(r.Output), r.Omitted)
	}
}

func TestWrongArgumentsAreToldToTheModel(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	for _, tt := range []struct {
		tool string
		args any
		want string
	}{
		{"answers", object{"gaol": "x"}, `unknown field "gaol"`},
		{"answers", object{"goal": 7}, "$.goal: cannot be a number"},
		{"answers", object{"documents": []object{{"name": "a", "text": ""}}}, "$.documents[0].text: is empty"},
		{"answers", object{"documents": []object{{"name": "", "text": "x"}}}, "documents[0].name"},
		{"answers", object{"documents": []object{{"hash": "sha256:x"}}}, "unknown field"},
		{"answers", object{"documents": []object{{"name": "a", "text": "a\x00b"}}}, "a is not text: byte 1 is NUL"},
		{"answers", object{"goal": "a\x00b"}, "is not text: it holds a NUL"},
		{"answers", object{"input": object{"depth": "deep"}}, "input"},
		{"answers", object{"budget": "free"}, "$.budget"},
		{"answers", object{"budget": "3"}, "at most"},
		{"answers", object{"budget": "-1"}, "$.budget"},
		{"answers", object{"budget": 3}, "at most"},
		{"answers", object{"budget": 0}, "$.budget"},
		{"answers", object{"budget": true}, "$.budget"},
		{"answers", object{"wait_seconds": -1}, "$.wait_seconds"},
		{"answers", object{"wait_seconds": 1e9}, "$.wait_seconds"},
		{"answers", object{"key": strings.Repeat("k", 201)}, "$.key"},
		{"answers", object{"goal": strings.Repeat("g", 20_000)}, "error invalid"},
		{"answers", []int{1}, ""},
		{"get_run", object{}, "you have no run"},
		{"get_run", object{"run_id": "run_nope"}, "you have no run"},
		{"get_run", object{"run_id": "r"}, "you have no run"},
		{"get_run", object{"run_id": "run_1' or 1=1 --\r\nX: y"}, "you have no run"},
		{"cancel_run", object{"run_id": "run_nope", "reason": "x"}, "you have no run"},
		{"no_such_tool", object{}, "no_such_tool"},
	} {
		_, text := p.call(t.Context(), t, tt.tool, tt.args)
		if text == "" || !strings.Contains(text, tt.want) {
			t.Errorf("%s %v: %q, want %q", tt.tool, tt.args, text, tt.want)
		}
	}
	if runs, err := s.engine.Runs(t.Context(), chargehand.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were begun, %v", len(runs), err)
	}
}

func TestSeatsAreBounded(t *testing.T) {
	s := stage(t, nil)
	p := s.connect(t, "", "")
	for range 4 {
		go p.call(t.Context(), t, "answers", object{"goal": "wait"})
	}
	for range 4 {
		<-s.entered
	}
	if _, text := p.call(t.Context(), t, "answers", object{"goal": "x"}); !strings.Contains(text, "4 calls are under way") {
		t.Errorf("got %q", text)
	}
}

// Over a pair of streams the same server answers one client, and writes nothing but messages.
func TestStdio(t *testing.T) {
	s := stage(t, nil)
	api, err := mcpapi.New(s.engine, mcpapi.Options{Teams: []chargehand.Team{team("answers")}})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error)
	go func() { served <- api.Stdio(t.Context(), mcpapi.Caller{Name: "ana"}, in, out) }()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, text := (&person{ClientSession: session}).call(t.Context(), t, "answers", object{"goal": "Greet."})
	if r.State != "completed" {
		t.Errorf("got %+v %s", r, text)
	}
	v, err := s.engine.Run(t.Context(), r.Run)
	if err != nil || v.StartedBy != "ana" {
		t.Errorf("started by %q, %v", v.StartedBy, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// Whatever a line holds, the next one is served, and calls under way are answered.
func TestStdioOutlivesWhatIsNoMessage(t *testing.T) {
	s := stage(t, nil)
	api, err := mcpapi.New(s.engine, mcpapi.Options{Teams: []chargehand.Team{team("answers")}, MaxBody: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error)
	go func() { served <- api.Stdio(t.Context(), mcpapi.Caller{Name: "ana"}, in, out) }()
	answers := bufio.NewScanner(fromServer)
	answers.Buffer(nil, 1<<20)
	ask := func(line string) string {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil || !answers.Scan() {
			t.Fatalf("%.60q: the server has ended: %v", line, err)
		}
		return answers.Text()
	}
	ask(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	for _, tt := range []struct{ line, want string }{
		{`garbage`, `"code":-32700,"message":"the line is no JSON message: it is not JSON: invalid character 'g'`},
		{`{"jsonrpc":"2.0","id":1,`, `"code":-32700`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, "at /method: the key occurs twice"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "it is not UTF-8"},
		{strings.Repeat("x", 100<<10), "the line is longer than 4096 bytes"},
		{`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 4<<10) + `"}`, "the line is longer than 4096 bytes"},
		{`7`, `"code":-32600`},
		{`null`, `"code":-32600`},
		{`[]`, "the batch is empty"},
		{`{"jsonrpc":"1.0","id":"old","method":"ping"}`, `"code":-32600,"message":"the message is none of JSON-RPC 2.0`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null`},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ping\"} \r", `"id":"after"`},
		{`[7,{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}]`, `"code":-32600`},
		{`[{"jsonrpc":"2.0","id":"of a batch","method":"ping"}]`, `"id":"of a batch"`},
	} {
		got := ask(tt.line)
		if !strings.Contains(got, tt.want) || strings.Contains(tt.want, "-32700") && !strings.Contains(got, `"id":null`) {
			t.Errorf("%.60q: %s, want %s", tt.line, got, tt.want)
		}
	}
	if got := ask(`{"jsonrpc":"1.0","id":"old","method":"ping"}`); !strings.Contains(got, `"id":"old"`) {
		t.Errorf("an answer without the id that was asked with: %s", got)
	}
	if err := toServer.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestTeamsThatCannotBeToldApart(t *testing.T) {
	for _, names := range [][]string{{}, {"a b", "a_b"}, {"get_run"}, {""}} {
		var teams []chargehand.Team
		for _, n := range names {
			teams = append(teams, team(n))
		}
		if _, err := mcpapi.New(nil, mcpapi.Options{Teams: teams}); err == nil {
			t.Error(fmt.Sprint(names), "are served")
		}
	}
}
