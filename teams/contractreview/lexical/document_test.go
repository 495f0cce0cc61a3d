package lexical

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

func TestCategoriesAreTheRiskOnes(t *testing.T) {
	var want []string
	for _, c := range clause.Categories() {
		if c.Risk {
			want = append(want, c.Name)
		}
	}
	if diff := cmp.Diff(want, Categories()); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
}

func TestFindRefusesOtherCategories(t *testing.T) {
	_, err := Read("Parties").Find("Audit Rights")
	if err == nil || !strings.Contains(err.Error(), "Audit Rights") {
		t.Errorf("error = %v, want one that names the category", err)
	}
}

func TestQuotesSurviveLayout(t *testing.T) {
	tests := []struct{ name, text, category, want string }{
		{
			"page footer inside a sentence",
			"9. LAW\n\nThis Agreement shall be governed by the laws\n\n7\n\nSource: ORLO, INC., 10-K, 3/4/2011\n\n\n\nof the State of Utah. It has annexes.",
			"Governing Law", "This Agreement shall be governed by the laws\n\n7\n\nSource: ORLO, INC., 10-K, 3/4/2011\n\n\n\nof the State of Utah.",
		},
		{
			"sentence over lines, small heading before",
			"(b) Assignment. Neither party\nmay assign this Agreement\nwithout consent. (c) Waiver. None.",
			"Anti-Assignment", "Neither party\nmay assign this Agreement\nwithout consent.",
		},
		{
			"abbreviation inside",
			"Boreal Corp. shall maintain liability insurance of U.S. $2,000,000 per occurrence. It sells rope.",
			"Insurance", "Boreal Corp. shall maintain liability insurance of U.S. $2,000,000 per occurrence.",
		},
		{
			"capitals after a heading without a stop",
			"9. INSURANCE  The Carrier shall carry cargo insurance. 10. NOTICES  By post.",
			"Insurance", "The Carrier shall carry cargo insurance.",
		},
		{
			"redaction",
			"The cap follows. The Agent's liability shall not exceed [***] dollars in total. End.",
			"Cap on Liability", "The Agent's liability shall not exceed [***] dollars in total.",
		},
		{
			"list after a colon",
			"Either party may terminate this Agreement:\n\n(a) for convenience on 30 days' notice; or\n\n(b) at once for breach.\n\nNext.",
			"Termination for Convenience", "Either party may terminate this Agreement:\n\n(a) for convenience on 30 days' notice; or\n\n(b) at once for breach.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, q := range quoted(t, Read(tt.text), tt.category) {
				got = append(got, tt.text[q.Start:q.End])
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("quotes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	tests := []struct{ text, category, want string }{
		{"This Agreement is governed by the laws of the State of New York, U.S.A.", "Governing Law", "New York"},
		{"This Agreement is governed by the laws of the United States and of the State of Texas.", "Governing Law", "Texas"},
		{"This Agreement is governed by the laws of the Province of British Columbia.", "Governing Law", "British Columbia, Canada"},
		{"This Agreement is subject to and construed under German law.", "Governing Law", "Germany"},
		{"THIS AGREEMENT IS GOVERNED BY THE LAWS OF WEST VIRGINIA.", "Governing Law", "West Virginia"},
		{"This Agreement is governed by the laws of Ruritania.", "Governing Law", ""},
		{"Neither party may assign this Agreement without consent.", "Anti-Assignment", "Yes"},
		{"Nothing here.", "Anti-Assignment", "No"},
		{"Nothing here.", "Governing Law", ""},
	}
	for _, tt := range tests {
		found, err := Read(tt.text).Find(tt.category)
		if err != nil {
			t.Fatal(err)
		}
		if found.Answer != tt.want {
			t.Errorf("%s of %q = %q, want %q", tt.category, tt.text, found.Answer, tt.want)
		}
	}
}

// recheck runs the record of an absent category again.
func recheck(text string, s clause.Search) error {
	if len(s.Patterns) == 0 {
		return errors.New("no pattern")
	}
	covered := 0
	for _, span := range s.Spans {
		if span.Start > covered {
			return fmt.Errorf("bytes %d to %d were not read", covered, span.Start)
		}
		covered = max(covered, span.End)
	}
	if covered != len(text) {
		return fmt.Errorf("read %d of %d bytes", covered, len(text))
	}
	held := make([]bool, len(s.Hits))
	for _, p := range s.Patterns {
		for _, m := range regexp.MustCompile(p).FindAllStringIndex(text, -1) {
			i := holder(s.Hits, m)
			if i < 0 {
				return fmt.Errorf("%q matches %q outside the hits", p, text[m[0]:m[1]])
			}
			held[i] = true
		}
	}
	for i, h := range s.Hits {
		if !held[i] || h.Why == "" {
			return fmt.Errorf("hit %d holds no match or has no reason", i)
		}
	}
	return nil
}

func holder(hits []clause.Hit, m []int) int {
	for i, h := range hits {
		if h.Start <= m[0] && m[1] <= h.End {
			return i
		}
	}
	return -1
}

func TestAbsentRecord(t *testing.T) {
	text := "1. ASSIGNMENT\n\nThe Manager assigns tasks.\nRisk transfers to the Buyer. Source: ASSIGN CO\n\n" +
		strings.Repeat("The Manager assigned a number to each crate. It was red.\n\n", 60)
	found, err := Read(text).Find("Anti-Assignment")
	if err != nil || len(found.Quotes) > 0 {
		t.Fatalf("found %v, %v", found.Quotes, err)
	}
	if err := recheck(text, found.Search); err != nil {
		t.Error(err)
	}
	if n := len(found.Search.Hits); n != mostHits {
		t.Errorf("%d hits, want %d", n, mostHits)
	}
}

func TestAbsentRecordSaysWhy(t *testing.T) {
	found, err := Read("1. Assignment.\n\nThe Manager assigns tasks. Risk transfers.").Find("Anti-Assignment")
	if err != nil || len(found.Search.Hits) != 3 {
		t.Fatalf("%d hits, %v", len(found.Search.Hits), err)
	}
	if why, want := found.Search.Hits[0].Why, "names assignment or transfer in a heading only"; why != want {
		t.Errorf("why = %q, want %q", why, want)
	}
	if why, want := found.Search.Hits[1].Why, `says "assigns"; scores 0.`; !strings.HasPrefix(why, want) {
		t.Errorf("why = %q, want %q and more", why, want)
	}
}

func TestAbsentRecordOfContracts(t *testing.T) {
	largest := 0
	for _, a := range loadCUAD(t) {
		for _, c := range Categories() {
			found, _ := a.doc.Find(c)
			if len(found.Quotes) > 0 {
				continue
			}
			if err := recheck(a.doc.text, found.Search); err != nil {
				t.Errorf("%s, %s: %v", a.File, c, err)
			}
			raw, _ := json.Marshal(found.Search)
			largest = max(largest, len(raw))
		}
	}
	if largest > 4<<10 {
		t.Errorf("the largest record has %d bytes", largest)
	}
}

// A text of two megabytes is read to its end.
func TestLongText(t *testing.T) {
	text := strings.Repeat("The Supplier shall license, assign and insure the goods and is liable for damages. ", 25_000)
	d := Read(text)
	for _, c := range Categories() {
		if _, err := d.Find(c); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, w := range wordings {
		f.Add(strings.Join(w.yes, " "))
		f.Add(strings.Join(w.no, "\n\n7\n\n"))
	}
	f.Add("(a) \u00ad'9.2\f\n\nSource: X, 1/1/2010\n")
	f.Add("\xff assign\xc3 U.S. K\u212aſ")
	f.Fuzz(func(t *testing.T, text string) {
		d := Read(text)
		for _, c := range Categories() {
			found, err := d.Find(c)
			if err != nil {
				t.Fatal(err)
			}
			end := 0
			for _, q := range found.Quotes {
				if q.Start < end || q.End <= q.Start || q.End > len(text) {
					t.Fatalf("%s: quote %v after %d of %d", c, q.Span, end, len(text))
				}
				end = q.End
			}
			if end == 0 {
				if err := recheck(text, found.Search); err != nil {
					t.Fatalf("%s: %v", c, err)
				}
			}
		}
	})
}
