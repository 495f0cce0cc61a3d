package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider/issuer"
)

func issue(t *testing.T) *issuer.Server {
	t.Helper()
	server := honest()
	i := issuer.Open(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(i.Close)
	t.Cleanup(i.CloseClientConnections)
	return i
}

// behind is the tool server behind a sign-in.
func behind(i *issuer.Server) *chargehand.ToolServer {
	return &chargehand.ToolServer{Name: "s", URL: i.URL + "/mcp", Headers: map[string]string{"X-Team": "ours"}}
}

// clicks is a person who agrees.
func clicks() *Consent { return &Consent{Redirect: "http://127.0.0.1:1/back", Ask: issuer.Visit} }

func TestSigningIn(t *testing.T) {
	i := issue(t)
	kept := Folder(t.TempDir() + "/grants")
	s := newServer(t, behind(i), Options{Grants: kept, Consent: clicks()})
	if list, err := s.Tools(t.Context()); err != nil || len(list) != 6 {
		t.Fatalf("%d tools, %v", len(list), err)
	}
	if a, err := call(t, s, "echo", `{"text":"access-token-1-0 refresh-token-1-0"}`); err != nil || string(a.Structured) != `{"text":"$ACCESS_TOKEN $REFRESH_TOKEN"}` {
		t.Errorf("what it was told in confidence is handed on: %+v, %v", a, err)
	}
	info, err := os.Stat(kept.path(behind(i).URL))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the grant is kept as %v, %v", info, err)
	}
	if strays := i.Seen().Strays; len(strays) > 0 {
		t.Errorf("the team's headers went to %v", strays)
	}
	later := newServer(t, behind(i), Options{Grants: kept})
	if _, err := later.Tools(t.Context()); err != nil || i.Seen().Asked != 1 {
		t.Errorf("with what was granted: %v, asked %d times", err, i.Seen().Asked)
	}
	if err := kept.Save(behind(i).URL, nil); err != nil {
		t.Fatal(err)
	}
	if b, err := kept.Load(behind(i).URL); err != nil || b != nil {
		t.Errorf("signed out: %q, %v", b, err)
	}
}

// TestNobodyToAsk has a server that wants a sign-in where there is none, or one that is void.
func TestNobodyToAsk(t *testing.T) {
	i := issue(t)
	kept := Folder(t.TempDir())
	if _, err := newServer(t, behind(i), Options{Grants: kept, Consent: clicks()}).Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.Void()
	for what, opt := range map[string]Options{"no sign-in": {}, "none kept": {Grants: Folder(t.TempDir())}, "a void one": {Grants: kept}} {
		_, err := newServer(t, behind(i), opt).Tools(t.Context())
		if !errors.Is(err, ErrSignIn) || !strings.HasSuffix(err.Error(), "chargehand tools sign-in TEAM.yaml s") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestOldTokens has access tokens that are old at once: each process has its own renewed, and takes
// the one that another has got where its own has been used up.
func TestOldTokens(t *testing.T) {
	i := issue(t)
	i.Expiry = 1
	kept := Folder(t.TempDir())
	if _, err := newServer(t, behind(i), Options{Grants: kept, Consent: clicks()}).Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	one, two := newServer(t, behind(i), Options{Grants: kept}), newServer(t, behind(i), Options{Grants: kept})
	for range 3 {
		for _, s := range []*Server{one, two} {
			if _, err := s.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a, err := call(t, s, "echo", `{"text":"here"}`); err != nil || string(a.Structured) != `{"text":"here"}` {
				t.Fatalf("%+v, %v", a, err)
			}
		}
	}
	if i.Seen().Asked != 1 || i.Seen().Renewed == 0 {
		t.Errorf("a person was asked %d times, and tokens were renewed %d times", i.Seen().Asked, i.Seen().Renewed)
	}
}

func TestPagesThatNobodyIsSentTo(t *testing.T) {
	for _, page := range []string{"javascript:alert(1)", "file:///etc/passwd", "http://example.org/authorize", "HTTP://127.0.0.1.example.org/"} {
		i := issue(t)
		i.Page = page
		ask := clicks()
		ask.Ask = func(context.Context, string) (url.Values, error) {
			t.Errorf("somebody is sent to %s", page)
			return nil, errors.New("no")
		}
		if _, err := newServer(t, behind(i), Options{Grants: Folder(t.TempDir()), Consent: ask}).Tools(t.Context()); err == nil {
			t.Errorf("%s: signed in", page)
		}
	}
}
