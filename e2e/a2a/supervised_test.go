package a2a_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
)

// outer opens an engine whose one worker is the agent of a card.
func outer(t *testing.T, dir string) *local.Engine {
	t.Helper()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Agents: agent.New(agent.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func outerTeam(card string) chargehand.Team {
	out := team("outer answers")
	out.Workers[0].Kind, out.Workers[0].A2A = chargehand.KindA2A, &chargehand.A2AKind{Card: card}
	out.Synthesis, out.InputSchema = nil, nil
	return out
}

// TestTeamOfTeams supervises a team that is supervised elsewhere.
func TestTeamOfTeams(t *testing.T) {
	s := stage(t, nil)
	e := outer(t, t.TempDir())
	defer e.Close()
	docs := []chargehand.Document{{Name: "a.txt", Text: "The fee is EUR 5."}}
	run, err := e.Start(t.Context(), chargehand.Order{Team: outerTeam(s.server.URL), Objective: chargehand.Objective{Goal: "Say hello", Documents: docs}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := chargehand.Wait(t.Context(), e, run)
	if err != nil || res.Status != chargehand.RunCompleted {
		t.Fatalf("the run is %s (%v): %+v", res.Status, err, res.Gaps)
	}
	inner := s.runs(t)
	if len(inner) != 1 {
		t.Fatalf("there are %d runs elsewhere", len(inner))
	}
	v, err := s.engine.Run(t.Context(), inner[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Objective.Documents; len(got) != 1 || got[0].Hash != chargehand.Hash([]byte(docs[0].Text)) {
		t.Errorf("the documents elsewhere are %+v", got)
	}
	body, err := e.Blob(t.Context(), res.Provenance[0].OutputRef)
	if err != nil || string(body) != `{"answer":"Hello.","count":9007199254740993}` {
		t.Errorf("the output is %s (%v)", body, err)
	}
}

// TestAgentThatWaitsBlocks has a person asked here when a person is needed there.
func TestAgentThatWaitsBlocks(t *testing.T) {
	s := stage(t, nil)
	e := outer(t, t.TempDir())
	defer e.Close()
	run, err := e.Start(t.Context(), chargehand.Order{Team: outerTeam(s.server.URL), Objective: chargehand.Objective{Goal: "lie"}})
	if err != nil {
		t.Fatal(err)
	}
	var v *chargehand.View
	s.until(t, func() bool {
		if v, err = e.Run(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		return v.NeedsHuman == 1
	})
	if got := v.Reviews[0].Description; !strings.Contains(got, "asks for input") {
		t.Errorf("the review says %q", got)
	}
}

// TestRestartLooksAtTheTask stops the engine while the agent works, and opens it again: the same
// message names the same task.
func TestRestartLooksAtTheTask(t *testing.T) {
	s := stage(t, nil)
	dir := t.TempDir()
	e := outer(t, dir)
	run, err := e.Start(t.Context(), chargehand.Order{Team: outerTeam(s.server.URL), Objective: chargehand.Objective{Goal: "wait"}})
	if err != nil {
		t.Fatal(err)
	}
	s.until(t, func() bool { return s.entered.Load() == 1 })
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = outer(t, dir)
	defer e.Close()
	s.gate.release()
	res, err := chargehand.Wait(t.Context(), e, run)
	if err != nil || res.Status != chargehand.RunCompleted {
		t.Fatalf("the run is %s (%v): %+v", res.Status, err, res.Gaps)
	}
	if n := len(s.runs(t)); n != 1 {
		t.Errorf("there are %d runs elsewhere, want the one that was begun before", n)
	}
}

// TestCancelReachesTheAgent cancels a run whose agent works.
func TestCancelReachesTheAgent(t *testing.T) {
	s := stage(t, nil)
	e := outer(t, t.TempDir())
	defer e.Close()
	run, err := e.Start(t.Context(), chargehand.Order{Team: outerTeam(s.server.URL), Objective: chargehand.Objective{Goal: "wait"}})
	if err != nil {
		t.Fatal(err)
	}
	s.until(t, func() bool { return s.entered.Load() == 1 })
	if err := e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Cancel, By: "olu", Reason: "a test"}); err != nil {
		t.Fatal(err)
	}
	inner := s.runs(t)[0]
	s.ended(t, inner)
	v, err := s.engine.Run(t.Context(), inner)
	if err != nil || v.State != chargehand.RunCancelled {
		t.Errorf("the run elsewhere is %s (%v)", v.State, err)
	}
}

// TestChangedCardAsksAPerson changes the agent's card between two subtasks of a run.
func TestChangedCardAsksAPerson(t *testing.T) {
	s := stage(t, nil)
	var version atomic.Int64
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, wellKnown) {
			s.server.Config.Handler.ServeHTTP(w, r)
			return
		}
		copied := httptest.NewRecorder()
		s.server.Config.Handler.ServeHTTP(copied, r)
		_, _ = w.Write(bytes.Replace(copied.Body.Bytes(), []byte(`"version":"3"`), fmt.Appendf(nil, `"version":"%d"`, version.Load()), 1))
	}))
	defer door.Close()
	e := outer(t, t.TempDir())
	defer e.Close()
	two := outerTeam(door.URL)
	two.Policy.Attempts = 2
	plan := two.Planner.Template
	plan.Subtasks[0].Goal = "wait for it"
	second := plan.Subtasks[0]
	second.ID, second.Deps, second.Goal = "s2", []string{"s1"}, "Answer."
	plan.Subtasks = append(plan.Subtasks, second)
	run, err := e.Start(t.Context(), chargehand.Order{Team: two, Objective: chargehand.Objective{Goal: "Say hello"}})
	if err != nil {
		t.Fatal(err)
	}
	s.until(t, func() bool { return s.entered.Load() == 1 })
	version.Store(7)
	s.gate.release()
	var v *chargehand.View
	s.until(t, func() bool {
		if v, err = e.Run(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		return v.NeedsHuman == 1
	})
	r := v.Reviews[0]
	if r.Subject != chargehand.SubjectTools || len(r.Changes) != 1 || r.Changes[0].Tool != chargehand.CardName("hand") {
		t.Fatalf("the review is %+v", r)
	}
	if n := len(s.runs(t)); n != 1 {
		t.Errorf("%d tasks were begun before the person had answered", n)
	}
	if _, err := e.Decide(t.Context(), chargehand.Decision{
		ReviewID: r.ID, Approved: true, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce,
	}); err != nil {
		t.Fatal(err)
	}
	res, err := chargehand.Wait(t.Context(), e, run)
	if err != nil || res.Status != chargehand.RunCompleted {
		t.Errorf("the run is %s (%v): %+v", res.Status, err, res.Gaps)
	}
}
