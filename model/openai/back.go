package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// extras is what of an answer the SDK has no place for.
//
// Gemini refuses a conversation that goes on without the signature which stands beside a call, in
// extra_content. Source: ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility".
type extras struct {
	Choices []struct {
		Index          int   `json:"index"`
		Delta, Message aside // of a stream; of an answer in one piece
	} `json:"choices"`
}

// An aside is what stands beside the words of an answer.
type aside struct {
	Reasoning string       `json:"reasoning"` // as vLLM and OpenRouter name reasoning_content
	ToolCalls []calledWith `json:"tool_calls"`
}

type calledWith struct {
	Extra json.RawMessage `json:"extra_content"`
}

// beside reads what stands beside the words of one choice. It is optional: what has another form is not there.
func beside(raw []byte, choice int) (delta, message aside) {
	var x extras
	if !bytes.Contains(raw, []byte(`"extra_content"`)) && !bytes.Contains(raw, []byte(`"reasoning"`)) || json.Unmarshal(raw, &x) != nil {
		return delta, message
	}
	for i := range x.Choices {
		if x.Choices[i].Index == choice {
			return x.Choices[i].Delta, x.Choices[i].Message
		}
	}
	return delta, message
}

// extra is what stands beside the i-th call.
func (s *aside) extra(i int) json.RawMessage {
	if i >= len(s.ToolCalls) {
		return nil
	}
	return s.ToolCalls[i].Extra
}

// A memory is what Opaque of an answer is here: what the model reasoned before it spoke.
type memory struct {
	Reasoning string `json:"reasoning_content"`
}

func remembered(reasoning string) json.RawMessage {
	if reasoning == "" {
		return nil
	}
	raw, _ := json.Marshal(memory{reasoning}) // it is a string
	return raw
}

// A returning is a request on its way, into which is put what the SDK leaves out of it.
type returning struct {
	call     *wire.Call
	turns    []model.Message // those with calls, in their order
	reasoned bool            // the server wants back what was reasoned before calls, even if that is nothing
}

// returning is what of a conversation goes back beside its words.
func (m *Model) returning(call *wire.Call, r *model.Request) *returning {
	b := &returning{call: call, reasoned: m.means.Lacks(wire.ForgetMean, r)}
	wanted := b.reasoned
	for _, msg := range r.Messages {
		if len(msg.Calls) > 0 {
			b.turns = append(b.turns, msg)
		}
		wanted = wanted || slices.ContainsFunc(msg.Calls, func(c model.Call) bool { return isObject(c.Opaque) })
	}
	if !wanted {
		b.turns = nil
	}
	return b
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw)
}

// Do sends the request with all that is to go back in it.
func (b *returning) Do(req *http.Request) (*http.Response, error) {
	if len(b.turns) == 0 {
		return b.call.Do(req)
	}
	body, err := io.ReadAll(req.Body)
	if err == nil {
		body, err = b.put(body)
	}
	if err != nil {
		return nil, b.call.Invalid(fmt.Errorf("write the request: %w", err))
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return b.call.Do(req)
}

type fields = map[string]json.RawMessage

func (b *returning) put(body []byte) ([]byte, error) {
	var whole fields
	var turns []fields
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole["messages"], &turns); err != nil {
		return nil, err
	}
	n := 0
	for _, turn := range turns {
		if turn["tool_calls"] == nil || n >= len(b.turns) {
			continue
		}
		if err := b.complete(turn, &b.turns[n]); err != nil {
			return nil, err
		}
		n++
	}
	raw, err := json.Marshal(turns)
	if err != nil {
		return nil, err
	}
	whole["messages"] = raw
	return json.Marshal(whole)
}

// complete puts into one turn what goes back with it.
func (b *returning) complete(turn fields, m *model.Message) error {
	if b.reasoned {
		var kept memory
		_ = json.Unmarshal(m.Opaque, &kept)                         // of another provider: nothing
		turn["reasoning_content"], _ = json.Marshal(kept.Reasoning) // it is a string
	}
	var calls []fields
	if err := json.Unmarshal(turn["tool_calls"], &calls); err != nil {
		return err
	}
	for i := range min(len(calls), len(m.Calls)) {
		if isObject(m.Calls[i].Opaque) {
			calls[i]["extra_content"] = m.Calls[i].Opaque
		}
	}
	raw, err := json.Marshal(calls)
	turn["tool_calls"] = raw
	return err
}
