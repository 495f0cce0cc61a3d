package gate

import (
	"encoding/json"
	"slices"
	"strings"
)

// caveats are the members with which an aggregate begins that say what is missing or in doubt. They
// repeat words of what was refused, so nothing can rest on them (SPEC.md ·141).
var caveats = []string{"gaps", "lowConfidence"}

// bear leaves of the last step's inputs what something can rest on.
func (s *sources) bear() {
	for _, src := range s.all {
		if src.ref.From == "aggregate" {
			src.text = withoutCaveats(src.text)
		}
	}
}

// withoutCaveats is an aggregate with blanks for what its caveats say, so that all else stays in its place.
func withoutCaveats(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return text
	}
	for {
		name, err := d.Token()
		if key, ok := name.(string); err != nil || !ok || !slices.Contains(caveats, key) {
			return text
		}
		var v json.RawMessage
		if d.Decode(&v) != nil || len(v) < 2 {
			return text
		}
		end := int(d.InputOffset())
		text = text[:end-len(v)+1] + strings.Repeat(" ", len(v)-2) + text[end-1:] // its brackets stay
	}
}
