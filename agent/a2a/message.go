package a2a

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/chargehand/chargehand"
)

// messageID is the attempt's idempotency key, or its hash where the key is long.
func messageID(t chargehand.WorkerTask) string {
	if len(t.IdempotencyKey) <= 128 {
		return t.IdempotencyKey
	}
	return "chargehand-" + short(t.IdempotencyKey)
}

// contextID is a context of the attempt's own: a worker keeps nothing between tasks, and a task that
// is alone in its context can be found there.
func contextID(t chargehand.WorkerTask) string {
	return "chargehand-" + short("context of "+t.IdempotencyKey)
}

func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// message is the task as a message: the goal and the correction in words, the input, what is
// expected and the output to revise as data, documents and earlier outputs as files.
func (p *pursuit) message() (*message, error) {
	t := p.task
	m := &message{MessageID: messageID(t), ContextID: contextID(t), Role: "ROLE_USER"}
	words := t.Goal
	if t.Objective != "" && t.Objective != t.Goal {
		words += "\n\nThis is part of: " + t.Objective
	}
	if t.Feedback != "" {
		words += "\n\nThe last answer was not accepted. What to correct: " + t.Feedback
	}
	m.Parts = append(m.Parts, part{Text: &words})
	if len(t.Input) > 0 {
		m.Parts = append(m.Parts, part{Data: t.Input, MediaType: "application/json"})
	}
	frame, err := p.frame()
	if err != nil {
		return nil, err
	}
	m.Parts = append(m.Parts, frame)
	if t.LastOutput != nil {
		last, err := lastOutput(t.LastOutput.Text)
		if err != nil {
			return nil, err
		}
		m.Parts = append(m.Parts, last)
	}
	for _, r := range t.InputRefs {
		m.Parts = append(m.Parts, file(r))
	}
	return m, nil
}

// frame is what is expected, as data. Its metadata tells it from the input.
func (p *pursuit) frame() (part, error) {
	t := p.task
	f := map[string]any{"deadline": t.DeadlineAt}
	if t.ExpectedOutputContract != "" {
		f["contract"] = t.ExpectedOutputContract
		f["answer"] = "Answer with one data part that fits the schema."
		for i := range p.contracts {
			if c := &p.contracts[i]; c.Name == t.ExpectedOutputContract && len(c.Schema) > 0 {
				f["schema"] = c.Schema
			}
		}
	}
	if len(t.RequiredAspects) > 0 {
		f["requiredAspects"] = t.RequiredAspects
	}
	if t.Role != "" {
		f["role"] = t.Role
	}
	if len(t.Hints) > 0 {
		f["hints"] = t.Hints
	}
	data, err := encode(map[string]any{"expected": f})
	return part{Data: data, MediaType: "application/json", Metadata: map[string]any{"chargehand": "expected"}}, err
}

// lastOutput is the worker's own last output, which it is to revise, as data. Its metadata tells it from the input.
func lastOutput(text string) (part, error) {
	output := any(text)
	if json.Valid([]byte(text)) {
		output = json.RawMessage(text)
	}
	data, err := encode(map[string]any{"lastOutput": output})
	return part{Data: data, MediaType: "application/json", Metadata: map[string]any{"chargehand": "lastOutput"}}, err
}

// file is a document, or the output of an earlier subtask.
func file(r chargehand.InputRef) part {
	p := part{Filename: r.Name, MediaType: r.MediaType, Metadata: map[string]any{"hash": r.Hash}}
	if r.From != "" {
		p.Metadata["from"] = r.From
		if json.Valid([]byte(r.Text)) {
			p.MediaType = "application/json"
			if !strings.HasSuffix(p.Filename, ".json") {
				p.Filename += ".json"
			}
		}
	}
	if p.MediaType == "" {
		p.MediaType = "text/plain"
	}
	p.Raw = base64.StdEncoding.EncodeToString([]byte(r.Text))
	return p
}
