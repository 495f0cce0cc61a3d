package main

import (
	"context"
	"errors"
	"sync"

	"github.com/chargehand/chargehand/model"
)

// plainPrompt is all that the plain caller says besides goal and document.
const plainPrompt = "You read contracts. Quote the sentences that decide, word for word. Answer with one JSON object."

// atOnce is how many workers are under way at a time, supervised or not.
const atOnce = 5

// plain does the work as a caller would that believes its models.
func plain(ctx context.Context, open func(string) (model.Model, error), subtasks int, document string) ([][]byte, error) {
	m, err := open("anthropic/" + workModel)
	if err != nil {
		return nil, err
	}
	out, errs := make([][]byte, subtasks), make([]error, subtasks)
	next := make(chan int)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for n := range next {
				var res model.Response
				res, errs[n] = m.Complete(ctx, model.Request{
					System: plainPrompt, Schema: contract.Schema,
					Messages: []model.Message{{Role: model.User, Text: goal(n) + "\n\n" + document}},
				})
				out[n] = []byte(res.Text)
			}
		})
	}
	for n := range subtasks {
		next <- n
	}
	close(next)
	all.Wait()
	return out, errors.Join(errs...)
}
