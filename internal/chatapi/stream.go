package chatapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// A choice is the answer, or a piece of it.
type choice struct {
	Index   int     `json:"index"`
	Message *spoken `json:"message,omitempty"`
	Delta   *spoken `json:"delta,omitempty"`
	Finish  any     `json:"finish_reason"` // null while the answer goes on
}

type spoken struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
	Refusal any     `json:"refusal,omitempty"`
}

// usage is what the run consumed, all its models and tries together.
type usage struct {
	Prompt     int64             `json:"prompt_tokens"`
	Completion int64             `json:"completion_tokens"`
	Total      int64             `json:"total_tokens"`
	Cost       chargehand.Micros `json:"cost_usd"`
}

// A completion is the answer, or, in a stream, a chunk of it.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
	About   *about   `json:"chargehand,omitempty"`
}

func (j *job) spent() *usage {
	u := j.usage
	return &usage{u.InputTokens, u.OutputTokens, u.Tokens(), u.USD}
}

func (j *job) completion(d *outcome) completion {
	return completion{
		ID: "chatcmpl-" + j.run, Object: "chat.completion", Created: d.began.Unix(), Model: j.order.Team.Name,
		Choices: []choice{{Message: &spoken{Role: "assistant", Content: &d.text}, Finish: d.finish}},
		Usage:   j.spent(), About: &d.about,
	}
}

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
	empty := ""
	s.chunk(choice{Delta: &spoken{Role: "assistant", Content: &empty}})
	v, err := s.follow(ctx)
	if j.deserted(r.Context().Err() != nil || s.lost) {
		return
	}
	done, f := j.outcome(v, err)
	if f != nil {
		s.data(f.body())
		return
	}
	s.began = done.began.Unix()
	for rest := done.text; rest != ""; {
		n := pieceOf(rest)
		piece := rest[:n]
		s.chunk(choice{Delta: &spoken{Content: &piece}})
		rest = rest[n:]
	}
	s.last(done)
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

func (s *events) chunk(choices ...choice) {
	s.data(completion{ID: "chatcmpl-" + s.run, Object: "chat.completion.chunk", Created: s.began, Model: s.order.Team.Name, Choices: choices})
}

// last closes the answer.
func (s *events) last(d *outcome) {
	end := completion{
		ID: "chatcmpl-" + s.run, Object: "chat.completion.chunk", Created: s.began, Model: s.order.Team.Name,
		Choices: []choice{{Delta: &spoken{}, Finish: d.finish}}, About: &d.about,
	}
	s.data(end)
	if s.asked.Usage {
		end.Choices, end.About, end.Usage = []choice{}, nil, s.spent()
		s.data(end)
	}
	s.write("data: [DONE]\n\n")
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
