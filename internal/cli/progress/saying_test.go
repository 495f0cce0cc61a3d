package progress

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// running is the number of records up to the moment a first attempt runs.
func running(records []chargehand.Record) (int, chargehand.AttemptRef) {
	for i, r := range records {
		if f, ok := r.Fact.(chargehand.AttemptStarted); ok {
			return i + 1, f.AttemptRef
		}
	}
	panic("the recording has no attempt")
}

// TestSaying: the end of what a worker says stands below its subtask, in one line that fits, with
// nothing in it that a terminal acts on. Text of another attempt, or after a gap, begins anew.
func TestSaying(t *testing.T) {
	records := recorded(t)
	n, ref := running(records)
	r := folded("run", records[:n])
	shown := func() string {
		p := Picture{Runs: []*Run{r}, Now: records[n-1].At, Width: 60, Height: 40}
		lines := p.Lines()
		for _, l := range lines {
			if w := term.Width(l); w >= 60 {
				t.Errorf("%d columns: %q", w, l)
			}
		}
		return strings.Join(lines, "\n")
	}
	if s := shown(); strings.Contains(s, "       …") {
		t.Fatalf("nothing was said:\n%s", s)
	}
	r.hear(&chargehand.Token{AttemptRef: ref, Text: strings.Repeat("early words ", 60) + "\x1b[2J the newest 你好 words"})
	if s := shown(); !strings.Contains(s, "the newest 你好 words") || strings.Contains(s, "\x1b[2J") {
		t.Errorf("shown is\n%s", s)
	}
	r.hear(&chargehand.Token{AttemptRef: ref, Text: "after a gap", Offset: 5_000, Lost: 100})
	if s := shown(); !strings.Contains(s, "… after a gap") {
		t.Errorf("after a gap\n%s", s)
	}
	ref.Attempt = 2
	r.hear(&chargehand.Token{AttemptRef: ref, Text: "of an attempt to come"})
	if s := shown(); strings.Contains(s, "to come") {
		t.Errorf("shown is\n%s", s)
	}
}

// A teller has runs of which a worker speaks.
type teller struct {
	source
	ref chargehand.AttemptRef
}

func (s teller) Tokens(ctx context.Context, run string) iter.Seq2[chargehand.Token, error] {
	return func(yield func(chargehand.Token, error) bool) {
		for yield(chargehand.Token{Run: run, AttemptRef: s.ref, Text: "word "}, nil) {
			select {
			case <-time.After(frame):
			case <-ctx.Done():
				return
			}
		}
	}
}

// TestLiveHears: a terminal shows what workers say, a log does not listen, and neither outlives the
// watch for it.
func TestLiveHears(t *testing.T) {
	records := recorded(t)
	n, ref := running(records)
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		src := teller{source{records: records[:n], stuck: map[string]bool{"a": true}}, ref}
		w := watch(src, nil, "a")
		w.Tokens = src
		w.Renderer = NewLive(Terminal{Out: &out, Size: func() (int, int) { return 80, 24 }}, w.Runs)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_ = w.Follow(ctx) // it ends with its context
		if !strings.Contains(out.String(), "word word") {
			t.Errorf("shown was %q", out.String())
		}
	})
}
