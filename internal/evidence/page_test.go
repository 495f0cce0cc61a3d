package evidence

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

func TestPageIsInert(t *testing.T) {
	s := newShelf(t)
	_, parts := apart(t, s.pack(t, Options{By: `<script>alert(1)</script>`, At: at}))
	page := parts[partReport]
	for _, bad := range []string{"<script", "<b>", "\u202e", "javascript:", "http://", "https://"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"Review &lt;b&gt;", "s1: Cap: Find the cap.", "<td>ana</td>", "1 decided by people", "Cap: failed its check twice", "default-src 'none'"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if a, b := strings.Index(page, "Decisions by people"), strings.Index(page, "<h2>Records"); a < 0 || b < a {
		t.Error("the decisions do not come first")
	}
	if regexp.MustCompile(`\son[a-z]+=`).MatchString(page) {
		t.Error("the page has a handler")
	}
}

func TestEscalations(t *testing.T) {
	open := func(id, task string, subject chargehand.Subject) chargehand.Record {
		return chargehand.Record{Run: "r", Fact: chargehand.ReviewOpened{Review: chargehand.Review{
			ID: id, TaskID: task, Subject: subject, Description: "why", OutputRef: "sha256:x",
		}}}
	}
	decide := func(d chargehand.Decision) chargehand.Record {
		return chargehand.Record{Run: "r", Fact: chargehand.ReviewDecided{Decision: d}}
	}
	list := Escalations([]chargehand.Record{
		{Run: "r", Fact: chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "Find it."}}}},
		open("a", "s1", chargehand.SubjectOutput), decide(chargehand.Decision{ReviewID: "a", Approver: "ana", Approved: true}),
		open("b", "s1", chargehand.SubjectOutput), decide(chargehand.Decision{ReviewID: "b", Approver: "p@1", ByPolicy: true}),
		open("c", "gone", chargehand.SubjectOutput), decide(chargehand.Decision{ReviewID: "c", Approver: "ana"}),
		open("d", "", chargehand.SubjectPlan), decide(chargehand.Decision{ReviewID: "d"}),
		open("e", "", chargehand.SubjectConflicts),
		open("f", "s1", chargehand.SubjectOutput), decide(chargehand.Decision{ReviewID: "f", Approver: "p@1", ByPolicy: true, Withdrawn: true}),
	})
	missing := map[string]string{}
	for _, e := range list {
		missing[e.Review] = strings.Join(e.Missing, ",")
	}
	for id, want := range map[string]string{"a": "", "b": "", "c": "subtask", "d": "reviewer", "e": "", "f": ""} {
		if missing[id] != want {
			t.Errorf("%s lacks %q, want %q", id, missing[id], want)
		}
	}
	want := Coverage{Escalations: 6, Complete: 3, People: 3, Policy: 1, Withdrawn: 1, Waiting: 1, Percent: 60}
	if got := Cover(list); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Cover(nil); got.Percent != 100 {
		t.Errorf("nothing escalated: %v %%", got.Percent)
	}
}

// TestResultHashRefusesOther: the run's end names a content and another hash of what it found.
func TestResultHashRefusesOther(t *testing.T) {
	s := newShelf(t)
	last := len(s.Lines) - 1
	s.Lines, s.Leaves = s.Lines[:last], s.Leaves[:last]
	result := s.keep(`{"runId":"run_1","output":{"a":2},"items":[],"gaps":[],"conflicts":[]}`)
	s.add(t, s.Run, int64(last+1), chargehand.RunEnded{Result: result, ResultHash: "sha256:" + strings.Repeat("0", 64)})
	s.sign(t)
	r := check(s.pack(t, Options{}), s.trust())
	if r.Verdict != audit.Damaged || r.Findings[0].Check != "result" {
		t.Errorf("not found: %s", complaints(r))
	}
}

// TestPlansAndPositionsAreInThePack: what a person decided about is handed over, and what they put in its place.
func TestPlansAndPositionsAreInThePack(t *testing.T) {
	one, two := chargehand.Hash([]byte("one")), chargehand.Hash([]byte("two"))
	for _, tt := range []struct {
		fact chargehand.Fact
		want []Artifact
	}{
		{chargehand.PlanProposed{Ref: one}, []Artifact{{Hash: one, Kind: chargehand.ContentPlan, MediaType: "application/json"}}},
		{chargehand.PlanAsked{Ref: one}, []Artifact{{Hash: one, Kind: chargehand.ContentPlan, MediaType: "application/json"}}},
		{chargehand.ReviewDecided{Decision: chargehand.Decision{EditRef: two}}, []Artifact{{Hash: two, Kind: chargehand.ContentPlan, MediaType: "application/json"}}},
		{chargehand.ReviewOpened{Review: chargehand.Review{Positions: []chargehand.Position{{OutputRef: one, VerdictRef: two}}}}, []Artifact{
			{Hash: one, Kind: chargehand.ContentOutput, MediaType: "application/json"},
			{Hash: two, Kind: chargehand.ContentVerdict, MediaType: "application/json"},
		}},
		{chargehand.Aggregated{Ref: "no hash"}, nil},
	} {
		if got := Contents(tt.fact); !slices.Equal(got, tt.want) {
			t.Errorf("%T names %v, want %v", tt.fact, got, tt.want)
		}
	}
}

// TestTranscriptsAreInThePack: however an attempt ended, what its worker says it did and the end of its stderr are handed over, and
// the story names them.
func TestTranscriptsAreInThePack(t *testing.T) {
	hash, words := chargehand.Hash([]byte("what it did")), chargehand.Hash([]byte("what it wrote"))
	for _, f := range []chargehand.Fact{
		chargehand.OutputChecked{Transcript: hash, Stderr: words},
		chargehand.AttemptFailed{Transcript: hash, Stderr: words},
		chargehand.AttemptStopped{Transcript: hash, Stderr: words},
		chargehand.LateResult{Transcript: hash, Stderr: words},
	} {
		got := Contents(f)
		want := []Artifact{
			{Hash: hash, Kind: chargehand.ContentTranscript, MediaType: "application/json"},
			{Hash: words, Kind: chargehand.ContentStderr, MediaType: "text/plain"},
		}
		if !slices.Equal(got, want) {
			t.Errorf("%T names %v", f, got)
		}
		if e := Describe(chargehand.Record{Fact: f}); !strings.Contains(e.Text, "; its transcript is "+hash+"; its stderr is "+words) {
			t.Errorf("%T is told as %q", f, e.Text)
		}
	}
}
