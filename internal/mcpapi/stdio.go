package mcpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ijson"
)

// Stdio serves one client over a pair of streams, a JSON message a line, until in ends or ctx does.
// Nothing else may write to out. A line that is no message, or longer than Options.MaxBody, is
// answered with an error and otherwise passed over. Calls under way when in ends are answered no more.
func (a *API) Stdio(ctx context.Context, who Caller, in io.ReadCloser, out io.WriteCloser) error {
	turns := &inTurn{to: out}
	r, w := io.Pipe()
	go func() { // ends when in does, or with the first line after the connection has ended
		l := lines{from: bufio.NewReaderSize(in, 64<<10), most: int(a.opt.MaxBody), client: turns}
		w.CloseWithError(l.pass(w))
	}()
	// The lines are within the limit already.
	err := a.Server(who).Run(ctx, &mcp.IOTransport{Reader: ending{r, in}, Writer: turns, MaxLineLength: -1})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// inTurn takes one write after another: answers come from the server and from lines.
type inTurn struct {
	mu sync.Mutex
	to io.WriteCloser
}

func (w *inTurn) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(b)
}

func (w *inTurn) Close() error { return w.to.Close() }

// ending ends what it is fed from as well when it is closed.
type ending struct {
	*io.PipeReader
	in io.Closer
}

func (e ending) Close() error { return errors.Join(e.PipeReader.Close(), e.in.Close()) }

// lines are what a client sends. A connection of the SDK ends at the first line that is no message,
// and with it all calls under way, so it is shown none.
type lines struct {
	from   *bufio.Reader
	most   int // bytes of a line
	client io.Writer
}

// pass hands on what is a message, and answers what is none, until the lines end.
func (l *lines) pass(to io.Writer) error {
	for {
		line, long, err := l.next()
		if stuck := l.take(to, line, long); stuck != nil {
			return stuck
		}
		if err != nil {
			return err
		}
	}
}

// next is the next line without its end, or that it was longer than most. What it returns last
// comes with the error that ended the lines.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		piece, err := l.from.ReadSlice('\n')
		if long = long || len(line)+len(piece) > l.most+1; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// take hands a line on, or answers it. Its error is that of a stream that takes no more.
func (l *lines) take(to io.Writer, line []byte, long bool) error {
	switch {
	case long:
		return l.refuse(nil, jsonrpc.CodeParseError, fmt.Sprintf("the line is longer than %d bytes", l.most))
	case len(bytes.TrimSpace(line)) == 0:
		return nil
	}
	if err := ijson.Check(line); err != nil {
		return l.refuse(nil, jsonrpc.CodeParseError, "the line is no JSON message: "+err.Error())
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil {
		return l.takeMessage(to, line)
	}
	if len(batch) == 0 {
		return l.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
	}
	for _, m := range batch {
		if err := l.takeMessage(to, m); err != nil {
			return err
		}
	}
	return nil
}

// takeMessage hands on what is a message by itself or one of a batch, whose answers come one by one.
func (l *lines) takeMessage(to io.Writer, raw json.RawMessage) error {
	if _, err := jsonrpc.DecodeMessage(raw); err != nil {
		var asked struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(raw, &asked) // an id that cannot be read is none
		return l.refuse(asked.ID, jsonrpc.CodeInvalidRequest, "the message is none of JSON-RPC 2.0: "+excerpt.Line(err.Error()))
	}
	if answer := unserved(raw); answer != nil {
		_, err := l.client.Write(answer)
		return err
	}
	_, err := to.Write(append(bytes.TrimSpace(raw), '\n')) // the SDK takes no space before the line's end
	return err
}

// refuse answers what is no message. An id that is neither text nor number is null.
func (l *lines) refuse(id json.RawMessage, code int, why string) error {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f' {
		id = json.RawMessage("null")
	}
	answer, err := rpcError(id, code, why)
	if err == nil {
		_, err = l.client.Write(answer)
	}
	return err
}

// rpcError is an error of JSON-RPC, on a line. No id means null.
func rpcError(id json.RawMessage, code int, why string) ([]byte, error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why},
	})
	if err != nil {
		return nil, fmt.Errorf("write an error: %w", err)
	}
	return append(b, '\n'), nil
}
