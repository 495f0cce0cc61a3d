package chatapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ijson"
)

// asked is what a response repeats of its request.
type asked struct {
	Instructions string
	Metadata     map[string]string
}

// responseIgnored are parameters that steer a model's words. A team's models are set in its file.
var responseIgnored = []string{
	"temperature", "top_p", "max_output_tokens", "max_tool_calls", "reasoning", "user", "safety_identifier", "prompt_cache_key",
	"prompt_cache_retention", "service_tier", "parallel_tool_calls", "truncation",
}

// responseRefusals are parameters that would change what an answer is, with the values that change nothing.
var responseRefusals = map[string]refusal{
	"include":      {[]string{"[]", `["reasoning.encrypted_content"]`}, "a result has no such parts"},
	"top_logprobs": {[]string{"0"}, "a result has no token probabilities"},
	"conversation": {nil, "name the response that this one goes on from: previous_response_id"},
	"prompt":       {nil, "what a team is told stands in its file"},
	"store":        {[]string{"true"}, "every run is kept on record here"},
}

// parseResponse reads the body of a request for a response.
func parseResponse(body []byte) (*request, *failure) {
	if err := ijson.Check(body); err != nil {
		return nil, wrong("body", err.Error())
	}
	var fields map[string]json.RawMessage
	if f := decode(body, &fields, "body"); f != nil {
		return nil, f
	}
	q := &request{at: "input", About: &asked{}}
	if f := each(fields, q.takeResponse); f != nil {
		return nil, f
	}
	switch {
	case q.Model == "":
		return nil, wrong("model", "is missing")
	case len(q.Messages) == 0:
		return nil, wrong("input", "is missing, or empty")
	case q.Stream && q.Away:
		return nil, unsupported("background", "is not supported for streams: leave out one of both")
	}
	return q, q.takeCall(func(i int) string { return fmt.Sprintf("tools[%d].parameters", i) })
}

func (q *request) takeResponse(name string, value json.RawMessage) *failure {
	switch name {
	case "input":
		return q.takeInput(value)
	case "instructions":
		return decode(value, &q.About.Instructions, name)
	case "previous_response_id":
		return decode(value, &q.Earlier, name)
	case "metadata":
		return q.takeMetadata(value)
	case "background":
		return decode(value, &q.Away, name)
	case "text":
		return q.takeText(value)
	case "tools":
		return q.takeResponseTools(value)
	case "model", "stream", "tool_choice", "chargehand":
		return q.take(name, value)
	case "stream_options":
		var o struct {
			Obfuscation bool `json:"include_obfuscation"`
		}
		return decode(value, &o, name)
	}
	return other(name, value, responseRefusals, responseIgnored)
}

func (q *request) takeMetadata(value json.RawMessage) *failure {
	if f := decode(value, &q.About.Metadata, "metadata"); f != nil {
		return f
	}
	if len(q.About.Metadata) > 16 {
		return wrong("metadata", "has more than 16 pairs")
	}
	for _, name := range slices.Sorted(maps.Keys(q.About.Metadata)) {
		if len(name) > 64 || len(q.About.Metadata[name]) > 2048 {
			return wrong("metadata", "a name has at most 64 bytes, and a value at most 2048")
		}
	}
	return nil
}

func (q *request) takeText(value json.RawMessage) *failure {
	var text struct {
		Verbosity string `json:"verbosity"`
		Format    *struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
			Strict      json.RawMessage `json:"strict"`
		} `json:"format"`
	}
	if f := decode(value, &text, "text"); f != nil {
		return f
	}
	if text.Format == nil {
		return nil
	}
	switch s := text.Format; s.Type {
	case "text":
	case "json_object":
		q.Form.kind = asResult
	case "json_schema":
		q.Form = form{kind: asSchema, name: s.Name, about: s.Description, schema: s.Schema, strict: s.Strict, param: "text.format.schema"}
	default:
		return unsupported("text.format", "can be text, json_object for the whole result as JSON, or json_schema for an output that satisfies it")
	}
	return nil
}

func (q *request) takeResponseTools(value json.RawMessage) *failure {
	var tools []struct {
		Type string `json:"type"`
		function
	}
	var kinds []struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(value, &kinds) == nil && slices.ContainsFunc(kinds, func(t struct {
		Type string `json:"type"`
	},
	) bool {
		return t.Type != "function"
	}) {
		return unsupported("tools", noTools)
	}
	if f := decode(value, &tools, "tools"); f != nil {
		return f
	}
	for _, t := range tools {
		q.tools = append(q.tools, t.function)
	}
	return nil
}

// An item is one of a response's input: a message, in the forms that clients send and echo.
type item struct {
	Type    string      `json:"type"`
	Role    string      `json:"role"`
	Content itemContent `json:"content"`

	// What clients echo of earlier answers.
	ID     string `json:"id"`
	Status string `json:"status"`
	Phase  string `json:"phase"`
}

type itemContent []itemPart

type itemPart struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Refusal     string          `json:"refusal"`
	Annotations json.RawMessage `json:"annotations"`
	Logprobs    json.RawMessage `json:"logprobs"`
	Name        string          `json:"filename"`
	Data        string          `json:"file_data"`
	ID          string          `json:"file_id"`
	URL         string          `json:"file_url"`
}

// UnmarshalJSON reads both forms.
func (c *itemContent) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*c = itemContent{{Type: "input_text"}}
		return json.Unmarshal(raw, &(*c)[0].Text)
	}
	var parts []itemPart
	if err := json.Unmarshal(raw, &parts); err != nil {
		return fmt.Errorf("content is neither a text nor a list of parts: %w", err)
	}
	*c = parts
	return nil
}

// takeInput reads a text, or a list of items.
func (q *request) takeInput(value json.RawMessage) *failure {
	var text string
	if json.Unmarshal(value, &text) == nil {
		q.Messages = []message{{Role: "user", Content: content{{Type: "text", Text: text}}}}
		return nil
	}
	var raw []json.RawMessage
	if f := decode(value, &raw, "input"); f != nil {
		return f
	}
	for i := range raw {
		at := fmt.Sprintf("input[%d]", i)
		var kind struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw[i], &kind) == nil && kind.Type != "" && kind.Type != "message" {
			return unsupported(at+".type", fmt.Sprintf("cannot be %q: want message. Earlier answers are messages of the assistant, or previous_response_id", excerpt.Of(kind.Type, 40)))
		}
		var it item
		if f := decode(raw[i], &it, at); f != nil {
			return f
		}
		m := message{Role: it.Role}
		for j := range it.Content {
			p, f := it.Content[j].part(fmt.Sprintf("%s.content[%d]", at, j))
			if f != nil {
				return f
			}
			m.Content = append(m.Content, p)
		}
		q.Messages = append(q.Messages, m)
	}
	return nil
}

// part is the same part as a completion has it.
func (p *itemPart) part(at string) (part, *failure) {
	switch p.Type {
	case "input_text", "output_text":
		return part{Type: "text", Text: p.Text}, nil
	case "refusal":
		return part{Type: "refusal", Refusal: p.Refusal}, nil
	case "input_file":
		if p.URL != "" {
			return part{}, unsupported(at+".file_url", "is not supported: nothing is fetched. Send the file itself as file_data")
		}
		return part{Type: "file", File: &file{Name: p.Name, Data: p.Data, ID: p.ID}}, nil
	}
	return part{}, unsupported(at+".type", fmt.Sprintf("cannot be %q: want input_text, or input_file with text in it", excerpt.Of(p.Type, 40)))
}

// before is the beginning of the conversation that no message of the request holds.
func (q *request) before() string {
	var b strings.Builder
	b.WriteString(q.said)
	if q.About != nil && q.About.Instructions != "" {
		b.WriteString("[developer]\n" + q.About.Instructions + "\n\n")
	}
	return b.String()
}
