package anthropic

import (
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// whole takes an answer that came in one piece.
func whole(call *wire.Call, a *wire.Answer, msg *sdk.Message) error {
	if msg == nil || msg.Type != "message" || msg.StopReason == "" {
		return call.Malformed("the answer is not a message")
	}
	a.Model, a.Stop = msg.Model, stopOf(msg.StopReason)
	u := msg.Usage
	a.Spent(usage(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens))
	t := &thinking{}
	for i, b := range msg.Content {
		var err error
		switch b.Type {
		case "text":
			err = a.Say(b.Text)
		case "tool_use":
			err = errors.Join(a.Begin(int64(i), b.ID, b.Name), a.Argue(int64(i), string(b.Input)))
		case "thinking", "redacted_thinking":
			err = t.begin(a, int64(i), b.RawJSON())
		}
		if err != nil {
			return err
		}
	}
	a.Opaque = t.opaque()
	return nil
}

var stops = map[sdk.StopReason]model.Stop{
	sdk.StopReasonEndTurn: model.StopEnd, sdk.StopReasonStopSequence: model.StopEnd, sdk.StopReasonMaxTokens: model.StopLength,
	sdk.StopReasonModelContextWindowExceeded: model.StopLength, sdk.StopReasonToolUse: model.StopCalls, sdk.StopReasonRefusal: model.StopRefusal,
}

func stopOf(r sdk.StopReason) model.Stop {
	if s, ok := stops[r]; ok {
		return s
	}
	return model.StopOther
}

// usage counts the cached tokens in, which the API counts apart.
func usage(plain, read, written, out int64) model.Usage {
	plain, read, written = max(0, plain), max(0, read), max(0, written)
	return model.Usage{Input: plain + read + written, CachedInput: read, CacheWrite: written, Output: max(0, out)}
}
