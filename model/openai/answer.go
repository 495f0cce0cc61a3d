package openai

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// whole takes an answer that came in one piece.
func whole(call *wire.Call, a *wire.Answer, c *sdk.ChatCompletionResponse) error {
	a.Model = c.Model
	a.Spent(usage(&c.Usage))
	if len(c.Choices) == 0 {
		return call.Malformed("the answer has no choice")
	}
	msg := c.Choices[0].Message
	a.Stop = stopOf(c.Choices[0].FinishReason)
	text := msg.Content
	for _, part := range msg.MultiContent {
		text += part.Text
	}
	if err := a.Say(text); err != nil {
		return err
	}
	_, more := beside(call.Body(), 0)
	for i, t := range msg.ToolCalls {
		n := int64(i)
		if err := errors.Join(a.Begin(n, t.ID, t.Function.Name), a.Argue(n, t.Function.Arguments), a.Attach(n, more.extra(i))); err != nil {
			return err
		}
	}
	if err := a.Think(msg.ReasoningContent + more.Reasoning); err != nil {
		return err
	}
	a.Opaque = remembered(msg.ReasoningContent)
	return decline(a, msg.Refusal)
}

// stream takes an answer chunk by chunk. It is whole when [DONE] has come after a reason to stop.
// Source: platform.openai.com/docs/api-reference/chat-streaming.
func stream(call *wire.Call, a *wire.Answer, s *sdk.ChatCompletionStream) error {
	defer func() { _ = s.Close() }()
	var refusal, reasoning strings.Builder
	for {
		var c sdk.ChatCompletionStreamResponse
		raw, err := s.RecvRaw()
		if err == nil {
			err = json.Unmarshal(raw, &c)
		}
		switch {
		case errors.Is(err, io.EOF) && !call.Done():
			return call.Malformed("the stream ended before [DONE]")
		case errors.Is(err, io.EOF) && a.Stop == "":
			return call.Malformed("the stream ended without a reason")
		case errors.Is(err, io.EOF):
			a.Opaque = remembered(reasoning.String())
			return decline(a, refusal.String())
		case err != nil:
			return err
		}
		if c.Model != "" {
			a.Model = c.Model
		}
		if c.Usage != nil {
			a.Spent(usage(c.Usage))
		}
		for _, choice := range c.Choices {
			if choice.Index != 0 {
				continue
			}
			more, _ := beside(raw, choice.Index)
			if err := take(a, &choice, &more); err != nil {
				return err
			}
			reasoning.WriteString(choice.Delta.ReasoningContent)
			refusal.WriteString(choice.Delta.Refusal)
		}
	}
}

func take(a *wire.Answer, c *sdk.ChatCompletionStreamChoice, more *aside) error {
	if c.FinishReason != "" {
		a.Stop = stopOf(c.FinishReason)
	}
	if err := errors.Join(a.Think(c.Delta.ReasoningContent+more.Reasoning+c.Delta.Refusal), a.Say(c.Delta.Content)); err != nil {
		return err
	}
	for i, t := range c.Delta.ToolCalls {
		n := int64(i)
		if t.Index != nil {
			n = int64(*t.Index)
		}
		if !a.Open(n) || t.Index == nil && t.ID != "" {
			if t.Index == nil { // as Gemini and Ollama have it: whole calls, without numbers
				n = a.Next()
			}
			if err := a.Begin(n, t.ID, t.Function.Name); err != nil {
				return err
			}
		}
		if err := errors.Join(a.Argue(n, t.Function.Arguments), a.Attach(n, more.extra(i))); err != nil {
			return err
		}
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

var stops = map[sdk.FinishReason]model.Stop{
	sdk.FinishReasonStop: model.StopEnd, sdk.FinishReasonLength: model.StopLength, sdk.FinishReasonToolCalls: model.StopCalls,
	sdk.FinishReasonFunctionCall: model.StopCalls, sdk.FinishReasonContentFilter: model.StopRefusal,
}

func stopOf(r sdk.FinishReason) model.Stop {
	if s, ok := stops[r]; ok {
		return s
	}
	return model.StopOther
}

// usage takes what is in the total and in none of the parts for output, as Gemini counts its reasoning.
func usage(u *sdk.Usage) model.Usage {
	out := model.Usage{Input: int64(max(0, u.PromptTokens)), Output: int64(max(0, u.CompletionTokens, u.TotalTokens-u.PromptTokens))}
	if d := u.PromptTokensDetails; d != nil {
		out.CachedInput = min(int64(max(0, d.CachedTokens)), out.Input)
	}
	return out
}
