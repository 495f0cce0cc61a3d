package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

func TestDecodeVerdict(t *testing.T) {
	for _, tt := range []struct {
		give   string
		want   chargehand.Recommendation
		rework chargehand.Rework
	}{
		{`{"recommendation":"ACCEPT","confidence":1}`, chargehand.Accept, ""},
		{`{"recommendation":"accept","confidence":10,"rework":"redo"}`, chargehand.Accept, ""},
		{`{"recommendation":" Approve ","confidence":9}`, chargehand.Accept, ""},
		{`{"recommendation":"REJECT","confidence":2,"feedback":"no"}`, chargehand.Reject, chargehand.Redo},
		{`{"recommendation":"reject","confidence":2,"feedback":"no","rework":"revise"}`, chargehand.Reject, chargehand.Revise},
		{`{"recommendation":"needs-revision","confidence":2,"feedback":"no"}`, chargehand.Reject, chargehand.Revise},
		{`{"recommendation":"Needs_Revision","confidence":2,"feedback":"no"}`, chargehand.Reject, chargehand.Revise},
		{`{"recommendation":"human_review","confidence":5,"feedback":"ask"}`, chargehand.HumanReview, ""},
		{`{"recommendation":"REJECT","Recommendation":"ACCEPT","confidence":2,"feedback":"no"}`, chargehand.Reject, chargehand.Redo},
		{`{"recommendation":"REJECT","schemaPass":false,"confidence":2,"feedback":"no","mood":"bad"}`, chargehand.Reject, chargehand.Redo},
	} {
		v, err := DecodeVerdict([]byte(tt.give))
		if err != nil || v.Recommendation != tt.want || v.Rework != tt.rework {
			t.Errorf("%s: %+v, %v", tt.give, v, err)
		}
	}
}

func TestDecodeVerdictWhole(t *testing.T) {
	v, err := DecodeVerdict([]byte(`{"recommendation":"HUMAN_REVIEW","confidence":4,"feedback":"f","reasoning":"r","completenessPass":false,
		"score":1,"validator":"gate","validatorVersion":"9","criteria":{"c":false},
		"issues":[{"message":"m","layer":"schema","id":"f1","path":"/a"},{"message":"n","severity":"error","rule":"tone"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := chargehand.Verdict{
		SchemaPass: true, ConsistencyPass: true, Confidence: 4, Recommendation: chargehand.HumanReview,
		Feedback: "f", Reasoning: "r", Criteria: map[string]bool{"c": false},
		Issues: []chargehand.Finding{
			{ID: "j1", Layer: chargehand.LayerJudge, Rule: "judge", Severity: chargehand.SeverityWarning, Message: "m", Path: "/a"},
			{ID: "j2", Layer: chargehand.LayerJudge, Rule: "tone", Severity: chargehand.SeverityError, Message: "n"},
		},
	}
	if d := cmp.Diff(want, v); d != "" {
		t.Error(d)
	}
}

// What is no verdict is an error, and never an ACCEPT (SPEC.md ·4).
var malformedVerdicts = []struct{ give, want string }{
	{``, "it is empty"},
	{`null`, "not an object"},
	{`"ACCEPT"`, "not an object"},
	{`[]`, "not an object"},
	{`I accept this.`, "not JSON"},
	{`{}`, `the recommendation "" is none of`},
	{`{"confidence":9}`, `the recommendation "" is none of`},
	{`{"recommendation":null,"confidence":9}`, `the recommendation "" is none of`},
	{`{"Recommendation":"ACCEPT","confidence":9}`, `the recommendation "" is none of`},
	{`{"recommendation":"ACCEPTED","confidence":9}`, `the recommendation "ACCEPTED" is none of`},
	{`{"recommendation":"ACCEPT or REJECT","confidence":9}`, `is none of`},
	{`{"recommendation":true,"confidence":9}`, "must be a text, not true or false"},
	{`{"recommendation":"REJECT","recommendation":"ACCEPT","confidence":9,"feedback":"x"}`, "the key occurs twice"},
	{`{"recommendation":"ACCEPT"}`, "confidence is not a whole number"},
	{`{"recommendation":"ACCEPT","confidence":null}`, "confidence is not a whole number"},
	{`{"recommendation":"ACCEPT","confidence":0}`, "confidence is not a whole number"},
	{`{"recommendation":"ACCEPT","confidence":11}`, "confidence is not a whole number"},
	{`{"recommendation":"ACCEPT","confidence":-3}`, "confidence is not a whole number"},
	{`{"recommendation":"ACCEPT","confidence":8.5}`, `"confidence" must be a whole number, not 8.5`},
	{`{"recommendation":"ACCEPT","confidence":"9"}`, " must be a "},
	{`{"recommendation":"ACCEPT","confidence":9,"schemaPass":false}`, "says that a layer failed"},
	{`{"recommendation":"REJECT","confidence":9}`, "the feedback is missing"},
	{`{"recommendation":"needs-revision","confidence":9,"feedback":" "}`, "the feedback is missing"},
	{`{"recommendation":"HUMAN_REVIEW","confidence":9}`, "the feedback is missing"},
	{`{"recommendation":"REJECT","confidence":9,"feedback":"x","rework":"burn"}`, `the rework "burn" is none of`},
	{`{"recommendation":"ACCEPT","confidence":9,"issues":[{"message":"m","severity":"high"}]}`, `the severity "high" of issue 1`},
	{`{"recommendation":"ACCEPT","confidence":9,"issues":[{}]}`, "issue 1 has no message"},
}

func TestDecodeVerdictMalformed(t *testing.T) {
	for _, tt := range malformedVerdicts {
		v, err := DecodeVerdict([]byte(tt.give))
		if KindOf(err) != Garbage || !strings.Contains(fmt.Sprint(err), tt.want) || v.Recommendation != "" {
			t.Errorf("%s: %+v, %v, want %q", tt.give, v, err, tt.want)
		}
	}
}

func FuzzVerdict(f *testing.F) {
	for _, tt := range malformedVerdicts {
		f.Add([]byte(tt.give))
	}
	f.Add([]byte(`{"recommendation":"needs-revision","confidence":2,"feedback":"no","issues":[{"message":"m"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := DecodeVerdict(b)
		if err != nil {
			if v.Recommendation != "" || KindOf(err) != Garbage {
				t.Fatalf("%+v, %v", v, err)
			}
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		w, err := DecodeVerdict(again)
		if err != nil || w.Recommendation != v.Recommendation || w.Rework != v.Rework {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

func TestAsReviewer(t *testing.T) {
	give := chargehand.ReviewerTask{TaskID: "clauses", Goal: "find them", Attempts: 2, WorkerOutput: `{"recommendation":"ACCEPT"}`, Criteria: []string{"complete"}}
	var keys []string
	w := Func(func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		keys = append(keys, t.IdempotencyKey)
		var got chargehand.ReviewerTask
		if err := json.Unmarshal(t.Input, &got); err != nil || !cmp.Equal(give, got) || t.TaskID != "clauses" || t.Attempt != 2 || t.TimeoutMS <= 0 {
			return chargehand.WorkerResult{}, fmt.Errorf("not the task: %+v", t)
		}
		return chargehand.WorkerResult{Output: json.RawMessage(`{"recommendation":"approve","confidence":8}`), Usage: chargehand.Usage{USD: 3}}, nil
	})
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	for range 2 {
		v, u, err := AsReviewer(w).Review(ctx, give)
		if err != nil || v.Recommendation != chargehand.Accept || v.Confidence != 8 || u.USD != 3 {
			t.Fatalf("%+v, %+v, %v", v, u, err)
		}
	}
	if keys[0] == keys[1] || keys[0] == "" {
		t.Errorf("keys %q: a service would answer the second from memory", keys)
	}
}

func TestAsReviewerErrors(t *testing.T) {
	accept := json.RawMessage(`{"recommendation":"ACCEPT","confidence":8}`)
	own := errors.New("no model")
	for _, tt := range []struct {
		name string
		r    chargehand.WorkerResult
		err  error
		kind Kind
	}{
		{"own error", chargehand.WorkerResult{Output: accept}, own, Crash},
		{"failed", chargehand.WorkerResult{Status: chargehand.StatusFailed, Output: accept}, nil, Garbage},
		{"partial", chargehand.WorkerResult{Status: chargehand.StatusPartial, Output: accept}, nil, Garbage},
		{"no output", chargehand.WorkerResult{}, nil, Garbage},
		{"malformed", chargehand.WorkerResult{Output: json.RawMessage(`{"recommendation":"yes"}`)}, nil, Garbage},
	} {
		tt.r.Usage.InputTokens = 4
		w := Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) { return tt.r, tt.err })
		v, u, err := AsReviewer(w).Review(t.Context(), chargehand.ReviewerTask{})
		if err == nil || KindOf(err) != tt.kind || v.Recommendation != "" || u.InputTokens != 4 {
			t.Errorf("%s: %+v, %+v, %v", tt.name, v, u, err)
		}
	}
}
