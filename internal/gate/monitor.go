package gate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chargehand/chargehand"
)

// A Monitor reads an output while it is still being written, and says when it can no longer come to
// anything: it is too long, it is no JSON of the contract's form any more, it answers what was not
// asked, or it holds what the contract stops for (SPEC.md ·68). What it lets pass is not accepted by
// that: the whole output goes through Check. Reading costs the length of the text.
//
// The text is the output, or a whole result with the output in it (SPEC.md ·3).
type Monitor struct {
	contract *contract
	prose    bool
	text     spelling
	said     int // bytes of the text
	window   *window
	hit      *chargehand.Finding
}

// Monitor watches one output for a contract. With prose a text need not be JSON from its first
// character: a worker with tools says something before it calls one.
func (g *Gate) Monitor(contract string, prose bool) *Monitor {
	c, known := g.contract(contract)
	if !known {
		c = g.anonymous
	}
	m := &Monitor{contract: c, prose: prose}
	m.Anew()
	return m
}

// Anew forgets what was read: the text begins once more.
func (m *Monitor) Anew() {
	m.said, m.window = 0, &window{detectors: m.contract.stops, first: true}
	m.text = spelling{shape: m.contract.shape, output: m.window.add, end: m.window.gap}
}

// envelopeBytes is how many bytes a whole result may have besides its output.
const envelopeBytes = 64 << 10

// Read takes more of the text in. The finding is why the text is not wanted, nil while it is; after
// one nothing more is read.
func (m *Monitor) Read(text string) *chargehand.Finding {
	if m.hit != nil {
		return m.hit
	}
	m.said += len(text)
	why := m.text.read(text, m.prose)
	switch {
	case why != "":
		m.stop(chargehand.LayerSchema, why)
	case m.text.size > m.contract.maxBytes || m.said > m.contract.maxBytes+envelopeBytes:
		m.stop(chargehand.LayerSchema, fmt.Sprintf("The output has more than %s bytes, which is the most", grouped(m.contract.maxBytes)))
	default:
		if found := m.window.look(); found != "" {
			m.stop(chargehand.LayerRules, found)
		}
	}
	return m.hit
}

// Hit is why the text is not wanted; nil while it is.
func (m *Monitor) Hit() *chargehand.Finding { return m.hit }

func (m *Monitor) stop(l chargehand.Layer, why string) {
	m.hit = &chargehand.Finding{
		ID: "f1", Layer: l, Rule: "monitor", Severity: chargehand.SeverityError,
		Message: "monitor: " + why + "; its worker was stopped while it wrote.",
	}
}

// Verdict is the gate's answer about a text that was stopped.
func (m *Monitor) Verdict() chargehand.Verdict {
	v := chargehand.Verdict{
		SchemaPass: m.hit.Layer != chargehand.LayerSchema, Issues: []chargehand.Finding{*m.hit},
		Recommendation: chargehand.Reject, Rework: chargehand.Redo, Validator: Validator, ValidatorVersion: ValidatorVersion,
		Reasoning: "The output was stopped before it was whole; nothing else was checked.",
	}
	v.Feedback = feedback(v)
	return v
}

// A shape is what a contract's schema says of the outermost value.
type shape struct {
	kinds []string        // JSON types; nil: any
	keys  map[string]bool // that an object is said to have

	closed bool // it has no others
}

// shapeOf reads the outermost part of a schema that compiles.
func shapeOf(raw json.RawMessage) shape {
	var s struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Patterns   map[string]json.RawMessage `json:"patternProperties"`
		Additional any                        `json:"additionalProperties"`
	}
	var out shape
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return out
	}
	switch t := s.Type.(type) {
	case string:
		out.kinds = []string{t}
	case []any:
		for _, x := range t {
			if name, ok := x.(string); ok {
				out.kinds = append(out.kinds, name)
			}
		}
	}
	out.closed, out.keys = s.Additional == false && len(s.Patterns) == 0, map[string]bool{}
	for name := range s.Properties {
		out.keys[name] = true
	}
	return out
}

func (s shape) has(key string) bool { return s.keys[key] }

// takes reports whether a value that begins with the byte may be of the shape.
func (s shape) takes(c byte) bool {
	kind := kindOf(c)
	return len(s.kinds) == 0 || slices.Contains(s.kinds, kind) || kind == "number" && slices.Contains(s.kinds, "integer")
}

// kindOf is the JSON type of a value that begins with the byte.
func kindOf(c byte) string {
	switch c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
