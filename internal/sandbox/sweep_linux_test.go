package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a killed process left behind in bubblewrap is ended, and nothing else is.
func TestSweep(t *testing.T) {
	tried := bubblewrap()
	if tried.err != nil {
		t.Skip(tried.err)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead := fmt.Sprintf("%s%d-1", markOfNamespace(), gone.Process.Pid)
	elsewhere := fmt.Sprintf("chargehand-1-%d-1", gone.Process.Pid)
	left, held, foreign := lingering(t, tried, dead), lingering(t, tried, mark()), lingering(t, tried, elsewhere)
	sweep()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("what a process that is gone left behind still runs")
	}
	for name, still := range map[string]<-chan error{"a program of this process": held, "one of another process namespace": foreign} {
		select {
		case <-still:
			t.Errorf("%s was ended", name)
		default:
		}
	}
}

// lingering starts a program in bubblewrap under a mark, and says when it is gone.
func lingering(t *testing.T, tried trial, mark string) <-chan error {
	t.Helper()
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "600")
	cmd.Dir = "/usr"
	arguments, err := (&Box{program: tried.program, options: tried.options, Dir: "/usr"}).arguments(cmd)
	if err != nil {
		t.Fatal(err)
	}
	arguments[slices.Index(arguments, "--hostname")+1] = mark
	box := exec.Command(tried.program, append(arguments, "600")...)
	box.Env = os.Environ()
	ownGroup(box)
	if err := box.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- box.Wait() }()
	t.Cleanup(func() { _ = signalGroup(box.Process.Pid, true) })
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", box.Process.Pid))
		if strings.Contains(string(line), mark) {
			return ended
		}
		if time.Now().After(deadline) {
			t.Fatal("bubblewrap does not start")
		}
	}
}
