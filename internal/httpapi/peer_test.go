package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/account"
)

// An author keeps who did what.
type author struct {
	chargehand.Engine
	names map[string]string
}

func (a author) Start(_ context.Context, o chargehand.Order) (string, error) {
	a.names["start"] = o.StartedBy
	return "run_1", nil
}

func (a author) Fork(_ context.Context, _ string, f chargehand.Fork) (string, error) {
	a.names["fork"] = f.By
	return "run_2", nil
}

func (a author) Control(_ context.Context, _ string, c chargehand.Control) error {
	a.names["control"] = c.By
	return nil
}

func (a author) Decide(_ context.Context, d chargehand.Decision) (chargehand.Decision, error) {
	a.names["decide"] = d.Approver
	return d, nil
}

// claims are requests that name another person than the one who sends them.
var claims = map[string][2]string{
	"start":   {"/v1/runs", `{"team":{"name":"t"},"objective":{"goal":"g"},"startedBy":"mallory"}`},
	"fork":    {"/v1/runs/run_1/fork", `{"by":"mallory"}`},
	"control": {"/v1/runs/run_1/control", `{"verb":"cancel","by":"mallory","reason":"r"}`},
	"decide":  {"/v1/reviews/rev_1/decisions", `{"approved":true,"approver":"mallory","contentHash":"h","nonce":"n"}`},
}

// The principal of what comes over the socket is the account at its other end, whatever the body says.
func TestPrincipalIsThePeer(t *testing.T) {
	dir, err := os.MkdirTemp("", "ch")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	who := author{names: map[string]string{}}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, Handler(who, Options{})) }()
	transport := unix(socket)
	for name, c := range claims {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+c[0], strings.NewReader(c[1]))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-User", "mallory")
		resp, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := account.Name(os.Geteuid()); who.names[name] != want {
			t.Errorf("%s: recorded for %q, want %q (%s %s)", name, who.names[name], want, resp.Status, body)
		}
	}
	transport.CloseIdleConnections()
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A connection without an account behind it starts and decides nothing.
func TestNoPrincipalNoDecision(t *testing.T) {
	who := author{names: map[string]string{}}
	for name, c := range claims {
		w := httptest.NewRecorder()
		Handler(who, Options{}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost"+c[0], strings.NewReader(c[1])))
		if w.Code != http.StatusForbidden || who.names[name] != "" {
			t.Errorf("%s: %d, recorded for %q", name, w.Code, who.names[name])
		}
	}
}

func TestAccountOfNobodyInParticular(t *testing.T) {
	if got := account.Name(4_000_000_001); got != "uid:4000000001" {
		t.Errorf("%q", got)
	}
}
