package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

// However an attempt ends after its first call of the model, its transcript says what was said and done until then.
func TestTranscriptOfEveryEnding(t *testing.T) {
	uncovered := errors.New("no money")
	for name, tt := range map[string]struct {
		second func(ctx context.Context) (model.Response, error)
		bench  bench
		cover  func(chargehand.Usage) error
		says   string
	}{
		"crashed": {second: func(context.Context) (model.Response, error) {
			return model.Response{}, &model.Error{Kind: model.Unavailable, Provider: "p", Message: "gone", Sent: true}
		}, says: `"error":"the model did not answer`},
		"no answer": {second: func(context.Context) (model.Response, error) {
			return model.Response{Text: "not an object", Stop: model.StopEnd}, nil
		}, says: `"text":"not an object"`},
		"declined": {second: func(context.Context) (model.Response, error) {
			return model.Response{Text: "I will not", Stop: model.StopRefusal}, nil
		}, says: `"text":"I will not"`},
		"timed out": {second: func(ctx context.Context) (model.Response, error) {
			<-ctx.Done()
			return model.Response{Text: "so far I"}, ctx.Err()
		}, says: `"text":"so far I"`},
		"uncovered": {cover: func(u chargehand.Usage) error {
			if u.InputTokens > 50_000 {
				return uncovered
			}
			return nil
		}, says: `"error":"cover a call of the model: no money"`},
		"blocked":     {bench: bench{err: changed{}}, says: `"turns":[{`},
		"not allowed": {bench: bench{err: errors.New("once too often")}, says: `"turns":[{`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			asked := 0
			m := model.Func(func(ctx context.Context, _ model.Request) (model.Response, error) {
				if asked++; asked > 1 {
					return tt.second(ctx)
				}
				r := call("files_read", `{"path":"a"}`)
				r.Usage.Input = 50_000
				return r, nil
			})
			b := tt.bench
			b.answer = "the rent is 900"
			r, err := make1(t, withTools(m, &b), granted).Do(worker.WithLine(ctx, &lineOf{cover: tt.cover}), task())
			if err == nil && r.Status != chargehand.StatusBlocked {
				t.Fatalf("%+v", r)
			}
			for _, want := range []string{`"name":"files_read"`, "the rent is 900", tt.says} {
				if !strings.Contains(string(r.Transcript), want) {
					t.Errorf("%q is not in the transcript: %s", want, r.Transcript)
				}
			}
		})
	}
}

// A model that was never asked has said nothing.
func TestNoTranscriptWithoutACall(t *testing.T) {
	line := &lineOf{cover: func(chargehand.Usage) error { return errors.New("no money") }}
	r, err := make1(t, options(says(fine)), chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task())
	if err == nil || r.Transcript != nil {
		t.Errorf("%v, %s", err, r.Transcript)
	}
}

// Through the engine: what a failed attempt of a model did can be read by the record of its failure.
func TestFailedAttemptCanBeRead(t *testing.T) {
	c := leaseCast()
	c["test/reader"] = does(call("files_read", `{"path":"a"}`), model.Response{Text: "I will not go on.", Stop: model.StopRefusal})
	opt := c.options()
	opt.Tools = func(context.Context, *chargehand.Team, string, *chargehand.WorkerTask) (agent.Tools, error) {
		return &bench{answer: "the rent is 900"}, nil
	}
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Agents: agent.New(opt)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	tm := leaseTeam()
	tm.Workers[0].ToolGrants = []string{"files.read"}
	tm.Tools = []chargehand.ToolServer{{Name: "files", URL: "http://127.0.0.1:1/mcp", Tools: map[string]chargehand.ToolPolicy{"read": {Effect: chargehand.EffectRead}}}}
	run, err := e.Start(t.Context(), chargehand.Order{Team: tm, Objective: chargehand.Objective{Goal: "g"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		f, ok := r.Fact.(chargehand.AttemptFailed)
		if !ok {
			continue
		}
		raw, err := e.Blob(ctx, f.Transcript)
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			Turns []struct {
				Text  string
				Calls []struct{ Name, Answer string }
			}
		}
		if err := json.Unmarshal(raw, &said); err != nil || len(said.Turns) != 2 || said.Turns[1].Text != "I will not go on." ||
			said.Turns[0].Calls[0].Name != "files_read" || !strings.Contains(said.Turns[0].Calls[0].Answer, "the rent is 900") {
			t.Errorf("%v: %s", err, raw)
		}
		return
	}
	t.Error("no attempt failed")
}
