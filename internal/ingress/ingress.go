// Package ingress bounds what one address may hold of an HTTP server: its connections, its requests
// whose body is still arriving, and the time that its bodies and answers take on the way. A client that
// sends or reads slowly then delays nobody but itself.
package ingress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits are what a Guard allows.
type Limits struct {
	Connections int           // open at a time, of all addresses; others wait to be accepted. Zero means 512
	PerAddress  int           // open at a time, of one address; others are answered 429. Zero means a quarter of Connections
	Bodies      int           // requests of one address whose body is arriving. Zero means 16
	Queue       time.Duration // for a request to wait until one of these has arrived; then it is ErrBusy. Zero means 5 s
	Body        time.Duration // for a body to arrive. Zero means 30 s
	Stall       time.Duration // for a client to take one piece of an answer. Zero means 30 s

	// Grace is how long a body may be slower than Rate. Zero means 5 s.
	Grace time.Duration

	// Rate is what a client sends or takes on average, in bytes a second. Zero means 4 KiB.
	Rate int

	// Proxies are addresses whose requests are those of others. X-Forwarded-For then says of whom, and
	// counts from nobody else. None means that every connection's own address counts.
	Proxies []netip.Prefix

	// Encrypted says that connections begin with a TLS handshake: one too many is closed without a word.
	Encrypted bool
}

// Why a body is not read to its end.
var (
	// ErrBusy is the error of reading a body while too many of its address are arriving. Answer 429.
	ErrBusy = errors.New("too many requests of this address are arriving")

	// ErrSlow is the error of reading a body that arrives too slowly. It is an os.ErrDeadlineExceeded. Answer 408.
	ErrSlow = fmt.Errorf("the request arrives too slowly: %w", os.ErrDeadlineExceeded)
)

// A Guard holds one server to its limits: its listener and its handler.
type Guard struct {
	limits Limits

	mu          sync.Mutex
	connections map[netip.Prefix]int     // open, by address; none is zero
	arriving    map[netip.Prefix]*places // requests that read their body, or wait to; none is empty
}

// New is a Guard with these limits.
func New(l Limits) *Guard {
	l.Proxies = slices.Clone(l.Proxies)
	positive(&l.Connections, 512)
	positive(&l.PerAddress, max(l.Connections/4, 1))
	positive(&l.Bodies, 16)
	positive(&l.Queue, 5*time.Second)
	positive(&l.Body, 30*time.Second)
	positive(&l.Stall, 30*time.Second)
	positive(&l.Grace, 5*time.Second)
	positive(&l.Rate, 4<<10)
	return &Guard{limits: l, connections: map[netip.Prefix]int{}, arriving: map[netip.Prefix]*places{}}
}

func positive[N int | time.Duration](n *N, otherwise N) {
	if *n <= 0 {
		*n = otherwise
	}
}

// Handler hands requests on with bodies and answers that are held to the limits.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, known := g.client(r)
		if known {
			r = r.WithContext(context.WithValue(r.Context(), addressKey{}, from.String()))
		}
		out := http.NewResponseController(w)
		b := &body{ReadCloser: r.Body, guard: g, ctx: r.Context(), out: out, from: from, free: !known}
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = b
			defer b.leave(true)
		}
		next.ServeHTTP(&answer{ResponseWriter: w, guard: g, out: out}, r)
	})
}

type addressKey struct{}

// Address is the address that a request counts for, in a form to compare. It is empty where no Guard
// has seen the request, and for a connection without an address, such as a unix socket's.
func Address(r *http.Request) string {
	text, _ := r.Context().Value(addressKey{}).(string)
	return text
}

// client is the address that a request counts for: its connection's, or, behind a proxy that is
// trusted, the last of X-Forwarded-For that is no such proxy's.
func (g *Guard) client(r *http.Request) (netip.Prefix, bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}, false
	}
	addr := at.Addr().Unmap().WithZone("")
	if !g.proxy(addr) {
		return group(addr), true
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		said, err := parse(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		if addr = said; !g.proxy(addr) {
			break
		}
	}
	return group(addr), true
}

// parse reads an address as proxies write it: with or without a port.
func parse(text string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), nil
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err
}

func (g *Guard) proxy(addr netip.Addr) bool {
	return slices.ContainsFunc(g.limits.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// group is what counts as one address: an IPv4 address, or the /64 that one IPv6 client has.
func group(addr netip.Addr) netip.Prefix {
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // bits are never more than the address has
	return p
}
