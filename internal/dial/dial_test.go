package dial_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chargehand/chargehand/internal/dial"
)

// TestCheck goes through the special addresses, however they are written.
func TestCheck(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "127.255.0.9", "::1", "0.0.0.0", "::", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "fe80::1", "fc00::1", "fd00:ec2::254", "100.64.0.1", "198.18.0.1", "192.0.2.7", "224.0.0.1", "ff02::1",
		"255.255.255.255", "240.0.0.1", "0.1.2.3", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::127.0.0.1",
		"64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::", "2001:db8::1", "fec0::1", "fe80::1%eth0",
	} {
		var refused *dial.RefusedError
		if err := (dial.Guard{}).Check(netip.MustParseAddr(a)); !errors.As(err, &refused) {
			t.Errorf("%s may be reached: %v", a, err)
		}
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"} {
		if err := (dial.Guard{}).Check(netip.MustParseAddr(a)); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}

func TestParse(t *testing.T) {
	g, err := dial.Parse(" 10.0.0.0/8, 169.254.169.254,::1 ,")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{"10.9.9.9", "::ffff:10.9.9.9", "169.254.169.254", "::1"} {
		if err := g.Check(netip.MustParseAddr(a)); err != nil {
			t.Errorf("%s is listed: %v", a, err)
		}
	}
	if err := g.Check(netip.MustParseAddr("169.254.169.253")); err == nil {
		t.Error("what is beside a listed address may be reached")
	}
	if _, err := dial.Parse("10.0.0.0/8,inside"); err == nil || !strings.Contains(err.Error(), `"inside"`) {
		t.Errorf("a word is no address: %v", err)
	}
}

// A canary is a server on this machine that counts who gets through.
func canary(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.Header.Get("Authorization") != "" {
			t.Error("the header went to another host")
		}
	}))
	t.Cleanup(s.Close)
	return s, &hits
}

// TestNothingGetsToThisMachine tries each way to write an address of this machine. Names that
// resolve to it are tried through a resolver of the test's own.
func TestThisMachine(t *testing.T) {
	for _, host := range []string{"localhost", "localhost:80", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:80", "::1", "[::ffff:127.0.0.1]:80"} {
		if !dial.ThisMachine(host) {
			t.Errorf("%q is not this machine", host)
		}
	}
	for _, host := range []string{"", ":80", "0.0.0.0", "[::]:80", "example.org", "localhost.example.org", "127.0.0.1.nip.io:80", "127.1"} {
		if dial.ThisMachine(host) {
			t.Errorf("%q is this machine", host)
		}
	}
}

//guard:address-check
func TestNothingGetsToThisMachine(t *testing.T) {
	s, hits := canary(t)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{
		"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "[::1]",
		"localhost.", "LOCALHOST", "127.0.0.1.",
	} {
		resp, err := (dial.Guard{}).Client("https://agents.example.org").Get("http://" + host + ":" + port + "/")
		if err == nil {
			resp.Body.Close()
			t.Errorf("%s was reached", host)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests got through", n)
	}
}

// TestRebinding wants the address looked at that is connected to, not the one a name had before.
func TestRebinding(t *testing.T) {
	s, hits := canary(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	first := true
	lookup := func() string {
		defer func() { first = false }()
		if first {
			return "93.184.216.34"
		}
		return "127.0.0.1"
	}
	if err := (dial.Guard{}).Check(netip.MustParseAddr(lookup())); err != nil {
		t.Fatal(err)
	}
	conn, err := (dial.Guard{}).Dialer("http://rebinds.example.org:"+port)(t.Context(), "tcp", net.JoinHostPort(lookup(), port))
	var refused *dial.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("the second answer was connected to: %v, %v", conn, err)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests got through", n)
	}
}

// TestDeclaredLocally wants a server on this machine to be reached where the user names it outright,
// and its redirects and other ports not to gain by that.
func TestDeclaredLocally(t *testing.T) {
	other, hits := canary(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/home":
			http.Redirect(w, r, "/", http.StatusFound)
		default:
			io.WriteString(w, "hello "+r.Header.Get("Authorization"))
		}
	}))
	defer s.Close()
	c := (dial.Guard{}).Client(s.URL)
	for path, want := range map[string]string{"/": "hello key", "/home": "hello key"} {
		if got, err := get(t.Context(), c, s.URL+path); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	var refused *dial.RefusedError
	if _, err := get(t.Context(), c, s.URL+"/away"); !errors.As(err, &refused) || !strings.Contains(err.Error(), dial.Variable) {
		t.Errorf("a redirect to another port was followed: %v", err)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests got through", n)
	}
}

// TestRedirectsLoseHeaders follows a redirect that may be followed: without the key.
func TestRedirectsLoseHeaders(t *testing.T) {
	other, hits := canary(t)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer s.Close()
	g := dial.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if _, err := get(t.Context(), g.Client(s.URL), s.URL); err != nil {
		t.Fatal(err)
	}
	if n := hits.Load(); n != 1 {
		t.Errorf("%d requests got through, want 1", n)
	}
	resp, err := g.Client(s.URL).Post(s.URL, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusFound || hits.Load() != 1 {
		t.Errorf("a redirect of a POST was followed: %s", resp.Status)
	}
}

func get(ctx context.Context, c *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "key")
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}
