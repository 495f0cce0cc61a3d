// Package progress shows runs while they go on. There is one stream of events, the runs' records,
// and one picture of each run, the View; renderers for a terminal, for a log and for programs show
// them (UX.md §3.3, §3.4).
package progress

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
)

// A Run is one run under watch.
type Run struct {
	ID     string
	Source string // the file it is about; empty where there is none
	View   chargehand.View
	Err    error // why the stream broke off; nil while it has not

	done  bool
	said  saying          // by a worker, lately
	heard bool            // somebody listens to its workers
	quiet time.Time       // when the last record came
	shown map[string]bool // reviews that were shown
}

// Retry makes a run whose stream broke off ready to be watched again, from where it was.
func (r *Run) Retry() {
	if r.Err != nil {
		r.Err, r.done = nil, false
	}
}

// A Renderer shows what happens.
type Renderer interface {
	// Record is called for each record, after it was folded into the run's View.
	Record(r *Run, rec chargehand.Record)

	// Tick is called ten times a second.
	Tick(now time.Time)

	// Say shows text of several lines that stays.
	Say(text string)

	// Close takes what only made sense while the runs went on off the screen.
	Close()
}

// A Source yields records; it is the part of an Engine that a Watch needs.
type Source interface {
	Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error]
}

// A Watch follows runs until each has ended, or Until says that it need not go on.
type Watch struct {
	Source   Source
	Runs     []*Run
	Renderer Renderer

	// Tokens hands on what workers say, to a Renderer that shows it. Nil: nothing does.
	Tokens chargehand.Streamer

	// Until ends the watch of a run that has been quiet for a moment. Nil means never.
	Until func(*chargehand.View) bool

	// Notices are shown as they come. Nil means none.
	Notices <-chan string

	// Review is called once for a review that waits, and what it returns is shown. Nil shows
	// nothing.
	Review func(*Run, *chargehand.Review) string

	// Ask lets a person decide a review that was shown. It has a goroutine of its own, and returns when
	// the watch's context ends; what happens meanwhile is shown afterwards. Nil asks nothing.
	Ask func(chargehand.Review)

	answered chan struct{} // closed when Ask has returned; nil where nothing is asked
}

const (
	frame = 100 * time.Millisecond
	lull  = 500 * time.Millisecond // the records of one turn come together; this is after them
)

// A message is a record of a run, or the end of its stream.
type message struct {
	run *Run
	rec chargehand.Record
	err error
	end bool
}

// A speech is what a worker of a run says, or why no more of it is to be had.
type speech struct {
	run *Run
	tok chargehand.Token
	err error
	end bool
}

// A saying is the end of the latest text of a run's workers.
type saying struct {
	chargehand.AttemptRef
	tail string
}

const maxTail = 400 // bytes of it that are kept

// hear takes more of what a worker says in.
func (r *Run) hear(t *chargehand.Token) {
	if r.said.AttemptRef != t.AttemptRef || t.Lost > 0 {
		r.said = saying{AttemptRef: t.AttemptRef}
	}
	tail := r.said.tail + t.Text
	r.said.tail = tail[max(0, len(tail)-maxTail):]
}

// Follow returns when every run is done, or with the cause of ctx's end. A stream that broke off is
// told by its Run's Err.
func (w *Watch) Follow(ctx context.Context) error {
	defer w.Renderer.Close()
	// The streams end after the loop, not with ctx: their end would look like that of the runs.
	streams, stop := context.WithCancel(context.WithoutCancel(ctx))
	messages, said := make(chan message, 256), make(chan speech)
	var listeners sync.WaitGroup
	for _, r := range w.Runs {
		if r.done {
			continue
		}
		r.quiet = time.Now()
		go w.read(streams, r, messages)
		_, hears := w.Renderer.(Hearer)
		if r.heard = hears && w.Tokens != nil; r.heard {
			listeners.Go(func() { w.listen(streams, r, said) })
		}
	}
	defer listeners.Wait()
	defer w.drain(stop, messages)

	tick := time.NewTicker(frame)
	defer tick.Stop()
	for !w.allDone() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if w.answered != nil {
			w.standStill(messages)
			continue
		}
		select {
		case m := <-messages: // texts wait while there are records, and are lost where that takes long
			w.take(m)
			continue
		default:
		}
		select {
		case m := <-messages:
			w.take(m)
		case s := <-said:
			w.hear(s)
		case text := <-w.Notices:
			w.Renderer.Say(text)
		case now := <-tick.C:
			if w.settle(now); w.answered == nil {
				w.Renderer.Tick(now)
			}
		case <-ctx.Done():
		}
	}
	w.last(said)
	return nil
}

// standStill shows nothing until a person has answered, or has left it.
func (w *Watch) standStill(messages <-chan message) {
	var later []message
	for {
		select {
		case m := <-messages:
			later = append(later, m)
		case text := <-w.Notices:
			w.Renderer.Say(text)
		case <-w.answered:
			w.answered = nil
			for _, m := range later {
				w.take(m)
			}
			return
		}
	}
}

func (w *Watch) read(ctx context.Context, r *Run, out chan<- message) {
	for rec, err := range w.Source.Records(ctx, r.ID, r.View.Seq, true) {
		out <- message{run: r, rec: rec, err: err}
		if err != nil {
			break
		}
	}
	out <- message{run: r, end: true}
}

// listen hands on what workers say. It is provisional: where it breaks off, nothing is lost.
func (w *Watch) listen(ctx context.Context, r *Run, out chan<- speech) {
	last := speech{run: r, end: true}
	for tok, err := range w.Tokens.Tokens(ctx, r.ID) {
		if last.err = err; err != nil {
			break
		}
		select {
		case out <- speech{run: r, tok: tok}:
		case <-ctx.Done():
			return
		}
	}
	select {
	case out <- last:
	case <-ctx.Done():
	}
}

// hear takes in more of what a worker says.
func (w *Watch) hear(s speech) {
	h := w.Renderer.(Hearer)
	switch {
	case s.err != nil:
		h.Unheard(s.run, s.err)
	case !s.end:
		s.run.hear(&s.tok)
		h.Heard(s.run, &s.tok)
	}
	s.run.heard = !s.end
}

// last waits a moment for what workers said last in runs that have ended.
func (w *Watch) last(said <-chan speech) {
	enough := time.After(lull)
	for _, r := range w.Runs {
		for r.heard && r.View.State.Final() {
			select {
			case s := <-said:
				w.hear(s)
			case <-enough:
				enough = time.After(0)
				w.hear(speech{run: r, err: errLate, end: true})
			}
		}
		r.heard = false
	}
}

// drain waits for every reader, so that none outlives the watch.
func (w *Watch) drain(stop context.CancelFunc, messages <-chan message) {
	stop()
	for _, r := range w.Runs {
		for !r.closed() {
			if m := <-messages; m.end {
				m.run.quiet = time.Time{}
			}
		}
	}
}

// closed reports whether the run's reader is gone.
func (r *Run) closed() bool { return r.quiet.IsZero() }

func (w *Watch) take(m message) {
	r := m.run
	switch {
	case m.end:
		if !r.done && !r.View.State.Final() && r.Err == nil {
			r.Err = &chargehand.Error{
				Code: chargehand.CodeUnavailable, What: "lost sight of " + r.ID, Why: "the engine that supervises it has stopped",
				Next: "chargehand runs watch " + r.ID,
			}
		}
		r.done, r.quiet = true, time.Time{}
	case m.err != nil:
		r.Err = m.err
	case !r.done:
		r.quiet = time.Now()
		r.View.Apply(m.rec)
		w.Renderer.Record(r, m.rec)
		r.done = r.View.State.Final()
	}
}

func (w *Watch) settle(now time.Time) {
	for _, r := range w.Runs {
		if r.done || now.Sub(r.quiet) < lull {
			continue
		}
		r.done = w.Until != nil && w.Until(&r.View)
		if w.Review != nil && !r.done && w.answered == nil {
			w.show(r)
		}
	}
}

func (w *Watch) show(r *Run) {
	for i := range r.View.Reviews {
		rev := &r.View.Reviews[i]
		if !rev.Open() || r.shown[rev.ID] {
			continue
		}
		if r.shown == nil {
			r.shown = map[string]bool{}
		}
		r.shown[rev.ID] = true
		w.Renderer.Say(w.Review(r, rev))
		if w.Ask != nil {
			w.ask(*rev)
			return
		}
	}
}

// ask begins a question; there is one at a time.
func (w *Watch) ask(rev chargehand.Review) {
	answered := make(chan struct{})
	w.answered = answered
	go func() {
		defer close(answered)
		w.Ask(rev)
	}()
}

func (w *Watch) allDone() bool {
	for _, r := range w.Runs {
		if !r.done {
			return false
		}
	}
	return true
}

// Parked reports whether a run does nothing until a person does something.
func Parked(v *chargehand.View) bool {
	if v.State.Final() {
		return false
	}
	if v.NeedsHuman == 0 && v.State != chargehand.RunPaused && v.State != chargehand.RunHumanControl {
		return false
	}
	return !Busy(v)
}

// Busy reports whether any subtask is under way or may begin.
func Busy(v *chargehand.View) bool {
	accepted := map[string]bool{}
	for _, row := range v.Rows {
		accepted[row.ID] = row.State.Accepted()
	}
	for _, row := range v.Rows {
		switch row.State {
		case chargehand.SubtaskRunning, chargehand.SubtaskValidating:
			return true
		case chargehand.SubtaskQueued, chargehand.SubtaskRetrying, chargehand.SubtaskReady, chargehand.SubtaskBlocked:
			if v.State == chargehand.RunRunning && ready(row, accepted) {
				return true
			}
		}
	}
	return false
}

func ready(row *chargehand.SubtaskView, accepted map[string]bool) bool {
	for _, d := range row.Deps {
		if !accepted[d] {
			return false
		}
	}
	return true
}
