package a2a

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/worker"
)

// result is what a settled task comes to. Nil: the agent answered with a message.
func (p *pursuit) result(t *task) (chargehand.WorkerResult, error) {
	r := chargehand.WorkerResult{Status: chargehand.StatusSucceeded}
	if t == nil {
		return p.output(r, nil, p.reply)
	}
	used, err := usage(t.Metadata)
	if err != nil {
		return r, p.broken(err.Error())
	}
	r.Usage, p.used = used, used
	words := t.Status.Message.words()
	r.Summary = excerpt.Of(words, 4<<10)
	switch t.Status.State {
	case inputRequired, authRequired:
		p.sent.hold(p.task, t.ID)
		r.Status = chargehand.StatusBlocked
		asks := "the agent asks for input"
		if t.Status.State == authRequired {
			asks = "the agent asks for authorization"
		}
		r.Blockers = []string{excerpt.Of(asks+": "+orElse(words, "it does not say what"), 4<<10)}
		return r, nil
	case completed:
		return p.output(r, t.Artifacts, t.Status.Message)
	}
	how := map[state]string{failed: "failed", canceled: "was canceled at the agent", rejected: "was rejected"}[t.Status.State]
	kind := worker.Refused
	if t.Status.State == canceled {
		kind = worker.Crash
	}
	return chargehand.WorkerResult{Usage: used}, &worker.Error{Kind: kind, Message: p.named("the task " + how + ": " + orElse(excerpt.Line(words), "the agent does not say why"))}
}

// output puts the output in: the first data among the artifacts, else their text, else what the
// agent said. Where text is asked to be JSON and is, it counts as that.
func (p *pursuit) output(r chargehand.WorkerResult, from []artifact, said *message) (chargehand.WorkerResult, error) {
	all := make([][]part, 0, len(from)+1)
	for i := range from {
		all = append(all, from[i].Parts)
	}
	if said != nil {
		all = append(all, said.Parts)
	}
	for _, parts := range all {
		for i := range parts {
			if data := structured(&parts[i]); data != nil {
				r.Output = data
				return r, nil
			}
		}
	}
	for _, parts := range all {
		if text := texts(parts); text != "" {
			return p.text(r, text)
		}
	}
	return chargehand.WorkerResult{Usage: r.Usage}, &worker.Error{Kind: worker.Garbage, Message: p.named("the task is complete, and nothing was handed over"), Raw: []byte("null")}
}

func (p *pursuit) text(r chargehand.WorkerResult, text string) (chargehand.WorkerResult, error) {
	if p.task.ExpectedOutputContract != "" && json.Valid([]byte(text)) {
		r.Output = json.RawMessage(strings.TrimSpace(text))
		return r, nil
	}
	b, err := encode(strings.ToValidUTF8(text, "�"))
	r.Output = b
	return r, err
}

// structured is a part's JSON; nil if it holds none.
func structured(p *part) json.RawMessage {
	if len(p.Data) > 0 {
		return p.Data
	}
	if p.Raw == "" || !strings.HasPrefix(p.MediaType, "application/json") {
		return nil
	}
	b, err := p.bytes()
	if err != nil || !json.Valid(b) {
		return nil
	}
	return b
}

// texts are the texts of parts, those of files included.
func texts(parts []part) string {
	var b strings.Builder
	for i := range parts {
		switch p := &parts[i]; {
		case p.Text != nil:
			b.WriteString(*p.Text)
		case p.Raw != "" && (p.MediaType == "" || strings.HasPrefix(p.MediaType, "text/")):
			if raw, err := p.bytes(); err == nil && utf8.Valid(raw) {
				b.Write(raw)
			}
		}
	}
	return b.String()
}

// usage is what a task's metadata say it consumed, as "usage" there or in "chargehand" there.
func usage(metadata json.RawMessage) (chargehand.Usage, error) {
	type figures struct {
		chargehand.Usage
		Tokens int64 `json:"tokens"` // where they are not told apart
	}
	var m struct {
		Usage      json.RawMessage `json:"usage"`
		Chargehand struct {
			Usage json.RawMessage `json:"usage"`
		} `json:"chargehand"`
	}
	if json.Unmarshal(metadata, &m) != nil {
		return chargehand.Usage{}, nil // metadata of another making
	}
	raw := m.Chargehand.Usage
	if len(raw) == 0 {
		raw = m.Usage
	}
	var f figures
	if len(raw) == 0 || json.Unmarshal(raw, &f) != nil {
		return chargehand.Usage{}, nil
	}
	if f.Tokens > 0 && f.Usage.Tokens() == 0 {
		f.InputTokens = f.Tokens
	}
	if f.InputTokens < 0 || f.OutputTokens < 0 || f.USD < 0 || f.ToolCalls < 0 || f.Tokens < 0 {
		return chargehand.Usage{}, fmt.Errorf("the usage it tells is negative")
	}
	return f.Usage, nil
}

func isStream(resp *http.Response) bool {
	return strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
}

func orElse(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}
