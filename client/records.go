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

// Records implements chargehand.Reader. A stream that breaks off, instead of ending, yields an
// *chargehand.Error; reading on from the last record's sequence number misses nothing.
func (c *Client) Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	return func(yield func(chargehand.Record, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		query := fmt.Sprintf("?after=%d&follow=%t", after, follow)
		resp, err := c.send(ctx, http.MethodGet, path("runs", run, "records")+query, nil)
		if err != nil {
			yield(chargehand.Record{}, err)
			return
		}
		defer resp.Body.Close()
		in := bufio.NewReader(resp.Body)
		for {
			rec, err := next(in)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(chargehand.Record{}, broken(ctx, err))
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// next reads up to a record. It returns io.EOF at the stream's own word that it ends.
func next(in *bufio.Reader) (chargehand.Record, error) {
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || len(line) > 1 {
			return parse(line, err)
		}
	}
}

func parse(line []byte, err error) (chargehand.Record, error) {
	var rec chargehand.Record
	if err != nil {
		return rec, err
	}
	switch { // a record begins with its run
	case bytes.HasPrefix(line, []byte(`{"end":`)):
		return rec, io.EOF
	case bytes.HasPrefix(line, []byte(`{"error":`)):
		return rec, lastWord(line)
	}
	return rec, json.Unmarshal(line, &rec)
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
