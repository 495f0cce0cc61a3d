// Package crashpoint ends its process with SIGKILL at a chosen moment. The suite around it compiles
// copies of the engine's files, with a call of Point before and after everything that is written,
// answered or begun, into a program of its own by "go build -overlay"; the engine itself knows
// nothing of this package.
package crashpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Env names the environment variable that holds where the process ends: "3" at the third point it
// passes, "3 LABEL" at the third of that label. Absent means never.
const Env = "CHARGEHAND_CRASH_AT"

// counter numbers the points in the order in which the process passes them.
var counter = struct {
	sync.Mutex
	label  string // empty: any
	left   int    // to pass before the end; negative: never
	passed []string
}{}

func init() {
	n, label, _ := strings.Cut(os.Getenv(Env), " ")
	at, err := strconv.Atoi(n)
	if counter.label, counter.left = label, at-1; err != nil {
		counter.left = -1
	}
}

// Point is passed, or is where the process ends. Its label is then the last line on standard error.
func Point(label string) {
	counter.Lock() // never let go of at the chosen point, so that nobody passes another
	counter.passed = append(counter.passed, label)
	if counter.label == "" || counter.label == label {
		if counter.left == 0 {
			end(label)
		}
		counter.left--
	}
	counter.Unlock()
}

func end(label string) {
	fmt.Fprintln(os.Stderr, label)
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {}
}

// After is v, with a point behind the call that made it.
func After[T any](label string, v T) T {
	Point(label)
	return v
}

// Passed are the labels of all points so far, in order.
func Passed() []string {
	counter.Lock()
	defer counter.Unlock()
	return append([]string(nil), counter.passed...)
}
