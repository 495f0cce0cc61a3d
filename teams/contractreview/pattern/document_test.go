package pattern

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// plains returns the sentences of text in reading form.
func plains(text string) []string {
	var out []string
	for _, s := range Read(text).sentences {
		out = append(out, s.plain)
	}
	return out
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"only newlines", "\n\n \n", nil},
		{"two", "One is here. Two is there.", []string{"One is here.", "Two is there."}},
		{"company suffix", "Acme, Inc. and Beta Corp. agree. Done.", []string{"Acme, Inc. and Beta Corp. agree.", "Done."}},
		{"company suffix before a name", "Acme Inc. Newark branch sells. It pays.", []string{"Acme Inc. Newark branch sells.", "It pays."}},
		{"company suffix at the end", "It is owned by Acme, Inc. The owner agrees.", []string{"It is owned by Acme, Inc.", "The owner agrees."}},
		{"numbers", "See Section 9.2 and No. 4 below. Pay $1.50 now.", []string{"See Section 9.2 and No. 4 below.", "Pay $1.50 now."}},
		{"run-in heading", "13. Insurance: During the term it holds. 14. Term: It ends.", []string{"Insurance:", "During the term it holds.", "Term:", "It ends."}},
		{"labels", "(a) First it runs. (b) Then it stops. c. Then it rests.", []string{"First it runs.", "Then it stops.", "Then it rests."}},
		{
			"page break", "The Supplier shall deliver all of the goods that were\n\n12\n\nSource: ACME, INC., 10-K, 1/1/2010\n\n\n\nordered by the Buyer. End.",
			[]string{"The Supplier shall deliver all of the goods that were ordered by the Buyer.", "End."},
		},
		{"broken line", "The goods are\n     sold as seen\n\nand paid.", []string{"The goods are sold as seen and paid."}},
		{"heading apart", "INSURANCE\n\nThe carrier pays.", []string{"INSURANCE", "The carrier pays."}},
		{"marks", "“Net Sales” means the seller’s sales – less re\u00adturns.", []string{`"Net Sales" means the seller's sales - less returns.`}},
		{"redaction", "The fee is [***] dollars. *** It is due.", []string{"The fee is [***] dollars.", "*** It is due."}},
	} {
		if diff := cmp.Diff(tt.want, plains(tt.text)); diff != "" {
			t.Errorf("%s: sentences differ (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSentenceOffsets(t *testing.T) {
	text := "  1.  “Größe” is   defined.\n\n2) Then é."
	var got []string
	for _, s := range Read(text).sentences {
		got = append(got, text[s.Start:s.End])
	}
	if diff := cmp.Diff([]string{"“Größe” is   defined.", "Then é."}, got); diff != "" {
		t.Errorf("quotes differ (-want +got):\n%s", diff)
	}
}

func TestLongestSentence(t *testing.T) {
	for _, s := range Read(strings.Repeat("word; and more ", 1000)).sentences {
		if len(s.plain) > longest {
			t.Fatalf("a sentence of %d bytes", len(s.plain))
		}
	}
}

func TestEndlessRunIsNotJudged(t *testing.T) {
	clauses := strings.Repeat("and no party may assign this Agreement without consent; ", (mostCuts+3)*longest/50)
	text := "Intro. " + strings.Repeat("word ", (mostCuts+2)*longest/5) + clauses + ". Each party may assign this Agreement."
	f, err := Read(text).Find("Anti-Assignment")
	if err != nil {
		t.Fatal(err)
	}
	checkFound(t, text, f)
	if len(f.Quotes) > 0 || len(f.Search.Hits) == 0 || f.Search.Hits[0].Why != unread {
		t.Errorf("quotes %v and hits %v, want none and why they were not read", f.Quotes, f.Search.Hits)
	}
	f, err = Read("Intro. " + clauses).Find("Anti-Assignment")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Quotes) != mostCuts+1 {
		t.Errorf("%d quotes, want the first %d parts of the run", len(f.Quotes), mostCuts+1)
	}
}

func TestQuoteAcrossPageBreak(t *testing.T) {
	text := "Neither party may assign this Agreement to any other person, firm or\n\n7\n\nSource: ACME, INC., 10-K, 1/1/2010\n\n\n\ncorporation without the consent of the other. Next."
	f, err := Read(text).Find("Anti-Assignment")
	if err != nil {
		t.Fatal(err)
	}
	want := []clause.Quote{{Span: clause.Span{Start: 0, End: strings.Index(text, " Next")}, Confidence: Confidence("Anti-Assignment")}}
	if diff := cmp.Diff(want, f.Quotes); diff != "" {
		t.Errorf("quotes differ (-want +got):\n%s", diff)
	}
}

func TestInsuranceSectionIsQuotedWhole(t *testing.T) {
	text := "9. INSURANCE. Supplier shall maintain liability insurance. Each policy shall be primary. It sends a letter. 10. NOTICES. The policy of the firm is kind."
	f, err := Read(text).Find("Insurance")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range f.Quotes {
		got = append(got, text[q.Start:q.End])
	}
	if diff := cmp.Diff([]string{"Supplier shall maintain liability insurance.", "Each policy shall be primary."}, got); diff != "" {
		t.Errorf("quotes differ (-want +got):\n%s", diff)
	}
}

func TestHostileTexts(t *testing.T) {
	for name, text := range map[string]string{
		"one 5 MB line":      strings.Repeat("nought ", 5<<20/7),
		"line of triggers":   strings.Repeat("grant license assign audit insurance ", 1<<20/37),
		"newlines":           strings.Repeat("\n", 1<<20),
		"emoji":              strings.Repeat("😀 liability 👩‍⚖️. ", 2000),
		"nul":                strings.Repeat("\x00term\x00", 2000),
		"stops":              strings.Repeat(". ", 1<<16),
		"open brackets":      strings.Repeat("(the \"", 5000),
		"invalid, tolerated": "\xff\xfe dated \xff as of \xc3",
	} {
		if testing.Short() && len(text) > 1<<20 {
			continue
		}
		begun := time.Now()
		d := Read(text)
		for _, c := range clause.Categories() {
			f, err := d.Find(c.Name)
			if err != nil {
				t.Fatal(err)
			}
			checkQuotes(t, text, f)
		}
		t.Logf("%s: %d bytes in %v", name, len(text), time.Since(begun))
	}
}

func checkQuotes(t *testing.T, text string, f clause.Found) {
	t.Helper()
	end := 0
	for _, q := range f.Quotes {
		if q.Start < end || q.End <= q.Start || q.End > len(text) {
			t.Fatalf("%s: quote %v after %d of %d", f.Category, q, end, len(text))
		}
		end = q.End
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "This Agreement is dated May 1, 2001 between Acme, Inc. (\"Acme\") and B.",
		"1.1 Term. The term is one (1) year. 12\n\nSource: A, 10-K, 1/1/2010\n\n", "“é”\x00 ſ K (a) ● x:", "(the 'X') day of ____, 20__",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		d := Read(text)
		for _, c := range clause.Categories() {
			found, err := d.Find(c.Name)
			if err != nil {
				t.Fatal(err)
			}
			checkFound(t, text, found)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("Supplier shall deliver the goods under Section 4.2 of this Agreement to the Buyer, and Buyer shall pay for them within the term of thirty days. ", 1400) // 200 KB
	for b.Loop() {
		d := Read(text)
		for _, c := range clause.Categories() {
			if _, err := d.Find(c.Name); err != nil {
				b.Fatal(err)
			}
		}
	}
}
