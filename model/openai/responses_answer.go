package openai

import (
	"encoding/json"
	"errors"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// A response is the answer of the Responses API, in one piece or in the last event of a stream.
// Source: platform.openai.com/docs/api-reference/responses/object.
type response struct {
	Model      wire.Word                  `json:"model"`
	Status     wire.Word                  `json:"status"`
	Output     wire.List[json.RawMessage] `json:"output"`
	Usage      json.RawMessage            `json:"usage"`
	Error      json.RawMessage            `json:"error"`
	Incomplete struct {
		Reason wire.Word `json:"reason"`
	} `json:"incomplete_details"`
}

type responseItem struct {
	Type      wire.Word                  `json:"type"`
	ID        wire.Word                  `json:"id"`
	CallID    wire.Word                  `json:"call_id"`
	Name      wire.Word                  `json:"name"`
	Arguments wire.Argued                `json:"arguments"`
	Content   wire.List[responseContent] `json:"content"`
	Summary   json.RawMessage            `json:"summary"`
	Encrypted wire.Word                  `json:"encrypted_content"`
}

type responseContent struct {
	Type    wire.Word `json:"type"`
	Text    wire.Word `json:"text"`
	Refusal wire.Word `json:"refusal"`
}

// A responseEvent is an event of a stream.
// Source: platform.openai.com/docs/api-reference/responses-streaming.
type responseEvent struct {
	Type     wire.Word       `json:"type"`
	Delta    wire.Words      `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response response        `json:"response"`

	Code    json.RawMessage `json:"code"` // of an event that is an error
	Message json.RawMessage `json:"message"`
}

// A responseReader reads the answer of one call.
type responseReader struct {
	call *wire.Call
	a    *wire.Answer

	done  []json.RawMessage // the items of a stream that are whole
	ended bool
	kept  memory
}

func (c *responseReader) read() error {
	body := c.call.Body()
	if body == nil {
		return c.stream()
	}
	var r response
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if r.Output == nil && r.Status == "" {
		return c.call.Malformed("the answer has neither a status nor an output")
	}
	return c.end(&r)
}

// stream takes an answer event by event. It is whole when an event with the response has come.
func (c *responseReader) stream() error {
	err := each(c.call, c.event)
	switch {
	case err != nil:
		return err
	case !c.ended:
		return c.call.Interrupted("the stream ended before response.completed")
	}
	return nil
}

func (c *responseReader) event(data []byte) error {
	var e responseEvent
	if string(data) == "[DONE]" || c.ended {
		return nil
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "response.output_text.delta":
		return c.a.Say(e.Delta.Text + e.Delta.Thought)
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta", "response.refusal.delta", "response.function_call_arguments.delta":
		return c.a.Think(e.Delta.Text + e.Delta.Thought)
	case "response.output_item.done":
		c.done = append(c.done, json.RawMessage(string(e.Item)))
	case "error":
		return c.failed(data)
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		c.ended = true
		return c.end(&e.Response)
	}
	return nil // the API may add kinds of events
}

// failed is an event that is an error, whose members stand in it.
func (c *responseReader) failed(data []byte) error {
	if err := c.call.Told(data); err != nil {
		return err
	}
	return c.call.Failed("the stream ended with an error")
}

// end takes the whole response. Its text is not handed on again where it came before.
func (c *responseReader) end(r *response) error {
	c.a.Model = string(r.Model)
	if err := spend(c.a, r.Usage); err != nil {
		return err
	}
	if err := c.call.Told(r.Error); err != nil {
		return err
	}
	output := []json.RawMessage(r.Output)
	if len(output) == 0 {
		output = c.done // some servers leave it out at the end
	}
	if err := c.stop(r); err != nil {
		return err
	}
	silent := c.a.Silent()
	for n, raw := range output {
		var item responseItem
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		if err := c.item(int64(n), &item, silent); err != nil {
			return err
		}
	}
	c.a.Opaque = c.kept.opaque()
	return nil
}

func (c *responseReader) stop(r *response) error {
	switch r.Status {
	case "failed", "cancelled":
		return c.call.Failed("the provider ended its answer with the status " + string(r.Status))
	case "incomplete":
		switch r.Incomplete.Reason {
		case "max_output_tokens", "max_tokens", "length":
			c.a.Stop = model.StopLength
		case "content_filter":
			c.a.Stop = model.StopRefusal
		default:
			c.a.Stop = model.StopOther
		}
	case "completed", "":
		c.a.Stop = model.StopEnd
	default:
		return c.call.Interrupted("the answer has the status " + string(r.Status))
	}
	return nil
}

// item takes one item of the output. Silent says that its text was not heard yet.
func (c *responseReader) item(n int64, item *responseItem, silent bool) error {
	switch item.Type {
	case "message":
		return c.message(item, silent)
	case "function_call":
		if len(c.kept.Items) > 0 { // reasoning stands before it
			c.kept.Items = append(c.kept.Items, callMark)
		}
		id := item.CallID
		if id == "" {
			id = item.ID
		}
		return errors.Join(c.a.Begin(n, string(id), string(item.Name)), c.a.Argue(n, string(item.Arguments)))
	case "reasoning":
		return c.reasoned(item)
	}
	return nil // of a tool of the provider's own
}

func (c *responseReader) message(item *responseItem, silent bool) error {
	for _, part := range item.Content {
		var err error
		switch {
		case part.Refusal != "":
			err = decline(c.a, string(part.Refusal))
		case silent:
			err = c.a.Say(string(part.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reasoned keeps what the model reasoned, encrypted, without the name that the server gave it: it stores
// nothing, and refuses an item that it would have to look up.
func (c *responseReader) reasoned(item *responseItem) error {
	if item.Encrypted == "" {
		return nil
	}
	summary := item.Summary
	if len(nonNull(summary)) == 0 {
		summary = json.RawMessage("[]")
	}
	raw, err := json.Marshal(struct {
		Type      string          `json:"type"`
		Summary   json.RawMessage `json:"summary"`
		Encrypted string          `json:"encrypted_content"`
	}{"reasoning", summary, string(item.Encrypted)})
	if err != nil {
		return err
	}
	c.kept.Items = append(c.kept.Items, raw)
	return c.a.Think(string(raw))
}
