package pattern

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// checkSearch runs a search again, as anyone can.
func checkSearch(t *testing.T, category, text string, s clause.Search) {
	t.Helper()
	if len(s.Patterns) == 0 || len(s.Spans) == 0 {
		t.Fatalf("%s: absent without a search: %+v", category, s)
	}
	covered := 0
	held := make([]bool, len(s.Hits))
	for _, span := range s.Spans {
		if span.Start != covered {
			t.Fatalf("%s: nothing was read from %d to %d", category, covered, span.Start)
		}
		covered = span.End
		for _, p := range s.Patterns {
			for _, m := range published(p).FindAllStringIndex(text[span.Start:span.End], -1) {
				at := clause.Span{Start: span.Start + m[0], End: span.Start + m[1]}
				if i := hitWith(s.Hits, at); i >= 0 {
					held[i] = true
				} else {
					t.Fatalf("%s: %q matches %q outside every hit", category, p, text[at.Start:at.End])
				}
			}
		}
	}
	if covered != len(text) {
		t.Fatalf("%s: read %d of %d bytes", category, covered, len(text))
	}
	for i, h := range s.Hits {
		if !held[i] || !strings.HasSuffix(h.Why, ".") {
			t.Fatalf("%s: hit %+v holds no match, or has no reason", category, h)
		}
	}
}

var compiled sync.Map // of *regexp.Regexp by pattern

// published compiles a pattern as a reader of the record would.
func published(p string) *regexp.Regexp {
	re, ok := compiled.Load(p)
	if !ok {
		re, _ = compiled.LoadOrStore(p, regexp.MustCompile(p))
	}
	return re.(*regexp.Regexp)
}

func hitWith(hits []clause.Hit, at clause.Span) int {
	for i, h := range hits {
		if h.Start <= at.Start && at.End <= h.End {
			return i
		}
	}
	return -1
}

// contracts returns the texts of the public data set.
func contracts(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("CHARGEHAND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "cuad", "contracts", "*.txt"))
	if len(files) == 0 {
		t.Skip("no contracts: the public data set is not in " + dir)
	}
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(data))
	}
	return out
}

func TestContracts(t *testing.T) {
	const largest = 4 << 10
	for _, text := range contracts(t) {
		d := Read(text)
		for _, c := range clause.Categories() {
			f, err := d.Find(c.Name)
			if err != nil {
				t.Fatal(err)
			}
			checkFound(t, text, f)
			if data, _ := json.Marshal(f.Search); len(data) > largest {
				t.Errorf("%s: the search is %d bytes, want at most %d", c.Name, len(data), largest)
			}
		}
	}
}

// checkFound checks what holds of any answer.
func checkFound(t *testing.T, text string, f clause.Found) {
	t.Helper()
	end := 0
	for _, q := range f.Quotes {
		if q.Start < end || q.End <= q.Start || q.End > len(text) {
			t.Fatalf("%s: quote %v after %d of %d", f.Category, q, end, len(text))
		}
		end = q.End
	}
	if len(f.Quotes) == 0 {
		checkSearch(t, f.Category, text, f.Search)
		if f.Answer != "" && f.Answer != "No" {
			t.Fatalf("%s: absent, and the answer is %q", f.Category, f.Answer)
		}
	}
}

func TestJoinKeepsEveryMatch(t *testing.T) {
	text := strings.Repeat("The word audit stands here.\n\nNothing does here, for once.\n\n", 60)
	text += strings.Repeat("x", 300) + "\n\nThe last audit."
	f, err := Read(text).Find("Audit Rights")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Search.Hits) != maxHits {
		t.Errorf("%d hits, want %d", len(f.Search.Hits), maxHits)
	}
	checkFound(t, text, f)
}
