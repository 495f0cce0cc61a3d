package saboteur

import (
	"context"
	"errors"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

func TestLiar(t *testing.T) {
	honest := worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(`{"items":[{"answer":"Yes","end":29,"quote":"It is at most 5 EUR.","start":9},{"present":false}]}`)}, nil
	})
	w := Liar(honest, Lie{True: "at most 5 EUR", False: "at most 55 EUR", Claim: "Yes, 55 EUR"})
	for attempt, want := range map[int]string{
		1: `{"items":[{"answer":"Yes","end":29,"quote":"at most 55 EUR","start":15},{"present":false}]}`,
		2: `{"items":[{"answer":"Yes, 55 EUR","end":28,"quote":"at most 5 EUR","start":15},{"present":false}]}`,
		3: `{"items":[{"answer":"Yes","end":29,"quote":"at most 55 EUR","start":15},{"present":false}]}`,
	} {
		r, err := w.Do(t.Context(), chargehand.WorkerTask{Attempt: attempt})
		if err != nil || string(r.Output) != want {
			t.Errorf("attempt %d: %s, %v", attempt, r.Output, err)
		}
	}
}

// TestLiarStopsWhenAPersonSpeaks sends its output back: it hands in the truth.
func TestLiarStopsWhenAPersonSpeaks(t *testing.T) {
	const truth = `{"items":[{"answer":"Yes","quote":"at most 5 EUR","start":9}]}`
	honest := worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(truth)}, nil
	})
	w := Liar(honest, Lie{True: "at most 5 EUR", False: "at most 55 EUR", Claim: "Yes, 55 EUR"})
	r, err := w.Do(t.Context(), chargehand.WorkerTask{Attempt: 3, Feedback: "sent back by ana: it is 5 EUR"})
	if err != nil || string(r.Output) != truth {
		t.Errorf("%s, %v", r.Output, err)
	}
}

func TestStallerLetsGo(t *testing.T) {
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := Staller().Do(ctx, chargehand.WorkerTask{}); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}
