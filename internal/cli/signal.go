package cli

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/chargehand/chargehand/internal/cli/exit"
)

// onSignal calls f for each Ctrl-C, and for the signals by which others end a process, until stop
// is called. f runs on one goroutine, which is gone when stop returns.
func onSignal(f func(os.Signal)) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case s := <-signals:
				f(s)
			case <-quit:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(signals)
		close(quit)
		<-done
	})
}

// signalled is the silent error of a command that a signal ended.
func signalled(s os.Signal) error {
	if s == os.Interrupt {
		return &exit.Error{Code: exit.Interrupted}
	}
	return &exit.Error{Code: exit.Terminated}
}

// A relay has one handler of signals from a command's first step to its last, so that no moment between
// two steps is without one. The zero relay is not on: then each step has a handler of its own.
type relay struct {
	mu    sync.Mutex // held while a step's handler runs
	on    bool
	step  func(os.Signal) // of the step under way; nil between two steps
	early os.Signal       // came before a step that acts on it; nil: none
}

// start begins to relay, until stop is called.
func (r *relay) start() (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = true
	end := onSignal(r.take)
	return func() {
		end()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.on, r.step, r.early = false, nil, nil
	}
}

func (r *relay) take(s os.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.step == nil {
		r.early = s
		return
	}
	r.step(s)
}

// to hands signals to f until done is called, first the one that came before.
func (r *relay) to(f func(os.Signal)) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on {
		return onSignal(f)
	}
	early := r.early
	r.step, r.early = f, nil
	if early != nil {
		f(early)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.step = nil
	}
}

// peek is to, but the next step gets the signal as well.
func (r *relay) peek(f func(os.Signal)) (done func()) {
	return r.to(func(s os.Signal) {
		if r.on {
			r.early = s
		}
		f(s)
	})
}
