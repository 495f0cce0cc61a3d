package gate

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// hostileContract turns on everything the gate can do.
func hostileContract() chargehand.Contract {
	c := reviewContract()
	c.Schema = nil
	c.Grounded = []string{"/summary", "/items/*/note"}
	c.Calculations = []chargehand.Calculation{{ID: "total", Path: "/total", Equals: "sum(output.parts)"}}
	return c
}

// sound holds what is true of every verdict, whatever came in.
func sound(t testing.TB, v chargehand.Verdict) {
	t.Helper()
	if (v.Recommendation == chargehand.Accept) == (v.Feedback != "") {
		t.Errorf("%s with feedback %q", v.Recommendation, v.Feedback)
	}
	if len(v.Feedback) > maxFeedback {
		t.Errorf("feedback of %d bytes", len(v.Feedback))
	}
	if v.Score < 0 || v.Score > 1 {
		t.Errorf("score %v", v.Score)
	}
	errors := 0
	for _, f := range v.Issues {
		if f.Severity == chargehand.SeverityError {
			errors++
		}
		unseen(t, f.Message)
		unseen(t, f.Quote)
		if f.Source != nil {
			unseen(t, f.Source.Quote)
		}
		if f.ID == "" || f.Rule == "" || f.Message == "" || len(f.Message) > 4_000 || len(f.Path) > maxPointer {
			t.Errorf("finding %+v", f)
		}
	}
	if (errors > 0) != (v.Recommendation == chargehand.Reject) {
		t.Errorf("%s with %d errors", v.Recommendation, errors)
	}
	for _, c := range v.Claims {
		unseen(t, c.Text)
	}
	for line := range strings.Lines(v.Feedback) {
		unseen(t, strings.TrimSuffix(line, "\n"))
	}
	if _, err := json.Marshal(v); err != nil {
		t.Error(err)
	}
}

// unseen refuses characters that do not show, or reorder what does.
func unseen(t testing.TB, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not UTF-8", s)
	}
	for _, r := range s {
		if r < ' ' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Co, r) {
			t.Errorf("%q holds %U", s, r)
		}
	}
}

// TestNaughtyStrings puts every string of the list in every place of an output.
func TestNaughtyStrings(t *testing.T) {
	var naughty []string
	decodeData(t, &naughty, "naughty-strings", "blns.json")
	for _, folder := range []string{"xss-1.txt", "xss-2.txt", "xss-polyglots.txt", "sql.txt"} {
		naughty = append(naughty, strings.Split(string(readData(t, "hostile-payloads", folder)), "\n")...)
	}
	g := gateOf(t, hostileContract())
	for _, s := range naughty {
		outputs := []any{
			s,
			object{s: s},
			object{"summary": s, "total": s, "parts": []string{s}},
			object{"items": []object{{"key": s, "present": true, "quote": s, "start": 0, "end": len(s), "answer": s, "document": s, "note": s}}},
			object{"items": []object{{"key": s, "present": false, "search": object{"patterns": []string{s, "abc" + s}, "spans": []object{{"start": 0, "end": len(s)}}}}}},
			object{"items": []object{{"key": s, "present": s, "quote": []string{s}}}},
		}
		for _, o := range outputs {
			for _, doc := range []string{s, lease} {
				sound(t, g.Check(submit(asked(doc, s), o)))
			}
		}
		sound(t, g.Check(submit(asked(lease), s)))
	}
	t.Logf("%d strings", len(naughty))
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\u202eb": `a\u202eb`, "a\u200bb": `a\u200bb`, "a\nb\tc": `a\nb\tc`, "\x00": `\u0000`, "a\xffb": `a\xffb`,
		"é – “x”": "é – “x”", "\U000e0041": `\U000e0041`, "a\u00a0b": `a\u00a0b`, "\ufeff": `\ufeff`, "日本": "日本",
	} {
		if got := visible(in, 100); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got := visible(strings.Repeat("é", 300), 200); got != strings.Repeat("é", 200)+"…" {
		t.Errorf("cut to %q", got)
	}
}

// TestFeedback shows the correction a worker gets.
func TestFeedback(t *testing.T) {
	g := gateOf(t, reviewContract())
	v := g.Check(submit(asked(lease, "Audit"), object{"items": []object{with(limit, object{"answer": "USD 5,000,000"})}}))
	want := "The output was not accepted. Correct each point below, keep what is right, and hand in the whole output again.\n" +
		"1. Nothing is said about \"Audit\"; it needs an item, present with its quote or absent with its search.\n" +
		"2. /items/0/answer: Output says USD 5,000,000; the quoted passage says USD 500,000."
	if v.Feedback != want {
		t.Errorf("feedback:\n%s", v.Feedback)
	}
	var items []object
	for range 200 {
		items = append(items, with(limit, object{"answer": "USD 5,000,000"}))
	}
	v = g.Check(submit(asked(lease), object{"items": items}))
	if len(v.Feedback) > maxFeedback || !strings.Contains(v.Feedback, "more points.") {
		t.Errorf("%d bytes: …%s", len(v.Feedback), v.Feedback[len(v.Feedback)-60:])
	}
}

// TestManyFaults keeps verdicts small and quick however much is wrong.
func TestManyFaults(t *testing.T) {
	g := gateOf(t, hostileContract())
	doc := strings.Repeat("0123456789 ", 50_000)
	var items []object
	for range 10_000 {
		items = append(items, object{"key": "k", "quote": doc[:300] + "x", "start": 1, "end": 2, "answer": "12,345"})
	}
	v := g.Check(submit(asked(doc), object{"items": items}))
	sound(t, v)
	if last := v.Issues[maxFindings-2]; strings.Contains(last.Message, "After") || !strings.Contains(v.Issues[0].Message, "After") {
		t.Errorf("the explanations are not bounded: first %s, last %s", v.Issues[0].Message, last.Message)
	}
	if len(v.Issues) != maxFindings || len(v.Claims) != maxClaims || v.Recommendation != chargehand.Reject {
		t.Errorf("%d findings, %d claims, %s", len(v.Issues), len(v.Claims), v.Recommendation)
	}
}

func FuzzCheck(f *testing.F) {
	g := gateOf(f, hostileContract())
	for _, o := range []any{
		object{"items": []object{law, limit, term, date0, party, none}},
		object{"summary": "Acme Corp. owes $5 million.", "total": 3, "parts": []int{1, 2}},
		object{"items": []object{with(law, object{"quote": "other words"})}},
		`{"items":[{"key":1e5}],"items":[]}`, "[1e999]", "\xff",
		object{"items": []object{{"key": "k", "present": false, "search": object{"patterns": []string{`(?i)a(b|c)*lease`}, "spans": []object{{"start": 0, "end": 9}}, "hits": []object{}}}}},
	} {
		f.Add([]byte(submit(chargehand.WorkerTask{}, o).Result.Output), lease)
	}
	f.Fuzz(func(t *testing.T, output []byte, doc string) {
		s := Submission{Contract: "c", Task: asked(doc, "Audit"), Result: chargehand.WorkerResult{Output: output}, Facts: map[string]string{"Cap": "$5"}}
		first := g.Check(s)
		sound(t, first)
		a, _ := json.Marshal(first)
		b, _ := json.Marshal(g.Check(s))
		if string(a) != string(b) {
			t.Errorf("two verdicts on one output:\n%s\n%s", a, b)
		}
		if _, err := g.Items("c", output); err != nil && first.SchemaPass {
			t.Errorf("no items of a sound output: %v", err)
		}
	})
}

// TestUnreadable: a worker whose output is no JSON hears what may not stand around it, whether the gate
// or the monitor noticed; one whose JSON lacks something does not.
func TestUnreadable(t *testing.T) {
	g := gateOf(t, chargehand.Contract{Schema: json.RawMessage(`{"type":"object","required":["a"]}`)})
	const want = "Write the JSON value only: no code fence (```), no word before it or after it, no <think>."
	for text, unreadable := range map[string]bool{
		"```json\n{\"a\":1}\n```": true, `<think>hm</think>{"a":1}`: true, `{"a":1} I hope this helps.`: true, `{"a":1`: true, `{"b":1}`: false, `[]`: false,
	} {
		if v := g.Check(submit(chargehand.WorkerTask{}, text)); strings.Contains(v.Feedback, want) != unreadable || v.Recommendation != chargehand.Reject {
			t.Errorf("%s: %s", text, v.Feedback)
		}
		m := g.Monitor("c", false)
		if m.Read(text) != nil && strings.Contains(m.Verdict().Feedback, want) != unreadable {
			t.Errorf("%s, while it was written: %s", text, m.Verdict().Feedback)
		}
	}
}
