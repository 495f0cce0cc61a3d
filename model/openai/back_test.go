package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/openai"
)

// What was reasoned goes back to a server that wants it, from its first refusal on, and to no other; and it is no text.
func TestReasoningGoesBackWhereWanted(t *testing.T) {
	for recall, hits := range map[provider.Recall]int{"": 3, provider.RecallRefused: 3, provider.RecallWanted: 4} {
		for name, hear := range map[string]func(string) error{"whole": nil, "stream": func(string) error { return nil }} {
			t.Run(string(recall)+"/"+name, func(t *testing.T) {
				s, err := provider.Start(provider.Options{Answer: reasons, Recall: recall})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				m := openai.New("deepseek-chat", "k", openai.Options{BaseURL: s.URL + "/v1"})
				r := model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}, Stream: hear}
				for n, want := range []string{"", "", "Done."} {
					res, err := m.Complete(t.Context(), r)
					if err != nil || res.Text != want {
						t.Fatalf("answer %d is %q, %v", n+1, res.Text, err)
					}
					r.Messages = append(r.Messages, res.Message())
					if len(res.Calls) > 0 {
						r.Messages = append(r.Messages, model.Message{Role: model.User, Results: []model.Result{{ID: res.Calls[0].ID}}})
					}
				}
				if n := s.Hits("/v1/chat/completions"); n != hits {
					t.Errorf("asked %d times, want %d", n, hits)
				}
				if q := s.Requests()[2]; recall == provider.RecallWanted && (string(q.Messages[1].Opaque) != `"hm"` || string(q.Messages[3].Opaque) != `""`) {
					t.Errorf("what came back is %s and %s", q.Messages[1].Opaque, q.Messages[3].Opaque)
				}
			})
		}
	}
}

// reasons calls twice, the second time without a thought, which is to come back too, and then speaks.
func reasons(q provider.Request) provider.Reply {
	switch len(q.Messages) {
	case 1:
		return provider.Reply{Thinking: []provider.Thought{{Text: "hm", Signature: "c2ln"}}, Calls: []model.Call{{ID: "call_1", Name: "f", Arguments: "{}"}}}
	case 3:
		return provider.Reply{Calls: []model.Call{{ID: "call_2", Name: "f", Arguments: "{}"}}}
	}
	return provider.Reply{Thinking: []provider.Thought{{Text: "hm"}}, Text: "Done."}
}

// kept answers every request with the same bytes, and keeps what was asked.
type kept struct {
	contentType, body string
	asked             *[]byte
}

func (k kept) RoundTrip(q *http.Request) (*http.Response, error) {
	*k.asked, _ = io.ReadAll(q.Body)
	return &http.Response{
		StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: q, ContentLength: -1,
		Header: http.Header{"Content-Type": {k.contentType}}, Body: io.NopCloser(strings.NewReader(k.body)),
	}, nil
}

// Thoughts count towards the size of an answer, and signatures do.
func TestThoughtsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 3000)
	r := model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}, Stream: func(string) error { return nil }}
	for name, thought := range map[string]provider.Thought{"text": {Text: long}, "signature": {Signature: long}} {
		body := string(provider.Stream(provider.OpenAI, provider.Reply{
			Thinking: []provider.Thought{thought}, Calls: []model.Call{{ID: "c", Name: "f", Arguments: "{}"}},
		}))
		h := &http.Client{Transport: kept{"text/event-stream", body, new([]byte)}}
		_, err := openai.New("m", "k", openai.Options{HTTP: h, Limit: 2500}).Complete(t.Context(), r)
		if model.KindOf(err) != model.Malformed || !strings.Contains(err.Error(), "larger than") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := openai.New("m", "k", openai.Options{HTTP: h, Limit: 5000}).Complete(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
