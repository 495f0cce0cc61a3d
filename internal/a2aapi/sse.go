package a2aapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// lastEvent is the event that a caller has seen last; zero if it has seen none.
func lastEvent(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, wrong("Last-Event-ID", fmt.Sprintf("%q is the id of no event", excerpt.Of(text, 40)))
	}
	return n, nil
}

// An envelope is how a binding wraps what a stream consists of.
type envelope struct {
	event   func(response) any
	failure func(*failure) any
}

// stream writes a feed as server-sent events until it ends, ctx ends or the caller is gone.
func (s *server) serveFeed(ctx context.Context, w http.ResponseWriter, f feed, in envelope) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	out := &events{s, w, http.NewResponseController(w)}
	type item struct {
		event event
		err   error
	}
	items := make(chan item)
	go func() { // ends with ctx; the loop below drains it to its close
		defer close(items)
		for e, err := range f {
			select {
			case items <- item{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	beat := time.NewTicker(s.opt.Heartbeat)
	defer beat.Stop()
	for ok := true; ok; {
		select {
		case it, more := <-items:
			switch {
			case !more:
				ok = false
			case it.err != nil:
				ok = out.write(0, in.failure(s.failed(it.err))) && false
			default:
				ok = out.write(it.event.seq, in.event(it.event.body))
			}
		case <-beat.C:
			ok = out.send([]byte(": working\n\n"))
		case <-ctx.Done():
			ok = false
		}
	}
	cancel()
	for range items {
	}
}

// events writes server-sent events.
type events struct {
	server  *server
	w       http.ResponseWriter
	control *http.ResponseController
}

func (e *events) write(id int64, v any) bool {
	body, err := encode(v)
	if err != nil {
		e.server.opt.Log.Error("write an event", "error", err)
		return false
	}
	var b []byte
	if id > 0 {
		b = fmt.Appendf(b, "id: %d\n", id)
	}
	return e.send(fmt.Appendf(b, "data: %s\n\n", body))
}

func (e *events) send(b []byte) bool {
	_ = e.control.SetWriteDeadline(time.Now().Add(e.server.opt.Timeout))
	if _, err := e.w.Write(b); err != nil {
		return false
	}
	return e.control.Flush() == nil
}
