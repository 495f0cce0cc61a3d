package openai

import (
	"bytes"
	"encoding/json"
)

// A memory is what Opaque of an answer is here: what the model reasoned before it spoke, as the server
// wants it back.
type memory struct {
	Reasoning string            `json:"reasoning_content,omitempty"` // DeepSeek's, which goes back where it is asked for
	Details   json.RawMessage   `json:"reasoning_details,omitempty"` // OpenRouter's list, which goes back as it came
	Items     []json.RawMessage `json:"response_items,omitempty"`    // of the Responses API, in their order
}

// opaque is the memory as JSON; nil where there is nothing in it.
func (m *memory) opaque() json.RawMessage {
	if m.Reasoning == "" && len(m.Details) == 0 && len(m.Items) == 0 {
		return nil
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return raw
}

// memoryOf reads what opaque wrote. That of another provider is nothing.
func memoryOf(raw json.RawMessage) memory {
	var m memory
	if json.Unmarshal(raw, &m) != nil {
		return memory{}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(m.Details), []byte("[")) {
		m.Details = nil
	}
	return m
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw)
}

// details gathers the reasoning_details of a stream, which come in parts: those of one index and type are
// one entry, its texts joined and its other members the latest.
// Source: openrouter.ai/docs/use-cases/reasoning-tokens, "Preserving reasoning".
type details struct{ all []map[string]any }

// joined are the members of an entry that come in parts.
var joined = []string{"text", "summary", "data"}

func (d *details) add(raw json.RawMessage) {
	var list []map[string]any
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, part := range list {
		entry := d.entry(part)
		for name, v := range part {
			d.put(entry, name, v)
		}
	}
}

// entry is where a part belongs: to the last entry, if that is of the same index and type.
func (d *details) entry(part map[string]any) map[string]any {
	if n := len(d.all); n > 0 && part["index"] != nil && d.all[n-1]["index"] == part["index"] && d.all[n-1]["type"] == part["type"] {
		return d.all[n-1]
	}
	d.all = append(d.all, map[string]any{})
	return d.all[len(d.all)-1]
}

func (d *details) put(entry map[string]any, name string, v any) {
	if v == nil && entry[name] != nil {
		return
	}
	for _, j := range joined {
		before, ok := entry[name].(string)
		if more, isText := v.(string); name == j && ok && isText {
			entry[name] = before + more
			return
		}
	}
	entry[name] = v
}

// raw is the whole list; nil where there is none.
func (d *details) raw() json.RawMessage {
	if len(d.all) == 0 {
		return nil
	}
	raw, _ := json.Marshal(d.all) // it came from JSON
	return raw
}
