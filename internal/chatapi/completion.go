package chatapi

import (
	"github.com/chargehand/chargehand"
)

// chat is OpenAI's chat completions API.
var chat = dialect{
	door: "chat", parse: parse,
	whole: func(j *job, d *outcome) (any, *failure) {
		if d.waits && j.asked.Form.exact() {
			return nil, j.held(d)
		}
		return j.completion(d), nil
	},
	voice: func(s *events) voice { return &chunks{s} },
}

// A choice is the answer, or a piece of it.
type choice struct {
	Index   int     `json:"index"`
	Message *spoken `json:"message,omitempty"`
	Delta   *spoken `json:"delta,omitempty"`
	Finish  any     `json:"finish_reason"` // null while the answer goes on
}

type spoken struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`

	Calls []called `json:"tool_calls,omitempty"`
}

// A called is a function call that is the form of the answer.
type called struct {
	Index    *int   `json:"index,omitempty"` // in a stream
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// usage is what the run consumed, all its models and tries together.
type usage struct {
	Prompt     int64             `json:"prompt_tokens"`
	Completion int64             `json:"completion_tokens"`
	Total      int64             `json:"total_tokens"`
	Cost       chargehand.Micros `json:"cost_usd"`
}

// A completion is the answer, or, in a stream, a chunk of it.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
	About   *about   `json:"chargehand,omitempty"`
}

func (j *job) spent() *usage {
	u := j.usage
	return &usage{u.InputTokens, u.OutputTokens, u.Tokens(), u.USD}
}

func (j *job) completion(d *outcome) completion {
	return completion{
		ID: "chatcmpl-" + j.run, Object: "chat.completion", Created: d.began.Unix(), Model: j.order.Team.Name,
		Choices: []choice{{Message: j.message(d.text), Finish: j.finish(d)}},
		Usage:   j.spent(), About: &d.about,
	}
}

// message is a text, or the arguments of the call that was asked for.
func (j *job) message(text string) *spoken {
	if j.asked.Form.kind != asCall {
		return &spoken{Role: "assistant", Content: &text}
	}
	c := called{ID: "call_" + j.run, Type: "function"}
	c.Function.Name, c.Function.Arguments = j.asked.Form.name, text
	return &spoken{Role: "assistant", Calls: []called{c}}
}

// finish is why an answer ends. A call that was named is no decision of the model's: it stops.
func (j *job) finish(d *outcome) string {
	switch f := &j.asked.Form; {
	case d.cut:
		return "length"
	case f.kind == asCall && !f.forced:
		return "tool_calls"
	}
	return "stop"
}

// chunks is a completion in a stream.
type chunks struct{ *events }

func (s *chunks) begin() {
	empty := ""
	s.chunk(choice{Delta: &spoken{Role: "assistant", Content: &empty}})
}

func (s *chunks) fail(_ *outcome, f *failure) { s.data(f.body()) }

func (s *chunks) end(d *outcome) {
	if d.waits && s.asked.Form.exact() {
		s.data(s.held(d).body())
		return
	}
	first := true
	for piece := range pieces(d.text) {
		delta := &spoken{Content: &piece}
		if s.asked.Form.kind == asCall {
			at := 0
			c := called{Index: &at}
			if c.Function.Arguments = piece; first {
				c.ID, c.Type, c.Function.Name = "call_"+s.run, "function", s.asked.Form.name
			}
			delta = &spoken{Calls: []called{c}}
		}
		s.chunk(choice{Delta: delta})
		first = false
	}
	s.last(d)
}

func (s *chunks) chunk(choices ...choice) {
	s.data(completion{ID: "chatcmpl-" + s.run, Object: "chat.completion.chunk", Created: s.began, Model: s.order.Team.Name, Choices: choices})
}

// last closes the answer.
func (s *chunks) last(d *outcome) {
	end := completion{
		ID: "chatcmpl-" + s.run, Object: "chat.completion.chunk", Created: s.began, Model: s.order.Team.Name,
		Choices: []choice{{Delta: &spoken{}, Finish: s.finish(d)}}, About: &d.about,
	}
	s.data(end)
	if s.asked.Usage {
		end.Choices, end.About, end.Usage = []choice{}, nil, s.spent()
		s.data(end)
	}
	s.write("data: [DONE]\n\n")
}
