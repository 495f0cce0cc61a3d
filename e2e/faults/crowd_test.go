package faults

import (
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// TestManyRuns has one process supervise many small runs, ten at a time and with little memory to
// its name, and looks at it after each tenth of them: neither what it keeps in memory nor its
// goroutines grow with the runs behind it.
func TestManyRuns(t *testing.T) {
	runs := size(0, 600, 10_000)
	cmd := exec.CommandContext(t.Context(), built(t, programs.victim), "crowd", strconv.Itoa(runs))
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=64MiB")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var looks []struct {
		Runs, Goroutines   int
		Heap, RSS, Objects int64
	}
	if err := json.Unmarshal(out, &looks); err != nil {
		t.Fatal(err)
	}
	for _, l := range looks {
		t.Logf("after %5d runs: %4d KiB of live heap in %d objects, %d MiB resident, %d goroutines", l.Runs, l.Heap>>10, l.Objects, l.RSS>>20, l.Goroutines)
	}
	early, late := looks[len(looks)/2], looks[len(looks)-1]
	if late.Goroutines > early.Goroutines+5 {
		t.Errorf("%d goroutines, then %d", early.Goroutines, late.Goroutines)
	}
	count(t, "runs", late.Runs)
	count(t, "MiB resident half-way", early.RSS>>20)
	count(t, "MiB resident at the end", late.RSS>>20)
	if late.RSS > 128<<20 {
		t.Errorf("%d MiB resident", late.RSS>>20)
	}
	// What lately came by is kept at hand, up to a limit that takes some thousand runs to reach.
	if *full && late.Heap > early.Heap+early.Heap/2+(4<<20) {
		t.Errorf("%d KiB of live heap, then %d KiB", early.Heap>>10, late.Heap>>10)
	}
}
