package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chargehand/chargehand"
)

const (
	bombMemory = 400 << 20 // bytes that one process may have in memory with any bomb (RELIABILITY.md row 18a)
	bombData   = 1 << 30   // bytes that the system gives it at most, so that a defect harms nothing else
	bombProof  = "GATE_BOMBS"
)

// A peak is the most memory that a process had for one bomb.
type peak struct {
	Name     string
	Resident int // bytes
}

// TestBombsInAProcess: a process of its own survives every bomb, one after the other, and never has more
// than bombMemory in memory.
func TestBombsInAProcess(t *testing.T) {
	if os.Getenv(bombProof) != "" {
		explode(t)
		return
	}
	if testing.Short() {
		t.Skip("the race detector needs more memory") // as .ci/run has it
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), bombProof+"=1")
	out, err := cmd.CombinedOutput()
	survived := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		var p peak
		if json.Unmarshal([]byte(line), &p) != nil {
			continue
		}
		survived[p.Name] = true
		t.Logf("%4d MiB: %s", p.Resident>>20, p.Name)
		if p.Resident > bombMemory {
			t.Errorf("%s: %d MiB in memory", p.Name, p.Resident>>20)
		}
	}
	if err != nil {
		t.Errorf("the process ends with %v after %d bombs: %.2000s", err, len(survived), out)
	}
	for name := range detonations(t) {
		if !survived[name] {
			t.Errorf("%s: it did not come to its end", name)
		}
	}
}

// explode runs every bomb and prints its peak.
func explode(t *testing.T) {
	limit := syscall.Rlimit{Cur: bombData, Max: bombData}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		t.Fatal(err)
	}
	all := detonations(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200); err != nil { // the peak begins anew
			t.Fatal(err)
		}
		all[name]()
		line, err := json.Marshal(peak{name, resident(t)})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(string(line))
	}
}

// resident is the most memory that this process has had since its peak was reset.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var kib int
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(line, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// detonations are all that an output can do to a process that reads it: as a whole, as the input of a
// worker, and while it is written.
func detonations(t *testing.T) map[string]func() {
	t.Helper()
	all := map[string]func(){}
	for _, b := range bombs() {
		all[b.name] = func() { gateOf(t, b.contract).Check(submit(asked(b.doc), b.output)) }
	}
	for name, text := range map[string]string{
		"deep lists": "[", "deep objects": `{"a":`, "a text without an end": "aaaaaaaa", "empty lists": "[],",
		"a number without an end": "1", "spaces": " ", "escapes": `\u00e9`, "keys": `"k":1,`,
	} {
		first := map[string]string{"a text without an end": `"`, "empty lists": "[", "escapes": `"`, "keys": "{"}[name]
		all["as a whole: "+name] = func() {
			gateOf(t, chargehand.Contract{}).Check(submit(chargehand.WorkerTask{}, first+strings.Repeat(text, 4<<20/len(text))))
		}
		all["while it is written: "+name] = func() {
			m := gateOf(t, chargehand.Contract{}).Monitor("", false)
			m.Read(first)
			piece := strings.Repeat(text, 1+1<<20/len(text))
			for range 100 {
				if m.Read(piece) != nil {
					return
				}
			}
			t.Errorf("%s: 100 MiB are read", name)
		}
	}
	return all
}
