package anthropic

import (
	"errors"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

func params(r *model.Request, f wire.Form) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: r.Model, MaxTokens: int64(r.Tokens())}
	system := r.System
	if len(r.Schema) > 0 {
		if f.Lacks(wire.SchemaMean) {
			system = wire.SchemaPrompt(system, r.Schema)
		} else {
			p.OutputConfig = sdk.OutputConfigParam{Format: sdk.JSONOutputFormatParam{Schema: wire.Closed(r.Schema)}}
		}
	}
	if system != "" {
		p.System = []sdk.TextBlockParam{{Text: system}}
	}
	if r.Temperature != nil && !f.Lacks(wire.TemperatureMean) {
		p.Temperature = sdk.Float(*r.Temperature)
	}
	for _, t := range r.Tools {
		tool := sdk.ToolUnionParamOfTool(inputs(t), t.Name)
		if t.Description != "" {
			tool.OfTool.Description = sdk.String(t.Description)
		}
		p.Tools = append(p.Tools, tool)
	}
	for i, msg := range r.Messages {
		turn, err := turnOf(&msg)
		if err != nil {
			return p, fmt.Errorf("message %d: %w", i+1, err)
		}
		p.Messages = append(p.Messages, turn)
	}
	if len(p.Messages) == 0 {
		return p, errors.New("the request has no messages")
	}
	return p, nil
}

func inputs(t model.Tool) sdk.ToolInputSchemaParam {
	s := wire.Object(t.Schema)
	delete(s, "type") // it must be an object
	return sdk.ToolInputSchemaParam{ExtraFields: s}
}

// turnOf puts results first, where the API wants them, and leaves empty texts out, which it refuses.
func turnOf(m *model.Message) (sdk.MessageParam, error) {
	var blocks []sdk.ContentBlockParamUnion
	for _, r := range m.Results {
		blocks = append(blocks, result(r))
	}
	if m.Role == model.Assistant {
		blocks = append(blocks, spoken(m)...)
	} else if m.Text != "" {
		blocks = append(blocks, sdk.NewTextBlock(m.Text))
	}
	switch {
	case len(blocks) == 0:
		return sdk.MessageParam{}, errors.New("it is empty")
	case m.Role == model.User:
		return sdk.NewUserMessage(blocks...), nil
	case m.Role == model.Assistant:
		return sdk.NewAssistantMessage(blocks...), nil
	}
	return sdk.MessageParam{}, fmt.Errorf("no role %q", m.Role)
}

func result(r model.Result) sdk.ContentBlockParamUnion {
	b := sdk.NewToolResultBlock(r.ID, r.Text, r.Error)
	if r.Text == "" {
		b.OfToolResult.Content = nil
	}
	return b
}
