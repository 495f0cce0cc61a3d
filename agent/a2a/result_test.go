package a2a_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

func TestOutputs(t *testing.T) {
	raw := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, c := range map[string]struct {
		task     object
		contract string
		want     string // empty: garbage
	}{
		"data":                    {task("COMPLETED", made(object{"text": "see"}, object{"data": object{"n": json.Number("9007199254740993")}})), "answer", `{"n":9007199254740993}`},
		"text":                    {task("COMPLETED", made(object{"text": "a "}, object{"text": "<b>"})), "answer", `"a <b>"`},
		"text that is JSON":       {task("COMPLETED", made(object{"text": ` {"answer":1} `})), "answer", `{"answer":1}`},
		"text, nothing expected":  {task("COMPLETED", made(object{"text": `{"answer":1}`})), "", `"{\"answer\":1}"`},
		"a file of JSON":          {task("COMPLETED", made(object{"raw": raw(`[1]`), "mediaType": "application/json"})), "answer", `[1]`},
		"a file of text":          {task("COMPLETED", made(object{"raw": raw(`hi`), "mediaType": "text/plain"})), "answer", `"hi"`},
		"words of the status":     {task("COMPLETED", says("COMPLETED", "Done.")), "answer", `"Done."`},
		"nothing":                 {task("COMPLETED"), "answer", ""},
		"a file that is fetched":  {task("COMPLETED", made(object{"url": "https://files.example/x"})), "answer", ""},
		"a picture":               {task("COMPLETED", made(object{"raw": "iVBORw0KGgo=", "mediaType": "image/png"})), "answer", ""},
		"data before other words": {task("COMPLETED", made(object{"data": 1}), says("COMPLETED", "Done.")), "answer", `1`},
	} {
		f := newFake(t)
		f.on("SendMessage", give(object{"task": c.task}))
		f.on("GetTask", give(c.task))
		q := order()
		q.ExpectedOutputContract = c.contract
		r, err := reach(t, f.URL).Do(t.Context(), q)
		if c.want == "" {
			wantError(t, err, worker.Garbage, false)
		} else if err != nil || string(r.Output) != c.want {
			t.Errorf("%s: %s %v, want %s", name, r.Output, err, c.want)
		}
	}
}

// TestOutputIsSound has what comes out be JSON that is read one way only.
func TestOutputIsSound(t *testing.T) {
	f := newFake(t)
	twice := func(w http.ResponseWriter, _ object) {
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"data":{"answer":1,"answer":2}}]}]}}`)
	}
	f.on("SendMessage", give(object{"task": task("WORKING")}))
	f.on("GetTask", twice)
	_, err := reach(t, f.URL).Do(t.Context(), order())
	wantError(t, err, worker.Garbage, false)
}

func TestReplyWithoutATask(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		f := newFake(t)
		f.streaming = streaming
		m := object{"message": object{"messageId": "m", "role": "ROLE_AGENT", "parts": []any{object{"data": object{"answer": 1}}}}}
		f.on("SendMessage", give(m))
		f.on("SendStreamingMessage", tell(false, m))
		r, err := reach(t, f.URL).Do(t.Context(), order())
		if err != nil || string(r.Output) != `{"answer":1}` {
			t.Errorf("%s %v", r.Output, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for metadata, want := range map[string]chargehand.Usage{
		`{}`:               {},
		`null`:             {},
		`"x"`:              {},
		`{"usage":"much"}`: {},
		`{"usage":{"inputTokens":3,"outputTokens":4,"usd":"0.5"}}`:               {InputTokens: 3, OutputTokens: 4, USD: 500_000},
		`{"chargehand":{"usage":{"tokens":9,"usd":"0.01"}},"usage":{"usd":"7"}}`: {InputTokens: 9, USD: 10_000},
	} {
		f := newFake(t)
		end := task("COMPLETED", made(object{"data": 1}), object{"metadata": json.RawMessage(metadata)})
		f.on("SendMessage", give(object{"task": end}))
		f.on("GetTask", give(end))
		r, err := reach(t, f.URL).Do(t.Context(), order())
		if err != nil || r.Usage != want {
			t.Errorf("%s: %+v %v", metadata, r.Usage, err)
		}
	}
	f := newFake(t)
	end := task("COMPLETED", made(object{"data": 1}), object{"metadata": object{"usage": object{"usd": "-1"}}})
	f.on("SendMessage", give(object{"task": end}))
	f.on("GetTask", give(end))
	if r, err := reach(t, f.URL).Do(t.Context(), order()); err == nil && r.Usage.USD < 0 {
		t.Errorf("money came back: %+v", r.Usage)
	}
}

// TestMessage is what an agent is sent.
func TestMessage(t *testing.T) {
	f := newFake(t).done()
	q := order()
	q.Input, q.Feedback, q.RequiredAspects = json.RawMessage(`{"depth":9007199254740993}`), "f1: no quote", []string{"fee"}
	q.InputRefs = []chargehand.InputRef{
		{Name: "a.txt", Hash: "sha256:1", Text: "The fee is 1."},
		{Name: "parties", From: "parties", Hash: "sha256:2", Text: `{"seller":"Acme"}`},
	}
	if _, err := reach(t, f.URL).Do(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	m := f.sent("SendMessage")["message"].(object)
	want := []any{
		object{"text": "Find the fee.\n\nThis is part of: Review it.\n\nThe last answer was not accepted. What to correct: f1: no quote"},
		object{"data": object{"depth": 9007199254740993.0}, "mediaType": "application/json"},
		object{
			"data": object{"expected": object{
				"contract": "answer", "schema": object{"type": "object", "required": []any{"answer"}}, "requiredAspects": []any{"fee"},
				"deadline": "2027-01-01T00:00:00Z", "answer": "Answer with one data part that fits the schema.",
			}},
			"mediaType": "application/json", "metadata": object{"chargehand": "expected"},
		},
		object{"raw": "VGhlIGZlZSBpcyAxLg==", "filename": "a.txt", "mediaType": "text/plain", "metadata": object{"hash": "sha256:1"}},
		object{"raw": "eyJzZWxsZXIiOiJBY21lIn0=", "filename": "parties.json", "mediaType": "application/json", "metadata": object{"hash": "sha256:2", "from": "parties"}},
	}
	if diff := cmp.Diff(want, m["parts"]); diff != "" {
		t.Error(diff)
	}
	if m["messageId"] != "run_1/s1/1" || m["role"] != "ROLE_USER" || m["taskId"] != nil {
		t.Errorf("the message is %v", m)
	}
}

// A listener hears what is said, and has had enough after a while.
type listener struct {
	worker.Line
	heard []string
	most  int
}

var errEnough = errors.New("enough")

func (l *listener) Say(text string) error {
	if l.heard = append(l.heard, text); len(l.heard) > l.most {
		return errEnough
	}
	return nil
}

// TestTextIsHeardAsItComes hands text on, and stops the agent when it is not wanted.
func TestTextIsHeardAsItComes(t *testing.T) {
	f := newFake(t)
	f.streaming = true
	f.on("SendStreamingMessage", tell(false, object{"task": task("WORKING")}, chunk("a"), chunk("b"), chunk("c"), update("t1", "COMPLETED")))
	f.on("GetTask", give(task("COMPLETED", made(object{"text": "abc"}))))
	f.on("CancelTask", give(task("CANCELED")))
	l := &listener{Line: worker.LineOf(t.Context()), most: 9}
	r, err := reach(t, f.URL).Do(worker.WithLine(t.Context(), l), order())
	if err != nil || string(r.Output) != `"abc"` || strings.Join(l.heard, "") != "abc" {
		t.Fatalf("%s %v %v", r.Output, err, l.heard)
	}
	l = &listener{Line: l.Line, most: 1}
	q := order()
	q.IdempotencyKey = "run_1/s1/2"
	if _, err = reach(t, f.URL).Do(worker.WithLine(t.Context(), l), q); !errors.Is(err, errEnough) || f.called("CancelTask") != 1 {
		t.Errorf("%v, canceled %d times", err, f.called("CancelTask"))
	}
}

// TestStreamsInEveryShape reads what is a stream by the letter of the specification of events.
func TestStreamsInEveryShape(t *testing.T) {
	done := `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}}`
	half := len(done) / 2
	for half > 0 && done[half-1] != ',' {
		half--
	}
	for name, stream := range map[string]string{
		"plain":               "data: " + done + "\n\n",
		"no space":            "data:" + done + "\n\n",
		"carriage returns":    "data: " + done + "\r\n\r\n",
		"comments and ids":    ": hello\n\nid: 7\nevent: x\nretry: 5\n: again\ndata: " + done + "\n\n",
		"several lines":       "data: " + done[:half] + "\ndata: " + done[half:] + "\n\n",
		"empty lines at once": "\n\n\ndata: " + done + "\n\n\n\n",
	} {
		f := newFake(t)
		f.streaming = true
		f.on("SendStreamingMessage", func(w http.ResponseWriter, _ object) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			fmt.Fprint(w, stream)
		})
		f.on("GetTask", give(task("COMPLETED", made(object{"data": 1}))))
		if r, err := reach(t, f.URL).Do(t.Context(), order()); err != nil || string(r.Output) != "1" {
			t.Errorf("%s: %s %v", name, r.Output, err)
		}
	}
	for name, stream := range map[string]string{
		"no empty line":  "data: " + done,
		"a line too far": "data: " + strings.Repeat("x", 9<<20) + "\n\n",
		"comment floods": strings.Repeat(": x\n", 3<<20),
		"no JSON":        "data: {\n\n",
		"bytes":          "data: \xff\xfe\n\n",
	} {
		f := newFake(t)
		f.streaming = true
		f.on("SendStreamingMessage", func(w http.ResponseWriter, _ object) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, stream)
		})
		if _, err := reach(t, f.URL).Do(t.Context(), order()); worker.KindOf(err) != worker.Garbage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
