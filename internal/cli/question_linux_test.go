package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A tty is a terminal with a program at its other end.
type tty struct {
	master *os.File
	cmd    *exec.Cmd

	mu    sync.Mutex
	shown bytes.Buffer
	more  *sync.Cond
	ended bool
}

// atTerminal runs chargehand at a terminal, where ahead was typed before it began.
func atTerminal(t *testing.T, ahead string, env []string, args ...string) *tty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals: ", err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 80}); err != nil {
		t.Fatal(err)
	}
	y := &tty{master: master}
	y.more = sync.NewCond(&y.mu)
	y.typeIn(t, ahead)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	y.cmd = exec.Command(self, args...)
	y.cmd.Args[0] = "chargehand"
	y.cmd.Stdin, y.cmd.Stdout, y.cmd.Stderr = slave, slave, slave
	y.cmd.Env = append(os.Environ(), append(env, "CHARGEHAND_USER=ana", "TERM=xterm", "CI=", "CHARGEHAND_PROGRESS=")...)
	y.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := y.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go y.read()
	t.Cleanup(func() {
		_ = y.cmd.Process.Kill() // it has ended, where all went well
		_ = y.cmd.Wait()
		master.Close()
	})
	return y
}

func (y *tty) read() {
	b := make([]byte, 4096)
	for {
		n, err := y.master.Read(b)
		y.mu.Lock()
		y.shown.Write(b[:n])
		y.ended = err != nil
		y.more.Broadcast()
		y.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (y *tty) typeIn(t *testing.T, text string) {
	t.Helper()
	if _, err := y.master.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// until waits for a text and forgets all up to its end.
func (y *tty) until(t *testing.T, text string) {
	t.Helper()
	limit := time.AfterFunc(time.Minute, func() { _ = y.cmd.Process.Kill() })
	defer limit.Stop()
	y.mu.Lock()
	defer y.mu.Unlock()
	for !strings.Contains(y.shown.String(), text) {
		if y.ended {
			t.Fatalf("%q was not shown, but:\n%s", text, y.shown.String())
		}
		y.more.Wait()
	}
	y.shown.Next(strings.Index(y.shown.String(), text) + len(text))
}

// waiting is a run that asks a person, at a terminal.
func waiting(t *testing.T, ahead string) *tty {
	dir, err := os.MkdirTemp("", "ch") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	note := t.TempDir() + "/a.txt"
	if err := os.WriteFile(note, []byte("9.2 The liability is limited."), 0o600); err != nil {
		t.Fatal(err)
	}
	return atTerminal(t, ahead, []string{"CHARGEHAND_DATA_DIR=" + dir, "SCENARIOS=wait"}, "run", "wait", note)
}

const prompt = "[a]pprove  [s]end back  [r]eject  [l]ater  > "

// TestDecideInPlace asks at the terminal of the run. What was typed before the question is no answer,
// nor is a letter without a reason.
func TestDecideInPlace(t *testing.T) {
	y := waiting(t, "a\nr\nahead\n")
	y.until(t, "Output says 5,000,000; source says 500,000")
	y.until(t, "SILENCE")
	y.until(t, "rejected automatically at")
	y.until(t, prompt)
	y.typeIn(t, "x\n")
	y.until(t, "Type one of the letters, and Enter.")
	y.until(t, prompt)
	y.typeIn(t, "r\n")
	y.until(t, "Reason, for the record: ")
	y.typeIn(t, "\n")
	y.until(t, "Nothing is decided: it needs a reason.")
	y.until(t, prompt)
	y.typeIn(t, "r\n")
	y.until(t, "Reason, for the record: ")
	y.typeIn(t, "the amount is wrong\n")
	y.until(t, "rev_run_3: rejected by ana")
	y.until(t, "exit 7")
}

// TestDecideLater leaves the review open, and the run goes on waiting until Ctrl-C.
func TestDecideLater(t *testing.T) {
	y := waiting(t, "")
	y.until(t, prompt)
	y.typeIn(t, "l\n")
	y.until(t, "It waits. Decide later with: chargehand review show rev_run_3")
	y.until(t, "Ctrl-C pauses")
	y.typeIn(t, "\x03")
	y.until(t, "exit 130")
}

// TestCtrlCAtAQuestion pauses the run: a question takes no signal away.
func TestCtrlCAtAQuestion(t *testing.T) {
	y := waiting(t, "")
	y.until(t, prompt)
	y.typeIn(t, "\x03")
	y.until(t, "pausing: what is under way is finished first")
	y.until(t, "exit 130")
}
