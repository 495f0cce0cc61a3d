package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/model"
)

// serve makes the calls of one answer, in their order, and puts what came of them into the
// conversation. A call that is not made is answered too, so that the model can go on.
func (t *talk) serve(ctx context.Context, r model.Response, said *turn, n int) {
	results := make([]model.Result, 0, len(r.Calls))
	served := 0
	for i, c := range r.Calls {
		cause, why := t.refusal(c, i, n)
		made := callMade{Name: excerpt.Of(c.Name, 200), Arguments: excerpt.Of(c.Arguments, maxSaid)}
		res := model.Result{ID: c.ID, Text: why, Error: true}
		switch {
		case why != "":
			made.Refused = true
			if t.tools != nil {
				t.tools.Deny(c.Name, cause, why)
			}
		case ctx.Err() != nil:
			res.Text, made.Refused = "The task has ended.", true
		default:
			served++
			res.Text, res.Error = t.call(ctx, c)
		}
		made.Answer, made.Failed = excerpt.Of(res.Text, maxSaid), res.Error
		said.Calls = append(said.Calls, made)
		results = append(results, res)
	}
	if t.stubborn++; served > 0 {
		t.stubborn = 0
	}
	if n == t.turns-1 {
		results[len(results)-1].Text += "\nYou may speak once more: give your answer now, without calling a tool."
	}
	t.request.Messages = append(t.request.Messages,
		r.Message(),
		model.Message{Role: model.User, Results: results})
}

// call makes one call that may be made.
func (t *talk) call(ctx context.Context, c model.Call) (string, bool) {
	t.made++
	text, failed := t.tools.Call(ctx, c.Name, c.Arguments)
	if n := len(text); n > maxToolText {
		return fmt.Sprintf("The answer has %d bytes, the most that can be read is %d. Ask for less.", n, maxToolText), true
	}
	return frame(introOfToolCall, []field{{Field: "tool answer", Name: c.Name, text: text}}), failed
}

// refusal says why a call is not made; empty where it is. It is the model that reads it.
func (t *talk) refusal(c model.Call, i, n int) (chargehand.Denied, string) {
	switch {
	case t.tools == nil || !t.offers(c.Name):
		return chargehand.DeniedGrant, "There is no tool of that name. " + t.offered()
	case len(c.Arguments) > maxArguments:
		return chargehand.DeniedArguments, fmt.Sprintf("The arguments have %d bytes, the most is %d.", len(c.Arguments), maxArguments)
	case !isObject(c.Arguments):
		return chargehand.DeniedArguments, "The arguments are not one JSON object."
	case i >= maxCallsAtOnce:
		return chargehand.DeniedCalls, fmt.Sprintf("There are more than %d calls in one answer. Make fewer at once.", maxCallsAtOnce)
	case t.made >= t.calls:
		return chargehand.DeniedCalls, fmt.Sprintf("All %d calls that this task may make were made. Answer now with what you have.", t.calls)
	case n >= t.turns:
		return chargehand.DeniedCalls, fmt.Sprintf("This was the last of the %d turns that this task may take (maxTurns), so no call is made any more.", t.turns)
	}
	return "", ""
}

func (t *talk) offers(name string) bool {
	for i := range t.request.Tools {
		if t.request.Tools[i].Name == name {
			return true
		}
	}
	return false
}

func (t *talk) offered() string {
	var names []string
	for i := range t.request.Tools {
		names = append(names, t.request.Tools[i].Name)
	}
	if len(names) == 0 {
		return "No tools are offered here. Answer with what you have."
	}
	return "These are offered: " + strings.Join(names, ", ") + "."
}

func isObject(arguments string) bool {
	s := strings.TrimSpace(arguments)
	return s == "" || strings.HasPrefix(s, "{") && json.Valid([]byte(s))
}
