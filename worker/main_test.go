package worker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/chargehand/chargehand"
)

// TestMain makes the test binary a worker where WORKER says which.
func TestMain(m *testing.M) {
	if mode := os.Getenv("WORKER"); mode != "" {
		os.Exit(actors[mode]())
	}
	goleak.VerifyTestMain(m)
}

// actors are the processes that the tests start.
var actors = map[string]func() int{
	"echo":      echo,
	"print":     printOut,
	"env":       func() int { return answer(os.Environ()) },
	"dir":       func() int { dir, _ := os.Getwd(); return answer(dir) },
	"flood":     flood,
	"hang":      hang,
	"parent":    parent,
	"suicide":   suicide,
	"deaf":      func() int { return answer("done") },
	"noisy":     noisy,
	"term-zero": termZero,
}

func answer(v any) int {
	if json.NewEncoder(os.Stdout).Encode(v) != nil {
		return 1
	}
	return 0
}

// echo answers with what it was told.
func echo() int {
	var t chargehand.WorkerTask
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		return 1
	}
	return answer(map[string]any{"goal": t.Goal, "input": t.Input, "key": t.IdempotencyKey})
}

func printOut() int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	if file := os.Getenv("OUT_FILE"); file != "" {
		b, _ := os.ReadFile(file)
		os.Stdout.Write(b)
	}
	fmt.Print(os.Getenv("OUT"))
	fmt.Fprint(os.Stderr, os.Getenv("ERR"))
	code, _ := strconv.Atoi(os.Getenv("CODE"))
	return code
}

// flood writes for ever, and does not care that nobody reads.
func flood() int {
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTERM)
	call()
	for block := bytes.Repeat([]byte("9"), 64<<10); ; {
		os.Stdout.Write(block)
	}
}

// hang does not end, whoever asks.
func hang() int {
	signal.Ignore(syscall.SIGTERM)
	call()
	select {}
}

// parent answers and ends; its child holds on to stdout.
func parent() int {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "WORKER=hang")
	child.Stdout = os.Stdout
	if child.Start() != nil {
		return 1
	}
	if os.Getenv("STAY") != "" {
		return hang()
	}
	return answer("done")
}

func suicide() int {
	self, _ := os.FindProcess(os.Getpid())
	_ = self.Kill()
	select {}
}

// noisy complains at length before it gives up.
func noisy() int {
	for i := range 10_000 {
		fmt.Fprintln(os.Stderr, "line", i)
	}
	fmt.Fprintf(os.Stderr, "\x1b[31mKeyError: \u202e%s\xff\n\n", os.Getenv("TOKEN"))
	return 3
}

// termZero prints half an answer and, asked to end, ends as if all were well.
func termZero() int {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Print(`"half of it"`)
	call()
	<-asked
	return 0
}

// call opens a connection to the test that lasts as long as this process, and says its number. An
// actor whose test is over goes as well, so that a test that fails leaves nothing behind.
func call() {
	c, err := net.Dial("tcp", os.Getenv("CALL"))
	if err != nil {
		os.Exit(1)
	}
	fmt.Fprintln(c, os.Getpid())
	go func() {
		_, _ = c.Read(make([]byte, 1))
		os.Exit(1)
	}()
}

// A phone is where actors call.
type phone struct{ net.Listener }

func newPhone(t *testing.T) phone {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return phone{l}
}

// answer waits for a call and returns who is there.
func (p phone) answer(t *testing.T) (net.Conn, int) {
	t.Helper()
	c, err := p.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	var pid int
	if _, err := fmt.Fscanln(c, &pid); err != nil {
		t.Fatal(err)
	}
	return c, pid
}

// wantGone waits until the caller's process is dead.
func wantGone(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read from a dead process: %d bytes, %v", n, err)
	}
}

// data is a folder of public test data; without it the test is skipped.
func data(t *testing.T, folder string) string {
	t.Helper()
	dir := cmp.Or(os.Getenv("CHARGEHAND_DATA"), "../../shared/data") + "/" + folder
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no test data: %v", err)
	}
	return dir
}

func someTask() chargehand.WorkerTask {
	return chargehand.WorkerTask{
		TaskID: "clauses", RunID: "run1", Attempt: 2, AssignedWorker: "reader", IdempotencyKey: "run1/clauses/2",
		Goal: "find the <clauses>", Input: json.RawMessage(`{"n":1}`), TimeoutMS: 1000,
	}
}
