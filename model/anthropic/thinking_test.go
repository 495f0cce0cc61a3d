package anthropic_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
)

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

// Thoughts go back to where they stood, even between the words of an answer, and whatever else they hold goes with them.
func TestThoughtsKeepTheirPlace(t *testing.T) {
	const content = `[{"type":"thinking","thinking":"one","signature":"s1","more":[1]},{"type":"text","text":"First. "},
		{"type":"thinking","thinking":"","signature":"s2"},{"type":"text","text":"Then."},
		{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"redacted_thinking","data":"d"},{"type":"tool_use","id":"b","name":"f","input":{}}]`
	var asked []byte
	h := &http.Client{Transport: kept{"application/json", `{"type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":` + content + `}`, &asked}}
	m := anthropic.New("claude-opus-4-6", "k", anthropic.Options{HTTP: h})
	r := model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}}
	res, err := m.Complete(t.Context(), r)
	if err != nil || res.Text != "First. Then." {
		t.Fatal(res.Text, err)
	}
	r.Messages = append(r.Messages, res.Message(), model.Message{Role: model.User, Results: []model.Result{{ID: "a"}, {ID: "b"}}})
	if _, err = m.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var got struct{ Messages []struct{ Content any } }
	var want any
	if err := errors.Join(json.Unmarshal(asked, &got), json.Unmarshal([]byte(content), &want)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.Messages[1].Content); d != "" {
		t.Error(d)
	}
}

// Thoughts count towards the size of an answer, and signatures do.
func TestThoughtsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 3000)
	r := model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}, Stream: func(string) error { return nil }}
	for name, thought := range map[string]provider.Thought{"text": {Text: long}, "signature": {Signature: long}, "redacted": {Redacted: long}} {
		body := string(provider.Stream(provider.Anthropic, provider.Reply{
			Thinking: []provider.Thought{thought}, Calls: []model.Call{{ID: "c", Name: "f", Arguments: "{}"}},
		}))
		h := &http.Client{Transport: kept{"text/event-stream", body, new([]byte)}}
		_, err := anthropic.New("m", "k", anthropic.Options{HTTP: h, Limit: 2500}).Complete(t.Context(), r)
		if model.KindOf(err) != model.Malformed || !strings.Contains(err.Error(), "larger than") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := anthropic.New("m", "k", anthropic.Options{HTTP: h, Limit: 5000}).Complete(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
