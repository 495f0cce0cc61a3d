package enginetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// streams is for engines that hand on the texts of workers: what is said arrives while it is said, with
// whose it is and where it belongs, and the log is the same whether anybody listens or not.
func streams(t *testing.T, open Open) {
	s := &speaker{Func: says(honest), heard: make(chan struct{})}
	e := open(t, worker.Set{"ann": s}, nil)
	from, ok := e.(chargehand.Streamer)
	if !ok {
		t.Skip("the engine hands on no texts")
	}
	o := order(team(reader("ann")))
	run := start(t, e, o)
	got := s.listen(t, from, run)
	if v, _ := finish(t, e, run); v.State != chargehand.RunCompleted {
		t.Fatalf("the run came out as %s: %s", v.State, v.Why)
	}
	var next int64
	var all strings.Builder
	for i, tok := range <-got {
		if tok.Run != run || tok.AttemptRef != (chargehand.AttemptRef{Subtask: "s1", Attempt: 1}) || !tok.Provisional {
			t.Errorf("whose is %+v?", tok)
		}
		if tok.Offset != next+tok.Lost || i > 0 && tok.Lost > 0 {
			t.Errorf("after %d bytes came %+v", next, tok)
		}
		next = tok.Offset + int64(len(tok.Text))
		all.WriteString(tok.Text)
	}
	if want := s.words(); !strings.HasSuffix(want, all.String()) || next != int64(len(want)) || !strings.Contains(all.String(), "EUR 500 per month") {
		t.Errorf("%q was said, and %q arrived, up to %d", want, all.String(), next)
	}
	unheard := start(t, e, o)
	finish(t, e, unheard)
	if a, b := kinds(t, e, run), kinds(t, e, unheard); a != b {
		t.Errorf("with a listener the log is\n%s\nand without one\n%s", a, b)
	}
	for _, err := range from.Tokens(background(t), "run_none") {
		wantCode(t, err, chargehand.CodeNotFound)
	}
}

// A speaker says its output as it goes: at first slowly, until it has been heard, and then the rest.
type speaker struct {
	worker.Func
	heard chan struct{} // closed when somebody hears it

	mu   sync.Mutex
	said strings.Builder // in the first task
	done bool
}

func (s *speaker) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	r, err := s.Func(ctx, t)
	if err != nil {
		return r, err
	}
	line, out := worker.LineOf(ctx), string(r.Output)
	say := func(text string) {
		if err == nil {
			err = line.Say(text)
			s.keep(text)
		}
	}
	for say(out[:1]); err == nil && !s.isHeard(ctx); {
		say(" ")
	}
	for out = out[1:]; out != ""; {
		n := min(len(out), 7)
		say(out[:n])
		out = out[n:]
	}
	s.mu.Lock()
	s.done = true
	s.mu.Unlock()
	return r, err
}

// isHeard waits a moment for somebody who hears.
func (s *speaker) isHeard(ctx context.Context) bool {
	select {
	case <-s.heard:
		return true
	case <-ctx.Done():
		return true
	case <-time.After(time.Millisecond):
		return false
	}
}

func (s *speaker) keep(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		s.said.WriteString(text)
	}
}

func (s *speaker) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// listen follows a run's texts to its end, and sends what came.
func (s *speaker) listen(t *testing.T, from chargehand.Streamer, run string) <-chan []chargehand.Token {
	got := make(chan []chargehand.Token, 1)
	ctx := background(t)
	go func() {
		var all []chargehand.Token
		for tok, err := range from.Tokens(ctx, run) {
			if err != nil {
				t.Errorf("the texts of %s broke off: %v", run, err)
				break
			}
			if all = append(all, tok); len(all) == 1 {
				close(s.heard)
			}
		}
		got <- all
	}()
	return got
}

// kinds are the types of a run's records.
func kinds(t *testing.T, e chargehand.Engine, run string) string {
	t.Helper()
	var out []string
	for r, err := range e.Records(background(t), run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.Type())
	}
	return strings.Join(out, "\n")
}
