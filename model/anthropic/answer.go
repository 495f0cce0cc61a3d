package anthropic

import (
	"encoding/json"
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
	if err := spend(a, msg.Usage.RawJSON()); err != nil {
		return err
	}
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

// counts are the usage of a message; an event may hold a part of them.
type counts struct {
	Plain   wire.Count `json:"input_tokens"`
	Read    wire.Count `json:"cache_read_input_tokens"`
	Written wire.Count `json:"cache_creation_input_tokens"`
	Output  wire.Count `json:"output_tokens"`
}

// spend takes a count of tokens where there is one. The cached tokens are counted in, which the API counts
// apart. A count that cannot be stays as it is, for Spent to refuse.
func spend(a *wire.Answer, raw string) error {
	var u counts
	if raw == "" || json.Unmarshal([]byte(raw), &u) != nil {
		return nil
	}
	out := model.Usage{CachedInput: int64(u.Read), CacheWrite: int64(u.Written), Output: int64(u.Output)}
	if out.Input = int64(u.Plain); u.Plain >= 0 && u.Read >= 0 && u.Written >= 0 {
		out.Input = int64(u.Plain + u.Read + u.Written)
	}
	return a.Spent(out)
}
