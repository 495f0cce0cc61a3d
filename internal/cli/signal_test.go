package cli

import (
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A signal that comes between two steps, or while one only looks, reaches the next step once.
func TestRelay(t *testing.T) {
	var got []string
	note := func(step string) func(os.Signal) {
		return func(s os.Signal) { got = append(got, step+" "+s.String()) }
	}
	var r relay
	stop := r.start()
	done := r.peek(note("looks"))
	r.take(syscall.SIGTERM)
	done()
	done = r.to(note("acts"))
	r.take(os.Interrupt)
	done()
	r.take(os.Interrupt)
	done = r.to(note("acts later"))
	done()
	r.to(note("has nothing to do"))()
	stop()
	want := []string{"looks terminated", "acts terminated", "acts interrupt", "acts later interrupt"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
