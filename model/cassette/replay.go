package cassette

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/chargehand/chargehand/model"

	files "github.com/chargehand/chargehand/internal/regular"
)

// A Player is a Model that answers from a tape.
type Player struct {
	path string

	mu     sync.Mutex
	tape   []exchange
	played []bool
}

const longestLine = 64 << 20 // bytes of an exchange

// Replay reads a tape.
func Replay(path string) (*Player, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("replay a tape: %w", err)
	}
	defer f.Close()
	p := &Player{path: path}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("replay a tape: %s:%d: %w", path, n, err)
		}
		q := e.Request.again() // a tape may be edited by hand: its hashes are not relied on
		_, e.Hash = question(&q)
		p.tape = append(p.tape, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("replay a tape: %w", err)
	}
	p.played = make([]bool, len(p.tape))
	return p, nil
}

func (a *asked) again() model.Request {
	return model.Request{Model: a.Model, System: a.System, Messages: a.Messages, Tools: a.Tools, Schema: a.Schema, MaxTokens: a.MaxTokens, Temperature: a.Temperature}
}

// Complete gives the answer that was recorded for such a request, in the pieces that it came in. One that
// is not on the tape is an error that says what is different from the nearest one which is.
func (p *Player) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if ctx.Err() != nil {
		return model.Response{}, &model.Error{Kind: model.TimedOut, Provider: "cassette", Err: context.Cause(ctx)}
	}
	e, err := p.next(&r)
	if err != nil {
		return model.Response{}, err
	}
	if r.Stream != nil {
		if said, err := model.Tell(r.Stream, e.pieces()); err != nil {
			res := e.Response
			res.Text, res.Stop = said, ""
			return res, err
		}
	}
	if f := e.Error; f != nil {
		return e.Response, &model.Error{
			Kind: f.Kind, Provider: f.Provider, Status: f.Status, Message: f.Message, RetryAfter: time.Duration(f.RetryAfterMS) * time.Millisecond, Sent: f.Sent,
		}
	}
	return e.Response, nil
}

// pieces is the text as it was handed on; what was not is one piece more.
func (e *exchange) pieces() []string {
	var out []string
	text := e.Response.Text
	for _, n := range e.Stream {
		n = min(max(n, 0), len(text))
		out, text = append(out, text[:n]), text[n:]
	}
	return append(out, model.Pieces(text, 16)...)
}

func (p *Player) next(r *model.Request) (*exchange, error) {
	q, hash := question(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	times := 0
	for i := range p.tape {
		if p.tape[i].Hash != hash {
			continue
		}
		if times++; !p.played[i] {
			p.played[i] = true
			return &p.tape[i], nil
		}
	}
	return nil, &model.Error{Kind: model.Invalid, Provider: "cassette", Message: p.missing(&q, times)}
}

// Left is how many exchanges of the tape were not asked for.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, played := range p.played {
		if !played {
			n++
		}
	}
	return n
}

// String is "cassette".
func (p *Player) String() string { return "cassette" }
