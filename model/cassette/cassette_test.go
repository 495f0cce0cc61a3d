package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/cassette"
	"github.com/chargehand/chargehand/model/openai"
	"github.com/chargehand/chargehand/model/scripted"
)

func say(text string) model.Request {
	return model.Request{System: "Be brief.", Messages: []model.Message{{Role: model.User, Text: text}}}
}

func Example() {
	dir, _ := os.MkdirTemp("", "tape")
	defer os.RemoveAll(dir)
	tape, ctx := filepath.Join(dir, "greeting.jsonl"), context.Background()

	// Once, with the real model:
	real := scripted.New(scripted.Text("Good day."))
	rec, _ := cassette.Record(tape, real)
	_, _ = rec.Complete(ctx, say("Greet me."))
	_ = rec.Close()

	// From then on:
	m, _ := cassette.Replay(tape)
	res, err := m.Complete(ctx, say("Greet me."))
	fmt.Println(res.Text, err)
	// Output: Good day. <nil>
}

const canary = "sk-canary-1337c0de1337c0de"

// What a provider answered is answered again without it: text, calls, usage, errors, pieces.
func TestRoundTrip(t *testing.T) {
	s, err := provider.Start(provider.Options{Keys: []string{canary}, Answer: func(q provider.Request) provider.Reply {
		switch q.Last() {
		case "call":
			return provider.Reply{Text: "Well.", Calls: []model.Call{{ID: "call_1", Name: "f", Arguments: `{"a":1}`}}}
		case "limit":
			return provider.Reply{Fault: provider.Fault{Status: 429, RetryAfter: "3", Message: "not with " + canary}}
		}
		return provider.Reply{Text: fmt.Sprintf("answer %d, and a few words more", q.N)}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tape := filepath.Join(t.TempDir(), "tape.jsonl")
	rec, err := cassette.Record(tape, openai.New("gpt-4.1", canary, openai.Options{BaseURL: s.URL + "/v1"}))
	if err != nil {
		t.Fatal(err)
	}
	var streamed []string
	requests := []model.Request{say("a"), say("a"), say("b"), say("call"), say("limit"), say("stream")}
	requests[3].Tools = []model.Tool{{Name: "f", Schema: json.RawMessage(`{"type": "object", "properties": {"a": {}}}`)}}
	requests[5].Stream = func(text string) error { streamed = append(streamed, text); return nil }
	var want []model.Response
	var errs []error
	for _, r := range requests {
		r.Key = fmt.Sprint("recorded at ", time.Now())
		res, err := rec.Complete(t.Context(), r)
		want, errs = append(want, res), append(errs, err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	b, err := os.ReadFile(tape)
	if err != nil || strings.Contains(string(b), canary) || strings.Contains(string(b), "recorded at") {
		t.Errorf("the tape holds a key: %v\n%s", err, b)
	}
	m, err := cassette.Replay(tape)
	if err != nil {
		t.Fatal(err)
	}
	recorded := streamed
	streamed = nil
	requests[3].Tools[0].Schema = json.RawMessage(`{"properties":{"a":{}},"type":"object"}`)
	for _, i := range []int{3, 4, 2, 0, 5, 1} { // in another order; those that are the same in theirs
		got, err := m.Complete(t.Context(), requests[i])
		if d := cmp.Diff(want[i], got); d != "" {
			t.Errorf("request %d: %s", i, d)
		}
		if fmt.Sprint(err) != fmt.Sprint(errs[i]) || model.KindOf(err) != model.KindOf(errs[i]) {
			t.Errorf("request %d: %v, want %v", i, err, errs[i])
		}
	}
	if e, ok := errors.AsType[*model.Error](errs[4]); !ok || e.RetryAfter != 3*time.Second {
		t.Errorf("the limit is %v", errs[4])
	}
	if d := cmp.Diff(recorded, streamed); d != "" || len(streamed) < 3 {
		t.Errorf("the pieces are others: %s", d)
	}
	if m.Left() != 0 {
		t.Errorf("%d exchanges are left", m.Left())
	}
}

func TestWhatIsNotOnTheTape(t *testing.T) {
	tape := filepath.Join(t.TempDir(), "tape.jsonl")
	rec, err := cassette.Record(tape, scripted.Func(func(int, model.Request) scripted.Reply { return scripted.Text("x") }))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("the contract says much. ", 20)
	for _, r := range []model.Request{say("something else"), say(long + "The cap is EUR 100.")} {
		if _, err := rec.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	_ = rec.Close()
	m, err := cassette.Replay(tape)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Complete(t.Context(), say(long+"The cap is EUR 200."))
	want := `exchange 2 is the nearest, where
  messages[0].text is "…uch. The cap is EUR 100.", and is "…uch. The cap is EUR 200." now`
	if err == nil || !strings.Contains(err.Error(), want) || model.KindOf(err) != model.Invalid {
		t.Errorf("%v", err)
	}
	if _, err = m.Complete(t.Context(), say("something else")); err != nil {
		t.Error(err)
	}
	if _, err = m.Complete(t.Context(), say("something else")); err == nil || !strings.Contains(err.Error(), "1 times, and it is asked once more") {
		t.Error(err)
	}
}

func TestBadTapes(t *testing.T) {
	if _, err := cassette.Replay(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("{}\n{\"request\":"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cassette.Replay(bad); err == nil || !strings.Contains(err.Error(), "bad:2") {
		t.Error(err)
	}
}

// Whoever ends a recording's stream has no exchange recorded that would pass for a whole one.
func TestStoppedStreamIsNotRecorded(t *testing.T) {
	tape := filepath.Join(t.TempDir(), "tape.jsonl")
	rec, err := cassette.Record(tape, scripted.New(scripted.Text(strings.Repeat("word ", 100))))
	if err != nil {
		t.Fatal(err)
	}
	r := say("x")
	r.Stream = func(string) error { return errors.New("enough") }
	if _, err := rec.Complete(t.Context(), r); err == nil {
		t.Error("the stream's error is lost")
	}
	_ = rec.Close()
	if b, err := os.ReadFile(tape); err != nil || len(b) > 0 {
		t.Errorf("%s, %v", b, err)
	}
}

// What a provider wants back is on the tape, and part of what is asked from then on; what is said of it is never its words.
func TestOpaqueIsOnTheTape(t *testing.T) {
	s, err := provider.Start(provider.Options{Answer: func(q provider.Request) provider.Reply {
		if len(q.Messages) > 1 {
			return provider.Reply{Text: "Done."}
		}
		return provider.Reply{Thinking: []provider.Thought{{Text: "SECRETLY <b>", Signature: "U0VDUkVUTFk"}}, Calls: []model.Call{{ID: "call_1", Name: "f", Arguments: `{}`}}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, m := range map[string]model.Model{
		"anthropic": anthropic.New("claude-opus-4-6", canary, anthropic.Options{BaseURL: s.URL}),
		"openai":    openai.New("gemini-3-pro", canary, openai.Options{BaseURL: s.URL + "/v1"}),
	} {
		tape := filepath.Join(t.TempDir(), name)
		rec, err := cassette.Record(tape, m)
		if err != nil {
			t.Fatal(err)
		}
		loop := func(m model.Model) (string, error) {
			r := say("x")
			res, err := m.Complete(t.Context(), r)
			if err != nil || res.Text != "" {
				return res.Text, err
			}
			r.Messages = append(r.Messages, res.Message(), model.Message{Role: model.User, Results: []model.Result{{ID: "call_1"}}})
			res, err = m.Complete(t.Context(), r)
			return res.Text, err
		}
		if text, err := loop(rec); err != nil || text != "Done." {
			t.Fatal(text, err)
		}
		_ = rec.Close()
		played, err := cassette.Replay(tape)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := loop(played); err != nil || text != "Done." || played.Left() != 0 {
			t.Errorf("%s: replayed as %q, %v", name, text, err)
		}
		r := say("x")
		r.Messages = append(r.Messages,
			model.Message{Role: model.Assistant, Calls: []model.Call{{ID: "call_1", Name: "f", Arguments: `{}`, Opaque: json.RawMessage(`{"SECRETLY":"SECRETLY"}`)}}},
			model.Message{Role: model.User, Results: []model.Result{{ID: "call_1"}}})
		_, err = played.Complete(t.Context(), r)
		if err == nil || !strings.Contains(err.Error(), "opaque is") || strings.Contains(err.Error(), "SECRETLY") || strings.Contains(err.Error(), "U0VD") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
