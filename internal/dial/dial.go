// Package dial opens connections for addresses that teams, agents' cards and redirects name, and
// only to where they may lead (SPEC.md ·202). What is judged is the address connected to, after
// names are resolved: neither a name that resolves otherwise the second time nor an odd way to write
// an address gets by.
package dial

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// Variable is the environment variable in which an operator lists what may be reached besides public
// addresses.
const Variable = "CHARGEHAND_ALLOW_NET"

// A Guard says which addresses may be reached. The zero Guard lets public ones through only.
type Guard struct {
	Allow []netip.Prefix // reached whatever they are
}

// Parse is the guard of a list as Variable holds it: addresses and prefixes, parted by commas.
func Parse(list string) (Guard, error) {
	var g Guard
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		p, err := prefix(s)
		if err != nil {
			return Guard{}, fmt.Errorf("%s: %q is neither an address nor a range of them, such as 10.0.0.0/8", Variable, s)
		}
		g.Allow = append(g.Allow, p)
	}
	return g, nil
}

func prefix(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	return p.Masked(), err
}

// FromEnvironment is the guard that Variable declares.
func FromEnvironment() (Guard, error) { return Parse(os.Getenv(Variable)) }

// A RefusedError is an address that may not be reached.
type RefusedError struct {
	Host string     // as it was asked for, with its port
	Addr netip.Addr // that it leads to
	Why  string     // what kind of address that is
}

// Error says what leads where, and what would allow it.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s leads to %s, %s, which may not be reached; if it should be, list it in %s", e.Host, e.Addr, e.Why, Variable)
}

// Check is nil where an address may be reached, and a *RefusedError without a host where not.
func (g Guard) Check(a netip.Addr) error { return g.check(a, "") }

func (g Guard) check(a netip.Addr, host string) error {
	a = a.Unmap().WithZone("")
	for _, p := range g.Allow {
		if p.Contains(a) {
			return nil
		}
	}
	if why := special(a); why != "" {
		return &RefusedError{Host: host, Addr: a, Why: why}
	}
	return nil
}

// special is what keeps an address from being one of the public Internet's; empty for those (RFC
// 6890 and the IANA registries of special-purpose addresses).
func special(a netip.Addr) string {
	switch {
	case !a.IsValid() || a.IsUnspecified():
		return "no address of a host"
	case a.IsLoopback():
		return "this machine"
	case a.IsLinkLocalUnicast() || a.IsLinkLocalMulticast():
		return "a link-local address"
	case a.IsPrivate():
		return "an address of a private network"
	case a.IsMulticast():
		return "a group of hosts"
	}
	for _, r := range reserved {
		if r.Contains(a) {
			return "a reserved address"
		}
	}
	return ""
}

var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // shared by carriers
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and broadcast
	netip.MustParsePrefix("::/96"),           // holds IPv4 addresses
	netip.MustParsePrefix("64:ff9b::/96"),    // translated to IPv4
	netip.MustParsePrefix("64:ff9b:1::/48"),  // translated, locally
	netip.MustParsePrefix("100::/64"),        // discarded
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo among them
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4: holds IPv4 addresses
	netip.MustParsePrefix("fec0::/10"),       // once site-local
}

const (
	patience  = 10 * time.Second // to connect, and for TLS
	headers   = 64 << 10         // bytes of an answer's header
	redirects = 5
)

// Client is an HTTP client for what a user declared as address. Where that names this machine
// outright (localhost, 127.0.0.1, [::1]), its very host and port may be reached too; nothing that an
// answer leads to gains by that. Redirects are followed, at most five, for requests without a body;
// each leads where it may or fails, and none takes a header along to another host. No proxy is used.
func (g Guard) Client(declared string) *http.Client {
	return &http.Client{Transport: g.Transport(declared), CheckRedirect: follow}
}

// Transport is what Client sends through. It follows no redirects.
func (g Guard) Transport(declared string) *http.Transport {
	return &http.Transport{
		DialContext: g.Dialer(declared), TLSHandshakeTimeout: patience, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: headers, MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second,
	}
}

// Dialer opens connections for a declared address, as Client does.
func (g Guard) Dialer(declared string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	local := localhost(declared)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := net.Dialer{Timeout: patience, Control: func(_, resolved string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return fmt.Errorf("%s leads to %s, which is no address", addr, resolved)
			}
			if addr == local && at.Addr().Unmap().IsLoopback() {
				return nil
			}
			//guard:address-check off=return nil
			return g.check(at.Addr(), addr)
		}}
		return d.DialContext(ctx, network, addr)
	}
}

// ThisMachine reports whether a host, with or without a port, names this machine outright. A name
// that merely resolves to it does not: pages of the web let theirs.
func ThisMachine(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// localhost is the host and port of a URL that names this machine outright; empty for others.
func localhost(declared string) string {
	u, err := url.Parse(declared)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	if !ThisMachine(host) {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(host, port)
}

// follow lets a redirect be followed. What goes to another host takes no header of ours along but
// what any request has.
func follow(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > redirects:
		return fmt.Errorf("it redirects more than %d times", redirects)
	case first.Method != http.MethodGet && first.Method != http.MethodHead:
		return http.ErrUseLastResponse
	case req.URL.Scheme != "https" && req.URL.Scheme != first.URL.Scheme:
		return fmt.Errorf("it redirects from %s to %s", first.URL.Scheme, req.URL.Scheme)
	case req.URL.Host != first.URL.Host:
		req.Header = http.Header{"Accept": first.Header.Values("Accept")}
	}
	return nil
}
