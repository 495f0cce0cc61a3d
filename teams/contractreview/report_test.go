package contractreview

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
)

const contractText = "9.2 Cap. Liability shall not exceed EUR 500,000. Ohio law governs."

func quoted(t *testing.T, category, quote, answer string) map[string]any {
	t.Helper()
	at := strings.Index(contractText, quote)
	if at < 0 {
		at = 0
	}
	return map[string]any{"category": category, "present": true, "quote": quote, "start": at, "end": at + len(quote), "answer": answer, "confidence": 0.9}
}

// reported is the report on items with their verdicts, and what the gate says of it.
func reported(t *testing.T, items ...chargehand.Item) (report, chargehand.Verdict) {
	t.Helper()
	b := newBench(t)
	raw, err := json.Marshal(aggregation{Items: items})
	if err != nil {
		t.Fatal(err)
	}
	ref := document("aggregate", string(raw))
	ref.From = "aggregate"
	task := taskOf(chargehand.Subtask{ID: "_synthesis"}, document("c.txt", contractText), ref)
	res, err := b.workers["report-writer"].Do(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(res.Output, &r); err != nil {
		t.Fatal(err)
	}
	return r, b.gate.Check(gate.Submission{Contract: contractReport, Task: task, Result: res})
}

func accept(t *testing.T, fields map[string]any, subtask, verdict string) chargehand.Item {
	t.Helper()
	b, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return chargehand.Item{Fields: b, Subtask: subtask, Attempt: 2, Worker: subtask + "-reader", Verdict: verdict}
}

func TestWhatAPersonAcceptedIsNotCited(t *testing.T) {
	lie := quoted(t, "Cap on Liability", "shall not exceed EUR 5,000,000", "Yes")
	r, v := reported(t, accept(t, lie, "s3", "accepted_by_human"))
	accepted(t, "report", v)
	if len(r.Evidence) != 0 || len(r.Risks) != 1 || fmt.Sprint(r.Risks[0].Decided) != "[s3]" {
		t.Errorf("evidence %v, risks %+v", r.Evidence, r.Risks)
	}
	for _, want := range []string{"[s3, attempt 2, s3-reader; accepted by a person]", "these words do not stand in the contract"} {
		if !strings.Contains(r.Report.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, r.Report.Text)
		}
	}
}

func TestWhatAPersonAcceptedIsCitedWhereItStands(t *testing.T) {
	r, v := reported(t, accept(t, quoted(t, "Cap on Liability", "shall not exceed EUR 500,000", "Yes"), "s3", "accepted_by_human"))
	accepted(t, "report", v)
	if len(r.Evidence) != 1 || len(r.Risks[0].Evidence) != 1 || len(r.Risks[0].Decided) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestDisagreementIsShown(t *testing.T) {
	absent := map[string]any{
		"category": "Governing Law", "present": false, "quote": "", "answer": "", "confidence": 0.9,
		"search": map[string]any{"spans": []any{}, "patterns": []string{"law"}},
	}
	r, v := reported(t,
		accept(t, quoted(t, "Governing Law", "Ohio law governs.", "Ohio"), "law", "conflict"),
		accept(t, absent, "law-second", "conflict"))
	accepted(t, "report", v)
	if len(r.Findings) != 2 || !r.Findings[0].Present || r.Findings[1].Present {
		t.Errorf("findings %+v", r.Findings)
	}
	if n := strings.Count(r.Report.Text, "contested by another reading"); n != 2 {
		t.Errorf("contested %d times:\n%s", n, r.Report.Text)
	}
}

func TestNothingAccepted(t *testing.T) {
	r, v := reported(t)
	accepted(t, "report", v)
	if r.Level != "" || len(r.Findings) != 0 || !strings.HasPrefix(r.Summary, "Nothing was accepted") {
		t.Errorf("%+v", r)
	}
}

// TestFalseReportsAreRefused alters a good report in ways that a writer may get wrong.
func TestFalseReportsAreRefused(t *testing.T) {
	b := newBench(t)
	doc := document("c.txt", contractText)
	var agg aggregation
	agg.Items = []chargehand.Item{accept(t, quoted(t, "Cap on Liability", "shall not exceed EUR 500,000", "Yes"), "s3", "accepted")}
	task := taskOf(chargehand.Subtask{ID: "_synthesis"}, doc, agg.ref(t))
	res, err := b.workers["report-writer"].Do(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ rule, old, new string }{
		{"", "", ""},
		{"quote", `"quote":"shall not exceed EUR 500,000"`, `"quote":"shall not exceed EUR 900,000"`},
		{"amount", `“shall not exceed EUR 500,000`, `“shall not exceed EUR 5,000,000`},
		{"name", "The limit should be compared", "The limit agreed with Globex should be compared"},
		{"finding-cites", `"evidence":["e1"],"subtask"`, `"evidence":["e2"],"subtask"`},
		{"risk-rests", `"evidence":["e1"],"decided":[]`, `"evidence":[],"decided":[]`},
		{"finding-rests", `"subtask":"s3","attempt":2,"worker":"s3-reader","verdict"`, `"subtask":"","attempt":2,"worker":"s3-reader","verdict"`},
		{"schema", `"level":"medium"`, `"level":"fine"`},
	} {
		altered := res
		altered.Output = json.RawMessage(strings.Replace(string(res.Output), tt.old, tt.new, 1))
		if tt.rule != "" && string(altered.Output) == string(res.Output) {
			t.Fatalf("%s: there is no %s in %s", tt.rule, tt.old, res.Output)
		}
		v := b.gate.Check(gate.Submission{Contract: contractReport, Task: task, Result: altered})
		if tt.rule == "" {
			accepted(t, "as it is", v)
			continue
		}
		if v.Recommendation != chargehand.Reject || v.Issues[0].Rule != tt.rule {
			t.Errorf("%s: %s, %v", tt.rule, v.Recommendation, v.Issues)
		}
	}
}
