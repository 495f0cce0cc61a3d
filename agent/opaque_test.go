package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/openai"
	"github.com/chargehand/chargehand/worker"
)

const secretly = "CANARY of what the model thinks"

// A worker's model thinks before it calls a tool: its provider gets that back, and nobody else sees it.
func TestThinkingModelWithTools(t *testing.T) {
	for name, dial := range map[string]func(url string) model.Model{
		"anthropic": func(url string) model.Model {
			return anthropic.New("claude-opus-4-6", "k", anthropic.Options{BaseURL: url})
		},
		"openai": func(url string) model.Model {
			return openai.New("gemini-3-pro", "k", openai.Options{BaseURL: url + "/v1beta/openai"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := provider.Start(provider.Options{Answer: func(q provider.Request) provider.Reply {
				if len(q.Messages) < 5 {
					id := []string{"call_1", "", "call_2"}[len(q.Messages)-1]
					return provider.Reply{Thinking: []provider.Thought{{Text: secretly, Signature: "c2lnbmF0dXJl"}}, Calls: []model.Call{{ID: id, Name: "files_read", Arguments: `{}`}}}
				}
				return provider.Reply{Text: fine}
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			b, line := &bench{answer: "900"}, &lineOf{}
			r, err := make1(t, withTools(dial(s.URL), b), granted).Do(worker.WithLine(t.Context(), line), task())
			if err != nil || len(b.called) != 2 || s.Count() != 3 {
				t.Fatalf("%v, %d tools called, the model asked %d times", err, len(b.called), s.Count())
			}
			shown, _ := json.Marshal(r)
			if heard := line.said; heard != fine || strings.Contains(string(shown), "CANARY") || strings.Contains(string(shown), "c2lnbmF0dXJl") {
				t.Errorf("heard %q, and the result is %s", heard, shown)
			}
		})
	}
}

// What goes back is paid for: it is covered before the call that it goes with.
func TestCoverOpaque(t *testing.T) {
	covered := func(opaque json.RawMessage) int64 {
		calls := call("files_read", `{}`)
		calls.Opaque, calls.Calls[0].Opaque = opaque, opaque
		line := &lineOf{}
		if _, err := make1(t, withTools(does(calls, last), &bench{answer: "no"}), granted).Do(worker.WithLine(t.Context(), line), task()); err != nil {
			t.Fatal(err)
		}
		return line.covered[1].InputTokens
	}
	raw := json.RawMessage(`{"thought":"` + strings.Repeat("x", 1000) + `"}`)
	if more := covered(raw) - covered(nil); more != 2*int64(len(raw)) {
		t.Errorf("%d bytes that go back twice cover %d tokens", len(raw), more)
	}
}
