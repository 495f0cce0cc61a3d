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
