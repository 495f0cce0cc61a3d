package local

import (
	"slices"
	"testing"

	"github.com/chargehand/chargehand/internal/turn"
)

// TestInboxIsTakenInOrder takes events out a few at a time while more come in.
func TestInboxIsTakenInOrder(t *testing.T) {
	var b inbox
	b.init()
	put := func(run string) { b.put(envelope{Event: turn.Event{Run: run}}) }
	var got []string
	drain := func(n int) {
		for _, e := range b.drain(n) {
			got = append(got, e.Run)
		}
	}
	put("a")
	put("b")
	put("c")
	drain(2)
	put("d")
	drain(2)
	drain(2)
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(got, want) || b.len() > 0 {
		t.Errorf("took %v and left %d, want %v", got, b.len(), want)
	}
}

// TestInboxSignals counts signals: one for as many events as are wanted, and one more for what is left.
func TestInboxSignals(t *testing.T) {
	var b inbox
	b.init()
	signalled := func() bool {
		select {
		case <-b.signal:
			return true
		default:
			return false
		}
	}
	for i, want := range []bool{false, false, true, true} {
		if had := b.want(3); had != i {
			t.Errorf("%d events are there, want %d", had, i)
		}
		b.put(envelope{})
		if got := signalled(); got != want {
			t.Errorf("event %d: signalled %t, want %t", i+1, got, want)
		}
	}
	if b.drain(3); !signalled() {
		t.Error("nobody is told of what is left")
	}
	if b.drain(3); signalled() {
		t.Error("somebody is told of nothing")
	}
	if b.want(0); signalled() {
		t.Error("to want less is no event")
	}
	if b.put(envelope{}); !signalled() {
		t.Error("nobody is told of the first")
	}
}
