package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/chargehand/chargehand"
)

// confided is a run of its own, without an attack: a program and a service are told a key each, and say
// it in all that they can say. What they answered goes to a reviewer and to a worker after them.
var confided = place{name: "confided", about: "a program and a service that say their keys", plan: []chargehand.Subtask{
	telling("program"), telling("service"), after(sum("sum"), "program", "service"),
}}

func telling(capability string) chargehand.Subtask {
	return chargehand.Subtask{ID: capability, Goal: "Say what the file is about.", Capability: capability, OutputContract: "note", Criticality: chargehand.Standard}
}

// said are the answers of the two, with the key in place of each %[1]s: first what is no result. The tag
// tells the reviewer which case this is.
var said = []string{
	`the key is %[1]s`,
	`{"status":"succeeded","output":{"about":"the file","text":"[confided/control] the key is %[1]s"},"summary":"%[1]s","evidenceRefs":["%[1]s"],"transcript":["%[1]s"]}`,
}

// again is in a task whose last answer was not accepted.
const again = `"feedback"`

// tellers are the two as workers of a team.
func (w *world) tellers() []chargehand.WorkerSpec {
	script := fmt.Sprintf(`case $(cat) in *'%s'*) echo '%s';; *) echo '%s'; echo "$KEY" >&2;; esac`, again,
		fmt.Sprintf(said[1], `'"$KEY"'`), fmt.Sprintf(said[0], `'"$KEY"'`))
	return []chargehand.WorkerSpec{
		{
			WorkerID: "program", Kind: chargehand.KindExec, Capabilities: []string{"program"}, OutputContracts: []string{"note"}, Free: true,
			Exec: &chargehand.ExecKind{Command: []string{"sh", "-c", script}, Env: map[string]string{"KEY": "$" + programKey}},
		},
		{
			WorkerID: "service", Kind: chargehand.KindHTTP, Capabilities: []string{"service"}, OutputContracts: []string{"note"}, Free: true,
			HTTP: &chargehand.HTTPKind{URL: w.service.URL, Headers: map[string]string{"X-Api-Key": "$" + serviceKey}},
		},
	}
}

// newService is the service.
func newService() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		task, _ := io.ReadAll(r.Body)
		answer := said[0]
		if bytes.Contains(task, []byte(again)) {
			answer = said[1]
		}
		fmt.Fprintf(w, answer, r.Header.Get("X-Api-Key"))
	}))
}

// confide performs the run, and makes sure that both have said what they were told.
func (w *world) confide(ctx context.Context) error {
	s, err := w.open(ctx, false)
	if err != nil {
		return err
	}
	t := &trial{place: confided, n: -1}
	err = s.performAll(ctx, []*trial{t}, 1)
	if err == nil {
		err = errors.Join(completed(t), s.heard(ctx, t))
	}
	return errors.Join(err, s.end(ctx, []string{t.run}))
}

// heard is an error where one of the two did not say its key, or not twice.
func (s *stage) heard(ctx context.Context, t *trial) error {
	times := map[string]int{}
	for _, r := range t.records {
		f, ok := r.Fact.(chargehand.OutputChecked)
		if !ok {
			continue
		}
		body, err := s.Blob(ctx, f.Output)
		if err != nil {
			return err
		}
		for _, name := range []string{programKey, serviceKey} {
			if bytes.Contains(body, []byte("$"+name)) || bytes.Contains(body, []byte(s.world.secrets.values[name])) {
				times[name]++
			}
		}
	}
	if times[programKey] != len(said) || times[serviceKey] != len(said) {
		return fmt.Errorf("the program and the service have not said their keys, which shows nothing: %v", times)
	}
	return nil
}
