package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/ground"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

// A talk is the conversation of one attempt: the model is asked, its calls of tools are made or
// refused, and it is asked again, until it answers (SPEC.md ·54).
type talk struct {
	meter   *meter
	tools   Tools // nil where none are granted
	request model.Request
	key     string // of the attempt

	turns    int // at most
	calls    int // of tools, at most
	made     int // calls that were handed to the tools, those included that they did not let through
	stubborn int // answers in a row in which every call was refused

	record transcript
}

// Bounds of an attempt where the team gives none.
const (
	defaultTurns    = 10
	defaultInput    = 200_000 // tokens
	bytesPerToken   = 3       // at least, of most text
	maxCallsAtOnce  = 32      // in one answer
	maxStubborn     = 2       // answers in a row with nothing but refused calls
	maxArguments    = 256 << 10
	maxToolText     = 256 << 10
	introOfTask     = "The data of your task."
	introOfToolCall = "What the tool answered, as data."
)

// begin makes the conversation ready. Nothing has been sent yet.
func (w *llm) begin(ctx context.Context, t chargehand.WorkerTask) (*talk, error) {
	talk := &talk{
		meter: w.meter(), key: t.IdempotencyKey,
		turns: orInt(w.kind.MaxTurns, defaultTurns), calls: orInt(t.MaxToolCalls, orInt(w.kind.MaxTools, chargehand.DefaultToolCalls)),
	}
	t.MaxToolCalls = talk.calls
	if err := w.arm(ctx, talk, &t); err != nil {
		return nil, err
	}
	c := w.contract(t)
	if t.ExpectedOutputContract != "" && c == nil {
		return nil, errors.Join(refused("the team has no contract %q", t.ExpectedOutputContract), talk.close())
	}
	var schema []byte
	if c != nil {
		schema = ground.Schema(c)
	}
	enveloped, err := envelope(schema)
	if err != nil {
		return nil, errors.Join(err, talk.close())
	}
	fields := taskFields(t)
	talk.request = model.Request{
		System: w.system(t, len(talk.request.Tools) > 0), Tools: talk.request.Tools, Schema: enveloped,
		Messages:  []model.Message{{Role: model.User, Text: frame(introOfTask, fields)}},
		MaxTokens: answerTokens(w.spec), Temperature: w.kind.Temperature, Stream: worker.LineOf(ctx).Say,
	}
	talk.record = transcript{Model: or(w.spec.Model, w.team.Models.Of(w.spec.Tier)), Prompts: Prompts, System: talk.request.System, Given: givenOf(fields)}
	if err := fits(&talk.request, fields, orInt(w.kind.MaxInput, defaultInput)); err != nil {
		return nil, errors.Join(err, talk.close())
	}
	return talk, nil
}

// arm gives the conversation the tools that were granted.
func (w *llm) arm(ctx context.Context, talk *talk, t *chargehand.WorkerTask) (err error) {
	if len(w.spec.ToolGrants) == 0 {
		return nil
	}
	if talk.tools, err = w.tools(ctx, t); err != nil {
		return fmt.Errorf("make the tools ready: %w", err)
	}
	for _, d := range talk.tools.Definitions() {
		talk.request.Tools = append(talk.request.Tools, model.Tool{Name: d.Name, Description: d.Description, Schema: d.Schema})
	}
	return nil
}

func (t *talk) close() error {
	if t.tools == nil {
		return nil
	}
	if err := t.tools.Close(); err != nil {
		return fmt.Errorf("let go of the tools: %w", err)
	}
	return nil
}

// fits refuses a call that would be sent more than it may, and says what takes the room: nothing is
// left out in silence.
func fits(r *model.Request, fields []field, limit int) error {
	total := len(r.System) + len(r.Schema) + len(r.Messages[0].Text)
	for _, t := range r.Tools {
		total += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	if total/bytesPerToken <= limit {
		return nil
	}
	var sizes []string
	for i := range fields {
		if n := len(fields[i].text); n*20 >= total {
			sizes = append(sizes, fmt.Sprintf("%s %q takes %d bytes", fields[i].Field, excerpt.Of(or(fields[i].Name, fields[i].From), 80), n))
		}
	}
	return refused("the task takes about %d tokens, the most is %d (llm.maxInputTokens): %s",
		total/bytesPerToken, limit, strings.Join(sizes, ", "))
}

// run asks until the model answers without a call, and returns what it says.
func (t *talk) run(ctx context.Context) (string, error) {
	for n := 1; n <= t.turns; n++ {
		t.request.Key = fmt.Sprintf("%s/%d", t.key, n)
		resp, err := t.ask(ctx)
		said := t.record.took(resp, err)
		if err != nil {
			return "", err
		}
		if len(resp.Calls) == 0 {
			return resp.Text, ended(resp, t.request.Tokens())
		}
		t.serve(ctx, resp, said, n)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if t.tools != nil && t.tools.Err() != nil {
			return "", &worker.Error{Kind: worker.Crash, Message: "the attempt must not go on", Err: t.tools.Err()}
		}
		if t.stubborn >= maxStubborn {
			return "", fmt.Errorf("the model goes on calling tools that are refused to it: %d calls were made of %d allowed", t.made, t.calls)
		}
	}
	return "", fmt.Errorf("the model called tools %d times over and gave no answer (llm.maxTurns)", t.turns)
}

// ask makes one call of the model. A text that is stopped on the way is kept as evidence.
func (t *talk) ask(ctx context.Context) (model.Response, error) {
	var stopped error
	said := false
	r := t.request
	if say := r.Stream; say != nil {
		r.Stream = func(text string) error {
			said = true
			if stopped == nil {
				stopped = say(text)
			}
			return stopped
		}
	}
	resp, err := t.meter.call(ctx, r)
	if err == nil && !said && r.Stream != nil && resp.Text != "" {
		err = r.Stream(resp.Text) // the model does not stream
	}
	switch {
	case stopped != nil:
		return resp, garbage(resp.Text, "the model was stopped while it wrote", stopped)
	case err != nil:
		return resp, failure(ctx, err, t.meter.spent)
	}
	return resp, nil
}

// ended is the error of an answer that did not come to its end. The most are the tokens that it may have.
func ended(r model.Response, most int) error {
	switch r.Stop {
	case model.StopLength:
		return garbage(r.Text, "the answer is not whole",
			fmt.Errorf("%w at maxTokens (%d) and has to be shorter, or llm.maxTokens larger", worker.ErrCutOff, most))
	case model.StopRefusal:
		return &worker.Error{Kind: worker.Refused, Message: "the model declined to answer: " + excerpt.Of(r.Text, maxReason)}
	}
	return nil
}

// used is what the attempt has consumed.
func (t *talk) used() chargehand.Usage {
	u := t.meter.spent
	u.ToolCalls = t.made
	return u
}

func orInt(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}
