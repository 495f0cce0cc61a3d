// Package saboteur has workers that do their work badly on purpose, to show what a supervisor makes
// of them. They are plain workers: nothing else in the program knows that they exist.
package saboteur

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// A Lie is what is said in place of the truth.
type Lie struct {
	True  string // a passage of the document
	False string // what is quoted instead
	Claim string // what is answered where the quote is true
}

// Liar does what another worker does, and then lies about one passage. At first it alters the
// quote. Told that the quoted words are not in the document, it quotes correctly and claims the same
// in its answer; told again, it goes back to the quote. A person's words make it honest.
func Liar(honest worker.Worker, lie Lie) worker.Func {
	return func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		r, err := honest.Do(ctx, t)
		if err != nil || strings.Contains(t.Feedback, "sent back by ") {
			return r, err
		}
		var out struct {
			Items []map[string]any `json:"items"`
		}
		if err := json.Unmarshal(r.Output, &out); err != nil {
			return r, fmt.Errorf("read the honest output: %w", err)
		}
		for _, item := range out.Items {
			lie.tell(item, t.Attempt)
		}
		r.Output, err = json.Marshal(out)
		return r, err
	}
}

// tell puts the lie into the item that quotes the passage.
func (l Lie) tell(item map[string]any, attempt int) {
	quote, _ := item["quote"].(string)
	start, _ := item["start"].(float64)
	at := strings.Index(quote, l.True)
	if at < 0 {
		return
	}
	from := int(start) + at
	if attempt%2 == 1 {
		item["quote"], item["start"], item["end"] = l.False, from, from+len(l.False)
		return
	}
	item["quote"], item["start"], item["end"] = l.True, from, from+len(l.True)
	item["answer"] = l.Claim
}

// Staller never answers. It lets go when its context ends.
func Staller() worker.Func {
	return func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		<-ctx.Done()
		return chargehand.WorkerResult{}, context.Cause(ctx)
	}
}
