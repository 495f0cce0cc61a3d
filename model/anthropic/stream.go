package anthropic

import (
	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// stream takes an answer event by event. It is whole when message_stop has come after a reason to stop.
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
	case !ended:
		return call.Malformed("the stream ended before message_stop")
	case a.Stop == "":
		return call.Malformed("the stream ended without a reason")
	}
	a.Opaque = t.opaque()
	return nil
}

func take(call *wire.Call, a *wire.Answer, t *thinking, e *sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		a.Model = e.Message.Model
		a.Spent(usage(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens))
	case "content_block_start":
		return block(a, t, e)
	case "content_block_delta":
		return delta(call, a, t, e)
	case "message_delta":
		u := e.Usage
		a.Spent(model.Usage{Output: max(0, u.OutputTokens)})
		a.Spent(usage(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, 0))
		if e.Delta.StopReason != "" {
			a.Stop = stopOf(e.Delta.StopReason)
		}
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
