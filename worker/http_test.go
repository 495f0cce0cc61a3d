package worker

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

// post is the worker for a service that answers as h does, without and with retries.
func post(t *testing.T, h http.HandlerFunc, headers map[string]string, l Limits) (once, retried Worker) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return reach(t, server.URL+"/work?key=sk-canary", headers, l)
}

func reach(t *testing.T, url string, headers map[string]string, l Limits) (once, retried Worker) {
	t.Helper()
	w, err := NewHTTP(&chargehand.WorkerSpec{WorkerID: "reader", HTTP: &chargehand.HTTPKind{URL: url, Headers: headers}}, l)
	if err != nil {
		t.Fatal(err)
	}
	return w.(retrying).worker, w
}

func TestHTTPResult(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     chargehand.ResultStatus
		output     string
	}{
		{"bare value", ` {"clauses":[]} `, chargehand.StatusSucceeded, `{"clauses":[]}`},
		{"full result", `{"status":"partial","output":[1],"usage":{"usd":0.5}}`, chargehand.StatusPartial, `[1]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := post(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, tt.body) }, nil, Limits{})
			r, err := w.Do(t.Context(), someTask())
			if err != nil || r.Status != tt.status || string(r.Output) != tt.output || r.TaskID != "clauses" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestHTTPRequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("tok-7a1f9c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("READER_TOKEN_FILE", file)
	t.Setenv("READER_TEAM", "legal")
	var got *http.Request
	var task chargehand.WorkerTask
	w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		_ = json.NewDecoder(r.Body).Decode(&task)
		fmt.Fprint(w, "1")
	}, map[string]string{"Authorization": "Bearer $READER_TOKEN", "X-Team": "${READER_TEAM}-$$", "Idempotency-Key": "mine"}, Limits{})
	if _, err := w.Do(t.Context(), someTask()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Authorization":   "Bearer tok-7a1f9c",
		"X-Team":          "legal-$",
		"Idempotency-Key": "run1/clauses/2",
		"Content-Type":    "application/json",
		"User-Agent":      "chargehand",
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
	if got.Method != http.MethodPost || got.URL.Path != "/work" {
		t.Errorf("%s %s", got.Method, got.URL)
	}
	if d := cmp.Diff(someTask(), task); d != "" {
		t.Error(d)
	}
}

func TestHTTPHeaderFaults(t *testing.T) {
	t.Setenv("TWO_LINES", "a\r\nX-Admin: 1")
	t.Setenv("LOST_FILE", filepath.Join(t.TempDir(), "none"))
	w := httptest.NewServer(http.NotFoundHandler())
	defer w.Close()
	for value, want := range map[string]string{
		"Bearer $NO_SUCH_TOKEN": `not sent: http.headers.Authorization: the environment variable NO_SUCH_TOKEN is not set, and neither is NO_SUCH_TOKEN_FILE`,
		"$TWO_LINES":            `not sent: http.headers.Authorization: the value holds a control character`,
		"$LOST":                 `not sent: http.headers.Authorization: read LOST_FILE: `,
	} {
		_, retried := reach(t, w.URL, map[string]string{"Authorization": value}, Limits{})
		_, err := retried.Do(t.Context(), someTask())
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Refused || !e.NotBegun || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestHTTPGarbage(t *testing.T) {
	var give string
	w, _ := post(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, give) }, nil, Limits{})
	for _, tt := range garbageAnswers {
		t.Run(tt.name, func(t *testing.T) {
			give = tt.give
			r, err := w.Do(t.Context(), someTask())
			wantGarbage(t, r, err, tt.want)
			wantGarbage(t, r, err, `worker "reader": `)
		})
	}
}

// 20 MB, and 1 GB packed into 1 MB, are cut at the limit (RELIABILITY.md rows 19 and 54).
func TestHTTPSaysNoSecret(t *testing.T) {
	t.Setenv("CANARY_TOKEN", canary)
	for _, tt := range echoes {
		t.Run(tt.name, func(t *testing.T) {
			headers := map[string]string{"Authorization": "Bearer $CANARY_TOKEN"}
			w, _ := post(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, tt.say) }, headers, Limits{OutputBytes: echoBytes})
			r, err := w.Do(t.Context(), someTask())
			wantNoSecret(t, tt, r, err)
		})
	}
	t.Run("no answer of HTTP", func(t *testing.T) {
		w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(c, "HTTP/1.1 %s\r\n\r\n", r.Header.Get("X-Key"))
			c.Close()
		}, map[string]string{"X-Key": "$CANARY_TOKEN"}, Limits{})
		_, err := w.Do(t.Context(), someTask())
		if err == nil || strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "$CANARY_TOKEN") {
			t.Error(err)
		}
	})
	t.Run("a code that carries no result", func(t *testing.T) {
		w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `["%s"]`, r.Header.Get("X-Key"))
		}, map[string]string{"X-Key": "$CANARY_TOKEN"}, Limits{})
		r, err := w.Do(t.Context(), someTask())
		wantNoSecret(t, echoed{raw: `["$CANARY_TOKEN"]`}, r, err)
	})
}

func TestHTTPTooLong(t *testing.T) {
	block := []byte(strings.Repeat("9", 1<<20))
	for name, h := range map[string]http.HandlerFunc{
		"20 MB": func(w http.ResponseWriter, r *http.Request) {
			for range 20 {
				w.Write(block)
			}
		},
		"gzip bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 1 << 10 {
				if _, err := z.Write(block); err != nil {
					return
				}
			}
			z.Close()
		},
	} {
		w, _ := post(t, h, nil, Limits{})
		r, err := w.Do(t.Context(), someTask())
		wantGarbage(t, r, err, "longer than 8388608 bytes")
		if e, ok := errors.AsType[*Error](err); ok && len(e.Raw) != 256<<10 {
			t.Errorf("%s: %d bytes of evidence", name, len(e.Raw))
		}
	}
}

func TestHTTPLimitIsExact(t *testing.T) {
	for limit, ok := range map[int64]bool{4: true, 3: false} {
		w, _ := post(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "1234") }, nil, Limits{OutputBytes: limit})
		if _, err := w.Do(t.Context(), someTask()); (err == nil) != ok {
			t.Errorf("4 bytes, at most %d: %v", limit, err)
		}
	}
}

// What each status means, before retries (RELIABILITY.md row 28).
func TestHTTPStatus(t *testing.T) {
	for _, tt := range []struct {
		code     int
		kind     Kind
		notBegun bool
	}{
		{201, Garbage, false},
		{202, Garbage, false},
		{204, Garbage, false},
		{301, Refused, true},
		{307, Refused, true},
		{400, Refused, true},
		{401, Refused, true},
		{404, Refused, true},
		{408, Refused, false},
		{409, Refused, false},
		{422, Refused, true},
		{429, Transient, true},
		{500, Transient, false},
		{502, Transient, false},
		{503, Transient, true},
		{504, Transient, false},
		{529, Transient, true},
	} {
		w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "12")
			w.WriteHeader(tt.code)
		}, nil, Limits{})
		_, err := w.Do(t.Context(), someTask())
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != tt.kind || e.NotBegun != tt.notBegun || !strings.Contains(err.Error(), " "+strconv.Itoa(tt.code)) {
			t.Errorf("%d: %+v", tt.code, e)
		}
		if (e.RetryAfter == 12*time.Second) != (tt.kind == Transient) {
			t.Errorf("%d: retry after %v", tt.code, e.RetryAfter)
		}
	}
}

func TestHTTPProblem(t *testing.T) {
	t.Setenv("READER_TOKEN", "tok-7a1f9c")
	w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
		w.WriteHeader(422)
		json.NewEncoder(w).Encode(map[string]string{
			"title": "No such contract", "detail": "line 1\n\x1b[31mauthorization was " + r.Header.Get("Authorization"),
		})
	}, map[string]string{"Authorization": "$READER_TOKEN"}, Limits{})
	_, err := w.Do(t.Context(), someTask())
	want := `worker "reader": the answer is 422 Unprocessable Entity: No such contract: line 1\n\x1b[31mauthorization was $READER_TOKEN`
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestHTTPRedirectIsNotFollowed(t *testing.T) {
	var followed atomic.Bool
	_, retried := post(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/work" {
			followed.Store(true)
			return
		}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}, nil, Limits{})
	_, err := retried.Do(t.Context(), someTask())
	if KindOf(err) != Refused || followed.Load() || !strings.Contains(err.Error(), "redirects are not followed") {
		t.Errorf("%v, followed: %v", err, followed.Load())
	}
}

// A connection that breaks before, within and after the head of the answer.
func TestHTTPReset(t *testing.T) {
	for name, head := range map[string]string{
		"no answer":    "",
		"half a head":  "HTTP/1.1 200 OK\r\nContent-Le",
		"half a body":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"clauses\":[",
		"half a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{}",
	} {
		w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			io.WriteString(c, head)
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}, nil, Limits{})
		_, err := w.Do(t.Context(), someTask())
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != Transient || e.NotBegun || strings.Contains(err.Error(), "sk-canary") {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func TestHTTPNotReached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for _, url := range []string{
		"http://" + l.Addr().String() + "/?key=sk-canary",
		strings.Replace(plain.URL, "http:", "https:", 1), // no TLS there
	} {
		w, _ := reach(t, url, nil, Limits{})
		_, err := w.Do(t.Context(), someTask())
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != Transient || !e.NotBegun || strings.Contains(err.Error(), "sk-canary") {
			t.Errorf("%s: %+v", url, err)
		}
	}
}

// A body that comes a byte at a time, and an answer that never comes, end with the context
// (RELIABILITY.md row 17).
func TestHTTPDrip(t *testing.T) {
	for name, first := range map[string]string{"drip": " ", "silence": ""} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			arrived := make(chan struct{}, 1)
			_, retried := post(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if first != "" {
					io.WriteString(w, first)
					w.(http.Flusher).Flush()
				}
				arrived <- struct{}{}
				tick := time.NewTicker(10 * time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-over:
						return
					case <-r.Context().Done():
						return
					case <-tick.C:
						io.WriteString(w, first)
						w.(http.Flusher).Flush()
					}
				}
			}, nil, Limits{})
			defer close(over)
			why := errors.New("deadline of the subtask")
			ctx, stop := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, why)
			defer stop()
			_, err := retried.Do(ctx, someTask())
			<-arrived
			if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Timeout || e.NotBegun || !errors.Is(err, why) {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestHTTPCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	_, retried := post(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		stop()
		<-r.Context().Done()
	}, nil, Limits{})
	if _, err := retried.Do(ctx, someTask()); KindOf(err) != Cancelled {
		t.Errorf("%v", err)
	}
}

// A reply is what a scripted service answers; a zero code breaks the connection.
type reply struct {
	code  int
	after string
	body  string
}

// replies answers from a script in place of the network, so that time can be virtual.
type replies struct {
	script []reply
	keys   []string
}

func (s *replies) RoundTrip(r *http.Request) (*http.Response, error) {
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	next := s.script[0]
	s.script = s.script[1:]
	if next.code == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	h := http.Header{}
	if next.after != "" {
		h.Set("Retry-After", next.after)
	}
	return &http.Response{StatusCode: next.code, Header: h, Body: io.NopCloser(strings.NewReader(next.body)), Request: r}, nil
}

func TestHTTPRetries(t *testing.T) {
	ok := reply{200, "", `{"a":1}`}
	for _, tt := range []struct {
		name     string
		script   []reply
		want     string // in the error; empty: none
		from, to time.Duration
	}{
		{"429 without a header", []reply{{code: 429}, ok}, "", 250 * time.Millisecond, 750 * time.Millisecond},
		{"429 with seconds", []reply{{429, "20", ""}, ok}, "", 20 * time.Second, 21 * time.Second},
		{"503 with a date", []reply{{503, "Sat, 01 Jan 2000 00:01:00 GMT", ""}, ok}, "", 60 * time.Second, 61 * time.Second},
		{"a date gone by", []reply{{503, "Fri, 31 Dec 1999 00:00:00 GMT", ""}, ok}, "", 250 * time.Millisecond, 750 * time.Millisecond},
		{"a header that says nothing", []reply{{429, "-5", ""}, ok}, "", 250 * time.Millisecond, 750 * time.Millisecond},
		{"one of each", []reply{{code: 500}, {code: 502}, {code: 0}, ok}, "", 1750 * time.Millisecond, 5250 * time.Millisecond},
		{"529 for ever", []reply{{code: 529}, {code: 529}, {code: 529}, {code: 529}}, `worker "reader": the answer is 529 (tried 4 times)`, 1750 * time.Millisecond, 5250 * time.Millisecond},
		{"past the deadline", []reply{{429, "4000", ""}}, `worker "reader": the answer is 429 Too Many Requests`, 0, 0},
		{"refused in between", []reply{{code: 500}, {code: 403}}, `worker "reader": the answer is 403 Forbidden (tried 2 times)`, 250 * time.Millisecond, 750 * time.Millisecond},
		{"garbage is not asked for again", []reply{{200, "", "<html>"}}, "the answer is not a result", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				once, retried := reach(t, "http://127.0.0.1/", nil, Limits{})
				net := &replies{script: tt.script}
				once.(*service).client.Transport = net
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				start := time.Now()
				r, err := retried.Do(ctx, someTask())
				took := time.Since(start)
				switch {
				case tt.want == "":
					if err != nil || string(r.Output) != `{"a":1}` {
						t.Errorf("%+v, %v", r, err)
					}
				case err == nil || !strings.Contains(err.Error(), tt.want):
					t.Errorf("error %v, want %q", err, tt.want)
				}
				if took < tt.from || took > tt.to || len(net.script) > 0 {
					t.Errorf("took %v, want %v to %v; %d replies left", took, tt.from, tt.to, len(net.script))
				}
				for _, key := range net.keys {
					if key != "run1/clauses/2" {
						t.Errorf("keys %q", net.keys)
					}
				}
			})
		})
	}
}

// Each try is one request, also where net/http would repeat it by itself because it carries an
// idempotency key and the connection is not new; and no proxy takes part.
func TestHTTPConnection(t *testing.T) {
	var requests atomic.Int32
	once, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, "1")
	}, nil, Limits{})
	if _, err := once.Do(t.Context(), someTask()); err != nil {
		t.Fatal(err)
	}
	if _, err := once.Do(t.Context(), someTask()); KindOf(err) != Transient {
		t.Errorf("%v", err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests for two tries", n)
	}
	if once.(*service).client.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy from the environment would see the tasks")
	}
}

// TestHTTPReachesNoSpecialAddress wants a service at an address of a private network to be left
// alone, and at once, until an operator lists it.
func TestHTTPReachesNoSpecialAddress(t *testing.T) {
	for _, url := range []string{"http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/"} {
		w, err := NewHTTP(&chargehand.WorkerSpec{WorkerID: "w", HTTP: &chargehand.HTTPKind{URL: url}}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Do(t.Context(), chargehand.WorkerTask{TaskID: "t", Attempt: 1})
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Refused || !e.NotBegun || !strings.Contains(err.Error(), "CHARGEHAND_ALLOW_NET") {
			t.Errorf("%s: %v", url, err)
		}
	}
	t.Setenv("CHARGEHAND_ALLOW_NET", "inside")
	if _, err := NewHTTP(&chargehand.WorkerSpec{WorkerID: "w", HTTP: &chargehand.HTTPKind{URL: "http://127.0.0.1/"}}, Limits{}); err == nil {
		t.Error("a list that is none is accepted")
	}
}

func TestHTTPExchange(t *testing.T) {
	for code, want := range map[int]string{http.StatusOK: "[1]", http.StatusNotFound: ""} {
		w, _ := post(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, "[1]")
		}, nil, Limits{})
		var x Exchange
		_, _ = w.Do(WithExchange(t.Context(), &x), someTask())
		if string(x.Answer) != want || x.Ended != fmt.Sprint("status ", code, " ", http.StatusText(code)) {
			t.Errorf("%d: %q, %q", code, x.Ended, x.Answer)
		}
	}
}
