package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand/model"
)

// A Line is an answer to the requests that it fits, in a script of JSON lines.
type Line struct {
	When  string       `json:"when,omitempty"`  // expression that the system prompt, a message or a tool's result has; empty means always
	Model string       `json:"model,omitempty"` // that is asked; empty means any
	Times int          `json:"times,omitempty"` // that it answers; zero means without end
	Text  string       `json:"text,omitempty"`
	JSON  any          `json:"json,omitempty"` // instead of Text, written as JSON
	Calls []model.Call `json:"calls,omitempty"`

	Thinking []Thought    `json:"thinking,omitempty"`
	Usage    *model.Usage `json:"usage,omitempty"`
	Chunk    int          `json:"chunk,omitempty"`   // as of a Reply
	Pause    int          `json:"pauseMs,omitempty"` // as of a Reply, in milliseconds

	Status     int    `json:"status,omitempty"` // an error instead of an answer
	RetryAfter string `json:"retryAfter,omitempty"`
	Hang       bool   `json:"hang,omitempty"`
	Cut        Cut    `json:"cut,omitempty"`
	Mangle     Mangle `json:"mangle,omitempty"`

	when *regexp.Regexp
}

// Script is an Answer from JSON lines: the first Line that fits a request, and is not used up, answers it. A
// request that none fits is answered with an error that says so.
func Script(lines []byte) (func(Request) Reply, error) {
	var all []*Line
	for n, raw := range bytes.Split(lines, []byte("\n")) {
		if raw = bytes.TrimSpace(raw); len(raw) == 0 {
			continue
		}
		l := &Line{}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err := d.Decode(l)
		if err == nil {
			l.when, err = regexp.Compile(l.When)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the script: %w", n+1, err)
		}
		if l.Times == 0 {
			l.Times = -1
		}
		all = append(all, l)
	}
	var mu sync.Mutex
	return func(q Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		for _, l := range all {
			if l.Times != 0 && l.fits(&q) {
				l.Times--
				return l.reply()
			}
		}
		return Reply{Fault: Fault{Status: 400, Message: "the script has no line for this request"}}
	}, nil
}

func (l *Line) fits(q *Request) bool {
	if l.Model != "" && l.Model != q.Model {
		return false
	}
	var all strings.Builder
	all.WriteString(q.System)
	for _, m := range q.Messages {
		all.WriteString("\n" + m.Text)
		for _, r := range m.Results {
			all.WriteString("\n" + r.Text)
		}
	}
	return l.when.MatchString(all.String())
}

func (l *Line) reply() Reply {
	r := Reply{
		Thinking: l.Thinking, Text: l.Text, Calls: l.Calls, Usage: l.Usage, Chunk: l.Chunk, Pause: time.Duration(l.Pause) * time.Millisecond,
		Fault: Fault{Status: l.Status, RetryAfter: l.RetryAfter, Hang: l.Hang, Cut: l.Cut, Mangle: l.Mangle},
	}
	if l.JSON != nil {
		b, _ := json.Marshal(l.JSON) // it came from JSON
		r.Text = string(b)
	}
	return r
}
