package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/chargehand/chargehand/model"
)

// A Recorder is a Model that asks another one and writes down what it answers. Close it.
type Recorder struct {
	m model.Model

	mu   sync.Mutex
	file *os.File
	err  error
}

// Record records m to a file, which is replaced if it exists.
func Record(path string, m model.Model) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record to a tape: %w", err)
	}
	return &Recorder{m: m, file: f}, nil
}

// Complete asks the model. A call that was ended by its Stream, or by its context, is not recorded.
func (c *Recorder) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	var e exchange
	e.Request, e.Hash = question(&r)
	if hear := r.Stream; hear != nil {
		r.Stream = func(text string) error {
			e.Stream = append(e.Stream, len(text))
			return hear(text)
		}
	}
	res, err := c.m.Complete(ctx, r)
	e.Response = res
	if err != nil {
		failed, ok := errors.AsType[*model.Error](err)
		if !ok || ctx.Err() != nil {
			return res, err
		}
		e.Error = &failure{failed.Kind, failed.Provider, failed.Status, failed.Message, failed.RetryAfter.Milliseconds(), failed.Sent}
	}
	if werr := c.write(&e); werr != nil {
		return res, fmt.Errorf("record to a tape: %w", werr)
	}
	return res, err
}

func (c *Recorder) write(e *exchange) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		_, c.err = c.file.Write(append(line, '\n'))
	}
	return c.err
}

// String is that of the model which is recorded.
func (c *Recorder) String() string { return model.Name(c.m) }

// Close ends the recording, and reports whether all of it was written.
func (c *Recorder) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.err, c.file.Close())
}
