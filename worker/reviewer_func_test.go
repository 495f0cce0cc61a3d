package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
)

// saying is a reviewer that always says the same.
func saying(v chargehand.Verdict, u chargehand.Usage, err error) ReviewerFunc {
	return func(context.Context, chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
		return v, u, err
	}
}

func TestReviewerFunc(t *testing.T) {
	accept := chargehand.Verdict{Recommendation: chargehand.Accept, Confidence: 8}
	with := func(change func(*chargehand.Verdict)) chargehand.Verdict {
		v := accept
		change(&v)
		return v
	}
	bad := "a\xffb"
	for _, tt := range []struct {
		name string
		v    chargehand.Verdict
		usd  chargehand.Micros
		err  error
		kind Kind // empty: a verdict
		want string
	}{
		{"verdict", accept, 1, nil, "", ""},
		{"free", accept, 0, nil, "", ""},
		{"zero", chargehand.Verdict{}, 1, nil, Garbage, `the recommendation "" is none of`},
		{"error beside a verdict", accept, 1, context.Canceled, Cancelled, "canceled"},
		{"negative usage", accept, -1, nil, Garbage, "the usage is negative"},
		{"negative usage beside an error", accept, -1, errors.New("mine"), Crash, "mine"},
		{"contradiction", with(func(v *chargehand.Verdict) { v.SchemaPass = true }), 1, nil, Garbage, "says that a layer failed"},
		{"no message", with(func(v *chargehand.Verdict) { v.Issues = []chargehand.Finding{{}} }), 1, nil, Garbage, "issue 1 has no message"},
		{"feedback", with(func(v *chargehand.Verdict) { v.Feedback = bad }), 1, nil, Garbage, "not UTF-8"},
		{"reasoning", with(func(v *chargehand.Verdict) { v.Reasoning = bad }), 1, nil, Garbage, "not UTF-8"},
		{"criteria", with(func(v *chargehand.Verdict) { v.Criteria = map[string]bool{bad: true} }), 1, nil, Garbage, "not UTF-8"},
		{"issue", with(func(v *chargehand.Verdict) { v.Issues = []chargehand.Finding{{Message: bad}} }), 1, nil, Garbage, "not UTF-8"},
		{"source", with(func(v *chargehand.Verdict) {
			v.Issues = []chargehand.Finding{{Message: "m", Source: &chargehand.Passage{Quote: bad}}}
		}), 1, nil, Garbage, "not UTF-8"},
		{"claim", with(func(v *chargehand.Verdict) { v.Claims = []chargehand.Claim{{Text: bad}} }), 1, nil, Garbage, "not UTF-8"},
	} {
		v, u, err := saying(tt.v, chargehand.Usage{USD: tt.usd}, tt.err).Review(t.Context(), chargehand.ReviewerTask{})
		if tt.kind == "" {
			want := accept
			want.SchemaPass, want.CompletenessPass, want.ConsistencyPass = true, true, true
			if d := cmp.Diff(want, v); d != "" || err != nil || u.USD != tt.usd {
				t.Errorf("%s: %v, %+v, %s", tt.name, err, u, d)
			}
			continue
		}
		if KindOf(err) != tt.kind || !strings.Contains(fmt.Sprint(err), tt.want) || v.Recommendation != "" || u.USD != max(0, tt.usd) {
			t.Errorf("%s: %+v, %+v, %v", tt.name, v, u, err)
		}
	}
	broken := ReviewerFunc(func(context.Context, chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
		panic("x")
	})
	if _, _, err := broken.Review(t.Context(), chargehand.ReviewerTask{}); KindOf(err) != Crash {
		t.Errorf("panic: %v", err)
	}
}

// drawVerdict makes verdicts that are right, and some that are not.
var drawVerdict = rapid.Custom(func(t *rapid.T) chargehand.Verdict {
	word := rapid.SampledFrom([]string{"", " ", "x", "ü", "tone\nand style"})
	flag := rapid.Bool()
	v := chargehand.Verdict{
		SchemaPass: flag.Draw(t, "schema"), CompletenessPass: flag.Draw(t, "completeness"), ConsistencyPass: flag.Draw(t, "consistency"),
		Confidence: rapid.IntRange(-1, 12).Draw(t, "confidence"), Score: 0.5, Validator: "me", ValidatorVersion: "1",
		Recommendation: rapid.SampledFrom([]chargehand.Recommendation{"ACCEPT", " approve", "REJECT", "needs_revision", "human-review", "maybe", ""}).Draw(t, "recommendation"),
		Rework:         rapid.SampledFrom([]chargehand.Rework{"", chargehand.Redo, chargehand.Revise, "burn"}).Draw(t, "rework"),
		Feedback:       word.Draw(t, "feedback"), Reasoning: word.Draw(t, "reasoning"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "issues") {
		v.Issues = append(v.Issues, chargehand.Finding{
			ID: "f9", Layer: chargehand.LayerSchema, Rule: word.Draw(t, "rule"), Message: word.Draw(t, "message"),
			Severity: rapid.SampledFrom([]chargehand.Severity{"", chargehand.SeverityError, chargehand.SeverityReview, "high"}).Draw(t, "severity"),
			Source:   rapid.SampledFrom([]*chargehand.Passage{nil, {Document: "sha256:1", Start: 1, End: 2, Quote: "q"}}).Draw(t, "source"),
		})
	}
	v.Criteria = rapid.MapOf(word, flag).Draw(t, "criteria")
	return v
})

// What a function says means what it means as JSON.
func TestReviewerFuncIsDecodeVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVerdict.Draw(t, "verdict")
		got, _, err := saying(v, chargehand.Usage{}, nil).Review(context.Background(), chargehand.ReviewerTask{})
		if !v.SchemaPass && !v.CompletenessPass && !v.ConsistencyPass {
			v.SchemaPass, v.CompletenessPass, v.ConsistencyPass = true, true, true
		}
		b, bad := json.Marshal(v)
		if bad != nil {
			t.Fatal(bad)
		}
		want, wrong := DecodeVerdict(b)
		if KindOf(err) != KindOf(wrong) || (err == nil) != (wrong == nil) {
			t.Fatalf("as a value: %v; as JSON: %v", err, wrong)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// What a function goes on to do with its task and its verdict is its own affair.
func TestReviewerFuncSharesNothing(t *testing.T) {
	said := chargehand.Verdict{
		Recommendation: chargehand.HumanReview, Confidence: 5, Feedback: "ask", Criteria: map[string]bool{"complete": true},
		Issues: []chargehand.Finding{{Message: "m", Source: &chargehand.Passage{Quote: "q"}}},
		Claims: []chargehand.Claim{{Text: "c", Source: &chargehand.Passage{Quote: "q"}}},
	}
	spoil := func(v *chargehand.Verdict) {
		v.Criteria["complete"], v.Issues[0].Message, v.Claims[0].Text = false, "other", "other"
		v.Issues[0].Source.Quote, v.Claims[0].Source.Quote = "other", "other"
	}
	f := ReviewerFunc(func(_ context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
		t.Criteria[0] = "none"
		return said, chargehand.Usage{}, nil
	})
	criteria := []string{"complete"}
	got, _, err := AsReviewer(f).Review(t.Context(), chargehand.ReviewerTask{Criteria: criteria})
	if err != nil || criteria[0] != "complete" {
		t.Fatalf("%v, %v", err, criteria)
	}
	want, _ := json.Marshal(got)
	if said.Issues[0].Layer != "" {
		t.Error("the function's own issues were signed")
	}
	spoil(&said)
	if after, _ := json.Marshal(got); string(after) != string(want) {
		t.Errorf("%s\nafter: %s", want, after)
	}
}

// pickyReviewer is a worker that is a reviewer, too.
type pickyReviewer struct {
	Worker
	asked *int
}

func (p pickyReviewer) Review(_ context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
	if *p.asked++; t.WorkerOutput == "" {
		panic("there is nothing to review")
	}
	return chargehand.Verdict{Recommendation: "approve", Confidence: 7}, chargehand.Usage{}, nil
}

// A worker that is a Reviewer is asked as one, and is trusted no further than others.
func TestAsReviewerOfReviewer(t *testing.T) {
	asked := 0
	never := Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		t.Error("the task was put into JSON")
		return chargehand.WorkerResult{}, nil
	})
	picky := pickyReviewer{never, &asked}
	for _, w := range []Worker{picky, Caught(picky), ReviewerFunc(picky.Review), Caught(ReviewerFunc(picky.Review))} {
		v, _, err := AsReviewer(w).Review(t.Context(), chargehand.ReviewerTask{WorkerOutput: "{}"})
		if err != nil || v.Recommendation != chargehand.Accept || !v.SchemaPass {
			t.Errorf("%T: %+v, %v", w, v, err)
		}
		if _, _, err := AsReviewer(w).Review(t.Context(), chargehand.ReviewerTask{}); KindOf(err) != Crash {
			t.Errorf("%T: panic: %v", w, err)
		}
	}
	if asked != 8 {
		t.Errorf("asked %d times", asked)
	}
}

func TestReviewerFuncDo(t *testing.T) {
	f := ReviewerFunc(func(_ context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
		if t.WorkerOutput == "" {
			return chargehand.Verdict{}, chargehand.Usage{USD: 2}, errors.New("nothing to review")
		}
		return chargehand.Verdict{Recommendation: chargehand.Reject, Confidence: 3, Feedback: "look at " + t.WorkerOutput}, chargehand.Usage{USD: 2}, nil
	})
	r, err := f.Do(t.Context(), chargehand.WorkerTask{Input: json.RawMessage(`{"taskId":"t","workerOutput":"<x>"}`)})
	if err != nil || r.Status != chargehand.StatusSucceeded || r.Usage.USD != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if v, err := DecodeVerdict(r.Output); err != nil || v.Feedback != "look at <x>" || v.Rework != chargehand.Redo {
		t.Errorf("%+v, %v", v, err)
	}
	if r, err := f.Do(t.Context(), chargehand.WorkerTask{Input: json.RawMessage(`{}`)}); err == nil || r.Usage.USD != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, input := range []string{``, `[]`, `{"taskId":`} {
		if _, err := f.Do(t.Context(), chargehand.WorkerTask{Input: json.RawMessage(input)}); KindOf(err) != Refused {
			t.Errorf("%s: %v", input, err)
		}
	}
}
