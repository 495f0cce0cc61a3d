package local

import (
	"context"
)

// InMemory is how many runs the turn loop holds.
func (e *Engine) InMemory(ctx context.Context) (n int, err error) {
	err = e.ask(ctx, envelope{look: func() { n = e.loop.Len() }})
	return n, err
}

// BreakWrites makes every commit fail with err until it is called with nil.
func (e *Engine) BreakWrites(ctx context.Context, broken bool) error {
	pragma := "pragma query_only = off"
	if broken {
		pragma = "pragma query_only = on"
	}
	_, err := e.store.write.ExecContext(ctx, pragma)
	return err
}

// Forge changes what the journal keeps beside the records.
func (e *Engine) Forge(ctx context.Context, sql string) error {
	_, err := e.store.write.ExecContext(ctx, sql)
	return err
}
