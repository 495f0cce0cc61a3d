package chatapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ijson"
)

// A request is what is read of a chat completion's body.
type request struct {
	Model    string
	Messages []message
	Stream   bool
	Usage    bool // asked for at the end of a stream
	Form     form
	Extra    extra

	Earlier string // the response that a response goes on from
	About   *asked // what a response repeats of its request; nil for a completion
	Away    bool   // a response that its client does not wait for

	at        string // the parameter that has the messages
	said      string // before them, in earlier responses
	documents []chargehand.Document

	tools  []function
	choice json.RawMessage
}

// An extra is what only this API takes, under "chargehand".
type extra struct {
	Budget json.RawMessage `json:"budget"` // dollars as a text or a number, at most the team's
	Input  json.RawMessage `json:"input"`
	Title  string          `json:"title"`

	// Partial takes an incomplete result for an answer that has to satisfy a schema.
	Partial bool `json:"partial"`
}

// ignored are parameters that steer a model's words. A team's models are set in its file.
var ignored = []string{
	"temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "max_tokens", "max_completion_tokens",
	"reasoning_effort", "verbosity", "user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier", "metadata",
	"parallel_tool_calls",
}

// A refusal is why a parameter is refused, but for values that change nothing.
type refusal struct {
	harmless []string // as compact JSON
	why      string
}

// refusals are parameters that would change what an answer is, with the values that change nothing.
var refusals = map[string]refusal{
	"n":                  {[]string{"1"}, "a run has one result"},
	"stop":               {[]string{"[]"}, "a checked result is not cut off"},
	"logprobs":           {[]string{"false"}, "a result has no token probabilities"},
	"top_logprobs":       {[]string{"0"}, "a result has no token probabilities"},
	"functions":          {[]string{"[]"}, "a team calls the tools of its own file, and no functions of its caller"},
	"function_call":      {[]string{`"none"`, `"auto"`}, "a team calls the tools of its own file, and no functions of its caller"},
	"modalities":         {[]string{`["text"]`}, "a result is text"},
	"audio":              {nil, "a result is text"},
	"prediction":         {nil, "a result is not predicted"},
	"web_search_options": {nil, "a team uses the tools of its own file"},
	"store":              {[]string{"false"}, "every run is kept on record here, and nowhere else"},
}

// parse reads a body.
func parse(body []byte) (*request, *failure) {
	if err := ijson.Check(body); err != nil {
		return nil, wrong("body", err.Error())
	}
	var fields map[string]json.RawMessage
	if f := decode(body, &fields, "body"); f != nil {
		return nil, f
	}
	q := &request{at: "messages"}
	if f := each(fields, q.take); f != nil {
		return nil, f
	}
	switch {
	case q.Model == "":
		return nil, wrong("model", "is missing")
	case len(q.Messages) == 0:
		return nil, wrong("messages", "is missing, or empty")
	case q.Usage && !q.Stream:
		return nil, wrong("stream_options", "is for streams: set stream")
	}
	return q, q.takeCall(func(i int) string { return fmt.Sprintf("tools[%d].function.parameters", i) })
}

// takeCall makes a function that is to be called the form of the answer.
func (q *request) takeCall(at func(i int) string) *failure {
	c, f := call(q.tools, q.choice, at)
	switch {
	case f != nil:
		return f
	case c.kind == asCall && q.Form.kind != asText:
		return wrong("tool_choice", "an answer has one form: leave out the function, or the format of the text")
	case c.kind == asCall:
		q.Form = c
	}
	return nil
}

// each takes the members of a body that are not null, in the order of their names.
func each(fields map[string]json.RawMessage, take func(string, json.RawMessage) *failure) *failure {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if value := fields[name]; string(value) != "null" {
			if f := take(name, value); f != nil {
				return f
			}
		}
	}
	return nil
}

func (q *request) take(name string, value json.RawMessage) *failure {
	switch name {
	case "model":
		return decode(value, &q.Model, name)
	case "messages":
		return decode(value, &q.Messages, name)
	case "stream":
		return decode(value, &q.Stream, name)
	case "stream_options":
		var o struct {
			Usage       bool `json:"include_usage"`
			Obfuscation bool `json:"include_obfuscation"`
		}
		f := decode(value, &o, name)
		q.Usage = o.Usage
		return f
	case "response_format":
		return q.takeFormat(value)
	case "tools":
		return q.takeTools(value)
	case "tool_choice":
		q.choice = value
		return nil
	case "chargehand":
		return decode(value, &q.Extra, name)
	}
	return other(name, value, refusals, ignored)
}

// other takes a parameter that changes nothing, or refuses it.
func other(name string, value json.RawMessage, refusals map[string]refusal, ignored []string) *failure {
	if r, is := refusals[name]; is {
		if slices.Contains(r.harmless, squeeze(value)) {
			return nil
		}
		return unsupported(name, "is not supported: "+r.why)
	}
	if !slices.Contains(ignored, name) {
		return unsupported(excerpt.Of(name, 100), "is not a parameter of this API")
	}
	return nil
}

func (q *request) takeFormat(value json.RawMessage) *failure {
	var format struct {
		Type   string `json:"type"`
		Schema struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
			Strict      json.RawMessage `json:"strict"`
		} `json:"json_schema"`
	}
	if f := decode(value, &format, "response_format"); f != nil {
		return f
	}
	switch format.Type {
	case "text":
	case "json_object":
		q.Form.kind = asResult
	case "json_schema":
		s := format.Schema
		q.Form = form{kind: asSchema, name: s.Name, about: s.Description, schema: s.Schema, strict: s.Strict, param: "response_format.json_schema.schema"}
	default:
		return unsupported("response_format", "can be text, json_object for the whole result as JSON, or json_schema for an output that satisfies it")
	}
	return nil
}

func (q *request) takeTools(value json.RawMessage) *failure {
	var tools []struct {
		Type     string    `json:"type"`
		Function *function `json:"function"`
	}
	if f := decode(value, &tools, "tools"); f != nil {
		return f
	}
	for _, t := range tools {
		if t.Type != "function" || t.Function == nil {
			return unsupported("tools", noTools)
		}
		q.tools = append(q.tools, *t.Function)
	}
	return nil
}

// decode reads one JSON value, and refuses fields that v does not have.
func decode(raw []byte, v any, param string) *failure {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); errors.Is(more, io.EOF) {
			return nil
		}
		return wrong(param, "something follows the JSON value")
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if t.Field != "" {
			param += "." + t.Field
		}
		return wrong(param, "cannot be a "+t.Value)
	}
	return wrong(param, strings.TrimPrefix(err.Error(), "json: "))
}

func squeeze(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// A message is one of a conversation.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
	Name    string  `json:"name"`

	// What clients echo of earlier answers.
	Refusal     json.RawMessage `json:"refusal"`
	Annotations json.RawMessage `json:"annotations"`
	Audio       json.RawMessage `json:"audio"`
	ToolCalls   json.RawMessage `json:"tool_calls"`
	ToolCallID  string          `json:"tool_call_id"`
	Function    json.RawMessage `json:"function_call"`
}

// A content is a text, or parts.
type content []part

// A part is a piece of a message.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	File    *file           `json:"file"`
	Refusal string          `json:"refusal"`
	Image   json.RawMessage `json:"image_url"`
	Audio   json.RawMessage `json:"input_audio"`
}

// A file is a document that a message brings.
type file struct {
	Name string `json:"filename"`
	Data string `json:"file_data"` // a data URL, or base64
	ID   string `json:"file_id"`
}

// UnmarshalJSON reads both forms.
func (c *content) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*c = content{{Type: "text"}}
		return json.Unmarshal(raw, &(*c)[0].Text)
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return fmt.Errorf("content is neither a text nor a list of parts: %w", err)
	}
	*c = parts
	return nil
}
