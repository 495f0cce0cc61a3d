package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/internal/secret"
)

// NewExec is the worker that starts spec's command for each task, without a shell, in a process
// group of its own. The task goes to its stdin and the result comes from its stdout, both JSON. Of
// the environment it sees PATH, HOME, LANG and TMPDIR, and what the spec adds; $NAME in an added
// value is taken from the environment, as in the headers of NewHTTP, and where the process says it, its
// name stands in what is handed on.
//
// The process runs in the isolation that the spec names, with what the spec grants it. A process that
// makes such workers keeps others of its account from reading its memory (see sandbox.Guard): it cannot
// be followed with a debugger then, but by root.
//
// When ctx ends the group gets SIGTERM, and SIGKILL when the grace is over. Whatever is left of the
// group when the process ended is killed.
func NewExec(spec *chargehand.WorkerSpec, dir string, l Limits) (Worker, error) {
	if spec.Exec == nil || len(spec.Exec.Command) == 0 || spec.Exec.Command[0] == "" {
		return nil, fmt.Errorf("worker %q: exec.command is empty", spec.WorkerID)
	}
	x := spec.Exec
	box, err := sandbox.New(dir, x.Dir, &x.Reach)
	if err != nil {
		return nil, fmt.Errorf("worker %q: %w", spec.WorkerID, err)
	}
	p := &process{id: spec.WorkerID, argv: slices.Clone(x.Command), env: maps.Clone(x.Env), limits: l, box: box}
	return p, sandbox.Guard()
}

type process struct {
	id     string
	argv   []string
	env    map[string]string
	limits Limits
	box    *sandbox.Box
}

// Do runs the command once.
func (p *process) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	task, err := json.Marshal(t)
	if err != nil {
		return chargehand.WorkerResult{}, unwritable(t, err)
	}
	known := &secret.Values{}
	env, err := known.Environment(p.env)
	if err != nil {
		return chargehand.WorkerResult{}, &Error{Kind: Refused, Message: p.name(), Err: fmt.Errorf("exec.%w", err), NotBegun: true}
	}
	e, err := p.run(ctx, task, env)
	if err != nil {
		return chargehand.WorkerResult{}, p.unstarted(ctx, err)
	}
	e.words = known.Redact(e.stderr.String())
	e.words = e.words[max(0, len(e.words)-stderrKept):]
	answered(ctx, known, e.how(), e.stdout.kept.Bytes())
	r, err := p.judge(ctx, t, e, known)
	r.Stderr = escape(e.words)
	if failure, ok := errors.AsType[*Error](err); ok {
		failure.hide(known)
		failure.Message = p.name() + ": " + failure.Message
		failure.Stderr = r.Stderr
	}
	return r, err
}

func (p *process) name() string { return fmt.Sprintf("worker %q", p.id) }

// An ending is what is left of a process.
type ending struct {
	err    error // of Wait
	stdout head
	stderr tail
	words  string // the end of stderr, with the names of secrets in their place
}

// how is how the process ended, in words such as "exit code 3".
func (e *ending) how() string {
	switch {
	case e.err == nil:
		return "exit code 0"
	case errors.Is(e.err, exec.ErrWaitDelay):
		return "exit code 0, and a child held its output open"
	}
	return sandbox.Ended(e.err)
}

// stderrKept is how much of stderr an Error shows. Twice as much is read, so that no secret is cut
// in half before it is found.
const stderrKept = 4 << 10

// run starts the command and waits until it and its output have ended. An error means that it did
// not start.
func (p *process) run(ctx context.Context, task []byte, env []string) (*ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := &ending{
		stdout: head{left: p.limits.outputBytes(), overflow: cancel},
		stderr: tail{most: 2 * stderrKept},
	}
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.box.Dir, env, p.limits.grace()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(task), &e.stdout, &e.stderr
	child, err := p.box.Wrap(cmd)
	if err != nil {
		return nil, err
	}
	defer child.Close()
	cmd.Cancel = child.Terminate
	if err := child.Start(); err != nil {
		return nil, err
	}
	defer child.Kill()
	e.err = child.Wait()
	return e, nil
}

func (p *process) unstarted(ctx context.Context, err error) *Error {
	e := &Error{Kind: Crash, Message: fmt.Sprintf("%s: start the command %q", p.name(), p.argv[0]), Err: err}
	if ctx.Err() != nil {
		e = ended(ctx, p.name()+": not started")
	}
	e.NotBegun = true
	return e
}

// judge says what an ending means. A process that ends badly has its word only where it admits to
// it: no result of its own makes a success of an exit code (SPEC.md ·81).
func (p *process) judge(ctx context.Context, t chargehand.WorkerTask, e *ending, known *secret.Values) (chargehand.WorkerResult, error) {
	switch {
	case e.stdout.full:
		return chargehand.WorkerResult{}, garbage(e.stdout.kept.Bytes(), tooLong(p.limits))
	case e.err == nil, errors.Is(e.err, exec.ErrWaitDelay):
		return decode(t, e.stdout.kept.Bytes(), known)
	case ctx.Err() != nil:
		return chargehand.WorkerResult{}, ended(ctx, "stopped before it answered")
	}
	if r, err := decode(t, e.stdout.kept.Bytes(), known); err == nil && r.Status != chargehand.StatusSucceeded {
		return r, nil
	}
	return chargehand.WorkerResult{}, &Error{Kind: Crash, Message: epitaph(e)}
}

func tooLong(l Limits) error {
	return fmt.Errorf("it is longer than %d bytes", l.outputBytes())
}

// epitaph is "ended with exit code 3: the last line of stderr".
func epitaph(e *ending) string {
	how := e.how()
	lines := strings.Split(strings.TrimSpace(e.words), "\n")
	if last := line(lines[len(lines)-1]); last != "" {
		return "ended with " + how + ": " + last
	}
	return "ended with " + how
}

// A head keeps the first bytes of a stream and calls overflow at the first one it has no room for.
// The buffer is not embedded: io.Copy would find its ReadFrom and go around Write.
type head struct {
	kept     bytes.Buffer
	left     int64
	full     bool
	overflow func()
}

var errFull = errors.New("the output is too long")

func (h *head) Write(b []byte) (int, error) {
	n := min(int64(len(b)), h.left)
	h.kept.Write(b[:n])
	h.left -= n
	if n == int64(len(b)) {
		return len(b), nil
	}
	h.full = true
	h.overflow()
	return int(n), errFull
}

// A tail keeps the last bytes of a stream.
type tail struct {
	kept []byte
	most int
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b[max(0, len(b)-t.most):]...)
	t.kept = slices.Delete(t.kept, 0, max(0, len(t.kept)-t.most))
	return len(b), nil
}

func (t *tail) String() string { return string(t.kept) }
