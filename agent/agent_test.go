package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

// A script is a model that gives its answers one after the other, and keeps what it was asked.
type script struct {
	mu      sync.Mutex
	answers []func(model.Request) (model.Response, error)
	asked   []model.Request
}

func (s *script) Complete(_ context.Context, r model.Request) (model.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Messages = append([]model.Message(nil), r.Messages...)
	s.asked = append(s.asked, r)
	n := min(len(s.asked), len(s.answers)) - 1
	resp, err := s.answers[n](r)
	if err == nil && r.Stream != nil {
		for part := range strings.SplitAfterSeq(resp.Text, " ") {
			if err := r.Stream(part); err != nil {
				return resp, err
			}
		}
	}
	return resp, err
}

// says is a model that answers these texts in turn, the last for ever.
func says(texts ...string) *script {
	s := &script{}
	for _, text := range texts {
		s.answers = append(s.answers, reply(model.Response{Text: text, Stop: model.StopEnd, Usage: model.Usage{Input: 100, Output: 20}}))
	}
	return s
}

func does(answers ...model.Response) *script {
	s := &script{}
	for _, a := range answers {
		s.answers = append(s.answers, reply(a))
	}
	return s
}

func reply(r model.Response) func(model.Request) (model.Response, error) {
	return func(model.Request) (model.Response, error) { return r, nil }
}

func fails(err error) func(model.Request) (model.Response, error) {
	return func(model.Request) (model.Response, error) { return model.Response{}, err }
}

// text is all that a request tells its model, but the system prompt.
func text(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text)
		for _, res := range m.Results {
			b.WriteString("\n" + res.Text)
		}
	}
	return b.String()
}

const aModel = "test/model"

var (
	flat  = chargehand.ModelPrice{InputUSD: 2 * chargehand.USD, OutputUSD: 10 * chargehand.USD}
	price = flat.Most()
)

func options(m model.Model) agent.Options {
	return agent.Options{
		Open: func(ref string) (model.Model, error) {
			if ref != aModel {
				return nil, errors.New("no such model")
			}
			return m, nil
		},
		Price: func(ref string) (chargehand.ModelPrice, bool) { return flat, ref == aModel },
		Tries: 1,
	}
}

func team(w chargehand.WorkerSpec) *chargehand.Team {
	w.WorkerID, w.Kind, w.Model, w.Capabilities = "reader", chargehand.KindLLM, aModel, []string{"read"}
	return &chargehand.Team{
		Name: "t", Workers: []chargehand.WorkerSpec{w},
		Contracts: []chargehand.Contract{{
			Name:   "answer",
			Schema: json.RawMessage(`{"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}`),
		}},
	}
}

func make1(t *testing.T, opt agent.Options, w chargehand.WorkerSpec) worker.Worker {
	t.Helper()
	tm := team(w)
	made, err := agent.New(opt).Worker(tm, &tm.Workers[0], "")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func task() chargehand.WorkerTask {
	doc := "Rent is EUR 900 a month.\n"
	return chargehand.WorkerTask{
		TaskID: "rent", RunID: "run_1", Attempt: 2, AssignedWorker: "reader", IdempotencyKey: "run_1/rent/2",
		Objective: "Review the lease", Goal: "Find the rent", Input: json.RawMessage(`{"currency":"EUR"}`),
		InputRefs: []chargehand.InputRef{
			{Hash: chargehand.Hash([]byte(doc)), Name: "lease.txt", Size: int64(len(doc)), Text: doc},
			{Hash: chargehand.Hash([]byte(`{"n":1}`)), Name: "before", From: "before", Text: `{"n":1}`},
		},
		ExpectedOutputContract: "answer", RequiredAspects: []string{"rent", "term"},
		Feedback: "The last one had no term.", Hints: []string{"look at page 2"},
	}
}

const fine = `{"status":"succeeded","output":{"n":900},"summary":"The rent is 900.","confidence":0.9,"blockers":[],"proposedActions":["ask the landlord"]}`

func TestTypedResult(t *testing.T) {
	m := says(fine)
	r, err := make1(t, options(m), chargehand.WorkerSpec{LLM: &chargehand.LLMKind{Prompt: "Mind the currency."}}).Do(t.Context(), task())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != chargehand.StatusSucceeded || string(r.Output) != `{"n":900}` || r.Summary != "The rent is 900." ||
		r.Confidence == nil || *r.Confidence != 0.9 || len(r.ProposedActions) != 1 || r.TaskID != "rent" || r.Attempt != 2 {
		t.Errorf("%+v", r)
	}
	if want := (chargehand.Usage{InputTokens: 100, OutputTokens: 20, USD: price.Of(100, 0, 0, 20)}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
	asked := m.asked[0]
	for _, want := range []string{"Rent is EUR 900 a month.", `"name":"lease.txt"`, `"from":"before"`, "Review the lease", "Find the rent", `{"currency":"EUR"}`, `"term"`, "no term", "page 2"} {
		if !strings.Contains(text(asked), want) {
			t.Errorf("the model is not told %q", want)
		}
		if strings.Contains(asked.System, want) {
			t.Errorf("%q stands in the system prompt", want)
		}
	}
	if !strings.Contains(asked.System, "Mind the currency.") {
		t.Error("the system prompt lacks the team's words")
	}
	if asked.Key != "run_1/rent/2/1" || asked.MaxTokens != 4096 {
		t.Errorf("key %q, %d tokens", asked.Key, asked.MaxTokens)
	}
}

func TestStops(t *testing.T) {
	usage := model.Usage{Input: 100, Output: 20}
	for _, tt := range []struct {
		name   string
		answer model.Response
		kind   worker.Kind // empty: a result
		raw    string
		status chargehand.ResultStatus
	}{
		{"end", model.Response{Text: fine, Stop: model.StopEnd}, "", "", chargehand.StatusSucceeded},
		{"another reason", model.Response{Text: fine, Stop: model.StopOther}, "", "", chargehand.StatusSucceeded},
		{"blocked", model.Response{Text: `{"status":"blocked","output":null,"blockers":["no lease"]}`, Stop: model.StopEnd}, "", "", chargehand.StatusBlocked},
		{"partial", model.Response{Text: `{"status":"partial","output":{"n":1}}`, Stop: model.StopEnd}, "", "", chargehand.StatusPartial},
		{"off schema is for the gate", model.Response{Text: `{"status":"succeeded","output":{"n":"x"}}`, Stop: model.StopEnd}, "", "", chargehand.StatusSucceeded},
		{"length", model.Response{Text: `{"status":"succ`, Stop: model.StopLength}, worker.Garbage, `{"status":"succ`, ""},
		{"whole at length", model.Response{Text: fine, Stop: model.StopLength}, worker.Garbage, fine, ""},
		{"refusal", model.Response{Text: "I cannot help with that.", Stop: model.StopRefusal}, worker.Refused, "", ""},
		{"prose", model.Response{Text: "The rent is 900.", Stop: model.StopEnd}, worker.Garbage, "The rent is 900.", ""},
		{"fence", model.Response{Text: "```json\n" + fine + "\n```", Stop: model.StopEnd}, worker.Garbage, "```json\n" + fine + "\n```", ""},
		{"bare output", model.Response{Text: `{"n":900}`, Stop: model.StopEnd}, worker.Garbage, `{"n":900}`, ""},
		{"nothing", model.Response{Stop: model.StopEnd}, worker.Garbage, "", ""},
		{"two answers", model.Response{Text: fine + fine, Stop: model.StopEnd}, worker.Garbage, fine + fine, ""},
		{"output twice", model.Response{Text: `{"status":"succeeded","output":1,"output":2}`, Stop: model.StopEnd}, worker.Garbage, `{"status":"succeeded","output":1,"output":2}`, ""},
		{"other case", model.Response{Text: `{"status":"succeeded","Output":1}`, Stop: model.StopEnd}, worker.Garbage, `{"status":"succeeded","Output":1}`, ""},
		{"no output", model.Response{Text: `{"status":"succeeded","output":null}`, Stop: model.StopEnd}, worker.Garbage, `{"status":"succeeded","output":null}`, ""},
		{"unknown status", model.Response{Text: `{"status":"done","output":1}`, Stop: model.StopEnd}, worker.Garbage, `{"status":"done","output":1}`, ""},
		{"confidence in words", model.Response{Text: `{"status":"succeeded","output":1,"confidence":"high"}`, Stop: model.StopEnd}, worker.Garbage, `{"status":"succeeded","output":1,"confidence":"high"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.answer.Usage = usage
			r, err := make1(t, options(does(tt.answer)), chargehand.WorkerSpec{}).Do(t.Context(), task())
			if r.Usage.InputTokens != 100 || r.Usage.USD == 0 {
				t.Errorf("usage %+v", r.Usage)
			}
			if tt.kind == "" {
				if err != nil || r.Status != tt.status {
					t.Fatalf("%+v, %v", r, err)
				}
				return
			}
			e, ok := errors.AsType[*worker.Error](err)
			if !ok || e.Kind != tt.kind || string(e.Raw) != tt.raw {
				t.Fatalf("%#v, want kind %s", err, tt.kind)
			}
			if e.NotBegun {
				t.Error("the model was asked")
			}
			if r.Summary == "" || !strings.Contains(string(r.Transcript), `"stop"`) {
				t.Errorf("no reason or no transcript: %+v", r)
			}
		})
	}
}

// What stops a stream is what the worker returns, with the words until then and what they cost.
func TestStoppedStream(t *testing.T) {
	off := errors.New("off contract")
	line := &lineOf{say: func(said string) error {
		if strings.Contains(said, "900") {
			return off
		}
		return nil
	}}
	m := does(model.Response{Text: `{"status": "succeeded", "output": {"n": 900} }`, Stop: model.StopEnd})
	r, err := make1(t, options(m), chargehand.WorkerSpec{LLM: &chargehand.LLMKind{MaxTokens: 50}}).Do(worker.WithLine(t.Context(), line), task())
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind != worker.Garbage || !errors.Is(err, off) || !strings.HasPrefix(string(e.Raw), `{"status"`) {
		t.Fatalf("%#v", err)
	}
	if r.Usage.OutputTokens != model.Estimate(len(e.Raw)) || r.Usage.InputTokens < model.Estimate(len(text(m.asked[0]))) || r.Usage.InputTokens >= int64(len(text(m.asked[0])+m.asked[0].System)) {
		t.Errorf("nothing was reported, so an estimate of what was heard counts; it is %+v", r.Usage)
	}
	if line.said != `{"status": "succeeded", "output": {"n": 900} ` {
		t.Errorf("said %q", line.said)
	}
}

// A model that does not stream is heard all the same.
func TestUnstreamed(t *testing.T) {
	line := &lineOf{}
	whole := model.Func(func(context.Context, model.Request) (model.Response, error) {
		return model.Response{Text: fine, Stop: model.StopEnd}, nil
	})
	if _, err := make1(t, options(whole), chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task()); err != nil || line.said != fine {
		t.Errorf("said %q, %v", line.said, err)
	}
}

type lineOf struct {
	mu      sync.Mutex
	said    string
	say     func(said string) error
	covered []chargehand.Usage
	cover   func(u chargehand.Usage) error
}

func (l *lineOf) Say(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said += text
	if l.say != nil {
		return l.say(l.said)
	}
	return nil
}

func (l *lineOf) Cover(_ context.Context, u chargehand.Usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.covered = append(l.covered, u)
	if l.cover != nil {
		return l.cover(u)
	}
	return nil
}
