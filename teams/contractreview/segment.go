package contractreview

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// segments is the output of the segmenter: the sections of each document, in order and without
// holes. Contract "segments".
type segments struct {
	Documents []outline `json:"documents"`
}

// An outline is one document's sections.
type outline struct {
	Document string    `json:"document"` // content hash
	Name     string    `json:"name"`
	Size     int       `json:"size"` // bytes
	Sections []section `json:"sections"`
}

// A section begins with its heading, verbatim, and ends where the next begins. What stands before
// the first heading is a section without one.
type section struct {
	Heading string `json:"heading"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
}

// segment is the worker behind the capability "segment".
func segment(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	docs, err := documents(t)
	if err != nil {
		return chargehand.WorkerResult{}, err
	}
	var out segments
	for _, doc := range docs {
		if ctx.Err() != nil {
			return chargehand.WorkerResult{}, context.Cause(ctx)
		}
		out.Documents = append(out.Documents, outline{doc.Hash, doc.Name, len(doc.Text), sections(doc.Text)})
	}
	return output(out)
}

// Ways in which a clause begins. Group 1 is the heading: the label, and the title where there is
// one.
var headings = []*regexp.Regexp{
	// "## 9. LIABILITY"
	regexp.MustCompile(`(?m)^[ \t]*(#{1,6}[ \t]+[^\n]{1,100}?)[ \t]*\r?$`),
	// "**9.2 Cap.** Subject to ..."
	regexp.MustCompile(`(?m)^[ \t]*(\*\*[A-Z]?\d{1,3}(?:\.\d{1,3})*\.?[ \t]+[^\n*]{1,90}\*\*)`),
	// "ARTICLE IV: TERM", "Section 12. Notices", "Exhibit A"
	regexp.MustCompile(`(?m)(?:^|[.;:]\s)[ \t]*((?:ARTICLE|Article|SECTION|Section|EXHIBIT|Exhibit|ANNEX|Annex|SCHEDULE|Schedule)[ \t]+(?:[IVXL]{1,6}|\d{1,3}(?:\.\d{1,3})*|[A-Z])\b[.:]?(?:[ \t]*[-–:]?[ \t]*[A-Z][\w'’&/,-]*(?:[ \t]+(?:[A-Z][\w'’&/,-]*|of|and|or|to|the|for|in|on|by|with|a|&)){0,8})?)`),
	// "9.2 Limitation of Liability.", "12. NOTICES"
	regexp.MustCompile(`(?m)(?:^|[.;:"”)]\s)[ \t]*(\d{1,2}(?:\.\d{1,3}){0,3}\.?[ \t]+[A-Z][\w'’&/,-]*(?:[ \t]+(?:[A-Z][\w'’&/,-]*|of|and|or|to|the|for|in|on|by|with|a|&)){0,8})`),
	// a line in capitals
	regexp.MustCompile(`(?m)^[ \t]*([A-Z][A-Z'’&/,()-]*(?:[ \t]+[A-Z&'’/,()-]+){0,9}[.:]?)[ \t]*\r?$`),
}

// mostSections bounds an outline; a text with more headings is told by its first.
const mostSections = 2_000

// sections cuts text where clauses begin. The result covers all of it.
func sections(text string) []section {
	starts := map[int]int{} // where a heading begins, and where it ends
	for _, re := range headings {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			if _, ok := starts[m[2]]; !ok && strings.TrimSpace(text[m[2]:m[3]]) != "" {
				starts[m[2]] = m[3]
			}
		}
	}
	out := []section{{End: len(text)}}
	for _, at := range inOrder(starts) {
		last := &out[len(out)-1]
		switch {
		case at < last.Start+len(last.Heading) || len(out) == mostSections:
			continue // inside a heading
		case at > last.Start || last.Heading != "":
			last.End = at
			out = append(out, section{Start: at, End: len(text)})
		}
		out[len(out)-1].Heading = strings.TrimRight(text[at:starts[at]], " \t")
	}
	return out
}

func inOrder(starts map[int]int) []int { return slices.Sorted(maps.Keys(starts)) }
