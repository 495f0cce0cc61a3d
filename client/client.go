// Package client reaches an Engine in another process over HTTP. It imports nothing of ours but the
// root package.
package client

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/chargehand/chargehand"
)

// Options say where the engine is.
type Options struct {
	// URL is the address of the API, such as "http://127.0.0.1:7433". Zero means
	// "http://localhost", which suits a client that dials a socket.
	URL string

	// HTTP carries the requests. Zero means a client of its own without a time limit: streams
	// last as long as their context.
	HTTP *http.Client
}

// A Client is an Engine that lives elsewhere. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

var _ chargehand.Engine = (*Client)(nil)

// New reaches the engine that o names. It sends nothing yet.
func New(o Options) *Client {
	c := &Client{strings.TrimSuffix(o.URL, "/"), o.HTTP}
	if c.base == "" {
		c.base = "http://localhost"
	}
	if c.http == nil {
		c.http = &http.Client{}
	}
	return c
}

// Dial reaches the engine behind a unix socket. It sends nothing yet; Live does.
func Dial(socket string) *Client {
	var d net.Dialer
	return New(Options{HTTP: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", socket)
		},
	}}})
}

// Live reports whether the engine answers.
func (c *Client) Live(ctx context.Context) error {
	resp, err := c.send(ctx, http.MethodGet, "/livez", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Close lets go of the connections. Requests under way go on.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

func path(parts ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}
