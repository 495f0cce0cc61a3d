package contractreview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSections(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // headings
	}{
		{"none", "just words", []string{""}},
		{"empty", "", []string{""}},
		{"markdown", "# MSA\n\nWords.\n\n## 9. LIABILITY\n\n**9.2 Cap.** Subject to\n", []string{"# MSA", "## 9. LIABILITY", "**9.2 Cap.**"}},
		{"opening", "Made on 1 May.\n\nARTICLE I: TERM\nIt lasts.", []string{"", "ARTICLE I: TERM"}},
		{"run in", "It ends. 9.2 Limitation of Liability. Neither party. Section 12. Notices go by post.", []string{"", "9.2 Limitation of Liability", "Section 12. Notices"}},
		{"capitals", "GOVERNING LAW\nThe laws of Ohio.\n", []string{"GOVERNING LAW"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := sections(tt.text)
			end := 0
			var headings []string
			for _, s := range got {
				if s.Start != end || !strings.HasPrefix(tt.text[s.Start:s.End], s.Heading) {
					t.Errorf("section %+v after %d", s, end)
				}
				end = s.End
				headings = append(headings, s.Heading)
			}
			if end != len(tt.text) {
				t.Errorf("the last section ends at %d of %d", end, len(tt.text))
			}
			if d := cmp.Diff(tt.want, headings); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSectionsHoldEverything(t *testing.T) {
	for _, doc := range texts(t, cuad()) {
		end, titled := 0, 0
		for _, s := range sections(doc.Text) {
			if s.Start != end || !strings.HasPrefix(doc.Text[s.Start:s.End], s.Heading) {
				t.Fatalf("%s: section %+v after %d", doc.Name, s, end)
			}
			if end = s.End; s.Heading != "" {
				titled++
			}
		}
		if end != len(doc.Text) || titled < 3 {
			t.Errorf("%s: %d sections with headings, to %d of %d", doc.Name, titled, end, len(doc.Text))
		}
	}
}
