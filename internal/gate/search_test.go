package gate

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

//guard:absence-search
func TestSearch(t *testing.T) {
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{}})
	n := len(lease)
	all := []object{{"start": 0, "end": n}}
	assign := strings.Index(lease, "assign this Lease")
	taker := strings.Index(lease, "assignee")
	hit := func(at, size int, why string) object { return object{"start": at, "end": at + size, "why": why} }
	record := func(patterns any, spans any, hits ...object) object {
		return object{"patterns": patterns, "spans": spans, "hits": hits}
	}
	for _, tt := range []struct {
		name   string
		search any
		want   string // empty: the search shows the absence
	}{
		{"nothing there", record([]string{`(?i)\baudit`}, all), ""},
		{"hits explained", record([]string{`(?i)\bassign\w*`}, all, hit(assign, 6, "forbids it"), hit(taker, 8, "not a clause")), ""},
		{"a wide hit", record([]string{`(?i)\bassign\w*`}, all, hit(assign-10, taker-assign+20, "clause 4 forbids it")), ""},
		{"spans with white space between", record([]string{`audit`}, []object{{"start": 0, "end": 80}, {"start": 81, "end": n}}), ""},
		{"overlapping spans", record([]string{`audit`}, []object{{"start": 50, "end": n}, {"start": 0, "end": 90}}), ""},
		{"no record", nil, `there is no search record ("search")`},
		{"a text", "searched everywhere", `the record must be an object with spans, patterns and hits; it is the text "searched everywhere"`},
		{"no patterns", record([]string{}, all), `it names no pattern that was looked for`},
		{"no spans", record([]string{`audit`}, []object{}), fmt.Sprintf(`the document was not read at 0–%d`, n)},
		{"a gap", record([]string{`audit`}, []object{{"start": 0, "end": 80}, {"start": 90, "end": n}}), `the document was not read at 80–90`},
		{"span outside", record([]string{`audit`}, []object{{"start": 0, "end": n + 1}}), fmt.Sprintf(`the span 0–%d lies outside the document, which ends at %d`, n+1, n)},
		{"span without numbers", record([]string{`audit`}, []object{{"start": "0"}}), `a passage must have a start and an end, in bytes`},
		{"a match without a hit", record([]string{`(?i)\bassign\w*`}, all, hit(assign, 6, "forbids it")), fmt.Sprintf(`the pattern "(?i)\bassign\w*" matches "assignee" at %d–%d, which no hit accounts for`, taker, taker+8)},
		{"a hit cut short", record([]string{`(?i)\bassign\w*`}, all, hit(assign, 6, "x"), hit(taker, 7, "x")), fmt.Sprintf(`the pattern "(?i)\bassign\w*" matches "assignee" at %d–%d, which no hit accounts for`, taker, taker+8)},
		{"a hit without a match", record([]string{`audit`}, all, hit(10, 5, "x")), `no pattern matches inside the hit at 10–15`},
		{"a hit without a reason", record([]string{`assign\b`}, all, hit(assign, 6, " ")), fmt.Sprintf(`the hit at %d–%d does not say why it was passed over`, assign, assign+6)},
		{"a hit outside", record([]string{`audit`}, all, hit(n, 5, "x")), fmt.Sprintf(`the hit %d–%d is no passage of the document, which ends at %d`, n, n+5, n)},
		{"not RE2", record([]string{`(?<!a)audit`}, all), "the pattern \"(?<!a)audit\" is not one that RE2 knows: invalid named capture: `(?<!a)audit`"},
		{"no letters", record([]string{`\d+`}, all), `the pattern "\d+" spells out no word of 3 letters, so it shows nothing`},
		{"two letters", record([]string{`ab\d`}, all), `the pattern "ab\d" spells out no word of 3 letters, so it shows nothing`},
		{"after the end", record([]string{`audit\A`}, all), `the pattern "audit\A" cannot match any text`},
		{"inside a word", record([]string{`aud\bit`, `xyz`}, all), `the pattern "aud\bit" cannot match any text`},
		{"an empty class", record([]string{`audit[^\x00-\x{10FFFF}]`}, all), `the pattern "audit[^\x00-\x{10FFFF}]" cannot match any text`},
		{"no times", record([]string{`(?:audit){0}`}, all), `the pattern "(?:audit){0}" spells out no word of 3 letters, so it shows nothing`},
		{"too many patterns", record(make([]string, 201), all), `it has 201 patterns; at most 200 are allowed`},
		{"a long pattern", record([]string{strings.Repeat("audit|", 400)}, all), `the pattern ` + quoted(strings.Repeat("audit|", 400)) + ` has 2,400 bytes; at most 2,000 are allowed`},
	} {
		v := g.Check(submit(asked(lease), []object{{"key": "k", "present": false, "search": tt.search}}))
		got := ""
		if len(v.Issues) > 0 {
			got = strings.TrimSuffix(strings.TrimPrefix(v.Issues[0].Message, `"k" is said to be absent, but its search does not show it: `), ".")
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if ok := tt.want == ""; v.CompletenessPass != ok || (v.Score == 1) != ok {
			t.Errorf("%s: completenessPass %v, score %v", tt.name, v.CompletenessPass, v.Score)
		}
	}
}

// TestSearchIsBounded gives the gate far more searching than it repeats.
func TestSearchIsBounded(t *testing.T) {
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{}})
	doc := strings.Repeat("the quick brown fox. ", 50_000)
	var patterns []string
	for i := range 200 {
		patterns = append(patterns, fmt.Sprintf(`[a-z]+ing%dish`, i))
	}
	v := g.Check(submit(asked(doc), []object{{"key": "k", "present": false, "search": searched(doc[:100], patterns...)}}))
	if v.Recommendation != chargehand.Reject {
		t.Errorf("%s", v.Recommendation)
	}
	search := object{"spans": []object{{"start": 0, "end": len(doc)}}, "patterns": patterns}
	v = g.Check(submit(asked(doc), []object{{"key": "k", "present": false, "search": search}}))
	if v.Recommendation != chargehand.HumanReview || v.Issues[0].Rule != budgetRule || v.CompletenessPass {
		t.Errorf("%s: %v", v.Recommendation, v.Issues)
	}
}

// TestTriggersFindWhatRegexpFinds compares the quick way of running a pattern with the plain one.
func TestTriggersFindWhatRegexpFinds(t *testing.T) {
	contracts, text := cuad(t)
	patterns := []string{
		`(?i)\bassign\w*`, `(?i)\b(?:assign|transfer)\w*`, `(?i)change\s+(?:of|in)\s+control`, `Agreement`, `(?i)\b[Tt]erminat(?:e|ion)\b`,
		`(?i)\bgovern\w*\W+by\b`, `(?i)(?:non-?)?compet\w+`, `(?i)law(?:s)?\b[^.;]{0,80}state`, `(?i)the `, `(?im)^section`, `(?i)party$`,
		`(?i)(?:exclusiv|sole)\w*`, `(?i)\b[a-z]+ability\b`, `(?i)license|licence|licens`, `(?i)kings?`, `[A-Z]{2}tion`, `(?i)(the)+re`, `(?i)warrant(?:y|ies)?`,
		`(?i)\bnot\b.{0,30}\bless\b`, `(?s)Term.*?Agreement`, `(?i:liab)ility`, `(?i)indemnif(?:y|ies|ication)`, `(?i)[§]?\s*insurance`,
	}
	led := 0
	for _, c := range contracts[:10] {
		src := &source{text: text(c.File)}
		for _, p := range patterns {
			k := &check{gate: &Gate{}}
			got, why := k.run(p, src)
			if why != "" {
				if !strings.Contains(why, "spells out") {
					t.Errorf("%s: %s", p, why)
				}
				continue
			}
			var want [][2]int
			for _, m := range regexp.MustCompile(p).FindAllStringIndex(src.text, -1) {
				want = append(want, [2]int{m[0], m[1]})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in %s: %s", p, c.File, diff)
			}
			if tr, _ := readTrigger(p); len(tr.openings) > 0 {
				led++
			}
		}
	}
	if led < 100 {
		t.Errorf("only %d of the runs were quick", led)
	}
}

// TestOddFold holds the quick way to what case folding outside ASCII finds.
func TestOddFold(t *testing.T) {
	for _, doc := range []string{"an aſſignment", "the \u212aings", "an assignment of kings"} {
		src := &source{text: doc}
		for _, p := range []string{`(?i)assign`, `(?i)kings`, `(?i)a[s]sign`} {
			got, _ := (&check{gate: &Gate{}}).run(p, src)
			if want := len(regexp.MustCompile(p).FindAllString(doc, -1)); len(got) != want {
				t.Errorf("%s in %q: %d matches, want %d", p, doc, len(got), want)
			}
		}
	}
}
