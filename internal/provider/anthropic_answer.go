package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/chargehand/chargehand/model"
)

var anthropicStops = map[model.Stop]string{
	model.StopEnd: "end_turn", model.StopLength: "max_tokens", model.StopCalls: "tool_use", model.StopRefusal: "refusal", model.StopOther: "pause_turn",
}

// anthropicUsage counts the cached tokens apart, as the API does.
func anthropicUsage(u model.Usage) map[string]any {
	return map[string]any{
		"input_tokens": u.Input - u.CachedInput - u.CacheWrite, "cache_read_input_tokens": u.CachedInput,
		"cache_creation_input_tokens": u.CacheWrite, "output_tokens": u.Output,
	}
}

func anthropicMessage(q *Request, p *Reply) any {
	content := []any{}
	for i := range p.Thinking {
		content = append(content, p.Thinking[i].block())
	}
	if p.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": p.Text})
	}
	for _, c := range p.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	m := map[string]any{
		"id": fmt.Sprintf("msg_%024d", q.N), "type": "message", "role": "assistant", "model": p.model(q),
		"content": content, "stop_reason": anthropicStops[p.stop()], "stop_sequence": nil,
	}
	if !p.Fault.NoUsage {
		m["usage"] = anthropicUsage(p.usage(q))
	}
	return m
}

func anthropicEvents(q *Request, p *Reply) []event {
	usage := p.usage(q)
	opening := usage
	opening.Output = 1
	head := anthropicMessage(q, &Reply{Usage: &opening, Model: p.model(q), Fault: p.Fault}).(map[string]any)
	head["stop_reason"] = nil
	out := []event{anthropicEvent("message_start", map[string]any{"message": head}), {name: "ping", data: `{"type": "ping"}`}}
	n := 0
	block := func(start map[string]any, deltas []map[string]any) {
		out = append(out, anthropicEvent("content_block_start", map[string]any{"index": n, "content_block": start}))
		for _, d := range deltas {
			out = append(out, anthropicEvent("content_block_delta", map[string]any{"index": n, "delta": d}))
		}
		out = append(out, anthropicEvent("content_block_stop", map[string]any{"index": n}))
		n++
	}
	for i := range p.Thinking {
		block(p.Thinking[i].opening(), p.Thinking[i].deltas(p.chunk()))
	}
	if p.Text != "" {
		var deltas []map[string]any
		for _, t := range model.Pieces(p.Text, p.chunk()) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": t})
		}
		block(map[string]any{"type": "text", "text": ""}, deltas)
	}
	for _, c := range p.Calls {
		deltas := []map[string]any{{"type": "input_json_delta", "partial_json": ""}}
		for _, t := range model.Pieces(c.Arguments, p.chunk()) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": t})
		}
		block(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}, deltas)
	}
	end := map[string]any{"delta": map[string]any{"stop_reason": anthropicStops[p.stop()], "stop_sequence": nil}}
	if !p.Fault.NoUsage {
		end["usage"] = anthropicUsage(usage)
	}
	out = append(out, anthropicEvent("message_delta", end))
	if p.Fault.Doubled {
		out = append(out, anthropicEvent("message_delta", end))
	}
	return append(out, anthropicEvent("message_stop", map[string]any{}))
}

func anthropicEvent(name string, data map[string]any) event {
	data["type"] = name
	b, _ := json.Marshal(data)
	return event{name: name, data: string(b)}
}

var anthropicTypes = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
	413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error",
}

func refuseAnthropic(w http.ResponseWriter, f Fault) {
	body, _ := json.Marshal(map[string]any{
		"type":       "error",
		"error":      map[string]any{"type": or(f.Type, or(anthropicTypes[f.Status], "api_error")), "message": or(f.Message, words(f.Status))},
		"request_id": "req_011CSHoEeqs5C35K2UUqR7Fy",
	})
	w.Header().Set("Request-Id", "req_011CSHoEeqs5C35K2UUqR7Fy")
	refuse(w, f, body)
}

func or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}

func words(status int) string {
	return strings.ToLower(or(http.StatusText(status), "overloaded"))
}
