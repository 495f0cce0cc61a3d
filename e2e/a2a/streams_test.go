package a2a_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// streamsComeAsItHappens reads the beginning of a stream whose task has not ended.
func streamsComeAsItHappens(t *testing.T) {
	s := stage(t, nil)
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		p := s.peer(t, binding)
		st := p.stream("SendStreamingMessage", say("wait"))
		for {
			e, ok := st.next()
			if !ok {
				t.Fatalf("%s: the stream ended before the task", binding)
			}
			if m, is := e.data["statusUpdate"].(object); is && strings.Contains(words(m), "Planned") {
				break
			}
			if m, is := e.data["task"].(object); is && strings.Contains(words(m), "Planned") {
				break
			}
		}
		defer func() {
			all := st.rest()
			if len(all) == 0 || all[len(all)-1].state() != "COMPLETED" {
				t.Errorf("%s: the stream went on with %v", binding, all)
			}
		}()
	}
	s.gate.release()
}

func streamsBeginWithTheTask(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		q := say("Say hello")
		all := p.stream("SendStreamingMessage", q).rest()
		if _, ok := all[0].data["task"]; !ok {
			p.t.Fatalf("the stream begins with %v", all[0].data)
		}
		artifacts := 0
		for i, e := range all {
			if _, ok := e.data["message"]; ok {
				p.t.Error("the stream holds a message")
			}
			if _, ok := e.data["artifactUpdate"]; ok {
				artifacts++
			}
			if ended := e.state() == "COMPLETED"; ended != (i == len(all)-1) {
				p.t.Errorf("event %d of %d says %s", i, len(all), e.state())
			}
		}
		if artifacts != 2 {
			p.t.Errorf("there were %d artifacts, want the output and the report", artifacts)
		}
		again := p.stream("SendStreamingMessage", q).rest()
		if len(again) != 1 || again[0].state() != "COMPLETED" {
			p.t.Errorf("the stream of an ended task is %v", again)
		}
	})
}

// streamsTellTheSame follows a task by several streams, closes one of them, and breaks another off
// to resume it.
func streamsTellTheSame(t *testing.T) {
	s := stage(t, nil)
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		p := s.peer(t, binding)
		first := p.stream("SendStreamingMessage", say("lie"))
		var head []event
		for len(head) == 0 || head[len(head)-1].state() != "INPUT_REQUIRED" {
			e, ok := first.next()
			if !ok {
				t.Fatal("the stream ended before a person was asked")
			}
			head = append(head, e)
		}
		id := idOf(head[0].data["task"].(object))
		closed, second := p.stream("SubscribeToTask", object{"id": id}), p.stream("SubscribeToTask", object{"id": id})
		resumed := p.with("Last-Event-ID", head[0].id).stream("SubscribeToTask", object{"id": id})
		if e, ok := closed.next(); !ok || e.state() != "INPUT_REQUIRED" {
			t.Fatalf("the subscription begins with %v", e)
		}
		if err := closed.resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		s.decide(t, id, false)
		tail := first.rest()
		if n := len(tail); n == 0 || tail[n-1].state() != "FAILED" {
			t.Fatalf("the stream went on with %v", tail)
		}
		whole := append(slices.Clone(head), tail...)
		same(t, "resumed after the first event", resumed.rest(), whole)
		got := second.rest()
		same(t, "subscribed later", got[1:], tail)
	}
}

// same compares events one by one, the first task's own snapshot included.
func same(t *testing.T, what string, got, want []event) {
	t.Helper()
	a, _ := json.Marshal(flat(got))
	b, _ := json.Marshal(flat(want))
	if string(a) != string(b) {
		t.Errorf("%s: the events are\n%s\nwant\n%s", what, a, b)
	}
}

func flat(events []event) []object {
	var all []object
	for _, e := range events {
		all = append(all, object{"id": e.id, "data": e.data})
	}
	return all
}

func subscriptionsBeginWithTheTask(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		for goal, want := range map[string]string{"wait": "WORKING", "lie": "INPUT_REQUIRED"} {
			q := say(goal)
			if goal == "wait" {
				q = now(q)
			}
			id := idOf(p.begin(q))
			e, ok := p.stream("SubscribeToTask", object{"id": id}).next()
			task, is := e.data["task"].(object)
			if !ok || !is || idOf(task) != id {
				p.t.Fatalf("the subscription begins with %v", e.data)
			}
			wantState(p.t, task, want)
		}
		id := idOf(p.begin(now(say("wait"))))
		for _, last := range []string{"x", "-1", "999999"} {
			p.with("Last-Event-ID", last).call("SubscribeToTask", object{"id": id}).fails(invalidParams)
		}
	})
}

func subscriptionsEndWithTheTask(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		id := idOf(p.begin(now(say("wait"))))
		st := p.stream("SubscribeToTask", object{"id": id})
		if _, ok := st.next(); !ok {
			p.t.Fatal("the subscription is empty")
		}
		p.call("CancelTask", object{"id": id}).ok()
		all := st.rest() // returns only when the stream ends
		if len(all) == 0 || all[len(all)-1].state() != "CANCELED" {
			p.t.Errorf("the subscription ends with %v", all)
		}
	})
}

func endedTasksHaveNoStream(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		task := p.begin(say("Say hello"))
		p.call("SubscribeToTask", object{"id": idOf(task)}).fails(unsupported)
		p.with("Last-Event-ID", "1").call("SubscribeToTask", object{"id": idOf(task)}).fails(unsupported)
	})
}

func streamsAreServerSentEvents(t *testing.T) {
	s := stage(t, nil)
	each(t, s, func(p *peer) {
		st := p.stream("SendStreamingMessage", say("Say hello")) // checks the media type
		if got := st.resp.Header.Get("Cache-Control"); got != "no-store" {
			p.t.Errorf("the stream may be kept: %q", got)
		}
		last := 0
		for _, e := range st.rest() {
			if e.err != nil || len(e.data) != 1 {
				p.t.Errorf("an event holds %v %v", e.data, e.err)
			}
			if e.id == "" {
				continue
			}
			var n int
			if _, err := fmt.Sscan(e.id, &n); err != nil || n <= last {
				p.t.Errorf("event %q follows %d", e.id, last)
			}
			last = n
		}
		for _, op := range []string{"SendStreamingMessage", "SubscribeToTask"} {
			if r := p.call(op, object{}); r.err == nil || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
				p.t.Errorf("%s without parameters is answered with %s", op, r.body)
			}
		}
	})
	p := s.peer(t, "HTTP+JSON")
	req := p.request("SubscribeToTask", object{"id": idOf(p.begin(now(say("wait"))))})
	req.Method = http.MethodPost // as some clients do
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("a subscription that is posted is answered with %s", resp.Status)
	}
}
