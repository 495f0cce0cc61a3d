package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/chargehand/chargehand"
)

// Records implements chargehand.Reader. A stream that breaks off, instead of ending, or that leaves a
// record out or repeats one, yields an *chargehand.Error; reading on from the last record's sequence
// number misses nothing.
func (c *Client) Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	all := follows[chargehand.Record](ctx, c, path("runs", run, "records")+fmt.Sprintf("?after=%d&follow=%t", after, follow))
	return func(yield func(chargehand.Record, error) bool) {
		last := max(after, 0)
		for r, err := range all {
			if err == nil && r.Seq != last+1 {
				r, err = chargehand.Record{}, skipped(run, last, r.Seq)
			}
			if last = r.Seq; !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func skipped(run string, last, next int64) error {
	return &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "cannot follow " + run,
		Why: fmt.Sprintf("record %d came after record %d", next, last), Next: fmt.Sprintf("read on after record %d", last),
	}
}

// Tokens implements chargehand.Streamer. A stream that breaks off, instead of ending, yields an
// *chargehand.Error; what was said meanwhile is lost.
func (c *Client) Tokens(ctx context.Context, run string) iter.Seq2[chargehand.Token, error] {
	return follows[chargehand.Token](ctx, c, path("runs", run, "tokens"))
}

// follows yields the lines of a stream.
func follows[T any](ctx context.Context, c *Client, path string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var none T
		resp, err := c.send(ctx, http.MethodGet, path, nil)
		if err != nil {
			yield(none, err)
			return
		}
		defer resp.Body.Close()
		in := bufio.NewReader(resp.Body)
		for {
			it, err := next[T](in)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(none, broken(ctx, err))
				return
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}

// next reads up to a record or a piece of text. It returns io.EOF at the stream's own word that it ends.
func next[T any](in *bufio.Reader) (T, error) {
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || len(line) > 1 {
			return parse[T](line, err)
		}
	}
}

func parse[T any](line []byte, err error) (it T, _ error) {
	if err != nil {
		return it, err
	}
	switch { // both begin with their run
	case bytes.HasPrefix(line, []byte(`{"end":`)):
		return it, io.EOF
	case bytes.HasPrefix(line, []byte(`{"error":`)):
		return it, lastWord(line)
	}
	return it, json.Unmarshal(line, &it)
}

func lastWord(line []byte) error {
	var word struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &word); err != nil {
		return err
	}
	return problem(word.Error)
}

func broken(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*chargehand.Error](err); ok {
		return err
	}
	return unreadable(ctx, err)
}
