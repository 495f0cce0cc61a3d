package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// detach starts the runs and leaves them to a process in the background: they are on disk when it
// begins, and it resumes them.
func (a *app) detach(ctx context.Context, orders []chargehand.Order, flags *pflag.FlagSet, form string) error {
	j := a.journey(false)
	if err := j.open(ctx, Taking{Hold: true}); err != nil {
		return err
	}
	err := j.begin(ctx, orders)
	if err = errors.Join(err, j.session.close()); err != nil {
		return err
	}
	var ids []string
	for _, r := range j.runs {
		ids = append(ids, r.ID)
	}
	dir, err := a.dataDir()
	if err != nil {
		return err
	}
	b, err := background(dir, inherited(flags), ids)
	if err != nil {
		return undetached(ids, err)
	}
	if err := b.up(ctx, dir); err != nil {
		return err
	}
	return a.tellDetached(b, form)
}

// A child is the process in the background.
type child struct {
	runs []string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when it has ended
}

// background starts "runs resume" in a session of its own, so that it outlives the terminal.
func background(dir string, flags, runs []string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &child{runs: runs, log: filepath.Join(dir, runs[0]+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(b.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the child has its own
	b.cmd = exec.Command(self, slices.Concat([]string{"runs", "resume", "--stay", "--progress", "plain", "--color", "never"}, flags, []string{"--"}, runs)...)
	b.cmd.Args[0] = os.Args[0]
	b.cmd.Stdout, b.cmd.Stderr = log, log
	ownSession(b.cmd)
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = b.cmd.Wait() // how it ended is in its state
		close(b.done)
	}()
	return b, nil
}

// inherited are the flags that say which data folder and what vouches for it, as they were given.
func inherited(flags *pflag.FlagSet) []string {
	var out []string
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "data", "anchor", "witness", "witness-key", "accept-rollback", "accept-new-key", "no-input", "texts", "debug", "ascii":
			out = append(out, "--"+f.Name+"="+f.Value.String())
		}
	})
	return out
}

// up waits until the process in the background has the folder, or reaches the one that has it. A run
// may have ended by then, and the process with it.
func (b *child) up(ctx context.Context, dir string) error {
	for {
		if s, err := attach(ctx, dir); err == nil {
			return s.close()
		}
		select {
		case <-b.done:
			return b.ended()
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended is the error of a process in the background that could not supervise its runs, with its own
// words. Codes of what became of a run are none.
func (b *child) ended() error {
	code := exit.Code(b.cmd.ProcessState.ExitCode())
	if !slices.Contains([]exit.Code{exit.Internal, exit.Usage, exit.NotFound, exit.Conflict, exit.Audit}, code) {
		return nil
	}
	return &exit.Error{Code: code, Err: undetached(b.runs, errors.New("the process in the background ended: "+b.lastLines()))}
}

func undetached(runs []string, why error) error {
	return &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the runs are started, and no process supervises them", Why: why.Error(),
		Next: "chargehand runs resume " + strings.Join(runs, " "), Err: why,
	}
}

// lastLines is the end of the log.
func (b *child) lastLines() string {
	const most = 1 << 10
	f, err := os.Open(b.log)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, size-most), io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return strings.Join(strings.Fields(string(text)), " ")
}

// tellDetached says where the runs are now: their ids on stdout, everything else on stderr.
func (a *app) tellDetached(b *child, form string) error {
	value := map[string]any{"schema_version": 1, "runIds": b.runs, "pid": b.cmd.Process.Pid, "log": b.log}
	return a.show(form, page{value: value, lines: []any{value}, names: b.runs, text: func() error { return a.tellChild(b) }})
}

func (a *app) tellChild(b *child) error {
	fmt.Fprintln(a.io.Out, strings.Join(b.runs, "\n"))
	which := b.runs[0]
	if len(b.runs) > 1 {
		which = "RUN"
	}
	fmt.Fprintf(a.io.Err, "Process %d supervises %s in the background, until all have ended.\n", b.cmd.Process.Pid, term.Count(len(b.runs), "run"))
	fmt.Fprintf(a.io.Err, "   watch   chargehand runs watch %s\n   stop    chargehand runs cancel %s --reason \"…\"\n", which, which)
	fmt.Fprintf(a.io.Err, "   leave   kill %d: what is not paused stands still until chargehand runs resume %s\n   log     %s\n", b.cmd.Process.Pid, which, term.Line(b.log))
	return nil
}
