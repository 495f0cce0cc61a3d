package agent

import (
	"strconv"

	"github.com/chargehand/chargehand"
)

// positionFields are the positions of a debate as data, by number: whose they are is not said.
func positionFields(list []chargehand.ReviewedPosition) []field {
	var out []field
	for i, p := range list {
		n := strconv.Itoa(i + 1)
		out = append(out, field{Field: "position " + n, text: p.Output})
		if p.Findings != "" {
			out = append(out, field{Field: "findings " + n, text: p.Findings})
		}
	}
	return out
}

// choiceSchema is the JSON Schema of a choice between so many positions (SPEC.md ·69). What it does
// not mention of a verdict counts as passed.
func choiceSchema(positions int) object {
	return closed(object{
		"recommendation": words("ACCEPT", "HUMAN_REVIEW"),
		"choice":         object{"type": "integer", "minimum": 0, "maximum": positions},
		"confidence":     object{"type": "integer", "minimum": 1, "maximum": 10},
		"feedback":       object{"type": "string"},
		"reasoning":      object{"type": "string"},
	})
}
