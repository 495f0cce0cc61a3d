package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/worker"
)

// endpoint is a health endpoint that says what its path asks for, and the number of times that each
// path was asked.
func endpoint(t *testing.T, away string) (*httptest.Server, func(path string) int) {
	t.Helper()
	var asked [5]atomic.Int32
	paths := []string{"/well", "/ill", "/home", "/away", "/endless"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i, p := range paths {
			if p == r.URL.Path {
				asked[i].Add(1)
			}
		}
		switch r.URL.Path {
		case "/ill":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/home":
			http.Redirect(w, r, "/well", http.StatusFound)
		case "/away":
			http.Redirect(w, r, away, http.StatusTemporaryRedirect)
		case "/endless":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat("well ", 10_000))
			}
		}
	}))
	t.Cleanup(s.Close)
	return s, func(path string) int {
		for i, p := range paths {
			if p == path {
				return int(asked[i].Load())
			}
		}
		return 0
	}
}

// TestProbe wants a worker to be well where its endpoint says so itself, and to be asked where that is
// allowed (SPEC.md ·202, RELIABILITY.md row 52). All addresses are this machine's: without its guard the
// test would call them. Which others are refused, internal/dial tests without calling any.
func TestProbe(t *testing.T) {
	t.Setenv(dial.Variable, "")
	other, hits := endpoint(t, "")
	s, asked := endpoint(t, other.URL+"/well")
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, address, allow, want string }{
		{name: "this machine, named outright", address: s.URL + "/well"},
		{name: "a body without end", address: s.URL + "/endless"},
		{name: "not well", address: s.URL + "/ill?key=sk-canary", want: "the answer is 503 Service Unavailable"},
		{name: "a redirect to the same host", address: s.URL + "/home", want: "the answer is 302 Found; redirects are not followed"},
		{name: "a redirect to another", address: s.URL + "/away", want: "the answer is 307 Temporary Redirect; redirects are not followed"},
		{name: "a redirect to where it may go", address: s.URL + "/away", allow: "127.0.0.1", want: "redirects are not followed"},
		{name: "a name that leads to this machine", address: "http://LOCALHOST:" + port + "/well?key=sk-canary", want: "this machine, which may not be reached"},
		{name: "such a name, allowed", address: "http://LOCALHOST:" + port + "/well", allow: "127.0.0.0/8,::1"},
		{name: "this machine, spelt oddly", address: "http://[::ffff:127.0.0.1]:" + port + "/well", allow: "10.0.0.0/8"},
		{name: "no list of addresses", address: s.URL + "/well", allow: "inside", want: "CHARGEHAND_ALLOW_NET"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(dial.Variable, tt.allow)
			ctx, cancel := context.WithTimeout(t.Context(), probeTimeout)
			defer cancel()
			err := well(ctx, tt.address)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "canary")):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	if n := hits("/well"); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
	if n := asked("/well"); n != 3 {
		t.Errorf("%d requests got through, want 3", n)
	}
}

// TestProbeEnds wants an endpoint that does not answer to be left when the time is up.
func TestProbeEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := well(ctx, "http://"+l.Addr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestEngineProbes wants the engine to ask as well does, and its fleet to say what came of it.
func TestEngineProbes(t *testing.T) {
	t.Setenv(dial.Variable, "")
	s, asked := endpoint(t, "")
	release := make(chan struct{})
	w := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return chargehand.WorkerResult{Output: []byte(`1`)}, ctx.Err()
	})
	e, err := Open(t.Context(), Options{Dir: t.TempDir(), Workers: worker.Set{"w": w}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	defer close(release)
	team := chargehand.Team{
		Name:    "t",
		Workers: []chargehand.WorkerSpec{{WorkerID: "w", Capabilities: []string{"c"}, HealthEndpoint: s.URL + "/home"}},
		Planner: chargehand.Planner{Template: &chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s", Goal: "do", Capability: "c"}}}},
	}
	if _, err := e.Start(t.Context(), chargehand.Order{Team: team, Objective: chargehand.Objective{Goal: "do it"}, StartedBy: "sam"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		fleet, err := e.Fleet(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(fleet) == 1 && !fleet[0].Healthy {
			if said := fmt.Sprint(fleet[0].Alerts); !strings.Contains(said, "unhealthy: the answer is 302 Found; redirects are not followed") {
				t.Error(said)
			}
			break
		}
	}
	if n := asked("/well"); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}
