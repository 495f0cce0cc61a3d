package report

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var at = time.Date(2026, 11, 21, 14, 14, 18, 0, time.UTC)

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func item(subtask, worker, verdict, fields string) chargehand.Item {
	return chargehand.Item{Fields: json.RawMessage(fields), Subtask: subtask, Attempt: 1, Worker: worker, Verdict: verdict}
}

func result() *chargehand.Result {
	return &chargehand.Result{
		RunID: "run_7h2k", Title: "Nordwind <MSA>", Status: chargehand.RunPartial, StopReason: chargehand.StopWorkerFailure,
		Output: json.RawMessage(`{"headline":"Liability is capped","parties":["A","B"],"note":"see <b>9.2</b>\u202e",` +
			`"risks":[{"id":"r1","level":"high","why":"a | b","evidence":["e1","e2"]},{"id":"r2","more":{"x":1},"level":"low","why":null}],` +
			`"findings":[{"category":"Renewal","present":true}]}`),
		Items: []chargehand.Item{
			item("s1", "clause-a", "accepted", `{"category":"Governing Law","present":true,"quote":"This Agreement is governed\nby the laws of <script>alert(1)</script>","start":120,"end":180,"answer":"Delaware"}`),
			item("s2", "clause-a", "accepted_low_confidence", `{"category":"契約期間 Term","present":true,"quote":"five (5) years","start":40,"end":54,"answer":"5 years | renewable"}`),
			item("s2", "clause-b", "conflict", `{"category":"Renewal","present":true,"quote":"one year","start":60,"end":68}`),
			item("s3", "clause-a", "accepted", `{"category":"Most Favored Nation","present":false,"search":{"spans":[{"start":0,"end":9}]}}`),
			item("s4", "sum", "accepted_by_human", `{"total":1763700000123456789,"memo":"[x](javascript:y)","tags":["a", "b"]}`),
		},
		Gaps: []chargehand.Gap{
			{Subtask: "s5", Label: "Data protection", State: chargehand.SubtaskDegraded, Cause: chargehand.CauseDeadline, Why: "no other worker in time"},
			{Cause: chargehand.CauseBudget, Why: "the budget was spent"},
		},
		Conflicts: []chargehand.Conflict{{Key: "Renewal", Why: "Renewal: two accepted outputs disagree", Values: []chargehand.ConflictValue{
			{Subtask: "s2", Worker: "clause-b", Value: "one year", Quote: "- one year"}, {Subtask: "s6", Worker: "clause-c", Value: "two years", ConfirmedBy: []string{"clause-a", "clause-*"}},
		}}},
		LowConfidence: []chargehand.Note{{Subtask: "s2", Key: "Term", Text: "6 of 10"}},
		OpenQuestions: []chargehand.Note{{Text: "who signs?\x1b[2J"}, {Key: "Renewal", Text: "Renewal: two accepted outputs disagree"}},
		Decisions: []chargehand.Decision{
			{ReviewID: "rev_91ab", Approved: true, Approver: "ana", Comment: "checked", Timestamp: at},
			{ReviewID: "rev_91ad", Subject: chargehand.SubjectPlan, Approved: true, Approver: "ana", ByRequester: true, Timestamp: at},
			{ReviewID: "rev_91ae", Subject: chargehand.SubjectConflicts, Approver: "ana", ByRequester: true, Comment: "ask them", Timestamp: at},
			{ReviewID: "rev_91af", Subject: chargehand.SubjectOutput, TaskID: "s4", Approved: true, Approver: "ben", Timestamp: at},
			{ReviewID: "rev_91ac", Approver: "legal-high@7", ByPolicy: true, Timestamp: at},
		},
		Cost:       chargehand.Cost{USD: 440_000, Tokens: 12_000, VsPlan: 1.16},
		Audit:      chargehand.AuditSummary{Records: 231},
		Provenance: []chargehand.Provenance{{Subtask: "s1", Attempt: 1, Worker: "clause-a", State: chargehand.SubtaskAccepted}},
		ResultHash: "sha256:ab12",
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, result(), chargehand.Sign{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "result.md", b.String())
	if bad := regexp.MustCompile(`[^\\]<|[^\\]\]\(|[\x1b\x{202e}]`).FindString(b.String()); bad != "" {
		t.Errorf("the page holds %q", bad)
	}
	order := []string{"## Not covered", "## Conflicts", "## Low confidence", "## Open questions", "## Summary", "## Found", "## Looked for", "## Items"}
	last := -1
	for _, h := range order {
		i := strings.Index(b.String(), h)
		if i < last {
			t.Errorf("%q comes too early or not at all", h)
		}
		last = i
	}
}

// A document for people is shown as Markdown, and nothing in it acts: a worker wrote it.
func TestDocument(t *testing.T) {
	written := "# Review\n\nRated **high** by *us*.\n\n- **Cap.** See\n  - “EUR 500,000” (9.2 Cap)\n> quoted\n\n" +
		"<script>alert(1)</script> [x](javascript:y) ![i](http://127.0.0.1/p.png) https://example.com\n```\ncode\n"
	raw, err := json.Marshal(map[string]any{"level": "high", "report": map[string]string{"mediaType": "text/markdown", "text": written}})
	if err != nil {
		t.Fatal(err)
	}
	r := result()
	r.Output = raw
	var md, html strings.Builder
	if err := Markdown(&md, r, r.Status.Sign()); err != nil {
		t.Fatal(err)
	}
	golden(t, "document.md", md.String())
	if err := HTML(&html, r, r.Status.Sign()); err != nil {
		t.Fatal(err)
	}
	golden(t, "document.html", html.String())
	var text strings.Builder
	if err := Text(&text, r, r.Status.Sign(), Screen{Style: term.Style{Color: true}, Width: 48}); err != nil {
		t.Fatal(err)
	}
	golden(t, "document.txt", text.String())
	for _, bad := range []string{"<script", "<img", "<a ", "javascript:y\"", "http-equiv=\"refresh"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(html.String(), "<strong>Cap.</strong>") || !strings.Contains(html.String(), "<blockquote>") {
		t.Error("the page has lost its form")
	}
}

func TestMarkdownOfNothing(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, &chargehand.Result{RunID: "run_1", Status: chargehand.RunRunning, Output: json.RawMessage("\"# two\\n````\\nlines\\u001b\"")}, chargehand.RunRunning.Sign()); err != nil {
		t.Fatal(err)
	}
	golden(t, "nothing.md", b.String())
}

func TestTable(t *testing.T) {
	for _, s := range []Screen{{Width: 80}, {Width: 140}, {Width: 80, Style: term.Style{ASCII: true}}} {
		var b strings.Builder
		if err := Table(&b, result(), chargehand.Sign{}, s); err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("result_%d_%t.txt", s.Width, s.Style.ASCII), b.String())
	}
}

func TestJSONKeepsRawValues(t *testing.T) {
	var b strings.Builder
	if err := term.WriteJSON(&b, result()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"note":"see <b>9.2</b>\u202e"`, `"total":1763700000123456789`, `"usd":"0.44"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
	if strings.Count(b.String(), "\n") != 1 {
		t.Error("not one line")
	}
}

const contract = "MASTER AGREEMENT\n\n9.1 Fees are due.\n9.2 Total aggregate liability\nshall not exceed EUR 500,000\nin the aggregate.\n9.3 Other\u202e text\n9.4 Last"

func sheet() *Sheet {
	start := strings.Index(contract, "shall not")
	run := &chargehand.View{RunSummary: chargehand.RunSummary{RunID: "run_7h2k", Title: "Nordwind MSA"}}
	run.Rows = []*chargehand.SubtaskView{{
		Subtask:  chargehand.Subtask{ID: "s3", Label: "Liability cap", Goal: "State the liability cap, its currency and the carve-outs, each with the number of the clause that it stands in."},
		Attempts: []chargehand.AttemptView{{Attempt: 1, Worker: "clause-a"}, {Attempt: 2, Worker: "legal-clause-extractor"}},
	}}
	return &Sheet{
		Review: &chargehand.Review{
			ID: "rev_91ab", RunID: "run_7h2k", TaskID: "s3", Attempt: 2, Subject: chargehand.SubjectOutput, Action: "publish",
			Description: "The output failed its check twice", Cause: chargehand.CauseQuality, Risk: chargehand.RiskHigh,
			ContentHash: "sha256:9c1e", OutputRef: "sha256:9c1e", Deadline: at.Add(17*time.Minute + 42*time.Second),
			Auto: chargehand.AutoReject, Policy: "legal-high@7", Required: true, Blocks: 2,
		},
		Run: run,
		Checked: Checked{
			Output: []byte(`{"amount":"EUR 5,000,000","clauses":[{"no":"9.2","text":"capped\u0007"},{"no":"9.4"}],"carveOuts":["gross negligence"]}`),
			Verdict: &chargehand.Verdict{
				Issues: []chargehand.Finding{
					{
						ID: "f1", Layer: chargehand.LayerConsistency, Rule: "number", Severity: chargehand.SeverityError, Path: "/amount", Quote: "EUR 5,000,000",
						Message: "Output says 5,000,000; the source says 500,000",
						Source:  &chargehand.Passage{Document: "sha256:doc", Start: start, End: start + len("shall not exceed EUR 500,000\nin the aggregate.")},
					},
					{
						ID: "f2", Layer: chargehand.LayerCompleteness, Rule: "aspect", Severity: chargehand.SeverityWarning, Message: "no clause number",
						Source: &chargehand.Passage{Document: "sha256:elsewhere", Start: 0, End: 4, Quote: "elsewhere"},
					},
				},
				Claims: []chargehand.Claim{
					{ID: "c1", Text: "the currency is EUR", Support: chargehand.Supported},
					{ID: "c2", Text: "per contract year", Support: chargehand.Unsupported},
					{ID: "c3", Text: "five million", Support: chargehand.Contradicted},
					{ID: "c4", Text: "gross negligence is carved out"},
				},
			},
			Sources: map[string]Source{"sha256:doc": {"msa.txt", contract}},
			Around:  1,
		},
		Now: at,
	}
}

func TestSheet(t *testing.T) {
	decided := sheet()
	decided.Review.Decision = &chargehand.Decision{Approver: "legal-high@7", ByPolicy: true, Timestamp: at}
	empty := sheet()
	empty.Output, empty.Verdict, empty.Review.Blocks = nil, nil, 1
	tools := sheet()
	tools.Output, tools.Verdict, tools.Review.OutputRef = nil, nil, ""
	tools.Review.Subject, tools.Review.Cause, tools.Review.Description = chargehand.SubjectTools, chargehand.CauseBlocked, "the tool files.read has changed"
	tools.Review.Changes = []chargehand.ToolChange{{Tool: "files.read", Pinned: "sha256:d1", Now: "sha256:d2"}}
	raw := sheet()
	raw.Raw = true
	raw.Around = 0
	var b strings.Builder
	for _, tt := range []struct {
		name  string
		sheet *Sheet
		s     Screen
	}{
		{"open, 80", sheet(), Screen{Width: 80}},
		{"ascii, 140", sheet(), Screen{Width: 140, Style: term.Style{ASCII: true}}},
		{"decided, raw", raw, Screen{}},
		{"decided", decided, Screen{Width: 80}},
		{"empty", empty, Screen{Width: 80}},
		{"tools", tools, Screen{Width: 80}},
	} {
		b.WriteString("-- " + tt.name + " --\n")
		if err := tt.sheet.Write(&b, tt.s); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "sheet.txt", b.String())
	if strings.ContainsAny(b.String(), "\x07\x1b\u202e") {
		t.Error("the sheet holds control characters")
	}
}

func TestCost(t *testing.T) {
	v := &chargehand.View{RunSummary: chargehand.RunSummary{Spent: 440_000, Budget: 500_000}}
	v.Phases = map[string]chargehand.Micros{chargehand.PhaseWorkers: 400_000, chargehand.PhaseChecking: 40_000}
	v.Tokens, v.Plan.Estimate = 12_000, 380_000
	v.Rows = []*chargehand.SubtaskView{{
		Subtask: chargehand.Subtask{ID: "s1"}, State: chargehand.SubtaskAccepted,
		Attempts: []chargehand.AttemptView{{Usage: chargehand.Usage{USD: 400_000, InputTokens: 9}}, {Usage: chargehand.Usage{USD: 40_000}}},
	}}
	var b strings.Builder
	if err := Cost(&b, v, (*chargehand.SubtaskView).Sign, Screen{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "cost.txt", b.String())
}

// work is what was done about the subtask of the sheet: an attempt that failed, and one by a model.
func work() *Work {
	sh := sheet()
	row := sh.Run.Rows[0]
	row.State, row.Why = chargehand.SubtaskRejected, "the output failed its check"
	row.Attempts = []chargehand.AttemptView{
		{
			Attempt: 1, Worker: "clause-a", StartedAt: at, EndedAt: at.Add(1500 * time.Millisecond), Cause: chargehand.CauseCrash,
			Message: "the process ended with 137\u202e", Usage: chargehand.Usage{InputTokens: 900, USD: 1_200},
		},
		{
			Attempt: 2, Worker: "legal-clause-extractor", StartedAt: at.Add(2 * time.Second), EndedAt: at.Add(4 * time.Second),
			Output: "sha256:9c1e", Verdict: sh.Verdict, Feedback: "State the number of the clause.", Transcript: "sha256:7a",
			Judge: &chargehand.Verdict{
				Recommendation: chargehand.Reject, Confidence: 8, Reasoning: "The amount is ten times the source's.",
				Issues: []chargehand.Finding{{ID: "j1", Layer: chargehand.LayerJudge, Rule: "criterion", Severity: chargehand.SeverityError, Message: "No carve-out is named."}},
			},
			Routing: chargehand.RoutingRecord{Rationale: "the cheapest of those with room"},
		},
		{Attempt: 3, Worker: "clause-a", StartedAt: at.Add(5 * time.Second)},
	}
	row.Attempts[1].Verdict.Recommendation = chargehand.Accept
	k := &Work{Run: sh.Run, Subtask: row, Sign: row.Sign(), Attempt: &row.Attempts[1], Checked: sh.Checked}
	k.Transcript = []byte(`{"model":"m","turns":[{"text":"see \u001b[2J","calls":[{"name":"files_read","arguments":"{}","refused":true}]},{"text":"done"}]}`)
	return k
}

func TestWork(t *testing.T) {
	untold := work()
	untold.Transcript = nil
	crashed := work()
	crashed.Attempt, crashed.Checked, crashed.Transcript = &crashed.Subtask.Attempts[0], Checked{}, nil
	begun := work()
	begun.Attempt, begun.Checked, begun.Transcript = &begun.Subtask.Attempts[2], Checked{}, nil
	none := work()
	none.Subtask.Attempts, none.Attempt = nil, nil
	raw := work()
	raw.Raw = true
	var b strings.Builder
	for _, tt := range []struct {
		name string
		work *Work
		s    Screen
	}{
		{"what was said, 80", work(), Screen{Width: 80}},
		{"raw, ascii", raw, Screen{Style: term.Style{ASCII: true}}},
		{"not asked for", untold, Screen{Width: 80}},
		{"crashed", crashed, Screen{Width: 80}},
		{"under way", begun, Screen{Width: 80}},
		{"none", none, Screen{Width: 80}},
	} {
		b.WriteString("-- " + tt.name + " --\n")
		if err := tt.work.Write(&b, tt.s); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "work.txt", b.String())
}

// TestDeepContent has a worker nest what it says it did without end: what is deep is shown as JSON.
func TestDeepContent(t *testing.T) {
	const depth = 5_000
	k := work()
	k.Transcript = []byte(strings.Repeat(`{"a":[`, depth) + strings.Repeat(`]}`, depth))
	var b strings.Builder
	if err := k.Write(&b, Screen{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if n := b.Len(); n > 50*len(k.Transcript) {
		t.Errorf("%d bytes are shown of %d", n, len(k.Transcript))
	}
}
