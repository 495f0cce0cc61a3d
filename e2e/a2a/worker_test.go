package a2a_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent/a2a"
	"github.com/chargehand/chargehand/worker"
)

// remote is the worker of kind a2a for a card.
func remote(t *testing.T, card string, headers map[string]string) worker.Worker {
	t.Helper()
	w, err := a2a.New(&chargehand.WorkerSpec{
		WorkerID: "remote", Kind: chargehand.KindA2A, A2A: &chargehand.A2AKind{Card: card, Headers: headers},
	}, team("answers").Contracts, a2a.Options{Limits: worker.Limits{Tries: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func ask(goal string) chargehand.WorkerTask {
	return chargehand.WorkerTask{
		TaskID: "s1", RunID: "run_" + goal, Attempt: 1, AssignedWorker: "remote", IdempotencyKey: "run_" + goal + "/s1/1",
		Objective: goal, Goal: goal, Input: json.RawMessage(`{"depth":3}`), ExpectedOutputContract: "answer",
		InputRefs:  []chargehand.InputRef{{Name: "a.txt", Hash: chargehand.Hash([]byte("text")), Text: "text"}},
		DeadlineAt: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), TimeoutMS: 60_000,
	}
}

func TestWorkerOfATeamElsewhere(t *testing.T) {
	s := stage(t, nil)
	r, err := remote(t, s.server.URL, nil).Do(t.Context(), ask("Say hello"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v %s", r, r.Output)
	r, err = remote(t, s.server.URL, nil).Do(t.Context(), ask("lie"))
	t.Logf("%+v %s %v", r, r.Output, err)
	r, err = remote(t, s.server.URL, nil).Do(t.Context(), ask("fail"))
	t.Logf("%+v %s %v", r, r.Output, err)
}

func workersSendTheVersion(t *testing.T) {
	s := stage(t, nil)
	var asked []string
	watch := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("A2A-Version"))
		s.server.Config.Handler.ServeHTTP(w, r)
	}))
	defer watch.Close()
	if _, err := remote(t, watch.URL, nil).Do(t.Context(), ask("Say hello")); err != nil {
		t.Fatal(err)
	}
	if len(asked) < 3 {
		t.Errorf("the requests were %v", asked)
	}
	for _, a := range asked {
		if !strings.HasSuffix(a, " 1.0") {
			t.Errorf("%q does not say which version it speaks", a)
		}
	}
}
