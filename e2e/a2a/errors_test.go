package a2a_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// mistakes are requests that go wrong, each with how.
func mistakes(p *peer) map[string]struct {
	of   *reply
	want mistake
} {
	done := p.begin(say("Say hello"))
	picture := say("Say hello")
	message(picture)["parts"] = []any{object{"raw": "dGNr", "mediaType": "image/png"}}
	type m = struct {
		of   *reply
		want mistake
	}
	return map[string]m{
		"no such task":    {p.call("GetTask", object{"id": "none"}), taskNotFound},
		"has ended":       {p.call("CancelTask", object{"id": idOf(done)}), taskNotCancelable},
		"push":            {p.call("ListTaskPushNotificationConfigs", object{"taskId": idOf(done)}), pushNotSupported},
		"no stream":       {p.call("SubscribeToTask", object{"id": idOf(done)}), unsupported},
		"a picture":       {p.call("SendMessage", picture), contentNotSupported},
		"another version": {p.with("A2A-Version", "2.0").call("GetTask", object{"id": idOf(done)}), versionNotSupported},
		"no message":      {p.call("SendMessage", object{}), invalidParams},
	}
}

func errorsAreMapped(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for name, m := range mistakes(p) {
			t.Log(name)
			m.of.fails(m.want)
		}
	})
}

func errorsAreWellFormed(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for name, m := range mistakes(p) {
			var all object
			if err := json.Unmarshal(m.of.body, &all); err != nil {
				p.t.Fatal(err)
			}
			e := all["error"].(object)
			details, _ := e["data"].([]any)
			named := []string{"code", "message"}
			if p.binding == "HTTP+JSON" {
				details, _ = e["details"].([]any)
				named = append(named, "status")
				if e["code"] != float64(m.of.status) {
					p.t.Errorf("%s: the code is %v, the status %d", name, e["code"], m.of.status)
				}
			} else if all["jsonrpc"] != "2.0" || all["id"] != "r-1" || all["result"] != nil {
				p.t.Errorf("%s: %s is no error of JSON-RPC", name, m.of.body)
			}
			for _, field := range named {
				if e[field] == nil || e[field] == "" {
					p.t.Errorf("%s: there is no %s in %v", name, field, e)
				}
			}
			for _, d := range details {
				if typ, _ := d.(object)["@type"].(string); !strings.HasPrefix(typ, "type.googleapis.com/google.rpc.") {
					p.t.Errorf("%s: %v is no google.protobuf.Any", name, d)
				}
			}
			if len(details) == 0 {
				p.t.Errorf("%s: there are no details", name)
			}
		}
	})
}

func errorsSayWhatToDo(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for want, r := range map[string]*reply{
			"message.messageId: want 1 to 200 bytes": p.call("SendMessage", object{"message": object{"role": "ROLE_USER", "parts": []any{object{"text": "x"}}}}),
			"$.objective.input":                      p.call("SendMessage", withData(say("x"), []int{1})),
			"send A2A-Version: 1.0":                  p.with("A2A-Version", "").call("ListTasks", object{}),
			"send a new message, without a taskId":   p.call("SendMessage", operations(idOf(p.begin(say("Say hello"))))["SendMessage"]),
		} {
			if r.err == nil || !strings.Contains(r.err.message, want) {
				p.t.Errorf("%s does not say %q", r.body, want)
			}
		}
	})
}

func withData(q object, data any) object {
	message(q)["parts"] = append(message(q)["parts"].([]any), object{"data": data})
	return q
}

func parametersAreChecked(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for name, change := range map[string]func(q, m object){
			"no id":             func(_, m object) { delete(m, "messageId") },
			"a long id":         func(_, m object) { m["messageId"] = strings.Repeat("x", 300) },
			"no role":           func(_, m object) { delete(m, "role") },
			"the agent's role":  func(_, m object) { m["role"] = "ROLE_AGENT" },
			"an unknown role":   func(_, m object) { m["role"] = "user" },
			"no parts":          func(_, m object) { m["parts"] = []any{} },
			"an empty part":     func(_, m object) { m["parts"] = []any{object{}} },
			"a part of two":     func(_, m object) { m["parts"] = []any{object{"text": "x", "data": 1}} },
			"two inputs":        func(q, _ object) { withData(withData(q, object{}), object{}) },
			"an unfit input":    func(q, _ object) { withData(q, object{"depth": "deep"}) },
			"an empty goal":     func(_, m object) { m["parts"] = []any{object{"text": " "}} },
			"a long goal":       func(_, m object) { m["parts"] = []any{object{"text": strings.Repeat("x", 7000)}} },
			"no base64":         func(_, m object) { m["parts"] = []any{object{"raw": "%%%"}} },
			"a number as text":  func(_, m object) { m["parts"] = []any{object{"text": 7}} },
			"a tenant":          func(q, _ object) { q["tenant"] = "another" },
			"a history below 0": func(q, _ object) { q["configuration"] = object{"historyLength": -1} },
		} {
			q := say("Say hello")
			change(q, message(q))
			r := p.call("SendMessage", q)
			if r.err == nil {
				p.t.Errorf("%s: it was taken: %s", name, r.body)
				continue
			}
			if r.fails(invalidParams); len(r.err.details) == 0 {
				p.t.Errorf("%s: the error does not say where: %s", name, r.body)
			}
		}
	})
	if n := len(s.runs(t)); n != 0 {
		t.Errorf("what was refused has begun %d runs", n)
	}
}

func requestsAreJSONRPC(t *testing.T) {
	s := stage(t, nil)
	p := s.peer(t, "JSONRPC")
	for body, want := range map[string]int{
		`{"jsonrpc":"2.0","id":1`:       -32700,
		`not json`:                      -32700,
		`[]`:                            -32600,
		`{"id":1,"method":"ListTasks"}`: -32600,
		`{"jsonrpc":"1.0","id":1,"method":"ListTasks"}`:           -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ListTasks"}`:          -32600,
		`{"jsonrpc":"2.0","id":1}`:                                -32600,
		`{"jsonrpc":"2.0","id":1,"method":"Nonsense"}`:            -32601,
		`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`:             -32602,
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}`: -32602,
	} {
		if r := p.do(p.post(body)); r.err == nil || r.err.code != want {
			t.Errorf("%s is answered with %s, want %d", body, r.body, want)
		}
	}
	for _, id := range []string{`"a"`, `7`, `0`, `-3`, `1.5`, `null`} {
		r := p.do(p.post(`{"jsonrpc":"2.0","id":` + id + `,"method":"ListTasks","params":{}}`))
		var all struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(r.body, &all); err != nil || all.JSONRPC != "2.0" || string(all.ID) != id || r.err != nil {
			t.Errorf("the id %s is answered with %s", id, r.body)
		}
	}
	if r := p.do(p.post(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{},"more":{"x":` + strings.Repeat(" ", 33<<20) + `1}}`)); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a request of 33 MiB is answered with %d %s", r.status, r.body)
	}
}

// post is a request of JSON-RPC with any body.
func (p *peer) post(body string) *http.Request {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+"/jsonrpc", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	return req
}

func methodsArePascalCase(t *testing.T) {
	p := stage(t, nil).peer(t, "JSONRPC")
	for _, method := range []string{"message/send", "tasks/get", "sendMessage", "send_message"} {
		if r := p.call(method, object{}); r.err == nil || r.err.code != -32601 {
			t.Errorf("%s is answered with %s", method, r.body)
		}
	}
	wantState(t, p.begin(say("Say hello")), "COMPLETED")
}
