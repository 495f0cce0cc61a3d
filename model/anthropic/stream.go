package anthropic

import (
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/chargehand/chargehand/model/internal/wire"
)

// streamed takes an answer to a request for a stream, which some servers answer in one piece.
func streamed(call *wire.Call, a *wire.Answer, events *ssestream.Stream[sdk.MessageStreamEventUnion]) error {
	err := stream(call, a, events)
	if body := call.Body(); body != nil {
		var msg sdk.Message
		if err := json.Unmarshal(body, &msg); err != nil {
			return call.Malformed("the answer is not a message")
		}
		return whole(call, a, &msg)
	}
	return err
}

// stream takes an answer event by event. It is whole when a reason to stop has come, which follows all that is
// said; some servers leave message_stop out.
// Source: platform.claude.com/docs/en/build-with-claude/streaming.
func stream(call *wire.Call, a *wire.Answer, events *ssestream.Stream[sdk.MessageStreamEventUnion]) error {
	defer func() { _ = events.Close() }()
	begun, ended := false, false
	t := &thinking{}
	for !ended && events.Next() {
		e := events.Current()
		if begun != (e.Type != "message_start") {
			return call.Malformed("the stream does not begin with message_start, once")
		}
		begun = true
		if e.Type == "message_stop" {
			ended = true
			continue
		}
		if err := take(call, a, t, &e); err != nil {
			return err
		}
	}
	switch err := events.Err(); {
	case err != nil:
		return err
	case a.Stop == "" && !ended:
		return call.Interrupted("the stream ended before message_stop")
	case a.Stop == "":
		return call.Malformed("the stream ended without a reason to stop")
	}
	a.Opaque = t.opaque()
	return nil
}

func take(call *wire.Call, a *wire.Answer, t *thinking, e *sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		a.Model = e.Message.Model
		return spend(a, e.Message.Usage.RawJSON())
	case "content_block_start":
		return block(a, t, e)
	case "content_block_delta":
		return delta(call, a, t, e)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.Stop = stopOf(e.Delta.StopReason)
		}
		return spend(a, e.Usage.RawJSON())
	}
	return nil // the API may add kinds of events
}

func block(a *wire.Answer, t *thinking, e *sdk.MessageStreamEventUnion) error {
	switch b := e.ContentBlock; b.Type {
	case "text":
		return a.Say(b.Text)
	case "tool_use":
		return a.Begin(e.Index, b.ID, b.Name)
	case "thinking", "redacted_thinking":
		return t.begin(a, e.Index, b.RawJSON())
	}
	return nil
}

func delta(call *wire.Call, a *wire.Answer, t *thinking, e *sdk.MessageStreamEventUnion) error {
	switch d := e.Delta; d.Type {
	case "text_delta":
		return a.Say(d.Text)
	case "input_json_delta":
		if !a.Open(e.Index) {
			return nil // of a tool of the provider's own
		}
		return a.Argue(e.Index, d.PartialJSON)
	case "thinking_delta":
		return t.think(a, e.Index, d.Thinking)
	case "signature_delta":
		return t.sign(a, e.Index, d.Signature)
	case "":
		return call.Malformed("the stream has a delta of no type")
	}
	return nil
}
