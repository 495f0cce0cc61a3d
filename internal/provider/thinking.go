package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/chargehand/chargehand/model"
)

// A Thought is a piece of what a model reasons before it speaks. Anthropic gives each as a block. In the
// OpenAI dialect Text is reasoning_content, as of DeepSeek and vLLM, and Signature stands beside the first
// call of the answer, as of Gemini.
//
// A conversation that goes on after calls without the blocks, or the signature, as they were given is refused.
type Thought struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"` // a block of which nothing is to be read, instead of the others; Anthropic's
}

// A Recall is whether reasoning_content is to come back with the calls that followed it. The zero Recall minds neither.
type Recall string

// The recalls.
const (
	RecallWanted  Recall = "wanted"  // as DeepSeek has it since V3.2, even where it is empty
	RecallRefused Recall = "refused" // as deepseek-reasoner had it before
)

// owe remembers what is to come back with the calls of an answer.
func (s *Server) owe(p *Reply) {
	if len(p.Calls) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owed[p.Calls[0].ID] = p.Thinking
}

// forgot is why a conversation is not gone on with: something that was given did not come back.
func (s *Server) forgot(q *Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range q.Messages {
		m := &q.Messages[i]
		if len(m.Calls) == 0 {
			continue
		}
		given := s.owed[m.Calls[0].ID]
		var f Fault
		switch q.Dialect {
		case OpenAI:
			f = cmp.Or(forgotSignature(i, m, given), s.misrecalled(m))
		case Responses:
			f = forgotItems(m, given)
		default:
			f = forgotBlocks(i, m, given)
		}
		if f.Status > 0 {
			return f
		}
	}
	return Fault{}
}

// forgotBlocks compares the blocks of a turn before its calls.
// Source of the words: the API's own answers.
func forgotBlocks(i int, m *model.Message, given []Thought) Fault {
	var came []json.RawMessage
	_ = json.Unmarshal(m.Opaque, &came) // written by anthropicTurn
	switch {
	case len(given) > 0 && len(came) == 0:
		return Fault{Status: 400, Message: fmt.Sprintf("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "+
			"When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). "+
			"We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.", i)}
	case len(came) != len(given):
		return modified(i, min(len(came), len(given)))
	}
	for n := range given {
		if want, _ := json.Marshal(given[n].block()); !same(want, came[n]) {
			return modified(i, n)
		}
	}
	return Fault{}
}

func modified(i, n int) Fault {
	return Fault{Status: 400, Message: fmt.Sprintf("messages.%d.content.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message "+
		"cannot be modified. These blocks must remain as they were in the original response.", i, n)}
}

func same(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	a, _ = json.Marshal(x) // regular: keys in order
	b, _ = json.Marshal(y)
	return bytes.Equal(a, b)
}

// forgotSignature compares what stands beside the first call of a turn.
// Source: ai.google.dev/gemini-api/docs/thought-signatures.
func forgotSignature(i int, m *model.Message, given []Thought) Fault {
	want := signature(given)
	switch came := m.Calls[0].Opaque; {
	case want == nil:
		return Fault{}
	case len(came) == 0:
		return google("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing "+
			"thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d. "+
			"Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.", m.Calls[0].Name, i+1)
	case !same(want, came):
		return google("Corrupted thought signature.")
	}
	return Fault{}
}

func google(format string, args ...any) Fault {
	body, _ := json.Marshal([]any{map[string]any{"error": map[string]any{"code": 400, "message": fmt.Sprintf(format, args...), "status": "INVALID_ARGUMENT"}}})
	return Fault{Status: 400, Body: string(body)}
}

// misrecalled is what a server that minds says of reasoning_content.
// Source: api-docs.deepseek.com/guides/thinking_mode, …/guides/reasoning_model.
func (s *Server) misrecalled(m *model.Message) Fault {
	switch {
	case s.o.Recall == RecallWanted && m.Opaque == nil:
		return Fault{Status: 400, Code: "invalid_request_error", Message: "The `reasoning_content` in the thinking mode must be passed back to the API."}
	case s.o.Recall == RecallRefused && m.Opaque != nil:
		return Fault{Status: 400, Code: "invalid_request_error", Message: "The `reasoning_content` is not supported in the input messages."}
	}
	return Fault{}
}

// block is a thought as Anthropic gives it.
func (t *Thought) block() map[string]any {
	if t.Redacted != "" {
		return map[string]any{"type": "redacted_thinking", "data": t.Redacted}
	}
	return map[string]any{"type": "thinking", "thinking": t.Text, "signature": t.Signature}
}

// opening is a block as a stream begins it.
func (t *Thought) opening() map[string]any {
	if t.Redacted != "" {
		return t.block()
	}
	return map[string]any{"type": "thinking", "thinking": "", "signature": ""}
}

// deltas are the rest of the block: a signature comes last.
func (t *Thought) deltas(chunk int) []map[string]any {
	if t.Redacted != "" {
		return nil
	}
	var out []map[string]any
	for _, text := range model.Pieces(t.Text, chunk) {
		out = append(out, map[string]any{"type": "thinking_delta", "thinking": text})
	}
	return append(out, map[string]any{"type": "signature_delta", "signature": t.Signature})
}

// reasoning is what thoughts say, as servers of the OpenAI dialect give it.
func reasoning(all []Thought) (text string) {
	for _, t := range all {
		text += t.Text
	}
	return text
}

// signature is the extra_content of the first call; nil where no thought is signed.
func signature(all []Thought) json.RawMessage {
	for _, t := range all {
		if t.Signature != "" {
			raw, _ := json.Marshal(map[string]any{"google": map[string]any{"thought_signature": t.Signature}})
			return raw
		}
	}
	return nil
}
