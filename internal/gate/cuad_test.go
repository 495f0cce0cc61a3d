package gate

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

type object = map[string]any

// TestTrueQuotes holds the gate to accepting every annotated span of forty contracts.
func TestTrueQuotes(t *testing.T) {
	contracts, text := cuad(t)
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{Path: "/items"}})
	n := 0
	for _, c := range contracts {
		var items []object
		for key, clause := range c.Clauses {
			for _, s := range clause.Spans {
				items = append(items, object{"key": key, "present": true, "quote": s.Text, "start": s.Start, "end": s.Start + len(s.Text)})
			}
		}
		n += len(items)
		v := g.Check(submit(asked(text(c.File)), object{"items": items}))
		if v.Recommendation != chargehand.Accept || v.Score != 1 {
			t.Errorf("%s: %s, score %v: %v", c.File, v.Recommendation, v.Score, v.Issues[:min(3, len(v.Issues))])
		}
	}
	t.Logf("%d true spans accepted", n)
	if n < 1000 {
		t.Errorf("only %d spans were checked", n)
	}
}

// TestAlteredQuotes holds the gate to refusing every span with one word, one digit or one offset
// changed.
func TestAlteredQuotes(t *testing.T) {
	contracts, text := cuad(t)
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{Path: "/items"}})
	rnd := rand.New(rand.NewPCG(1, 2))
	tried := map[string]int{}
	for _, c := range contracts {
		task := asked(text(c.File))
		for key, clause := range c.Clauses {
			for _, s := range clause.Spans {
				for how, item := range altered(rnd, s.Text, s.Start) {
					item["key"], item["present"] = key, true
					v := g.Check(submit(task, object{"items": []object{item}}))
					tried[how]++
					if v.Recommendation != chargehand.Reject || v.ConsistencyPass {
						t.Errorf("%s, %s, %s: %s %q at %v", c.File, key, how, v.Recommendation, item["quote"], item["start"])
					}
				}
			}
		}
	}
	t.Logf("altered spans refused: %v", tried)
	for _, how := range []string{"word", "digit", "letter", "shifted", "longer"} {
		if tried[how] < 200 {
			t.Errorf("only %d spans with altered %s", tried[how], how)
		}
	}
}

// altered makes wrong items of a true span: what is changed, and the item.
func altered(rnd *rand.Rand, text string, start int) map[string]object {
	item := func(quote string, start, end int) object {
		return object{"quote": quote, "start": start, "end": end}
	}
	end := start + len(text)
	out := map[string]object{"shifted": item(text, start+1, end+1), "longer": item(text, start, end+1)}
	letters, digits := []int{}, []int{}
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits = append(digits, i)
		case 'a' <= c && c <= 'y':
			letters = append(letters, i)
		}
	}
	change := func(at []int) object {
		i := at[rnd.IntN(len(at))]
		b := []byte(text)
		b[i] += 1
		if b[i] > '9' && b[i] < 'A' {
			b[i] = '0'
		}
		return item(string(b), start, end)
	}
	if len(letters) > 0 {
		out["letter"] = change(letters)
	}
	if len(digits) > 0 {
		out["digit"] = change(digits)
	}
	if i := wordAt(text, rnd); i >= 0 {
		b := text[:i] + "not " + text[i:]
		out["word"] = item(b, start, start+len(b))
	}
	return out
}

// wordAt is an offset where a word of text begins, -1 if there is but one.
func wordAt(text string, rnd *rand.Rand) int {
	var at []int
	for i := 1; i < len(text); i++ {
		if text[i-1] == ' ' && text[i] != ' ' && utf8.RuneStart(text[i]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return -1
	}
	return at[rnd.IntN(len(at))]
}

// TestGroundedAnswers measures how many of the lawyers' own answers the gate finds in their quotes.
// Answers that were worked out from elsewhere in the contract are rightly not among them.
func TestGroundedAnswers(t *testing.T) {
	contracts, text := cuad(t)
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{Path: "/items"}})
	floors := map[string]float64{"Governing Law": 0.9, "Agreement Date": 0.9, "Document Name": 1, "Renewal Term": 0.7}
	for category, floor := range floors {
		good, all := 0, 0
		for _, c := range contracts {
			clause := c.Clauses[category]
			if len(clause.Spans) == 0 || clause.Answer == "" {
				continue
			}
			all++
			var last chargehand.Verdict
			ok := false
			for _, s := range clause.Spans {
				last = g.Check(submit(asked(text(c.File)), object{"items": []object{{
					"key": category, "quote": s.Text, "start": s.Start, "end": s.Start + len(s.Text), "answer": clause.Answer,
				}}}))
				ok = ok || last.Recommendation == chargehand.Accept && last.Score == 1
			}
			if ok {
				good++
			} else {
				t.Logf("%s: answer %q: %v", category, clause.Answer, last.Issues)
			}
		}
		t.Logf("%s: %d of %d answers grounded", category, good, all)
		if float64(good) < floor*float64(all) {
			t.Errorf("%s: %d of %d answers grounded, want %.0f %%", category, good, all, 100*floor)
		}
	}
}

// TestForeignAnswers puts the answer of another contract beside a true quote, wherever the two
// answers differ, and counts how often the gate takes it.
func TestForeignAnswers(t *testing.T) {
	contracts, text := cuad(t)
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{Path: "/items"}})
	ceilings := map[string]float64{"Governing Law": 0.01, "Agreement Date": 0.01, "Document Name": 0.1, "Parties": 0.02, "Renewal Term": 0.25}
	for category, ceiling := range ceilings {
		taken, all := 0, 0
		for i, c := range contracts {
			clause, task := c.Clauses[category], asked(text(c.File))
			for j, other := range contracts {
				foreign := other.Clauses[category].Answer
				if i == j || len(clause.Spans) == 0 || foreign == "" || new(slab).sameAnswer(foreign, clause.Answer) {
					continue
				}
				s := clause.Spans[0]
				v := g.Check(submit(task, object{"items": []object{{
					"key": category, "quote": s.Text, "start": s.Start, "end": s.Start + len(s.Text), "answer": foreign,
				}}}))
				all++
				if v.Recommendation == chargehand.Accept && v.Score == 1 {
					taken++
					if testing.Verbose() {
						t.Logf("%s: %q taken beside %q", category, foreign, s.Text)
					}
				}
			}
		}
		t.Logf("%s: %d of %d foreign answers taken", category, taken, all)
		if float64(taken) > ceiling*float64(all) {
			t.Errorf("%s: %d of %d foreign answers taken, at most %.0f %% are allowed", category, taken, all, 100*ceiling)
		}
	}
}
