package report

import (
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

var severities = map[chargehand.Severity]struct {
	mark term.Mark
	tone chargehand.Tone
}{
	chargehand.SeverityError:   {term.Mark{Glyph: "✗", ASCII: "x"}, chargehand.ToneFail},
	chargehand.SeverityReview:  {term.Mark{Glyph: "?", ASCII: "?"}, chargehand.ToneHuman},
	chargehand.SeverityWarning: {term.Mark{Glyph: "!", ASCII: "!"}, chargehand.ToneWarn},
}

// claimWords are the claims worth a person's time. What was not checked is never passed off as
// supported.
var claimWords = map[chargehand.Support]term.Mark{
	chargehand.Contradicted: {Glyph: "≠", ASCII: "!="},
	chargehand.Unsupported:  {Glyph: "?", ASCII: "?"},
	chargehand.Partly:       {Glyph: "~", ASCII: "~"},
	chargehand.NotChecked:   {Glyph: "–", ASCII: "-"},
}

// findings are those of the gate's verdict, else those of a record.
func (d *drawing) findings(issues []chargehand.Finding) {
	if v := d.Verdict; v != nil && len(v.Issues) >= len(issues) {
		issues = v.Issues
	}
	if len(issues) == 0 {
		d.section("FINDINGS", "none")
	} else {
		d.section("FINDINGS", term.Count(len(issues), "finding"))
	}
	for i := range issues {
		d.finding(&issues[i])
	}
	if d.Verdict != nil {
		d.claims(d.Verdict.Claims)
	}
}

func (d *drawing) finding(f *chargehand.Finding) {
	s := severities[f.Severity]
	d.wrapped("  "+d.Style.Tone(s.tone, s.mark.Of(d.Style))+" "+term.Line(f.ID)+" ", f.Message)
	where := strings.TrimSpace(string(f.Layer) + " " + f.Rule)
	if f.Path != "" {
		where += " at " + f.Path
	}
	d.line("       %s", d.Style.Tone(chargehand.ToneIdle, term.Line(where)))
	if f.Quote != "" {
		d.wrapped("       output  ", f.Quote)
	}
	if f.Source != nil {
		d.passage(f.Source)
	}
}

// passage is the lines of a source around a place, those of the place itself marked.
func (d *drawing) passage(p *chargehand.Passage) {
	src, ok := d.Sources[p.Document]
	if !ok || p.Start < 0 || p.End > len(src.Text) || p.Start >= p.End {
		if p.Quote != "" {
			d.wrapped("       source  ", p.Quote)
		}
		return
	}
	lines := strings.Split(src.Text, "\n")
	first := strings.Count(src.Text[:p.Start], "\n")
	last := strings.Count(src.Text[:p.End], "\n")
	if last > first && src.Text[p.End-1] == '\n' {
		last--
	}
	d.line("       source  %s, %s", term.Line(src.Name), lineRange(first+1, last+1))
	const most = 12 // lines of one passage
	for n := max(0, first-d.Around); n <= min(len(lines)-1, last+d.Around); n++ {
		if n == first+most && last-first >= most {
			d.line("              and %s more", term.Count(last-n+1, "line"))
			break
		}
		mark := " "
		if n >= first && n <= last {
			mark = term.Mark{Glyph: "▌", ASCII: ">"}.Of(d.Style)
		}
		text := fmt.Sprintf("      %5d %s %s", n+1, mark, strings.TrimRight(term.Line(lines[n]), " "))
		if d.Width > 0 {
			text = term.Clip(text, d.Width, d.Style.ASCII)
		}
		d.line("%s", strings.TrimRight(text, " "))
	}
}

func lineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}

func (d *drawing) claims(claims []chargehand.Claim) {
	var open []chargehand.Claim
	for _, c := range claims {
		if c.Support != chargehand.Supported {
			open = append(open, c)
		}
	}
	if len(claims) == 0 {
		return
	}
	d.section("CLAIMS", fmt.Sprintf("%d of %d supported", len(claims)-len(open), len(claims)))
	for _, c := range open {
		support := c.Support
		if support == "" {
			support = chargehand.NotChecked
		}
		mark := claimWords[support]
		d.wrapped(fmt.Sprintf("  %s %s %s: ", mark.Of(d.Style), term.Line(c.ID), spoken(string(support))), c.Text)
	}
}
