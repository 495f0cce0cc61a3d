package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/turn"
)

const probeTimeout = 5 * time.Second

// probe asks a worker's health endpoint.
func (h *hands) probe(e fleet.Probe) {
	ctx, cancel := context.WithTimeout(h.ctx, probeTimeout)
	defer cancel()
	answer := fleet.Healthy{Worker: e.Worker}
	if err := well(ctx, e.Address); err != nil {
		answer.Why = plain(err.Error())
	} else {
		answer.OK = true
	}
	h.put(envelope{Event: turn.Event{Fleet: answer}})
}

// well is nil where a health endpoint answers that all is well: with a code of 200 to 299. A redirect
// says nothing of the worker's health and is not followed. Only addresses that may be reached are
// asked, as those of workers of kind http are (SPEC.md ·202); no proxy is used, and no body is read.
func well(ctx context.Context, address string) error {
	guard, err := dial.FromEnvironment()
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("its health endpoint is not an address to call")
	}
	req.Header.Set("User-Agent", "chargehand")
	t := guard.Transport(address)
	t.DisableKeepAlives = true // a body that is left unread is not worth draining
	client := http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		// A *url.Error repeats the URL, whose query may hold a key.
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return fmt.Errorf("no answer from %s: %w", req.URL.Host, err)
	}
	_ = resp.Body.Close()
	// The words beside the code are the server's own.
	status := strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
	switch resp.StatusCode / 100 {
	case 2:
		return nil
	case 3:
		return fmt.Errorf("the answer is %s; redirects are not followed", status)
	}
	return fmt.Errorf("the answer is %s", status)
}
