package model_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
)

// thoughts are what the models of these tests reason. None of it may be taken for text.
var thoughts = []provider.Thought{{Text: "hm <b> & Grüße, a thought of some length", Signature: "c2lnbmF0dXJl+/=="}, {Redacted: "ZW5jcnlwdGVk"}}

// thinks calls a tool twice, each time after it has thought, and then speaks.
func thinks(q provider.Request) provider.Reply {
	id := []string{"call_1", "call_2", ""}[len(q.Messages)/2]
	if id == "" {
		return provider.Reply{Thinking: thoughts[:1], Text: "Sunny."}
	}
	return provider.Reply{Thinking: thoughts, Text: "Let me see.", Calls: []model.Call{{ID: id, Name: "f", Arguments: `{}`}, {ID: id + "b", Name: "f", Arguments: `{}`}}}
}

// on is the request that goes on after an answer.
func on(r model.Request, res model.Response) model.Request {
	turn := model.Message{Role: model.User}
	for _, c := range res.Calls {
		turn.Results = append(turn.Results, model.Result{ID: c.ID, Text: "fine"})
	}
	r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], res.Message(), turn)
	return r
}

// What a model has thought goes back as it came, is no text, and without it the provider refuses to go on.
func TestThinkingGoesBack(t *testing.T) {
	over(t, provider.Options{Answer: thinks}, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("weather?"))
		heard := ""
		if r.Stream != nil {
			r.Stream = func(text string) error { heard += text; return nil }
		}
		var res model.Response
		for n, want := range []string{"Let me see.", "Let me see.", "Sunny."} {
			heard = ""
			var err error
			if res, err = m.Complete(t.Context(), r); err != nil || res.Text != want || r.Stream != nil && heard != want {
				t.Fatalf("answer %d is %q, heard as %q: %v", n+1, res.Text, heard, err)
			}
			r = on(r, res)
		}
		if n := s.Count(); n != 3 {
			t.Errorf("asked %d times", n)
		}
		for name, spoil := range map[string]func(*model.Message){
			"left out": func(m *model.Message) { m.Opaque, m.Calls[0].Opaque = nil, nil },
			"altered": func(m *model.Message) {
				m.Opaque = bytes.ReplaceAll(m.Opaque, []byte("c2lnbmF0dXJl"), []byte("Zm9yZ2Vk"))
				m.Calls[0].Opaque = bytes.ReplaceAll(m.Calls[0].Opaque, []byte("c2lnbmF0dXJl"), []byte("Zm9yZ2Vk"))
			},
		} {
			spoiled := r
			spoiled.Messages = append([]model.Message(nil), r.Messages[:3]...)
			turn := spoiled.Messages[1]
			turn.Calls = append([]model.Call(nil), turn.Calls...)
			spoil(&turn)
			spoiled.Messages[1] = turn
			_, err := m.Complete(t.Context(), spoiled)
			if e := failure(t, err); e.Kind != model.Invalid || e.Status != 400 || !strings.Contains(e.Message, "th") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// What is of another provider, or of nobody, is left out.
func TestForeignOpaque(t *testing.T) {
	over(t, provider.Options{Recall: provider.RecallRefused}, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		for _, foreign := range []string{`[{"block":{"type":"text","text":"CANARY"}},null]`, `[1]`, `{"reasoning_content":["CANARY"]}`, `{"reasoning_content":"CANARY"}`, `"CANARY"`, `CANARY`} {
			r := on(form(ask("x")), model.Response{Text: "y", Calls: []model.Call{{ID: "c", Name: "f", Arguments: "{}", Opaque: json.RawMessage(`"CANARY"`)}}, Opaque: json.RawMessage(foreign)})
			if _, err := m.Complete(t.Context(), r); err != nil {
				t.Errorf("%s: %v", foreign, err)
			}
		}
		for _, q := range s.Requests() {
			if bytes.Contains(q.Body, []byte("CANARY")) {
				t.Errorf("it was sent: %s", q.Body)
			}
		}
	})
}
