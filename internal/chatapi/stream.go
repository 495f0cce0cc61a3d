package chatapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// stream answers with server-sent events. While the run goes on they are comments, which clients
// skip: what is content is the result's text, once there is one.
func (j *job) stream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	s := &events{job: j, w: w, out: http.NewResponseController(w), began: time.Now().Unix()}
	says := j.in.voice(s)
	says.begin()
	v, err := s.follow(ctx)
	if j.deserted(r.Context().Err() != nil || s.lost) {
		return
	}
	done, f := j.outcome(v, err)
	if done != nil && !done.began.IsZero() {
		s.began = done.began.Unix()
	}
	if f != nil {
		says.fail(done, f)
		return
	}
	says.end(done)
}

// pieces yields a text in pieces of whole characters, about a kilobyte each.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := pieceOf(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// pieceOf is how many bytes of a text the next piece takes: whole characters, about a kilobyte.
func pieceOf(text string) int {
	const most = 1 << 10
	if len(text) <= most {
		return len(text)
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// events is an answer in the writing.
type events struct {
	*job
	w     http.ResponseWriter
	out   *http.ResponseController
	began int64
	lost  bool // the client reads no more
}

// follow waits for the run and tells of it in comments, at least one in a while.
func (s *events) follow(ctx context.Context) (*chargehand.View, error) {
	type end struct {
		v   *chargehand.View
		err error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	news, ended := make(chan string, 1), make(chan end, 1)
	go func() {
		v, err := s.job.follow(ctx, func(m chargehand.Moment) {
			text := fmt.Sprintf("%s: %d of %d subtasks accepted", m.State, m.Accepted, m.Subtasks)
			select { // whoever reads slowly is told the latest
			case <-news:
			default:
			}
			news <- text
		})
		ended <- end{v, err}
	}()
	beat := time.NewTicker(s.opt.Heartbeat)
	defer beat.Stop()
	for last := "begun"; ; {
		select {
		case last = <-news:
		case <-beat.C:
		case e := <-ended:
			return e.v, e.err
		}
		if s.write(": " + last + "\n\n"); s.lost {
			stop()
		}
	}
}

func (s *events) data(v any) { s.write("data: " + string(encode(v)) + "\n\n") }

// write writes a piece and sends it off.
func (s *events) write(piece string) {
	if _, err := s.w.Write([]byte(piece)); err != nil {
		s.lost = true
	}
	if err := s.out.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.lost = true
	}
}
