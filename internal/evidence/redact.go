package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// A Redaction says what a pack leaves out. Hashes are over whole records and whole artifacts, so
// nothing smaller can be taken out of them. The zero Redaction leaves nothing out.
type Redaction struct {
	// Reason is why, in words; it goes into the manifest. Required where anything is left out.
	Reason string `json:"reason"`

	// Records are types of records to leave out, such as "attempt_started".
	Records []string `json:"records,omitempty"`

	// Artifacts are kinds of artifacts (document, output, ...) and media types (text/plain) to
	// leave out, or "all".
	Artifacts []string `json:"artifacts,omitempty"`
}

// Check finds what is wrong with a redaction.
func (r *Redaction) Check() []chargehand.Problem {
	var out []chargehand.Problem
	if strings.TrimSpace(r.Reason) == "" {
		out = append(out, chargehand.Problem{Path: "$.reason", Message: "is missing: it tells readers of the pack why something is not in it"})
	}
	if len(r.Records)+len(r.Artifacts) == 0 {
		out = append(out, chargehand.Problem{Path: "$", Message: "names neither records nor artifacts"})
	}
	for i, name := range r.Records {
		if !isType(name) {
			out = append(out, chargehand.Problem{
				Path: fmt.Sprintf("$.records[%d]", i), Message: fmt.Sprintf("there is no type of record %q", name),
				Hint: "chargehand audit show RUN lists them",
			})
		}
	}
	for i, name := range r.Artifacts {
		if !slices.Contains(artifactNames, name) && !strings.Contains(name, "/") {
			out = append(out, chargehand.Problem{
				Path: fmt.Sprintf("$.artifacts[%d]", i), Message: fmt.Sprintf("%q is no kind of artifact and no media type", name),
				Hint: "choose from " + strings.Join(artifactNames, ", "),
			})
		}
	}
	return out
}

var artifactNames = []string{
	"all", string(chargehand.ContentDocument), string(chargehand.ContentTeam), string(chargehand.ContentPlan), string(chargehand.ContentOutput), string(chargehand.ContentVerdict),
	string(chargehand.ContentTranscript), string(chargehand.ContentStderr), string(chargehand.ContentAggregate), string(chargehand.ContentResult),
}

// isType reports whether records of that type exist: an unknown one is of a newer format.
func isType(name string) bool {
	line := fmt.Sprintf(`{"run":"r","seq":1,"at":"2000-01-01T00:00:00Z","type":%q,"data":{}}`, name)
	var r chargehand.Record
	return chargehand.CodeOf(json.Unmarshal([]byte(line), &r)) != chargehand.CodeFormat
}

func (r *Redaction) removes(rec chargehand.Record) bool {
	return slices.Contains(r.Records, rec.Type())
}

func (r *Redaction) drops(a Artifact) bool {
	return slices.ContainsFunc(r.Artifacts, func(name string) bool {
		return name == "all" || name == string(a.Kind) || name == a.MediaType
	})
}
