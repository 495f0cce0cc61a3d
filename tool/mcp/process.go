package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/internal/secret"
)

// A process is a server that speaks on its standard input and output. It is the leader of a group
// of processes, which ends with it.
type process struct {
	opt    processOptions
	child  *sandbox.Child
	stdin  *os.File // ours
	stdout *os.File
	stderr *complaints
	gone   chan struct{} // closed when it is reaped; end is set then
	end    error
	once   sync.Once

	strays  atomic.Pointer[string] // the first line of its output that was no message
	closing atomic.Bool            // nothing new is written to it
}

type processOptions struct {
	box    *sandbox.Box
	grace  time.Duration
	silent time.Duration // how long it may leave unread what is written to it
	server string
	log    *slog.Logger
	known  *secret.Values
}

// start starts the command, without a shell.
func start(argv []string, env []string, opt processOptions) (*process, error) {
	p := &process{opt: opt, gone: make(chan struct{}), stderr: &complaints{opt: opt}}
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	defer in.Close()
	stdout, out, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, fmt.Errorf("start it: %w", err)
	}
	defer out.Close()
	p.stdin, p.stdout = stdin, stdout
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = opt.box.Dir, env, opt.grace
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, p.stderr
	p.child, err = opt.box.Wrap(cmd)
	if err == nil {
		tie(cmd)
		err = p.launch()
	}
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, fmt.Errorf("start the command %q: %w", argv[0], err)
	}
	return p, nil
}

// launch starts the process from a thread that lives as long as the process does: what is tied to
// its parent ends with the thread that started it. stop waits for the goroutine.
func (p *process) launch() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer p.child.Close()
		err := p.child.Start()
		started <- err
		if err == nil {
			p.reap()
		}
	}()
	return <-started
}

// reap waits for the end, and ends what the process has left behind in its group.
func (p *process) reap() {
	p.end = p.child.Wait()
	p.child.Kill()
	p.stderr.close()
	close(p.gone)
}

// stop ends the process: its input is closed, then it is asked to, then it is killed. It returns
// when it is gone, and is safe to call again.
func (p *process) stop() {
	p.once.Do(func() {
		p.stdin.Close()
		for _, next := range []func(){func() { _ = p.child.Terminate() }, p.child.Kill} {
			late := time.NewTimer(p.opt.grace)
			select {
			case <-p.gone:
			case <-late.C:
				next()
			}
			late.Stop()
		}
		<-p.gone
		p.stdout.Close() // a child that left the group may hold the other end
	})
	<-p.gone
}

// stray keeps the first line that was no message.
func (p *process) stray(line []byte) {
	text := excerpt.Of(excerpt.Line(p.opt.known.Redact(excerpt.Head(string(line), maxComplaint))), 120)
	p.strays.CompareAndSwap(nil, &text)
}

// epitaph is how it ended, with its last words; empty while it lives.
func (p *process) epitaph() string {
	select {
	case <-p.gone:
	default:
		return ""
	}
	how := "it ended"
	if exit, ok := errors.AsType[*exec.ExitError](p.end); ok {
		how = "it ended with " + exit.String()
	}
	if killed, ok := errors.AsType[*sandbox.Killed](p.end); ok {
		how = "it ended with " + killed.Error()
	}
	if last := p.stderr.lastLine(); last != "" {
		how += ": " + last
	}
	return how
}

// transport speaks to the process. A message longer than most bytes breaks it, and so does what heard refuses, which is
// called for each line.
func (p *process) transport(most int, heard func() error) sdk.Transport {
	return noting{&sdk.IOTransport{Reader: &messages{from: bufio.NewReader(p.stdout), most: most, stray: p.stray, heard: heard}, Writer: stopping{p}, MaxLineLength: -1}}
}

// close gives a process that does not read what is being written to it the grace to do so. The session ends only when
// its writes have.
func (p *process) close() {
	p.closing.Store(true)
	_ = p.stdin.SetWriteDeadline(time.Now().Add(p.opt.grace)) // the file may be closed already
}

// write writes a message. A process that does not read it breaks the connection: half of it may be written.
func (p *process) write(b []byte) (int, error) {
	if !p.closing.Load() {
		_ = p.stdin.SetWriteDeadline(time.Now().Add(p.opt.silent))
	}
	n, err := p.stdin.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.child.Kill()
		err = fmt.Errorf("it did not read a message for %s", p.opt.silent)
	}
	return n, err
}

// messages are lines of at most so many bytes, read until their end. A line is handed on when it is
// whole: the SDK breaks the connection as soon as it sees what is no message.
type messages struct {
	from  *bufio.Reader
	most  int
	line  []byte
	ready []byte // of line, not handed on yet
	stray func(line []byte)
	heard func() error
}

func (m *messages) Read(b []byte) (int, error) {
	if len(m.ready) == 0 {
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// next makes the next line ready, the last one also where it has no end.
func (m *messages) next() error {
	if err := m.heard(); err != nil {
		return err
	}
	m.line = m.line[:0]
	for {
		piece, err := m.from.ReadSlice('\n')
		if len(m.line)+len(piece) > m.most {
			return tooLong(m.most)
		}
		m.line = append(m.line, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(m.line) == 0:
			return err
		default:
			if err == nil || m.line[0] != '{' { // what breaks off within a message says how the process died
				m.look()
			}
			m.ready = m.line
			return nil
		}
	}
}

// look tells of a line that is no message, at which the SDK will break the connection.
func (m *messages) look() {
	line := bytes.TrimSpace(m.line)
	if len(line) == 0 || line[0] == '[' && json.Valid(line) {
		return
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		m.stray(line)
	}
}

// Close leaves the end to stop.
func (*messages) Close() error { return nil }

// stopping stops the process when the connection is closed.
type stopping struct{ p *process }

func (w stopping) Write(b []byte) (int, error) { return w.p.write(b) }

func (w stopping) Close() error {
	w.p.stop()
	return nil
}

// noting notes which calls left.
type noting struct{ sdk.Transport }

func (t noting) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return notingConn{c}, err
}

type notingConn struct{ sdk.Connection }

func (c notingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	reaching(ctx)
	return c.Connection.Write(ctx, m)
}

// complaints is what a process writes on its standard error: logged up to a bound, the end kept.
type complaints struct {
	opt processOptions

	mu     sync.Mutex
	line   []byte
	last   string // the last line that was not empty
	logged int
}

const (
	maxComplaint  = 2 << 10 // bytes of a line
	maxComplaints = 200     // lines that are logged of one process
)

// Write takes everything, and keeps little of it.
func (c *complaints) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range b {
		if x == '\n' {
			c.say()
		} else if len(c.line) < maxComplaint {
			c.line = append(c.line, x)
		}
	}
	return len(b), nil
}

func (c *complaints) say() {
	text := excerpt.Line(c.opt.known.Redact(string(c.line)))
	c.line = c.line[:0]
	if strings.TrimSpace(text) == "" {
		return
	}
	c.last = text
	switch c.logged++; {
	case c.logged <= maxComplaints:
		c.opt.log.Info("a tool server says", "server", c.opt.server, "text", text)
	case c.logged == maxComplaints+1:
		c.opt.log.Warn("a tool server says more than is logged", "server", c.opt.server)
	}
}

func (c *complaints) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.say()
}

func (c *complaints) lastLine() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}
