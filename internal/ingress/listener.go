package ingress

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Listener is l with at most as many connections as the limits allow. More of all addresses wait to be
// accepted; more of one address are answered 429 and closed.
func (g *Guard) Listener(l net.Listener) net.Listener {
	return &listener{
		Listener: l, guard: g, closed: make(chan struct{}),
		seats: make(chan struct{}, g.limits.Connections), refusals: make(chan struct{}, 64),
	}
}

type listener struct {
	net.Listener
	guard    *Guard
	seats    chan struct{} // taken by open connections
	refusals chan struct{} // taken by connections that are being refused
	closed   chan struct{}
	once     sync.Once
}

// Accept returns the next connection that is allowed.
func (l *listener) Accept() (net.Conn, error) {
	for {
		select {
		case l.seats <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.seats
			return nil, err
		}
		from, counted := l.guard.peer(c)
		if counted && !l.guard.connect(from) {
			<-l.seats
			l.refuse(c)
			continue
		}
		return &conn{Conn: c, free: sync.OnceFunc(func() {
			if counted {
				l.guard.disconnect(from)
			}
			<-l.seats
		})}, nil
	}
}

// Close ends Accept.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// tooMany is the answer to a connection too many, in the form that the most clients know. Which API it
// would have asked is not known yet.
var tooMany = func() string {
	body := `{"error":{"message":"too many connections of this address are open: close some, or ask again later","type":"rate_limit_error","param":null,"code":"too_many_connections"}}` + "\n"
	return fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 5\r\nConnection: close\r\n\r\n%s", len(body), body)
}()

// refuse answers a connection too many without waiting for it.
func (l *listener) refuse(c net.Conn) {
	tcp, plain := c.(*net.TCPConn)
	select {
	case l.refusals <- struct{}{}:
	default:
		plain = false // a flood is closed without a word
	}
	if !plain || l.guard.limits.Encrypted {
		_ = c.Close()
		return
	}
	go func() { // ends within a second
		defer func() { <-l.refusals }()
		defer func() { _ = c.Close() }()
		_ = c.SetDeadline(time.Now().Add(time.Second))
		if _, err := io.WriteString(c, tooMany); err == nil && tcp.CloseWrite() == nil {
			_, _ = io.Copy(io.Discard, c) // closed with unread bytes, it would be reset before its answer is read
		}
	}()
}

// peer is the address that a connection counts for. A proxy's connections, and those without an
// address, count for none.
func (g *Guard) peer(c net.Conn) (netip.Prefix, bool) {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{}, false
	}
	addr := at.Addr().Unmap().WithZone("")
	return group(addr), !g.proxy(addr)
}

func (g *Guard) connect(from netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connections[from] >= g.limits.PerAddress {
		return false
	}
	g.connections[from]++
	return true
}

func (g *Guard) disconnect(from netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connections[from]--; g.connections[from] == 0 {
		delete(g.connections, from)
	}
}

type conn struct {
	net.Conn
	free func()
}

// Close closes the connection and gives its seat back.
func (c *conn) Close() error {
	defer c.free()
	return c.Conn.Close()
}
