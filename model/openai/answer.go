package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// A chatAnswer is an answer in one piece, or an event of a stream. What is not named here is not read.
// Source: platform.openai.com/docs/api-reference/chat/object, …/chat-streaming.
type chatAnswer struct {
	Model   wire.Word             `json:"model"`
	Choices wire.List[chatChoice] `json:"choices"`
	Usage   json.RawMessage       `json:"usage"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
}

type chatChoice struct {
	Index   wire.Count      `json:"index"`
	Finish  wire.Word       `json:"finish_reason"`
	Message chatWords       `json:"message"` // of an answer in one piece
	Delta   chatWords       `json:"delta"`   // of a stream
	Usage   json.RawMessage `json:"usage"`   // as Moonshot has it
	Error   json.RawMessage `json:"error"`   // as OpenRouter has it
}

type chatWords struct {
	Content          wire.Words          `json:"content"`
	Refusal          wire.Word           `json:"refusal"`
	ReasoningContent wire.Words          `json:"reasoning_content"`
	Reasoning        wire.Words          `json:"reasoning"` // as vLLM and OpenRouter name it
	Details          json.RawMessage     `json:"reasoning_details"`
	ToolCalls        wire.List[chatMade] `json:"tool_calls"`
}

type chatMade struct {
	Index    *wire.Count `json:"index"`
	ID       wire.Word   `json:"id"`
	Function struct {
		Name      wire.Word   `json:"name"`
		Arguments wire.Argued `json:"arguments"`
	} `json:"function"`

	// Extra is Gemini's, which refuses a conversation that goes on without the signature in it.
	// Source: ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility".
	Extra json.RawMessage `json:"extra_content"`
}

// A chatReader reads the answer of one call.
type chatReader struct {
	call *wire.Call
	a    *wire.Answer

	refusal, reasoning strings.Builder
	details            details
	chosen             bool // a choice has come
}

func (c *chatReader) read() error {
	var err error
	if body := c.call.Body(); body != nil {
		err = c.whole(body)
	} else {
		err = c.stream()
	}
	kept := memory{Reasoning: c.reasoning.String(), Details: c.details.raw()}
	c.a.Opaque = kept.opaque()
	if err != nil {
		return err
	}
	return decline(c.a, c.refusal.String())
}

func (c *chatReader) whole(body []byte) error {
	if err := c.event(body); err != nil {
		return err
	}
	if !c.chosen {
		return c.call.Malformed("the answer has no choice")
	}
	if c.a.Stop == "" {
		c.a.Stop = model.StopOther
	}
	return nil
}

// stream takes an answer event by event. Its end is a reason to stop or [DONE], whichever comes: some
// servers leave out one of them.
func (c *chatReader) stream() error {
	err := each(c.call, func(data []byte) error {
		if string(data) == "[DONE]" {
			return nil
		}
		return c.event(data)
	})
	text, calls := c.a.Said()
	switch {
	case err != nil:
		return err
	case c.a.Stop != "":
		return nil
	case !c.call.Done():
		return c.call.Interrupted("the stream ended without a reason to stop and without [DONE]")
	case text+calls == 0:
		return c.call.Malformed("the stream has neither text nor a reason to stop")
	}
	c.a.Stop = model.StopEnd
	return nil
}

func (c *chatReader) event(data []byte) error {
	var e chatAnswer
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	if e.Model != "" {
		c.a.Model = string(e.Model)
	}
	for _, raw := range []json.RawMessage{e.Usage, e.Groq.Usage} {
		if err := spend(c.a, raw); err != nil {
			return err
		}
	}
	for i := range e.Choices {
		if e.Choices[i].Index != 0 {
			continue
		}
		c.chosen = true
		if err := c.choice(&e.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *chatReader) choice(choice *chatChoice) error {
	for _, w := range []*chatWords{&choice.Message, &choice.Delta} {
		if err := c.words(w); err != nil {
			return err
		}
	}
	if err := spend(c.a, choice.Usage); err != nil {
		return err
	}
	if err := c.call.Told(choice.Error); err != nil {
		return err
	}
	return c.finish(string(choice.Finish))
}

// words takes what was thought, said and called.
func (c *chatReader) words(w *chatWords) error {
	thought := w.ReasoningContent.Text + w.ReasoningContent.Thought
	c.reasoning.WriteString(thought)
	c.refusal.WriteString(string(w.Refusal))
	if len(w.Details) > 0 {
		c.details.add(w.Details)
	}
	beside := thought + w.Reasoning.Text + w.Reasoning.Thought + w.Content.Thought + string(w.Refusal) + string(nonNull(w.Details))
	if err := errors.Join(c.a.Think(beside), c.a.Say(w.Content.Text)); err != nil {
		return err
	}
	for i := range w.ToolCalls {
		if err := c.made(i, &w.ToolCalls[i]); err != nil {
			return err
		}
	}
	return nil
}

func nonNull(raw json.RawMessage) json.RawMessage {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// made takes the i-th call of an event, or a part of it.
func (c *chatReader) made(i int, t *chatMade) error {
	n, id, name := int64(i), string(t.ID), string(t.Function.Name)
	if t.Index != nil {
		n = int64(*t.Index)
	}
	if !c.a.GoesOn(n, id, name) {
		switch {
		case t.Index == nil: // as Gemini and Ollama have it: whole calls, without numbers
			n = c.a.Next()
		case c.a.Open(n):
			c.a.Leave(n)
		}
		if err := c.a.Begin(n, id, name); err != nil {
			return err
		}
	}
	return errors.Join(c.a.Argue(n, string(t.Function.Arguments)), c.a.Attach(n, t.Extra))
}

// stops are the reasons that servers give, in small letters.
var stops = map[string]model.Stop{
	"stop": model.StopEnd, "end_turn": model.StopEnd, "eos": model.StopEnd, "eos_token": model.StopEnd, "stop_sequence": model.StopEnd,
	"length": model.StopLength, "model_length": model.StopLength, "max_tokens": model.StopLength, "model_context_window_exceeded": model.StopLength,
	"tool_calls": model.StopCalls, "function_call": model.StopCalls, "tool_use": model.StopCalls,
	"content_filter": model.StopRefusal, "safety": model.StopRefusal, "recitation": model.StopRefusal, "sensitive": model.StopRefusal, "refusal": model.StopRefusal,
}

// failures are the reasons that say that something behind the server failed.
var failures = []string{"error", "abort", "network_error", "insufficient_system_resource", "malformed_function_call"}

func (c *chatReader) finish(reason string) error {
	if reason == "" {
		return nil
	}
	reason = strings.ToLower(reason)
	for _, f := range failures {
		if reason == f {
			return c.call.Failed("the provider ended its answer with finish_reason " + f)
		}
	}
	var ok bool
	if c.a.Stop, ok = stops[reason]; !ok {
		c.a.Stop = model.StopOther
	}
	return nil
}

// decline takes a refusal, which is a text of its own.
func decline(a *wire.Answer, refusal string) error {
	if refusal == "" {
		return nil
	}
	a.Stop = model.StopRefusal
	if a.Silent() {
		return a.Say(refusal)
	}
	return nil
}

// chatUsage is what a call cost, in the forms that servers give it.
type chatUsage struct {
	Prompt     wire.Count   `json:"prompt_tokens"`
	Completion wire.Count   `json:"completion_tokens"`
	Total      wire.Count   `json:"total_tokens"`
	Input      wire.Count   `json:"input_tokens"`
	Output     wire.Count   `json:"output_tokens"`
	Cached     wire.Count   `json:"cached_tokens"`           // Moonshot's
	Hit        wire.Count   `json:"prompt_cache_hit_tokens"` // DeepSeek's
	Of         usageDetails `json:"prompt_tokens_details"`
	InputOf    usageDetails `json:"input_tokens_details"`
	OutputOf   usageDetails `json:"completion_tokens_details"`
	ResponseOf usageDetails `json:"output_tokens_details"`
}

type usageDetails struct {
	Cached    wire.Count `json:"cached_tokens"`
	Written   wire.Count `json:"cache_write_tokens"`
	Reasoning wire.Count `json:"reasoning_tokens"`
}

// spend takes a count of tokens where there is one.
func spend(a *wire.Answer, raw json.RawMessage) error {
	var u chatUsage
	if len(nonNull(raw)) == 0 || json.Unmarshal(raw, &u) != nil {
		return nil // not said in any form that is known
	}
	return a.Spent(u.usage())
}

// usage takes what is in the total and in none of the parts for output, as Gemini counts its reasoning. A
// count that cannot be stays as it is, for Spent to refuse.
func (u *chatUsage) usage() model.Usage {
	out := model.Usage{
		Input: either(u.Prompt, u.Input), Output: either(u.Completion, u.Output),
		CachedInput: either(u.Of.Cached, u.InputOf.Cached, u.Cached, u.Hit), CacheWrite: either(u.Of.Written, u.InputOf.Written),
		Reasoning: either(u.OutputOf.Reasoning, u.ResponseOf.Reasoning),
	}
	if out.Input >= 0 && out.Output >= 0 && u.Total >= 0 {
		out.Output = max(out.Output, int64(u.Total)-out.Input)
	} else if u.Total < 0 {
		out.Output = -1
	}
	return out
}

// either is the first count that is not zero.
func either(all ...wire.Count) int64 {
	for _, c := range all {
		if c != 0 {
			return int64(c)
		}
	}
	return 0
}
