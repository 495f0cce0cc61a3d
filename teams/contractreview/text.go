package contractreview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// summary says in a few sentences what the report rates.
func (c *composer) summary() string {
	if len(c.Findings) == 0 {
		return "Nothing was accepted that a report could be made of."
	}
	if !c.contractLike() {
		return unlike
	}
	if len(c.Risks) == 0 {
		return "None of the declared rules points at a risk in what was read."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The risk is rated %s.", c.Level)
	for _, l := range levels {
		var titles []string
		for _, r := range c.Risks {
			if r.Level == l {
				titles = append(titles, strings.ToLower(r.Title[:1])+r.Title[1:])
			}
		}
		if len(titles) > 0 {
			fmt.Fprintf(&b, " Each of these is rated %s: %s.", l, strings.Join(titles, "; "))
		}
	}
	return b.String()
}

// text is the report for people, in Markdown. Each statement ends with the subtask, attempt and
// worker it comes from; each quote with its clause.
func (c *composer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Contract review\n\n%s\n", c.Summary)
	c.risksText(&b)
	group := ""
	for _, f := range c.Findings {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n## %s\n\n", group)
		}
		c.findingText(&b, f)
	}
	return b.String()
}

func (c *composer) risksText(b *strings.Builder) {
	for _, l := range levels {
		title := fmt.Sprintf("\n## Rated %s\n\n", l)
		for _, r := range c.Risks {
			if r.Level != l {
				continue
			}
			fmt.Fprintf(b, "%s- **%s.** %s\n", title, r.Title, r.Why)
			title = ""
			c.passages(b, r.Evidence, mostShown)
			for _, subtask := range r.Decided {
				fmt.Fprintf(b, "  - accepted by a person, not shown by the contract [%s]\n", subtask)
			}
		}
	}
}

func (c *composer) findingText(b *strings.Builder, f finding) {
	fmt.Fprintf(b, "- **%s**: %s [%s, attempt %d, %s%s]\n", f.Category, f.words(), f.Subtask, f.Attempt, f.Worker, f.standing())
	if category, _ := clause.Lookup(f.Category); category.Answer != clause.Name { // a name is its own quote
		c.passages(b, f.Evidence, mostCited)
	}
	for _, s := range f.items {
		if s.Present && !c.citable(s) {
			fmt.Fprintf(b, "  - %s — accepted by a person; these words do not stand in the contract\n", shown(s.Quote))
		}
	}
}

// mostShown is how many passages stand under a risk. A category's own section has all that are cited.
const mostShown = 3

// passages quotes evidence in full, each passage once, with the place where it stands.
func (c *composer) passages(b *strings.Builder, ids []string, most int) {
	var lines []string
	for i := range c.Evidence {
		e := &c.Evidence[i]
		if line := c.line(e); slices.Contains(ids, e.ID) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) > most {
		lines = append(lines[:most], "and more, under the category")
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  - %s\n", line)
	}
}

func (c *composer) line(e *evidence) string {
	if !e.Present {
		return fmt.Sprintf("%s is absent: all of the contract was searched [%s, attempt %d, %s]", e.Category, e.Subtask, e.Attempt, e.Worker)
	}
	return shown(e.Quote) + " (" + c.place(e) + ")"
}

// place is where a passage stands: "9.2 Cap, bytes 120 to 240", and the document where there are several.
func (c *composer) place(e *evidence) string {
	var parts []string
	if e.Clause != "" {
		parts = append(parts, e.Clause)
	}
	if c.only == "" {
		parts = append(parts, bare(e.Name))
	}
	return strings.Join(append(parts, fmt.Sprintf("bytes %d to %d", e.Start, e.End)), ", ")
}

// shown is a quote in quotation marks, on one line and without the marks that Markdown acts on.
func shown(quote string) string { return "“" + bare(quote) + "”" }

func (f finding) words() string {
	answer := bare(f.Answer)
	switch {
	case !f.Present:
		return "absent."
	case answer == "Yes":
		return "present."
	}
	return strings.TrimRight(answer, ".") + "."
}

// standing is what the reader should know of how the finding was accepted.
func (f finding) standing() string {
	switch {
	case f.Verdict == "conflict":
		return "; contested by another reading"
	case f.Verdict == string(chargehand.SubtaskAcceptedByHuman):
		return "; accepted by a person"
	case f.Verdict == string(chargehand.SubtaskAcceptedLow):
		return "; low confidence"
	case len(f.ConfirmedBy) > 0:
		return "; confirmed by " + strings.Join(f.ConfirmedBy, " and ")
	}
	return ""
}
