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
