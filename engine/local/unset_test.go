package local_test

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// reaching is a team that names variables of the environment wherever it may.
func reaching(t *chargehand.Team) {
	spec := func(id string, kind chargehand.WorkerKind) chargehand.WorkerSpec {
		return chargehand.WorkerSpec{WorkerID: id, Kind: kind, Capabilities: []string{"other"}}
	}
	exec, service := spec("process", chargehand.KindExec), spec("service", chargehand.KindHTTP)
	exec.Exec = &chargehand.ExecKind{Command: []string{"true"}, Env: map[string]string{"A": "$UNSET_A", "PRICE": "$$5"}}
	service.HTTP = &chargehand.HTTPKind{URL: "http://127.0.0.1:9/", Headers: map[string]string{"Authorization": "Bearer $UNSET_B"}}
	t.Workers = append(t.Workers, exec, service)
	t.Tools = []chargehand.ToolServer{
		{Name: "files", Command: []string{"true"}, Env: map[string]string{"T": "${UNSET_C}"}},
		{
			Name: "notes", URL: "http://127.0.0.1:9/", Headers: map[string]string{"X-Key": "$UNSET_D"},
			SignIn: &chargehand.SignIn{ClientID: "us", ClientSecret: "$UNSET_E"},
		},
	}
}

var unsets = []string{"UNSET_A", "UNSET_B", "UNSET_C", "UNSET_D", "UNSET_E"}

func TestARunWantsItsVariablesWhenItStarts(t *testing.T) {
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": doubtful}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	_, err = e.Start(t.Context(), order(1, reaching))
	if chargehand.CodeOf(err) != chargehand.CodeInvalid {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{
		"$.workers[1].exec.env.A: the environment variable UNSET_A is not set", "$.workers[2].http.headers.Authorization: the environment variable UNSET_B",
		"$.tools[0].env.T: the environment variable UNSET_C", "$.tools[1].headers.X-Key: the environment variable UNSET_D",
		"$.tools[1].signIn.clientSecret: the environment variable UNSET_E",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "PRICE") {
		t.Error(err)
	}
	for _, name := range unsets {
		t.Setenv(name, "x")
	}
	start(t, e, order(1, reaching))
}

// A run that began with a variable waits as it is while it is gone: it can be read, others go on, and
// it goes on when the variable is back.
func TestARunWaitsForItsVariables(t *testing.T) {
	dir := t.TempDir()
	opened := func(value string) *local.Engine {
		for _, name := range unsets {
			t.Setenv(name, value)
		}
		e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": doubtful}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := opened("x")
	run := start(t, e, order(1, reaching))
	r := until(t, e, run, needsHuman).Reviews[0]
	yes := chargehand.Decision{ReviewID: r.ID, Approved: true, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = opened("")
	_, err := e.Decide(t.Context(), yes)
	if chargehand.CodeOf(err) != chargehand.CodeDrift || !strings.Contains(err.Error(), "UNSET_B") {
		t.Errorf("error %v", err)
	}
	if failure, _ := err.(*chargehand.Error); failure == nil || !strings.Contains(failure.Next, "export") {
		t.Errorf("error %+v says nothing of what helps", err)
	}
	if v, err := e.Run(t.Context(), run); err != nil || !needsHuman(v) {
		t.Errorf("the run cannot be read: %+v, %v", v, err)
	}
	if _, err := e.Result(t.Context(), run); chargehand.CodeOf(err) == chargehand.CodeDrift {
		t.Errorf("its result cannot be read: %v", err)
	}
	until(t, e, start(t, e, order(1, nil)), needsHuman)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = opened("x")
	t.Cleanup(func() { _ = e.Close() })
	if _, err := e.Decide(t.Context(), yes); err != nil {
		t.Error(err)
	}
}
