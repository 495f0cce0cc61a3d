package a2aapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// Addresses that clients join carelessly are answered as the right ones are, and never with a redirect, which loses a message.
func TestSlashes(t *testing.T) {
	h := serve(t, fake{err: unknown}, Options{})
	team := "/a2a/legal%2Feu"
	list, send := `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`
	for _, tt := range []struct {
		verb, path, body string
		end              bool // its address may end in a slash
	}{
		{"GET", cardPath, "", true},
		{"GET", team + cardPath, "", true},
		{"POST", team + "/jsonrpc", list, true},
		{"POST", team + "/http/message:send", send, false},
		{"GET", team + "/http/tasks", "", false},
		{"GET", team + "/http/tasks/a%2Fb", "", false},
		{"GET", team + "/http/extendedAgentCard", "", false},
	} {
		want := ""
		paths := []string{tt.path, "/" + tt.path, strings.Replace(tt.path, "/http", "//http", 1), strings.Replace(tt.path, "/http/", "/http//", 1)}
		if tt.end {
			paths = append(paths, tt.path+"/", tt.path+"//")
		}
		for _, path := range paths {
			r := post(path, tt.body)
			r.Method = tt.verb
			if tt.body == "" {
				r.Body, r.ContentLength = http.NoBody, 0
			}
			w := answered(h, r)
			got := w.Body.String()
			if path == tt.path {
				want = got
			}
			if w.Code/100 == 3 || got != want || got == "" {
				t.Errorf("%s %s: %d %s, want %s", tt.verb, path, w.Code, got, want)
			}
		}
	}
	if w := answered(h, httptest.NewRequest("GET", "http://127.0.0.1:1/", nil)); w.Code != http.StatusNotFound {
		t.Errorf("the root: %d", w.Code)
	}
}

// What a supervisor elsewhere tells its worker beside the input is neither input nor document of this team.
func TestFramesOfASupervisor(t *testing.T) {
	a := &agent{server: &server{}, team: &chargehand.Team{Name: "t"}}
	text := "Find the fee."
	o, err := a.objective(&message{Parts: []part{
		{Text: &text},
		{Data: []byte(`{"expected":{}}`), Metadata: map[string]any{"chargehand": "expected"}},
		{Data: []byte(`{"lastOutput":{"fee":1}}`), Metadata: map[string]any{"chargehand": "lastOutput"}},
		{Data: []byte(`{"depth":3}`)},
	}})
	if err != nil || o.Goal != text || string(o.Input) != `{"depth":3}` || len(o.Documents) > 0 {
		t.Errorf("%+v %v", o, err)
	}
}
