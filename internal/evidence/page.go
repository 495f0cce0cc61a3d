package evidence

import (
	"bytes"
	_ "embed"
	"html/template"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"when": func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	},
	"visible": visible,
}).Parse(pageText))

// Page is a summary to be printed, as HTML without scripts: who decided what, then what there is.
func Page(m *Manifest, c audit.Checkpoint, records []chargehand.Record) ([]byte, error) {
	list := Escalations(records)
	var lines []Entry
	for _, r := range records {
		lines = append(lines, Describe(r))
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		*Manifest
		Size        int64
		Root        string
		Escalations []Escalation
		Coverage    Coverage
		Lines       []Entry
	}{m, c.Size, c.Root.String(), list, Cover(list), lines})
	return b.Bytes(), err
}

// visible shows the characters that change how others are read, or that are not seen at all.
func visible(s string) string {
	var b bytes.Buffer
	for _, r := range s {
		if hidden(r) {
			b.WriteString("\uFFFD")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0xad, r == 0xfeff:
		return true
	}
	return r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f
}
