package a2a_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

func sendAnswersWithATask(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		q := say("Say hello")
		message(q)["parts"] = []any{
			object{"text": "Say hello"},
			object{"data": object{"depth": 3}},
			object{"raw": "aGVsbG8=", "filename": "a.txt", "mediaType": "text/plain"},
		}
		task := p.begin(q)
		wantState(p.t, task, "COMPLETED")
		v, err := s.engine.Run(p.t.Context(), idOf(task))
		if err != nil {
			p.t.Fatal(err)
		}
		o := v.Objective
		if o.Goal != "Say hello" || string(o.Input) != `{"depth":3}` || len(o.Documents) != 1 ||
			o.Documents[0].Name != "a.txt" || o.Documents[0].Hash != chargehand.Hash([]byte("hello")) {
			p.t.Errorf("the objective is %+v", o)
		}
		if out := output(p.t, task); out["answer"] != "Hello." {
			p.t.Errorf("the output is %v", out)
		}
		if again := p.begin(q); idOf(again) != idOf(task) {
			p.t.Errorf("the same message began %s and %s", idOf(task), idOf(again))
		}
		message(q)["parts"] = []any{object{"text": "Say goodbye"}}
		if said := p.call("SendMessage", q).fails(invalidParams); !strings.Contains(said, idOf(task)) {
			p.t.Errorf("another message under the same id: %s", said)
		}
	})
}

// output is the data of a task's output.
func output(t *testing.T, task object) object {
	t.Helper()
	all, _ := task["artifacts"].([]any)
	for _, x := range all {
		if a := x.(object); a["artifactId"] == "output" {
			out, _ := a["parts"].([]any)[0].(object)["data"].(object)
			return out
		}
	}
	t.Fatalf("there is no output in %v", all)
	return nil
}

func endedTasksTakeNoMessage(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for _, goal := range []string{"Say hello", "wait"} {
			id := idOf(p.begin(now(say(goal))))
			if goal == "wait" {
				p.call("CancelTask", object{"id": id}).ok()
			} else {
				s.ended(p.t, id)
			}
			for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
				p.call(op, operations(id)[op]).fails(unsupported)
			}
		}
	})
}

// ended waits for a run to end.
func (s *scene) ended(t *testing.T, run string) {
	t.Helper()
	if _, err := chargehand.Wait(t.Context(), s.engine, run); err != nil {
		t.Fatal(err)
	}
}

func unknownMediaIsRefused(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for name, part := range map[string]object{
			"an unknown type":    {"raw": "dGNr", "mediaType": "application/x-unsupported-tck-type"},
			"no type":            {"raw": "dGNr", "mediaType": "???"},
			"a picture":          {"raw": "dGNr", "mediaType": "image/png"},
			"an address":         {"url": "https://files.example/a.txt", "mediaType": "text/plain"},
			"bytes, not text":    {"raw": "/////w==", "mediaType": "text/plain"},
			"a text of its kind": {"text": "x", "mediaType": "application/x-own"},
		} {
			q := say("Say hello")
			message(q)["parts"] = []any{object{"text": "Say hello"}, part}
			for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
				if said := p.call(op, q).fails(contentNotSupported); !strings.Contains(said, "parts[1]") {
					p.t.Errorf("%s: %s", name, said)
				}
			}
		}
	})
	if n := len(s.runs(t)); n != 0 {
		t.Errorf("what was refused has begun %d runs", n)
	}
}

func getTellsTheState(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for goal, want := range map[string]string{"Say hello": "COMPLETED", "lie": "INPUT_REQUIRED"} {
			begun := p.begin(say(goal))
			task := p.get(idOf(begun))
			wantState(p.t, task, want)
			a, _ := json.Marshal(begun)
			b, _ := json.Marshal(task)
			if string(a) != string(b) {
				p.t.Errorf("the message was answered with\n%s\nand the task is\n%s", a, b)
			}
			if _, has := task["artifacts"]; has != (want == "COMPLETED") {
				p.t.Errorf("%s: artifacts: %t", want, has)
			}
		}
		held := idOf(p.begin(now(say("wait"))))
		wantState(p.t, p.get(held), "WORKING")
	})
}

func unknownTasksAreNotFound(t *testing.T) {
	s := stage(t, nil)
	// Not everything the engine runs is a task: what was begun elsewhere is none.
	run, err := s.engine.Start(t.Context(), chargehand.Order{Team: team("answers"), Objective: chargehand.Objective{Goal: "x"}, StartedBy: "a2a"})
	if err != nil {
		t.Fatal(err)
	}
	each(t, s, func(p *peer) {
		prefix := idOf(p.begin(say("Say hello")))[:7]
		for _, id := range []string{"no-such-task", run, prefix, "run_%2F..", "fleet"} {
			for _, op := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
				p.call(op, object{"id": id}).fails(taskNotFound)
			}
		}
	})
}

func messagesToNoTaskAreRefused(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
			p.call(op, operations("no-such-task")[op]).fails(taskNotFound)
		}
	})
	if n := len(s.runs(t)); n != 0 {
		t.Errorf("there are %d runs", n)
	}
}

func cancelCancels(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for goal, before := range map[string]string{"wait": "WORKING", "lie": "INPUT_REQUIRED"} {
			q := say(goal)
			if goal == "wait" {
				q = now(q)
			}
			task := p.begin(q)
			wantState(p.t, task, before)
			wantState(p.t, p.call("CancelTask", object{"id": idOf(task)}).ok(), "CANCELED")
			wantState(p.t, p.get(idOf(task)), "CANCELED")
		}
	})
}

func endedTasksAreNotCanceled(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		done, stopped, failed := p.begin(say("Say hello")), p.begin(now(say("wait"))), p.begin(say("lie"))
		p.call("CancelTask", object{"id": idOf(stopped)}).ok()
		s.decide(p.t, idOf(failed), false)
		s.ended(p.t, idOf(failed))
		for want, task := range map[string]object{"COMPLETED": done, "CANCELED": stopped, "FAILED": failed} {
			p.call("CancelTask", object{"id": idOf(task)}).fails(taskNotCancelable)
			wantState(p.t, p.get(idOf(task)), want)
		}
	})
}

// sendWaits shows that a message is answered when its task is settled, and not before.
func sendWaits(t *testing.T) {
	s := stage(t, nil)
	answers := make(chan *reply, 2)
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		go func() { answers <- s.peer(t, binding).call("SendMessage", say("wait")) }()
	}
	s.until(t, func() bool { return s.entered.Load() == 2 })
	select {
	case r := <-answers:
		t.Fatalf("a message was answered before its task had ended: %s", r.body)
	default:
	}
	s.gate.release()
	for range 2 {
		wantState(t, (<-answers).ok()["task"].(object), "COMPLETED")
	}
	wantState(t, s.peer(t, "JSONRPC").begin(say("lie")), "INPUT_REQUIRED")
}

func sendNeedNotWait(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		wantState(p.t, p.begin(now(say("wait"))), "WORKING") // it would hang otherwise
	})
}

func contextsAreMadeUp(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		a, b := p.begin(say("Say hello")), p.begin(say("Say hello"))
		if a["contextId"] == "" || a["contextId"] == nil || a["contextId"] == b["contextId"] {
			p.t.Errorf("the contexts are %v and %v", a["contextId"], b["contextId"])
		}
		m := a["history"].([]any)[0].(object)
		if m["contextId"] != a["contextId"] || p.get(idOf(a))["contextId"] != a["contextId"] {
			p.t.Errorf("the context is not everywhere the same: %v", a)
		}
	})
}

// contextsAreKept shows that any context a client names is accepted, or refused, and never replaced.
func contextsAreKept(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		in := fmt.Sprintf("a context & more %d", ids.Add(1))
		var begun []string
		for range 2 {
			q := say("Say hello")
			message(q)["contextId"] = in
			task := p.begin(q)
			if task["contextId"] != in {
				p.t.Errorf("the context is %v, want %s", task["contextId"], in)
			}
			begun = append(begun, idOf(task))
		}
		if listed := p.call("ListTasks", object{"contextId": in}).ok()["tasks"].([]any); len(listed) != 2 || begun[0] == begun[1] {
			p.t.Errorf("%v are listed of %v", listed, begun)
		}
		q := say("Say hello")
		message(q)["contextId"] = strings.Repeat("x", 1000)
		p.call("SendMessage", q).fails(invalidParams)
	})
}

func tasksHaveIdsOfTheirOwn(t *testing.T) {
	s := stage(t, nil)
	seen := map[string]bool{}
	each(t, s, func(p *peer) {
		for range 5 {
			id := idOf(p.begin(now(say("Say hello"))))
			if id == "" || seen[id] {
				p.t.Fatalf("%q is not the id of a new task", id)
			}
			seen[id] = true
		}
	})
}

func contextIsThatOfTheTask(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		task := p.begin(say("lie"))
		// With the id alone the message is one to that task, and told so; no context is asked for.
		if said := p.call("SendMessage", operations(idOf(task))["SendMessage"]).fails(unsupported); !strings.Contains(said, "rev_") {
			p.t.Errorf("the message was answered with %s", said)
		}
	})
}

func contextsMustMatch(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		task := p.begin(say("lie"))
		q := operations(idOf(task))["SendMessage"]
		message(q)["contextId"] = "another"
		p.call("SendMessage", q).fails(invalidParams)
		message(q)["contextId"] = task["contextId"]
		p.call("SendMessage", q).fails(unsupported)
	})
}

func historyIsBounded(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		id := idOf(p.begin(say("Say hello")))
		for n, want := range map[int]int{0: 0, 1: 1, 7: 1} {
			q := say("Say hello")
			q["configuration"] = object{"historyLength": n}
			listed := p.call("ListTasks", object{"historyLength": n}).ok()["tasks"].([]any)
			for _, task := range []object{p.call("GetTask", object{"id": id, "historyLength": n}).ok(), p.begin(q), listed[0].(object)} {
				if got, _ := task["history"].([]any); len(got) != want {
					p.t.Errorf("of a history of at most %d there are %d", n, len(got))
				}
			}
		}
		for _, op := range []string{"GetTask", "ListTasks"} {
			p.call(op, object{"id": id, "historyLength": -1}).fails(invalidParams)
		}
	})
}

func historyHoldsTheMessage(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		q := say("Say hello")
		message(q)["parts"] = []any{
			object{"text": "Say hello"}, object{"data": object{"depth": 3}}, object{"text": "# A", "filename": "a.md", "mediaType": "text/markdown"},
		}
		m := p.begin(q)["history"].([]any)[0].(object)
		parts := m["parts"].([]any)
		if m["messageId"] != message(q)["messageId"] || m["role"] != "ROLE_USER" || len(parts) != 3 {
			p.t.Fatalf("the history holds %v", m)
		}
		file := parts[2].(object)
		if parts[0].(object)["text"] != "Say hello" || fmt.Sprint(parts[1].(object)["data"]) != "map[depth:3]" ||
			file["text"] != "# A" || file["filename"] != "a.md" || file["mediaType"] != "text/markdown" {
			p.t.Errorf("the history holds %v", parts)
		}
		message(q)["messageId"] = fmt.Sprint("big-", ids.Add(1))
		message(q)["parts"] = []any{object{"text": "Say hello"}, object{"text": strings.Repeat("x", 300<<10), "filename": "big.txt"}}
		r := p.call("SendMessage", q)
		if r.ok(); len(r.body) > 64<<10 || !strings.Contains(string(r.body), "307200 bytes, not repeated here") {
			p.t.Errorf("a large document takes %d bytes of the answer", len(r.body))
		}
	})
}
