package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Child is a program that is started, together with everything it starts.
type Child struct {
	cmd    *exec.Cmd
	unlock func()

	// Bubblewrap writes into report which process is the first of the namespace. Both are nil
	// without bubblewrap.
	report, reports *os.File
	inner           func() int
}

// Wrap prepares cmd, which must not be started yet. It may change everything about it but its input,
// its output and when it is cancelled. Close the child when cmd has ended, or was not started.
func (b *Box) Wrap(cmd *exec.Cmd) (*Child, error) {
	c := &Child{cmd: cmd, unlock: func() {}}
	ownGroup(cmd)
	if b.account != nil {
		b.account.assume(cmd)
	}
	if !b.Isolated() || cmd.Err != nil {
		return c, nil
	}
	arguments, err := b.arguments(cmd)
	if err != nil {
		return nil, err
	}
	if c.report, c.reports, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.inner = sync.OnceValue(c.first)
	cmd.ExtraFiles = []*os.File{c.reports} // it is 3 in the child
	cmd.Args = append(append([]string{b.program, "--info-fd", "3"}, arguments...), cmd.Args[1:]...)
	cmd.Path, cmd.Dir, cmd.Env = b.program, "/", b.environment(cmd.Env)
	return c, nil
}

// environment has the program keep temporary files where it can.
func (b *Box) environment(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		if strings.HasPrefix(v, "TMPDIR=") {
			v = "TMPDIR=" + tmp
		}
		out = append(out, v)
	}
	return out
}

// Start starts the program. What bubblewrap starts ends with the thread that started it, so the
// calling goroutine keeps its thread until Close.
func (c *Child) Start() error {
	if c.reports != nil {
		c.unlock = lockThread()
	}
	err := c.cmd.Start()
	if c.reports != nil {
		c.reports.Close()
	}
	return err
}

// Terminate asks the program, and what it started, to end.
func (c *Child) Terminate() error {
	if c.inner != nil {
		if first := c.inner(); first > 0 {
			return signalGroup(first, false)
		}
	}
	return signalGroup(c.cmd.Process.Pid, false)
}

// Wait waits for the end of the program, as exec.Cmd has it.
func (c *Child) Wait() error {
	err := c.cmd.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if ok && c.inner != nil && exit.ExitCode() > byEnd {
		return &Killed{ExitError: exit, By: syscall.Signal(exit.ExitCode() - byEnd)}
	}
	return err
}

// byEnd is what bubblewrap adds to the number of the signal that ended a program.
const byEnd = 128

// A Killed is the end of a program in bubblewrap by a signal.
type Killed struct {
	*exec.ExitError
	By syscall.Signal
}

func (k *Killed) Error() string { return "signal: " + k.By.String() }

func (k *Killed) Unwrap() error { return k.ExitError }

// Ended is how a program ended, from the error of Wait, in words such as "exit code 3".
func Ended(err error) string {
	if _, killed := errors.AsType[*Killed](err); killed {
		return err.Error()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= 0 {
		return fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	return err.Error()
}

// Kill ends what is left of the program, and what it started. It may have ended by itself.
func (c *Child) Kill() {
	_ = signalGroup(c.cmd.Process.Pid, true)
	if c.inner == nil {
		return
	}
	if first := c.inner(); first > 0 {
		_ = signalGroup(first, true) // with it everything in its namespace ends
	}
}

// Close gives back what the child took. The goroutine that called Start calls it.
func (c *Child) Close() {
	if c.reports != nil {
		c.reports.Close()
		c.report.Close()
	}
	c.unlock()
}

const reportTime = time.Second // bubblewrap says it before it starts the program

// first is the leader of the program's own process group; 0 where bubblewrap did not come to it.
func (c *Child) first() int {
	var info struct {
		Child int `json:"child-pid"`
	}
	_ = c.report.SetReadDeadline(time.Now().Add(reportTime))
	if json.NewDecoder(c.report).Decode(&info) != nil {
		return 0
	}
	return info.Child
}
