package witness

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand/internal/audit"
)

const maxAnswer = 16 << 10 // bytes

// A Client asks a witness to sign. It is safe for concurrent use.
type Client struct {
	url  string
	key  *Verifier
	http *http.Client

	mu   sync.Mutex
	seen map[string]int64 // what the witness signed last, by the log's name
}

// NewClient is a client of the witness at a URL whose key is known.
func NewClient(address string, key *Verifier) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a witness: want http://host:port", address)
	}
	return &Client{
		url: strings.TrimSuffix(address, "/"), key: key, seen: map[string]int64{},
		http: &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Cosign returns the note, a checkpoint signed by the log, with the witness's signature added.
// prove makes the consistency proof from the log's first old leaves to the checkpoint's.
func (c *Client) Cosign(ctx context.Context, msg []byte, prove func(ctx context.Context, old int64) ([][32]byte, error)) ([]byte, error) {
	text, _, _ := strings.Cut(string(msg), "\n\n")
	checkpoint, err := audit.ParseCheckpoint(text + "\n")
	if err != nil {
		return nil, fmt.Errorf("ask the witness: %w", err)
	}
	c.mu.Lock()
	old := c.seen[checkpoint.Origin]
	c.mu.Unlock()
	for range 3 { // again where the witness has seen another checkpoint than we think
		var line []byte
		if line, old, err = c.submit(ctx, msg, old, checkpoint, prove); err != nil {
			return nil, fmt.Errorf("ask the witness: %w", err)
		}
		if line != nil {
			c.mu.Lock()
			c.seen[checkpoint.Origin] = checkpoint.Size
			c.mu.Unlock()
			return c.join(msg, line)
		}
	}
	return nil, errors.New("ask the witness: it names another size each time")
}

// submit posts the checkpoint. Without a line, old is what the witness signed last.
func (c *Client) submit(ctx context.Context, msg []byte, old int64, to audit.Checkpoint, prove func(context.Context, int64) ([][32]byte, error)) (line []byte, now int64, err error) {
	if old > to.Size {
		return nil, 0, fmt.Errorf("it has seen %d records, and there are only %d", old, to.Size)
	}
	req := request{old: old, note: msg}
	if old > 0 && old < to.Size {
		proof, err := prove(ctx, old)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range proof {
			req.proof = append(req.proof, h)
		}
	}
	status, answer, err := c.call(ctx, http.MethodPost, "/add-checkpoint", req.body())
	switch {
	case err != nil:
		return nil, 0, err
	case status == http.StatusOK:
		return answer, 0, nil
	case status != http.StatusConflict:
		return nil, 0, fmt.Errorf("it refuses with %d: %.200q", status, answer)
	}
	now, err = strconv.ParseInt(strings.TrimSuffix(string(answer), "\n"), 10, 64)
	if err != nil || now < 0 {
		return nil, 0, fmt.Errorf("it names no size: %.100q", answer)
	}
	return nil, now, nil
}

// join adds the witness's signature to the note, and none of anybody else.
func (c *Client) join(msg, lines []byte) ([]byte, error) {
	n, err := note.Open(append(bytes.Clone(msg), lines...), note.VerifierList(c.key))
	if err != nil {
		return nil, fmt.Errorf("the witness's signature: %w", err)
	}
	sig := n.Sigs[0]
	if _, err := base64.StdEncoding.DecodeString(sig.Base64); err != nil {
		return nil, err
	}
	return fmt.Appendf(bytes.Clone(msg), "— %s %s\n", sig.Name, sig.Base64), nil
}

// Latest is the newest checkpoint of a log that the witness signed; nil if there is none.
func (c *Client) Latest(ctx context.Context, origin string) ([]byte, error) {
	status, answer, err := c.call(ctx, http.MethodGet, "/"+name(origin)+"/checkpoint", nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask the witness: %w", err)
	case status == http.StatusNotFound:
		return nil, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("ask the witness: it answers %d", status)
	}
	if _, ok := c.key.Seen(answer); !ok {
		return nil, errors.New("ask the witness: its checkpoint is not signed by its key")
	}
	return answer, nil
}

func (c *Client) call(ctx context.Context, method, path string, body []byte) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, answer, err
}
