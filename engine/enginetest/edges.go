package enginetest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

func refusesTeams(t *testing.T, open Open) {
	e := open(t, worker.Set{"ann": says(honest)}, nil)
	o := order(team(reader("ann")))
	o.Team.Workers[0].Tier = 9
	o.Team.Contracts[0].Rules = []chargehand.Rule{{ID: "r", CEL: "output.", Message: "no"}}
	o.Team.Planner.Template.Subtasks[0].Effect = chargehand.EffectPayment
	_, err := e.Start(background(t), o)
	wantCode(t, err, chargehand.CodeInvalid)
	if got, ok := errors.AsType[*chargehand.Error](err); !ok || len(got.Problems) < 3 {
		t.Errorf("want every problem at once, got %v", err)
	}

	o = order(team(reader("ann")))
	o.Objective.Goal = " "
	o.Objective.Documents = append(o.Objective.Documents, chargehand.Document{Name: "empty.txt"})
	_, err = e.Start(background(t), o)
	wantCode(t, err, chargehand.CodeInvalid)
}

func startsOnce(t *testing.T, open Open) {
	e := open(t, worker.Set{"ann": says(honest)}, nil)
	o := order(team(reader("ann")))
	o.Key = "the-same"
	if a, b := start(t, e, o), start(t, e, o); a != b {
		t.Errorf("one key started %s and %s", a, b)
	}
	for what, change := range map[string]func(*chargehand.Order){
		"another team":     func(o *chargehand.Order) { o.Team.Description = "another" },
		"another tenant":   func(o *chargehand.Order) { o.Tenant = "another" },
		"another goal":     func(o *chargehand.Order) { o.Objective.Goal += "!" },
		"another input":    func(o *chargehand.Order) { o.Objective.Input = json.RawMessage(`{"other":1}`) },
		"another document": func(o *chargehand.Order) { o.Objective.Documents = []chargehand.Document{{Name: "a", Text: "b"}} },
	} {
		changed := o
		change(&changed)
		if run, err := e.Start(background(t), changed); chargehand.CodeOf(err) != chargehand.CodeKeyTaken {
			t.Errorf("the same key for %s: %s, %v", what, run, err)
		}
	}
}

func follows(t *testing.T, open Open) {
	e := open(t, worker.Set{"ann": says(honest)}, nil)
	run := start(t, e, order(team(reader("ann"))))
	var seqs int64
	for r, err := range e.Records(background(t), run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if seqs++; r.Seq != seqs || r.Run != run {
			t.Fatalf("record %d of %s came as number %d of %s", r.Seq, r.Run, seqs, run)
		}
	}
	var rest int64
	for r, err := range e.Records(background(t), run, seqs-2, false) {
		if err != nil || r.Seq <= seqs-2 {
			t.Fatalf("after %d came %d (%v)", seqs-2, r.Seq, err)
		}
		rest++
	}
	if rest != 2 {
		t.Errorf("the last two records came as %d", rest)
	}
}

func namesUnknown(t *testing.T, open Open) {
	e := open(t, nil, nil)
	ctx := background(t)
	_, err := e.Run(ctx, "run_none")
	wantCode(t, err, chargehand.CodeNotFound)
	_, err = e.Result(ctx, "run_none")
	wantCode(t, err, chargehand.CodeNotFound)
	_, err = e.Blob(ctx, chargehand.Hash([]byte("nothing")))
	wantCode(t, err, chargehand.CodeNotFound)
	_, err = e.Blob(ctx, "../../etc/passwd")
	wantCode(t, err, chargehand.CodeInvalid)
	wantCode(t, e.Control(ctx, "run_none", chargehand.Control{Verb: chargehand.Pause, By: "olu"}), chargehand.CodeNotFound)
	for _, err := range e.Records(ctx, "run_none", 0, true) {
		wantCode(t, err, chargehand.CodeNotFound)
	}
	runs, err := e.Runs(ctx, chargehand.Filter{})
	if err != nil || len(runs) != 0 {
		t.Errorf("a new engine lists %v (%v)", runs, err)
	}
}
