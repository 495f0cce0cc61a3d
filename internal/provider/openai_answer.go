package provider

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/chargehand/chargehand/model"
)

var openAIStops = map[model.Stop]string{
	model.StopEnd: "stop", model.StopLength: "length", model.StopCalls: "tool_calls", model.StopRefusal: "content_filter", model.StopOther: "function",
}

func openAIUsage(u model.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CachedInput, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

func openAICompletion(q *Request, p *Reply) any {
	msg := map[string]any{"role": "assistant", "content": p.Text, "refusal": nil}
	if said := reasoning(p.Thinking); said != "" {
		msg["reasoning_content"] = said
	}
	if len(p.Calls) > 0 {
		var calls []openAICall
		for _, c := range p.Calls {
			calls = append(calls, openAICall{ID: c.ID, Type: "function", Function: openAIFunction{c.Name, c.Arguments}})
		}
		calls[0].Extra = signature(p.Thinking)
		msg["tool_calls"] = calls
	}
	out := map[string]any{
		"id": fmt.Sprintf("chatcmpl-%029d", q.N), "object": "chat.completion", "created": created, "model": p.model(q), "system_fingerprint": "fp_50cad350e4",
		"choices": []any{map[string]any{"index": 0, "message": msg, "logprobs": nil, "finish_reason": openAIStops[p.stop()]}},
	}
	if !p.Fault.NoUsage {
		out["usage"] = openAIUsage(p.usage(q))
	}
	return out
}

func openAIEvents(q *Request, p *Reply) []event {
	var out []event
	chunk := func(choices []any, usage any) {
		b, _ := json.Marshal(map[string]any{
			"id": fmt.Sprintf("chatcmpl-%029d", q.N), "object": "chat.completion.chunk", "created": created, "model": p.model(q),
			"system_fingerprint": "fp_50cad350e4", "choices": choices, "usage": usage,
		})
		out = append(out, event{data: string(b)})
	}
	delta := func(d map[string]any, finish any) {
		chunk([]any{map[string]any{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, t := range model.Pieces(reasoning(p.Thinking), p.chunk()) {
		delta(map[string]any{"content": nil, "reasoning_content": t}, nil)
	}
	for _, t := range model.Pieces(p.Text, p.chunk()) {
		delta(map[string]any{"content": t}, nil)
	}
	for i, c := range p.Calls {
		first := openAICall{Index: &i, ID: c.ID, Type: "function", Function: openAIFunction{Name: c.Name}}
		if i == 0 {
			first.Extra = signature(p.Thinking)
		}
		delta(map[string]any{"tool_calls": []openAICall{first}}, nil)
		for _, t := range model.Pieces(c.Arguments, p.chunk()) {
			delta(map[string]any{"tool_calls": []openAICall{{Index: &i, Function: openAIFunction{Arguments: t}}}}, nil)
		}
	}
	delta(map[string]any{}, openAIStops[p.stop()])
	if q.Usage && !p.Fault.NoUsage {
		chunk([]any{}, openAIUsage(p.usage(q)))
		if p.Fault.Doubled {
			chunk([]any{}, openAIUsage(p.usage(q)))
		}
	}
	return append(out, event{data: "[DONE]"})
}

var openAITypes = map[int]string{
	400: "invalid_request_error", 401: "invalid_request_error", 402: "billing_error", 403: "invalid_request_error", 404: "invalid_request_error",
	429: "requests", 500: "server_error", 503: "server_error",
}

func refuseOpenAI(w http.ResponseWriter, f Fault) {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]any{
		"message": or(f.Message, words(f.Status)), "type": or(f.Type, or(openAITypes[f.Status], "server_error")),
		"param": null(f.Param), "code": null(f.Code),
	}})
	w.Header().Set("X-Request-Id", "req_00000000000000000000000000000000")
	refuse(w, f, body)
}
