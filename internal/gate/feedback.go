package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// maxFeedback bounds a correction, in bytes.
const maxFeedback = 4_000

// feedback is the correction a worker gets: what to mend, and where, worst first. Whatever it
// repeats of an output or a source is escaped and stands in quotation marks.
func feedback(v chargehand.Verdict) string {
	head := "The output was not accepted. Correct each point below, keep what is right, and hand in the whole output again."
	if v.Rework == chargehand.Redo {
		head = "The output could not be read as what was asked for. Make it anew so that each point below is met."
	}
	if v.Recommendation == chargehand.HumanReview {
		head = "A person has to look at this output because of the points below."
	}
	if slices.ContainsFunc(v.Issues, unreadable) {
		head += " " + onlyJSON
	}
	points := points(v.Issues)
	const reserve = len("\n… and 1,000 more points.")
	var b strings.Builder
	b.WriteString(head)
	for i, p := range points {
		line := fmt.Sprintf("\n%d. %s", i+1, p)
		if b.Len()+len(line) > maxFeedback-reserve {
			fmt.Fprintf(&b, "\n… and %s.", counted(len(points)-i, "more point"))
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// onlyJSON is what an output has to be where it could not be read: no fence is taken off and nothing is
// cut out of what stands around, so a worker has to hear of it.
const onlyJSON = "Write the JSON value only: no code fence (```), no word before it or after it, no <think>."

// unreadable reports whether a finding says that an output is not one JSON value.
func unreadable(f chargehand.Finding) bool {
	return f.Layer == chargehand.LayerSchema && (f.Rule == "json" || f.Rule == "monitor") && strings.Contains(f.Message, "JSON")
}

// points are the findings as lines, errors before reviews before warnings.
func points(issues []chargehand.Finding) []string {
	var out []string
	for _, s := range []chargehand.Severity{chargehand.SeverityError, chargehand.SeverityReview, chargehand.SeverityWarning} {
		for _, f := range issues {
			if f.Severity == s {
				out = append(out, point(f))
			}
		}
	}
	return out
}

func point(f chargehand.Finding) string {
	at := visible(f.Path, maxShown)
	if at == "" || strings.HasPrefix(f.Message, at) {
		return f.Message
	}
	return at + ": " + f.Message
}
