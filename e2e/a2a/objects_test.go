package a2a_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	camelCase = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	states    = []string{"SUBMITTED", "WORKING", "INPUT_REQUIRED", "COMPLETED", "FAILED", "CANCELED", "REJECTED"}
)

// objectsAreWhole looks at everything that tasks in every state, lists and streams consist of. Where
// the specification's schemas are at hand every answer of the suite is held to them too.
func objectsAreWhole(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		held := p.begin(now(say("wait")))
		all := []object{p.begin(say("Say hello")), p.begin(say("lie")), p.begin(say("fail")), p.get(idOf(held))}
		all = append(all, p.call("CancelTask", object{"id": idOf(held)}).ok())
		all = append(all, listed(p.call("ListTasks", object{"includeArtifacts": true}))...)
		for _, task := range all {
			wholeTask(p.t, task)
		}
		for _, e := range p.stream("SendStreamingMessage", say("Say hello")).rest() {
			keys(p.t, e.data)
			if u, ok := e.data["statusUpdate"].(object); ok {
				has(p.t, u, "taskId", "contextId", "status")
				wholeStatus(p.t, u["status"].(object))
			}
			if u, ok := e.data["artifactUpdate"].(object); ok {
				has(p.t, u, "taskId", "contextId", "artifact")
				wholeArtifact(p.t, u["artifact"].(object))
			}
		}
	})
}

func has(t *testing.T, o object, fields ...string) {
	t.Helper()
	for _, f := range fields {
		if v, ok := o[f]; !ok || v == nil || v == "" {
			t.Errorf("there is no %s in %v", f, o)
		}
	}
}

// keys demands camel case of every name that is the protocol's own.
func keys(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case object:
		for k, x := range v {
			if !camelCase.MatchString(k) {
				t.Errorf("%q is not camel case", k)
			}
			if k != "data" && k != "metadata" {
				keys(t, x)
			}
		}
	case []any:
		for _, x := range v {
			keys(t, x)
		}
	}
}

func wholeTask(t *testing.T, task object) {
	t.Helper()
	keys(t, task)
	has(t, task, "id", "contextId", "status")
	wholeStatus(t, task["status"].(object))
	artifacts, _ := task["artifacts"].([]any)
	for _, a := range artifacts {
		wholeArtifact(t, a.(object))
	}
	history, _ := task["history"].([]any)
	for _, m := range history {
		wholeMessage(t, m.(object), "ROLE_USER")
	}
}

func wholeStatus(t *testing.T, status object) {
	t.Helper()
	has(t, status, "state", "timestamp", "message")
	if !slices.Contains(states, strings.TrimPrefix(fmt.Sprint(status["state"]), "TASK_STATE_")) {
		t.Errorf("%v is no state", status["state"])
	}
	stamp := fmt.Sprint(status["timestamp"])
	if _, err := time.Parse(time.RFC3339Nano, stamp); err != nil || !strings.HasSuffix(stamp, "Z") {
		t.Errorf("%s is no time in UTC", stamp)
	}
	wholeMessage(t, status["message"].(object), "ROLE_AGENT")
}

func wholeMessage(t *testing.T, m object, role string) {
	t.Helper()
	has(t, m, "messageId", "role", "parts")
	if m["role"] != role {
		t.Errorf("the role is %v, want %s", m["role"], role)
	}
	wholeParts(t, m["parts"].([]any))
}

func wholeArtifact(t *testing.T, a object) {
	t.Helper()
	has(t, a, "artifactId", "parts")
	wholeParts(t, a["parts"].([]any))
}

func wholeParts(t *testing.T, parts []any) {
	t.Helper()
	if len(parts) == 0 {
		t.Error("there are no parts")
	}
	for _, p := range parts {
		n := 0
		for _, kind := range []string{"text", "raw", "url", "data"} {
			if _, ok := p.(object)[kind]; ok {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the part %v holds %d things", p, n)
		}
	}
}

func partsHoldOneThing(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		wholeTask(p.t, p.begin(say("Say hello")))
		for _, part := range []object{{}, {"text": "x", "data": object{}}, {"raw": "eA==", "url": "https://a.example"}, {"filename": "a"}} {
			q := say("x")
			message(q)["parts"] = []any{part}
			p.call("SendMessage", q).fails(invalidParams)
		}
	})
}

func unknownFieldsAreIgnored(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		q := say("Say hello")
		q["later"], message(q)["later"] = true, object{"x": 1}
		wantState(p.t, p.begin(q), "COMPLETED")
	})
}
