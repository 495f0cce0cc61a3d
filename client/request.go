package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/chargehand/chargehand"
)

// call sends in as JSON and reads the answer into out; either may be nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := encode(in)
		if err != nil {
			return err
		}
		body = b
	}
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return unreadable(ctx, err)
	}
	return nil
}

// encode leaves raw JSON as it is, where json.Marshal would escape <, > and &.
func encode(v any) (*bytes.Buffer, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	return &b, nil
}

// send returns the answer if it is a good one; the caller closes its body.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, refusal(resp)
}

// Blob implements chargehand.Reader. Content that does not have the hash is an error.
func (c *Client) Blob(ctx context.Context, hash string) ([]byte, error) {
	resp, err := c.send(ctx, http.MethodGet, path("blobs", hash), nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, unreadable(ctx, err)
	}
	if got := chargehand.Hash(content); !strings.HasPrefix(got, hash) {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInternal, What: "the content " + hash + " cannot be used", Why: "what came has the hash " + got,
		}
	}
	return content, nil
}
