package provider

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// begin does what comes before an answer: waits, hangs, refuses, or resets the connection. It reports
// whether there is still to be an answer.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, p *Reply, refuse func(http.ResponseWriter, Fault)) bool {
	s.wait(r.Context(), p.Delay)
	switch {
	case p.Fault.Hang:
		s.hang(r.Context())
		return false
	case p.Fault.Cut == CutBefore:
		panic(http.ErrAbortHandler)
	case p.Fault.Status > 0:
		refuse(w, p.Fault)
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, f Fault, body []byte) {
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	if f.Body != "" {
		body = []byte(f.Body)
	}
	if f.Encoding != "" {
		w.Header().Set("Content-Encoding", f.Encoding)
	}
	w.Header().Set("Content-Type", or(f.ContentType, "application/json"))
	w.WriteHeader(f.Status)
	_, _ = w.Write(body)
}

// whole sends an answer in one piece.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, p *Reply, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		panic(fmt.Sprintf("provider: an answer that is not JSON: %v", err)) // the arguments of a call, most likely
	}
	w.Header().Set("Content-Type", or(p.Fault.ContentType, "application/json"))
	out, end := squeezed(w, r, p)
	switch {
	case p.Fault.Cut == CutAfter:
		body = nil
	case p.Fault.Cut == CutMiddle || p.Fault.Truncate:
		body = body[:len(body)/2]
	}
	_, _ = out.Write(body)
	end()
	if p.Fault.Cut != "" {
		flush(w)
		panic(http.ErrAbortHandler)
	}
}

// An event is one of a stream. Chat completions give it no name.
type event struct{ name, data string }

// stream sends an answer as server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, p *Reply, events []event) {
	w.Header().Set("Content-Type", or(p.Fault.ContentType, "text/event-stream; charset=utf-8"))
	w.Header().Set("Cache-Control", "no-cache")
	out, end := squeezed(w, r, p)
	flush(w)
	events, cut := broken(events, p.Fault)
	for _, raw := range mangled(events, p.Fault.Mangle) {
		s.wait(r.Context(), p.Pause)
		if r.Context().Err() != nil {
			return
		}
		if p.Fault.Mangle == SplitRunes {
			for i := range len(raw) {
				_, _ = io.WriteString(out, raw[i:i+1])
				flush(w)
			}
			continue
		}
		_, _ = io.WriteString(out, raw)
		if z, ok := out.(*gzip.Writer); ok {
			_ = z.Flush()
		}
		flush(w)
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
	end()
}

// Stream is the body of a stream that answers some request, as the server would send it.
func Stream(d Dialect, p Reply) []byte {
	q, events := Request{N: 1, Dialect: d, Model: "a-model", Stream: true, Usage: true}, openAIEvents
	switch d {
	case Anthropic:
		events = anthropicEvents
	case Responses:
		events = responseEvents
	}
	all, _ := broken(events(&q, &p), p.Fault)
	return []byte(strings.Join(mangled(all, p.Fault.Mangle), ""))
}

func (s *Server) wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-s.quit:
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// squeezed is where the body goes to, and what ends it.
func squeezed(w http.ResponseWriter, r *http.Request, p *Reply) (io.Writer, func()) {
	if !p.Gzip || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return w, func() {}
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	return z, func() { _ = z.Close() }
}
