package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

func item(subtask, fields string) chargehand.Item {
	return chargehand.Item{Subtask: subtask, Fields: json.RawMessage(fields)}
}

func TestReadingTakesTheFirstSubtaskOfThePlan(t *testing.T) {
	plan := []chargehand.Subtask{{ID: "one"}, {ID: "two"}}
	got, err := newReading([]chargehand.Item{
		item("two", `{"category":"Insurance","present":true,"start":5,"end":9,"answer":"Yes"}`),
		item("two", `{"category":"Governing Law","present":true,"start":1,"end":2,"answer":"Ohio"}`),
		item("one", `{"category":"Insurance","present":true,"start":0,"end":4,"answer":"Yes"}`),
		item("one", `{"category":"Insurance","present":true,"start":6,"end":8,"answer":"Yes"}`),
		item("one", `{"category":"Audit Rights","present":false,"answer":"No"}`),
	}, plan)
	if err != nil {
		t.Fatal(err)
	}
	want := reading{
		"Insurance":     {Category: "Insurance", Answer: "Yes", Quotes: quotes(clause.Span{Start: 0, End: 4}, clause.Span{Start: 6, End: 8})},
		"Governing Law": {Category: "Governing Law", Answer: "Ohio", Quotes: quotes(clause.Span{Start: 1, End: 2})},
		"Audit Rights":  {Category: "Audit Rights"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reading differs (-want +got):\n%s", diff)
	}
}

func TestReadingRefusesBrokenItem(t *testing.T) {
	if _, err := newReading([]chargehand.Item{item("one", `[]`)}, nil); err == nil {
		t.Error("an item that is a list was read")
	}
}

func TestSupervisedRunMustComplete(t *testing.T) {
	if _, err := newSupervised(&chargehand.Result{Status: chargehand.RunPartial}); err == nil {
		t.Error("a partial run was scored")
	}
	run, err := newSupervised(&chargehand.Result{
		Status: chargehand.RunCompleted, Conflicts: []chargehand.Conflict{{Key: "Insurance"}},
	})
	if err != nil || !run.contested["Insurance"] || run.contested["Parties"] {
		t.Errorf("contested %v, error %v, want Insurance alone", run.contested, err)
	}
}
