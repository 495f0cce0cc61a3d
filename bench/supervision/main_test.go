package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

func measured(t *testing.T) *report {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-json", "-work", "0s", "-review", "0s", "-n", "14"}, &out); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestPromisesHoldAndAreMissedWhereTheyDoNot(t *testing.T) {
	r := measured(t)
	if err := r.broken(); err != nil {
		t.Fatal(err)
	}
	same := r.Others[len(r.Others)-1]
	if reviewed := r.Rows[2]; same.Share <= reviewed.Share || r.Rows[0].Wrong != 2 || reviewed.Reviews != 14 {
		t.Errorf("%+v beside %+v", same, reviewed)
	}
	for name, spoil := range map[string]func(*report){
		"% of the work":     func(r *report) { r.Rows[2].Share = 0.16 },
		"were handed over":  func(r *report) { r.Rows[1].Wrong = 1 },
		"provider billed":   func(r *report) { r.Rows[2].Ledger[forReview]++ },
		"calls and":         func(r *report) { r.Rows[1].Calls++ },
		"independent":       func(r *report) { r.Path.Before = narrow },
		"dependants waited": func(r *report) { r.Path.Waited = 0 },
		"comparison":        func(r *report) { r.Rows[0].Wrong = 0 },
	} {
		b, _ := json.Marshal(r)
		var bad report
		if err := json.Unmarshal(b, &bad); err != nil {
			t.Fatal(err)
		}
		spoil(&bad)
		if err := bad.broken(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The order of records that a reviewer in the way would leave.
func TestAReviewerInTheWayIsSeen(t *testing.T) {
	var p path
	begun := func(id string) chargehand.Record {
		return chargehand.Record{Fact: chargehand.AttemptStarted{AttemptRef: chargehand.AttemptRef{Subtask: id, Attempt: 1}}}
	}
	verdict := chargehand.Record{Fact: chargehand.Judged{
		AttemptRef: chargehand.AttemptRef{Subtask: "s00", Attempt: 1}, Verdict: chargehand.Verdict{Recommendation: chargehand.Accept},
	}}
	plan := []chargehand.Subtask{subtask(0), subtask(1), subtask(2, "s00"), subtask(3, "s01")}
	p.read([]chargehand.Record{begun("s00"), verdict, begun("s01"), begun("s02"), begun("s03")}, plan)
	if p.Before != 1 || p.Waited != 1 {
		t.Errorf("%+v: one began before the verdict, and one after the verdict it depends on", p)
	}
}
