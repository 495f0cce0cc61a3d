package ingress_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand/internal/ingress"
)

// A site is a server behind a Guard, that answers a body with its size, and why it was not read.
type site struct{ address string }

func serve(t *testing.T, l ingress.Limits) *site {
	t.Helper()
	g := ingress.New(l)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	entry := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		switch {
		case errors.Is(err, ingress.ErrBusy):
			w.WriteHeader(http.StatusTooManyRequests)
		case errors.Is(err, os.ErrDeadlineExceeded) && errors.Is(err, ingress.ErrSlow):
			w.WriteHeader(http.StatusRequestTimeout)
		case err != nil:
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprintf(w, "%d bytes of %s", len(b), ingress.Address(r))
	})
	srv := &http.Server{Handler: g.Handler(entry), ReadHeaderTimeout: 300 * time.Millisecond, ReadTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(g.Listener(inner)) }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return &site{inner.Addr().String()}
}

// dial connects from an address of this machine.
func (s *site) dial(t *testing.T, from string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", s.address)
	if err != nil {
		t.Skip("this system has no " + from + ": " + err.Error())
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask posts a body of some bytes, and returns the answer's status and text.
func (s *site) ask(t *testing.T, from string, size int, headers ...string) string {
	t.Helper()
	c := s.dial(t, from)
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s", strings.Join(headers, ""), size, strings.Repeat("x", size))
	return hear(t, c)
}

func hear(t *testing.T, c net.Conn) string {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err.Error()
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", r.StatusCode, b)
}

const half = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"

// Bodies that do not arrive take the places of their own address, and end as 408. Others of that address
// are answered 429; those of another are not delayed.
func TestHalfSentBodiesHoldTheirOwnAddressOnly(t *testing.T) {
	s := serve(t, ingress.Limits{Bodies: 3, Queue: 50 * time.Millisecond, Grace: time.Second})
	var held []net.Conn
	for range 3 {
		c := s.dial(t, "127.0.0.2")
		fmt.Fprint(c, half)
		held = append(held, c)
	}
	time.Sleep(200 * time.Millisecond) // until they have their places
	if got := s.ask(t, "127.0.0.2", 10); !strings.HasPrefix(got, "429 ") {
		t.Errorf("a fourth of their address: %s", got)
	}
	began := time.Now()
	if got := s.ask(t, "127.0.0.1", 100_000); got != "200 100000 bytes of 127.0.0.1/32" || time.Since(began) > 500*time.Millisecond {
		t.Errorf("another address: %s after %s", got, time.Since(began))
	}
	for _, c := range held {
		if got := hear(t, c); !strings.HasPrefix(got, "408 ") {
			t.Errorf("half a body: %s", got)
		}
	}
	if got := s.ask(t, "127.0.0.2", 10); !strings.HasPrefix(got, "200 ") {
		t.Errorf("their places are not given back: %s", got)
	}
}

// A body may be slow, and no slower than the rate.
func TestABodyHasARate(t *testing.T) {
	s := serve(t, ingress.Limits{Grace: 200 * time.Millisecond, Rate: 1000, Body: time.Second})
	for _, tt := range []struct {
		pieces int
		size   int
		want   string
	}{
		{8, 100, "200 800 bytes"}, // 100 bytes each 50 ms: twice the rate
		{100, 5, "408 "},          // a tenth of it
		{100, 1000, "408 "},       // fast, and longer than a body may take
	} {
		c := s.dial(t, "127.0.0.1")
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", tt.pieces*tt.size)
		go func() {
			for range tt.pieces {
				if _, err := io.WriteString(c, strings.Repeat("x", tt.size)); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		if got := hear(t, c); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%d pieces of %d bytes: %s, want %s", tt.pieces, tt.size, got, tt.want)
		}
	}
}

// Connections without a request are bounded for each address, and end at the deadline of headers.
func TestHalfSentHeadersHoldTheirOwnAddressOnly(t *testing.T) {
	s := serve(t, ingress.Limits{Connections: 8, PerAddress: 4})
	for range 4 {
		fmt.Fprint(s.dial(t, "127.0.0.2"), "POST / HTTP/1.1\r\nHo")
	}
	if got := s.ask(t, "127.0.0.2", 10); !strings.HasPrefix(got, "429 ") || !strings.Contains(got, `"code":"too_many_connections"`) {
		t.Errorf("a fifth connection: %s", got)
	}
	if got := s.ask(t, "127.0.0.1", 10); !strings.HasPrefix(got, "200 ") {
		t.Errorf("another address: %s", got)
	}
	time.Sleep(500 * time.Millisecond)
	if got := s.ask(t, "127.0.0.2", 10); !strings.HasPrefix(got, "200 ") {
		t.Errorf("after their deadline: %s", got)
	}
}

// A flood of connections beyond the limit leaves room for others.
func TestAFloodOfConnections(t *testing.T) {
	s := serve(t, ingress.Limits{Connections: 20, PerAddress: 10})
	for range 300 {
		s.dial(t, "127.0.0.2")
	}
	if got := s.ask(t, "127.0.0.1", 10); !strings.HasPrefix(got, "200 ") {
		t.Error(got)
	}
}

// A client that takes nothing of its answer is cut off, so its handler ends.
func TestASlowReaderIsCutOff(t *testing.T) {
	for name, l := range map[string]ingress.Limits{
		"reads nothing":  {Stall: 200 * time.Millisecond},
		"reads by drops": {Stall: 300 * time.Millisecond, Rate: 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			g, ended := ingress.New(l), make(chan error, 1)
			srv := httptest.NewServer(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				var err error
				for err == nil {
					_, err = w.Write(make([]byte, 1<<20))
				}
				ended <- err
			})))
			defer srv.Close()
			c, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			if name == "reads by drops" {
				go func() {
					for b := make([]byte, 1<<20); ; time.Sleep(100 * time.Millisecond) {
						if _, err := c.Read(b); err != nil {
							return
						}
					}
				}()
			}
			select {
			case err := <-ended:
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error(err)
				}
			case <-time.After(10 * time.Second):
				t.Error("it holds its handler")
			}
		})
	}
}

// Who sends X-Forwarded-For is believed only where it is a proxy that was named.
func TestForwardedAddresses(t *testing.T) {
	forwarded := func(text string) string { return "X-Forwarded-For: " + text + "\r\n" }
	direct := serve(t, ingress.Limits{})
	if got := direct.ask(t, "127.0.0.1", 1, forwarded("192.0.2.7")); got != "200 1 bytes of 127.0.0.1/32" {
		t.Errorf("without a proxy: %s", got)
	}
	proxied := serve(t, ingress.Limits{PerAddress: 1, Bodies: 1, Queue: 20 * time.Millisecond, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}})
	for header, want := range map[string]string{
		forwarded("192.0.2.7"):                                "192.0.2.7/32",
		forwarded("198.51.100.1, 192.0.2.7, 10.1.1.1"):        "192.0.2.7/32", // what is left of a client's own words
		forwarded("198.51.100.1") + forwarded("192.0.2.8:99"): "192.0.2.8/32",
		forwarded("[2001:db8::1:2]"):                          "2001:db8::/64",
		forwarded("2001:db8:0:1::5"):                          "2001:db8:0:1::/64",
		forwarded("::ffff:192.0.2.7"):                         "192.0.2.7/32",
		forwarded("192.0.2.7, rubbish"):                       "127.0.0.1/32",
		"":                                                    "127.0.0.1/32",
	} {
		if got := proxied.ask(t, "127.0.0.1", 1, header); got != "200 1 bytes of "+want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	for range 5 { // a proxy's connections are not counted, its clients' bodies are
		c := proxied.dial(t, "127.0.0.1")
		fmt.Fprint(c, strings.Replace(half, "\r\n\r\n", "\r\n"+forwarded("192.0.2.7")+"\r\n", 1))
	}
	time.Sleep(100 * time.Millisecond)
	if got := proxied.ask(t, "127.0.0.1", 1, forwarded("192.0.2.7")); !strings.HasPrefix(got, "429 ") {
		t.Errorf("a client behind the proxy: %s", got)
	}
	if got := proxied.ask(t, "127.0.0.1", 1, forwarded("192.0.2.8")); !strings.HasPrefix(got, "200 ") {
		t.Errorf("another one: %s", got)
	}
}

// A body that its handler does not read delays its answer by a second at most.
func TestAnUnreadBody(t *testing.T) {
	g := ingress.New(ingress.Limits{})
	srv := httptest.NewServer(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })))
	defer srv.Close()
	c, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, half)
	if got := hear(t, c); !strings.HasPrefix(got, "401 ") {
		t.Error(got)
	}
}
