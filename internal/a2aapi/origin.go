package a2aapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
)

// An origin is the message that began a run. It is the run's idempotency key, so it is kept with
// the run, and the same message names the same run.
type origin struct {
	Caller  Caller
	Context string
	Message string // its id
}

const keyPrefix = "a2a:"

func (o origin) key() string {
	return keyPrefix + url.Values{
		"by": {o.Caller.Name}, "tenant": {o.Caller.Tenant}, "context": {o.Context}, "message": {o.Message},
	}.Encode()
}

// originOf reads what key wrote. False: the run was not begun by a message.
func originOf(key string) (origin, bool) {
	text, ok := strings.CutPrefix(key, keyPrefix)
	if !ok {
		return origin{}, false
	}
	v, err := url.ParseQuery(text)
	o := origin{Caller{v.Get("by"), v.Get("tenant")}, v.Get("context"), v.Get("message")}
	if err != nil || o.Message == "" || o.Context == "" {
		return origin{}, false
	}
	return o, true
}

// newContext is the context of a message that names none: the same whenever it is sent again.
func newContext(c Caller, message string) string {
	sum := sha256.Sum256([]byte(origin{c, "", message}.key()))
	return "ctx_" + hex.EncodeToString(sum[:10])
}

// origins remembers what began runs, which never changes. The zero value is ready.
type origins struct {
	mu    sync.Mutex
	known map[string]origin // by run
}

const mostOrigins = 50_000

// of is what began a run, read off its first record; the zero origin if that was no message.
func (os *origins) of(ctx context.Context, e chargehand.Reader, run string) (origin, error) {
	os.mu.Lock()
	o, ok := os.known[run]
	os.mu.Unlock()
	if ok {
		return o, nil
	}
	for r, err := range e.Records(ctx, run, 0, false) {
		if err != nil {
			return o, err
		}
		if began, ok := r.Fact.(chargehand.RunStarted); ok {
			o, _ = originOf(began.Key)
		}
		break
	}
	os.mu.Lock()
	defer os.mu.Unlock()
	if os.known == nil || len(os.known) >= mostOrigins {
		os.known = map[string]origin{}
	}
	os.known[run] = o
	return o, nil
}
