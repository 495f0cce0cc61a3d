package a2a_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/worker"
)

// mounted serves a fake agent below a path. It moves the well-known card there, and names its interface as at.
func mounted(t *testing.T, f *fake, at string, serve func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	web := httptest.NewServer(serve(f))
	t.Cleanup(web.Close)
	f.card = func(c object) {
		c["supportedInterfaces"] = []any{object{"url": web.URL + at, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}}
	}
	return web
}

// below strips a prefix, and answers 404 to everything else.
func below(prefix string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return http.StripPrefix(prefix, next) }
}

// An agent's address is its card, with a slash at its end or without one, or where its card is below.
func TestAddressesOfACard(t *testing.T) {
	for _, tt := range []struct{ prefix, address string }{
		{"", ""},
		{"", "/"},
		{"", "/.well-known/agent-card.json"},
		{"", "/.well-known/agent-card.json/"},
		{"/agents/x%20y", "/agents/x%20y"},
		{"/agents/x%20y", "/agents/x%20y/"},
		{"/agents/x%20y", "/agents/x%20y/.well-known/agent-card.json"},
	} {
		f := newFake(t).done()
		web := mounted(t, f, tt.prefix+"/rpc", below(strings.ReplaceAll(tt.prefix, "%20", " ")))
		w := reach(t, web.URL+tt.address)
		for range 2 {
			if r, err := w.Do(t.Context(), order()); err != nil || string(r.Output) != `{"answer":"yes"}` {
				t.Errorf("%q at %q: %s %v", tt.address, tt.prefix, r.Output, err)
			}
		}
	}
}

// A place that refuses or breaks is not passed over for another one.
func TestACardThatIsRefused(t *testing.T) {
	f := newFake(t).done()
	asked := 0
	web := mounted(t, f, "/rpc", func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.WriteHeader(http.StatusForbidden)
		})
	})
	_, err := reach(t, web.URL+"/agent").Do(t.Context(), order())
	wantError(t, err, worker.Refused, true, "403")
	if asked != 1 {
		t.Errorf("%d places were asked", asked)
	}
	web.Config.Handler = http.NotFoundHandler()
	_, err = reach(t, web.URL+"/agent").Do(t.Context(), order())
	wantError(t, err, worker.Refused, true, "404")
}

// A server that mounts an agent at /rpc/ sends /rpc there, or the other way round. It did nothing, so the message is
// sent once more. Any other redirect is an answer.
func TestARedirectToTheSlash(t *testing.T) {
	for _, tt := range []struct {
		named, real, to string
		works           bool
	}{
		{"/rpc", "/rpc/", "/rpc/", true},
		{"/rpc/", "/rpc", "/rpc", true},
		{"/rpc?key=1", "/rpc/", "/rpc/?key=1", true},
		{"/rpc", "/other", "/other", false},
		{"/rpc", "/rpc/", "/rpc/?more=1", false},
		{"/rpc", "/rpc/", "http://127.0.0.1:1/rpc/", false},
		{"/rpc", "/nowhere/", "/rpc/", false}, // without end
	} {
		for _, code := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			f := newFake(t).done()
			posts, whole := 0, ""
			web := mounted(t, f, tt.named, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Method == http.MethodGet || r.URL.Path == tt.real:
						next.ServeHTTP(w, r)
					default:
						posts++
						b, _ := io.ReadAll(r.Body)
						whole = string(b)
						w.Header().Set("Location", tt.to)
						w.WriteHeader(code)
					}
				})
			})
			r, err := reach(t, web.URL).Do(t.Context(), order())
			if (err == nil) != tt.works || tt.works && string(r.Output) != `{"answer":"yes"}` {
				t.Errorf("%s to %s: %s %v", tt.named, tt.to, r.Output, err)
			}
			if posts > 2 || !strings.Contains(whole, "jsonrpc") {
				t.Errorf("%s to %s: sent %d times, %s", tt.named, tt.to, posts, whole)
			}
		}
	}
}

// The HTTP+JSON binding joins its paths to an address with a slash at its end, without one, and with a query.
func TestPathsOfTheHTTPBinding(t *testing.T) {
	for _, address := range []string{"/http", "/http/", "/http?key=1", "/http/?key=1"} {
		var paths []string
		web := httptest.NewServer(nil)
		t.Cleanup(web.Close)
		whole := task("COMPLETED", made(object{"data": object{"answer": "yes"}}), object{"id": "a/b"})
		web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.Method+" "+r.URL.EscapedPath()+" "+r.URL.Query().Get("key"))
			switch {
			case strings.HasSuffix(r.URL.Path, "agent-card.json"):
				write(w, object{"name": "x", "supportedInterfaces": []any{object{"url": web.URL + address, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}}})
			case r.Method == http.MethodPost:
				write(w, object{"task": whole})
			default:
				write(w, whole)
			}
		})
		r, err := reach(t, web.URL).Do(t.Context(), order())
		key := ""
		if strings.Contains(address, "key") {
			key = "1"
		}
		want := "POST /http/message:send " + key + ", GET /http/tasks/a%2Fb " + key
		if got := strings.Join(paths[1:], ", "); err != nil || string(r.Output) != `{"answer":"yes"}` || got != want {
			t.Errorf("%s: %s %v; %s, want %s", address, r.Output, err, got, want)
		}
	}
}

func write(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }
