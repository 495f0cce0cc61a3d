package agent

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
)

// A field is one piece of untrusted text on its way to a model (SPEC.md ·67).
type field struct {
	Field string `json:"field"`           // what it is, in the engine's words
	Name  string `json:"name,omitempty"`  // untrusted too: it stands in the heading as a JSON string
	From  string `json:"from,omitempty"`  // the subtask it comes from
	Hash  string `json:"hash,omitempty"`  // of the content, where quotes are bound to it
	Bytes int    `json:"bytes,omitempty"` // of the whole content
	Shown int    `json:"shown,omitempty"` // bytes from its beginning that are shown, where that is not all

	text string
}

// frame writes fields between lines that carry a marker. The marker is a hash over all that the
// fields hold, so no field can hold it: a text would have to contain a hash of itself. The same fields have the same
// frame, so that calls can be recorded and replayed, and prompts cached.
func frame(intro string, fields []field) string {
	for i := range fields {
		fields[i].text = strings.ToValidUTF8(fields[i].text, "�")
		if fields[i].Bytes == 0 {
			fields[i].Bytes = len(fields[i].text)
		}
	}
	m := marker(fields)
	var b strings.Builder
	fmt.Fprintf(&b, "%s The marker of this message is %s\n", intro, m)
	for i := range fields {
		heading, err := json.Marshal(&fields[i])
		if err != nil {
			panic("agent: a heading holds only plain data: " + err.Error())
		}
		fmt.Fprintf(&b, "\n=== %s begin %s ===\n%s", m, heading, fields[i].text)
		if !strings.HasSuffix(fields[i].text, "\n") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "=== %s end ===\n", m)
	}
	return b.String()
}

const markerBytes = 15 // 24 letters and digits

func marker(fields []field) string {
	sum := sha256.New()
	for i := range fields {
		f := &fields[i]
		//guard:data-marker off=fmt.Fprintf(sum, "%q", f.Field)
		fmt.Fprintf(sum, "%q %q %q %q %d\n%s\n", f.Field, f.Name, f.From, f.Hash, len(f.text), f.text)
	}
	return "data-" + base32.StdEncoding.EncodeToString(sum.Sum(nil)[:markerBytes])
}
