package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// A thought is a block of thinking and where it stands. A turn that calls tools is refused unless its
// thinking comes back unmodified and in its place; a list of thoughts is what Opaque is here.
// Source: platform.claude.com/docs/en/build-with-claude/extended-thinking, "Preserving thinking blocks".
type thought struct {
	Text  int             `json:"text,omitempty"`  // bytes of the answer's text that come before
	Calls int             `json:"calls,omitempty"` // calls that come before
	Block json.RawMessage `json:"block"`

	n              int64 // of the block in the answer
	words, sealing strings.Builder
}

// thinking gathers the thoughts of an answer. What they take is counted by the Answer.
type thinking struct{ all []*thought }

// begin takes a block, which in a stream is empty at first.
func (t *thinking) begin(a *wire.Answer, n int64, block string) error {
	text, calls := a.Said()
	t.all = append(t.all, &thought{Text: text, Calls: calls, Block: json.RawMessage(block), n: n})
	return a.Think(block)
}

func (t *thinking) think(a *wire.Answer, n int64, words string) error {
	if b := t.at(n); b != nil {
		b.words.WriteString(words)
	}
	return a.Think(words)
}

func (t *thinking) sign(a *wire.Answer, n int64, signature string) error {
	if b := t.at(n); b != nil {
		b.sealing.WriteString(signature)
	}
	return a.Think(signature)
}

func (t *thinking) at(n int64) *thought {
	for _, b := range t.all {
		if b.n == n {
			return b
		}
	}
	return nil
}

// opaque is all of it; nil where there was none.
func (t *thinking) opaque() json.RawMessage {
	if len(t.all) == 0 {
		return nil
	}
	for _, b := range t.all {
		b.Block = filled(b.Block, map[string]string{"thinking": b.words.String(), "signature": b.sealing.String()})
	}
	raw, err := json.Marshal(t.all)
	if err != nil {
		return nil
	}
	return raw
}

// filled is a block with the texts that came for it after its beginning.
func filled(block json.RawMessage, more map[string]string) json.RawMessage {
	var b map[string]any
	if more["thinking"]+more["signature"] == "" || json.Unmarshal(block, &b) != nil {
		return block
	}
	for name, text := range more {
		begun, _ := b[name].(string)
		b[name] = begun + text
	}
	out, err := json.Marshal(b)
	if err != nil {
		return block
	}
	return out
}

// spoken is an assistant's turn: its thoughts where they stood between texts and calls. Texts of white
// space are left out, which the API refuses.
func spoken(m *model.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	said, called := 0, 0
	until := func(text, calls int) {
		text, calls = min(max(text, said), len(m.Text)), min(max(calls, called), len(m.Calls))
		if part := m.Text[said:text]; strings.TrimSpace(part) != "" {
			out = append(out, sdk.NewTextBlock(part))
		}
		for _, c := range m.Calls[called:calls] {
			out = append(out, sdk.NewToolUseBlock(c.ID, wire.Arguments(c.Arguments), c.Name))
		}
		said, called = text, calls
	}
	for _, t := range thoughts(m.Opaque) {
		block, ok := t.block()
		if !ok {
			continue // of another provider
		}
		until(t.Text, t.Calls)
		out = append(out, block)
	}
	until(len(m.Text), len(m.Calls))
	return out
}

func thoughts(opaque json.RawMessage) []*thought {
	var all []*thought
	if json.Unmarshal(opaque, &all) != nil {
		return nil // of another provider
	}
	return all
}

func (t *thought) block() (b sdk.ContentBlockParamUnion, ok bool) {
	var kind struct{ Type string }
	if t == nil || json.Unmarshal(t.Block, &kind) != nil {
		return b, false
	}
	switch kind.Type {
	case "thinking":
		raw := param.Override[sdk.ThinkingBlockParam](t.Block)
		b.OfThinking = &raw
	case "redacted_thinking":
		raw := param.Override[sdk.RedactedThinkingBlockParam](t.Block)
		b.OfRedactedThinking = &raw
	default:
		return b, false
	}
	return b, true
}
