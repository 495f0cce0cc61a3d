package local

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/chargehand/chargehand"
)

var _ chargehand.Streamer = (*Engine)(nil)

// tokens hands the texts of workers to whoever follows them. Nothing of it is kept.
type tokens struct {
	mu        sync.Mutex
	listeners map[string][]*listener // by run
}

// What a listener may be behind before it loses the oldest.
const (
	maxTokens     = 1_000     // pieces
	maxTokenBytes = 256 << 10 // of their texts
)

// A listener is told of one run's texts.
type listener struct {
	signal chan struct{} // has an element when there may be some

	// Guarded by tokens.mu.
	waiting []chargehand.Token
	bytes   int
	next    map[chargehand.AttemptRef]int64 // offset of what has not been handed on, by attempt
}

// say hands a piece of text on. It waits for nobody.
func (ts *tokens) say(run string, t chargehand.Token) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.listeners[run]) == 0 {
		return
	}
	t.Run, t.Provisional = run, true
	for _, l := range ts.listeners[run] {
		l.hand(t)
	}
}

// hand leaves a piece, joined to the last where that is what it goes on from. Of too many the oldest
// goes.
func (l *listener) hand(t chargehand.Token) {
	if n := len(l.waiting) - 1; n >= 0 && l.waiting[n].AttemptRef == t.AttemptRef && len(l.waiting[n].Text) < 4<<10 {
		l.waiting[n].Text += t.Text
	} else {
		l.waiting = append(l.waiting, t)
	}
	for l.bytes += len(t.Text); len(l.waiting) > maxTokens || l.bytes > maxTokenBytes && len(l.waiting) > 1; {
		l.bytes -= len(l.waiting[0].Text)
		l.waiting = l.waiting[1:]
	}
	select {
	case l.signal <- struct{}{}:
	default:
	}
}

// take hands over what has come, and says of each piece what was lost before it.
func (ts *tokens) take(l *listener) []chargehand.Token {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	list := l.waiting
	l.waiting, l.bytes = nil, 0
	for i := range list {
		t := &list[i]
		t.Lost = t.Offset - l.next[t.AttemptRef]
		l.next[t.AttemptRef] = t.Offset + int64(len(t.Text))
	}
	return list
}

func (ts *tokens) listen(run string) *listener {
	l := &listener{signal: make(chan struct{}, 1), next: map[chargehand.AttemptRef]int64{}}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.listeners == nil {
		ts.listeners = map[string][]*listener{}
	}
	ts.listeners[run] = append(ts.listeners[run], l)
	return l
}

func (ts *tokens) leave(run string, l *listener) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	rest := slices.DeleteFunc(ts.listeners[run], func(o *listener) bool { return o == l })
	if ts.listeners[run] = rest; len(rest) == 0 {
		delete(ts.listeners, run)
	}
}

// Tokens yields what the workers of a run say from now on, until the run's end or ctx's.
func (e *Engine) Tokens(ctx context.Context, run string) iter.Seq2[chargehand.Token, error] {
	return func(yield func(chargehand.Token, error) bool) {
		id, err := e.store.find(ctx, "run", run)
		if err != nil {
			yield(chargehand.Token{}, err)
			return
		}
		l, f := e.hands.tokens.listen(id), e.hub.follow(id)
		defer e.hands.tokens.leave(id, l)
		defer f.leave()
		for over := e.store.ended(ctx, id); ; {
			for _, t := range e.hands.tokens.take(l) {
				if !yield(t, nil) {
					return
				}
			}
			if over {
				return
			}
			select {
			case <-l.signal:
			case <-f.signal:
				over = ends(f.take())
			case <-e.hub.shut:
				yield(chargehand.Token{}, e.hub.why)
				return
			case <-ctx.Done():
				return
			}
		}
	}
}
