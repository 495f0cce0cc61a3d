package a2a_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/a2aapi"
)

var callers = map[string]a2aapi.Caller{
	"ana-token": {Name: "ana"}, "ben-token": {Name: "ben"}, "ana-elsewhere": {Name: "ana", Tenant: "elsewhere"},
}

// operations are all of the protocol, on a task.
func operations(id string) map[string]object {
	m := say("Say hello")
	message(m)["taskId"] = id
	return map[string]object{
		"SendMessage": m, "SendStreamingMessage": m, "GetTask": {"id": id}, "CancelTask": {"id": id}, "SubscribeToTask": {"id": id},
	}
}

func everyRequestIsAuthenticated(t *testing.T) {
	s := stage(t, callers)
	card := s.card(t)
	scheme := card["securitySchemes"].(object)["bearer"].(object)["httpAuthSecurityScheme"].(object)["scheme"]
	if scheme != "Bearer" || card["securityRequirements"] == nil {
		t.Errorf("the card asks for %v by %v", card["securitySchemes"], card["securityRequirements"])
	}
	each(t, s, func(p *peer) {
		wantState(p.t, p.as("ana-token").begin(say("Say hello")), "COMPLETED")
		all := operations("run_x")
		all["ListTasks"], all["GetExtendedAgentCard"] = object{}, object{}
		all["CreateTaskPushNotificationConfig"] = object{"taskId": "run_x"}
		for op, params := range all {
			for _, token := range []string{"", "wrong"} {
				r := p.as(token).call(op, params)
				if r.status != 401 || r.err == nil || r.header.Get("WWW-Authenticate") != "Bearer" {
					p.t.Errorf("%s by %q is answered with %d %s", op, token, r.status, r.body)
				}
			}
		}
	})
	if n := len(s.runs(t)); n != 2 {
		t.Errorf("there are %d runs, want the two that ana began", n)
	}
}

func othersTasksAreNotThere(t *testing.T) {
	s := stage(t, callers)
	each(t, s, func(p *peer) {
		id := idOf(p.as("ana-token").begin(now(say("wait"))))
		for op, params := range operations(id) {
			for _, token := range []string{"ben-token", "ana-elsewhere"} {
				p.as(token).call(op, params).fails(taskNotFound)
			}
		}
		elsewhere := p.as("ana-token")
		elsewhere.base = strings.Replace(p.base, "answers", "others", 1)
		elsewhere.call("GetTask", object{"id": id}).fails(taskNotFound)
		wantState(p.t, p.as("ana-token").get(id), "WORKING")
	})
}

func listsHoldOnesOwn(t *testing.T) {
	s := stage(t, callers)
	each(t, s, func(p *peer) {
		mine := idOf(p.as("ana-token").begin(say("Say hello")))
		p.as("ben-token").begin(say("Say hello"))
		p.as("ana-elsewhere").begin(say("Say hello"))
		other := p.as("ana-token")
		other.base = strings.Replace(p.base, "answers", "others", 1)
		other.begin(say("Say hello"))
		tasks := p.as("ana-token").call("ListTasks", object{}).ok()["tasks"].([]any)
		if idOf(tasks[0].(object)) != mine {
			p.t.Errorf("the newest of ana's tasks is %s, want %s", idOf(tasks[0].(object)), mine)
		}
		runs := map[string]bool{}
		for _, x := range tasks {
			runs[idOf(x.(object))] = true
		}
		for _, token := range []string{"ben-token", "ana-elsewhere"} {
			for _, x := range p.as(token).call("ListTasks", object{}).ok()["tasks"].([]any) {
				if runs[idOf(x.(object))] {
					p.t.Errorf("%s sees ana's task", token)
				}
			}
		}
	})
}

// othersTasksLookLikeNone compares what is said of another's task with what is said of none.
func othersTasksLookLikeNone(t *testing.T) {
	s := stage(t, callers)
	each(t, s, func(p *peer) {
		id := idOf(p.as("ana-token").begin(say("Say hello")))
		none := "run_" + strings.Repeat("a", len(id)-4)
		for op := range operations(id) {
			there, missing := p.as("ben-token").call(op, operations(id)[op]), p.as("ben-token").call(op, operations(none)[op])
			if string(there.body) != string(missing.body) || there.status != missing.status {
				p.t.Errorf("%s: %s is told apart from %s", op, there.body, missing.body)
			}
		}
	})
}

// TestKeysAreNoProof has a run be begun elsewhere under the key that a message of ana's would have.
func TestKeysAreNoProof(t *testing.T) {
	s := stage(t, callers)
	each(t, s, func(p *peer) {
		q := say("Say hello")
		task := p.as("ana-token").begin(q)
		key := ""
		for r, err := range s.engine.Records(p.t.Context(), idOf(task), 0, false) {
			if err != nil {
				p.t.Fatal(err)
			}
			if began, ok := r.Fact.(chargehand.RunStarted); ok {
				key = began.Key
			}
		}
		id := fmt.Sprint("claimed-", ids.Add(1))
		forged := strings.Replace(key, fmt.Sprint(message(q)["messageId"]), id, 1)
		run, err := s.engine.Start(p.t.Context(), chargehand.Order{
			Team: team("answers"), Objective: chargehand.Objective{Goal: "Say hello", Title: "answers"}, StartedBy: "mal", Key: forged,
		})
		if err != nil || forged == key {
			p.t.Fatal(run, err)
		}
		p.as("ana-token").call("GetTask", object{"id": run}).fails(taskNotFound)
		q = say("Say hello")
		message(q)["messageId"], message(q)["contextId"] = id, task["contextId"]
		if said := p.as("ana-token").call("SendMessage", q).fails(invalidParams); strings.Contains(said, run) {
			p.t.Errorf("another's run is named: %s", said)
		}
	})
}
