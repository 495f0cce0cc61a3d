package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A verdict is the outcome of a verification, for people.
type verdict struct {
	of       string // what was verified
	facts    []string
	checks   []audit.Check
	findings []audit.Finding
	intact   bool
}

var statusSigns = map[audit.Status]struct {
	mark term.Mark
	tone chargehand.Tone
}{
	audit.Passed:  {term.Mark{Glyph: "✓", ASCII: "+"}, chargehand.ToneOK},
	audit.Warned:  {term.Mark{Glyph: "▲", ASCII: "!"}, chargehand.ToneWarn},
	audit.Failed:  {term.Mark{Glyph: "✗", ASCII: "x"}, chargehand.ToneFail},
	audit.Skipped: {term.Mark{Glyph: "–", ASCII: "-"}, chargehand.ToneIdle},
}

// write shows what was looked at, what it proves and what it does not, and last what is wrong.
func (v *verdict) write(w io.Writer, s report.Screen) error {
	var b strings.Builder
	st, width := s.Style, 100
	if s.Width > 0 {
		width = s.Width
	}
	paragraph := func(lead, text string) {
		for i, line := range term.Wrap(term.Line(text), max(20, width-len(lead))) {
			if i > 0 {
				lead = strings.Repeat(" ", term.Width(lead))
			}
			b.WriteString(lead + line + "\n")
		}
	}
	for _, c := range v.checks {
		sign := statusSigns[c.Status]
		head := c.Name
		if c.Count > 0 {
			head += fmt.Sprintf(" (%d)", c.Count)
		}
		b.WriteString(st.Tone(sign.tone, sign.mark.Of(st)) + " " + st.Bold(head) + "\n")
		if c.Proved != "" {
			paragraph("    shows: ", c.Proved)
		}
		if c.NotProved != "" {
			paragraph("    does not show: ", c.NotProved)
		}
	}
	if len(v.findings) > 0 {
		b.WriteString("\n")
	}
	for _, f := range v.findings {
		paragraph(st.Tone(chargehand.ToneFail, statusSigns[audit.Failed].mark.Of(st))+" ", where(f)+f.What)
	}
	word, tone := "INTACT", chargehand.ToneOK
	if !v.intact {
		word, tone = "ALTERED", chargehand.ToneFail
	}
	b.WriteString("\n" + st.Tone(tone, st.Bold(word)) + "   " + term.Line(v.of) + "\n")
	for _, f := range v.facts {
		paragraph("   ", f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// where is what a finding is about.
func where(f audit.Finding) string {
	var parts []string
	if f.Seq > 0 {
		parts = append(parts, fmt.Sprintf("record %d of %s", f.Seq, f.Run))
	} else if f.Run != "" {
		parts = append(parts, f.Run)
	}
	if f.Leaf >= 0 {
		parts = append(parts, fmt.Sprintf("leaf %d", f.Leaf))
	}
	if !f.At.IsZero() {
		parts = append(parts, term.Time(f.At))
	}
	if f.Place != "" {
		parts = append(parts, "the "+f.Place)
	}
	if len(parts) == 0 {
		return f.Check + ": "
	}
	return f.Check + ", " + strings.Join(parts, ", ") + ": "
}
