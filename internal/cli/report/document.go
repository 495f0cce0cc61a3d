package report

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// documentsOf are the Markdown documents in a result's output: members that are objects of
// {"mediaType": "text/markdown", "text": "…"}. A worker wrote them for people to read.
func documentsOf(r *chargehand.Result) []string {
	var out []string
	for _, f := range fieldsOf(r.Output) {
		if text, ok := documentOf(f.value); ok {
			out = append(out, text)
		}
	}
	return out
}

func documentOf(value json.RawMessage) (string, bool) {
	var doc struct{ MediaType, Text *string }
	if value[0] != '{' || json.Unmarshal(value, &doc) != nil || doc.MediaType == nil || doc.Text == nil {
		return "", false
	}
	return *doc.Text, *doc.MediaType == "text/markdown"
}

// structure is what a document's line may begin with: a heading, an item of a list, a quotation.
var structure = regexp.MustCompile(`^( {0,6})(#{1,6} |[-*] |[0-9]{1,4}\. |> )?`)

// bold is what a document's line may hold besides text.
var bold = regexp.MustCompile(`\*\*[^*]+\*\*`)

// document writes a document below the page's title. It is untrusted: of Markdown it keeps headings,
// lists, quotations and bold text, and shows all else as text.
func (p *page) document(text string) {
	p.WriteByte('\n')
	for line := range strings.Lines(term.Block(text)) {
		line = strings.TrimRight(line, "\r\n")
		m := structure.FindStringSubmatch(line)
		begin, rest := m[0], line[len(m[0]):]
		if strings.HasPrefix(m[2], "#") {
			begin = strings.Repeat("#", min(6, len(m[2]))) + " " // one level below the page's own
		}
		p.line("%s%s", begin, inline(rest))
	}
}

// inline is a line's text with its bold parts kept.
func inline(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range bold.FindAllStringIndex(s, -1) {
		b.WriteString(escaped(s[at:m[0]]) + "**" + term.Markdown(s[m[0]+2:m[1]-2]) + "**")
		at = m[1]
	}
	b.WriteString(escaped(s[at:]))
	return b.String()
}

// escaped is text with the space around it.
func escaped(s string) string {
	inner := strings.TrimSpace(s)
	if inner == "" {
		return s
	}
	at := strings.Index(s, inner)
	return s[:at] + term.Markdown(inner) + s[at+len(inner):]
}
