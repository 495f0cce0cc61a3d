package a2a_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func pathsAreTheSpecifications(t *testing.T) {
	s := stage(t, nil)
	p := s.peer(t, "HTTP+JSON")
	id := idOf(p.begin(say("Say hello")))
	for op, params := range map[string]object{
		"SendMessage": say("Say hello"), "GetTask": {"id": id}, "ListTasks": {},
	} {
		if r := p.call(op, params); r.status != 200 {
			t.Errorf("%s is answered with %d %s", op, r.status, r.body)
		}
	}
	for _, path := range []string{"", "message", "message:Send", "task", "tasks/", "tasks/" + id + "/x", "tasks/" + id + ":pause", "v1/tasks"} {
		req := p.request("ListTasks", object{})
		req.URL.Path = "/a2a/answers/http/" + path
		if r := p.do(req); r.status != 404 || r.err == nil {
			t.Errorf("%q is answered with %d %s", path, r.status, r.body)
		}
	}
}

func verbsAreTheSpecifications(t *testing.T) {
	s := stage(t, nil)
	p := s.peer(t, "HTTP+JSON")
	id := idOf(p.begin(say("Say hello")))
	verbs := []string{"GET", "POST", "DELETE", "PUT", "PATCH"}
	for path, taken := range map[string]string{
		"message:send": "POST", "message:stream": "POST", "tasks": "GET", "tasks/" + id: "GET", "tasks/" + id + ":cancel": "POST",
		"tasks/" + id + ":subscribe": "GET POST", "extendedAgentCard": "GET",
		"tasks/" + id + "/pushNotificationConfigs": "GET POST", "tasks/" + id + "/pushNotificationConfigs/x": "GET DELETE",
	} {
		for _, verb := range verbs {
			req := p.request("CancelTask", object{"id": id})
			req.Method, req.URL.Path = verb, "/a2a/answers/http/"+path
			r := p.do(req)
			if refused := r.status == http.StatusMethodNotAllowed; refused == strings.Contains(taken, verb) {
				t.Errorf("%s %s is answered with %d", verb, path, r.status)
			}
		}
	}
}

func contentIsJSON(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for _, r := range []*reply{p.call("SendMessage", say("Say hello")), p.call("GetTask", object{"id": "none"}), p.call("ListTasks", object{})} {
			if got := r.header.Get("Content-Type"); got != "application/json" {
				p.t.Errorf("an answer is %s", got)
			}
		}
		for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", ""} {
			p.with("Content-Type", media).call("SendMessage", say("Say hello")).fails(contentNotSupported)
		}
		p.with("Content-Type", "application/json; charset=utf-8").call("SendMessage", say("Say hello")).ok()
	})
}

func serviceParametersAreHeaders(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		p.with("A2A-Version", "1.0").call("ListTasks", object{}).ok()
		p.with("A2A-Version", "9.9").call("ListTasks", object{}).fails(versionNotSupported)
		p.with("A2A-Extensions", "https://a.example/v1,https://b.example/v1").call("ListTasks", object{}).ok()
	})
}

func queryIsCamelCase(t *testing.T) {
	s := stage(t, nil)
	p := s.peer(t, "HTTP+JSON")
	q := say("Say hello")
	message(q)["contextId"] = "of the query"
	task := p.begin(q)
	p.begin(say("Say hello"))
	at := task["status"].(object)["timestamp"]
	all := listed(p.call("ListTasks", object{
		"contextId": "of the query", "status": "TASK_STATE_COMPLETED", "pageSize": 1, "historyLength": 0,
		"statusTimestampAfter": at, "includeArtifacts": true,
	}))
	if len(all) != 1 || idOf(all[0]) != idOf(task) || all[0]["history"] != nil || all[0]["artifacts"] == nil {
		t.Errorf("the query is answered with %v", all)
	}
	p.call("ListTasks", object{"pageSize": "many"}).fails(invalidParams)
}

// bindingsDoTheSame has every operation carried out by both.
func bindingsDoTheSame(t *testing.T) {
	s := stage(t, nil)
	done := map[string][]string{}
	each(t, s, func(p *peer) {
		held := idOf(p.begin(now(say("wait"))))
		for _, op := range []string{"GetTask", "ListTasks", "CancelTask", "GetExtendedAgentCard", "GetTaskPushNotificationConfig"} {
			r := p.call(op, map[string]object{
				"GetTask": {"id": held}, "ListTasks": {}, "CancelTask": {"id": held}, "GetTaskPushNotificationConfig": {"taskId": held, "id": "x"},
			}[op])
			how := "done"
			if r.err != nil {
				how = r.err.reason()
			}
			done[p.binding] = append(done[p.binding], op+" "+how)
		}
		for _, op := range []string{"SendStreamingMessage", "SubscribeToTask"} {
			q := say("wait") // a task that ends may have ended before the stream begins
			if op == "SubscribeToTask" {
				q = object{"id": idOf(p.begin(say("lie")))}
			}
			e, _ := p.stream(op, q).next()
			done[p.binding] = append(done[p.binding], op+" "+e.state())
		}
	})
	a, b := strings.Join(done["JSONRPC"], "\n"), strings.Join(done["HTTP+JSON"], "\n")
	if a != b || strings.Count(a, "done") != 3 {
		t.Errorf("over JSON-RPC\n%s\nover HTTP+JSON\n%s", a, b)
	}
}

// bindingsTellTheSame asks both for the same tasks.
func bindingsTellTheSame(t *testing.T) {
	s := stage(t, nil)
	rpc, rest := s.peer(t, "JSONRPC"), s.peer(t, "HTTP+JSON")
	var ids []string
	for _, goal := range []string{"Say hello", "lie", "fail"} {
		ids = append(ids, idOf(rpc.begin(say(goal))))
	}
	equal := func(what string, a, b any) {
		t.Helper()
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Errorf("%s: over JSON-RPC\n%s\nover HTTP+JSON\n%s", what, x, y)
		}
	}
	for _, id := range ids {
		equal(id, rpc.get(id), rest.get(id))
	}
	equal("the list", rpc.call("ListTasks", object{"includeArtifacts": true}).ok(), rest.call("ListTasks", object{"includeArtifacts": true}).ok())
	equal("the stream", flat([]event{first(rpc, ids[1])}), flat([]event{first(rest, ids[1])}))
}

// first is the first event of a subscription.
func first(p *peer, id string) event {
	p.t.Helper()
	e, ok := p.stream("SubscribeToTask", object{"id": id}).next()
	if !ok {
		p.t.Fatal("the subscription is empty")
	}
	return e
}

func versionsAreHeldTo(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		p.with("A2A-Version", "1.0").call("ListTasks", object{}).ok()
		for _, v := range []string{"0.3", "1.1", "2.0", "1", "one", "0.2.5"} {
			for op, q := range map[string]object{"ListTasks": {}, "SendMessage": say("x"), "SendStreamingMessage": say("x"), "GetTask": {"id": "none"}} {
				p.with("A2A-Version", v).call(op, q).fails(versionNotSupported)
			}
		}
	})
	if n := len(s.runs(t)); n != 0 {
		t.Errorf("messages of other versions have begun %d runs", n)
	}
}

func noVersionIsAnOldOne(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		if said := p.with("A2A-Version", "").call("ListTasks", object{}).fails(versionNotSupported); !strings.Contains(said, "0.3") {
			p.t.Errorf("no version is answered with %s", said)
		}
	})
}

func patchNumbersDoNotCount(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for _, v := range []string{"1.0.0", "1.0.1", "1.0.99"} {
			p.with("A2A-Version", v).call("ListTasks", object{}).ok()
		}
	})
}
