package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test binary be the processes that the program starts of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-phase" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestPhases goes through a small measurement: every run must wait, be woken, and be resumed after
// the kill.
func TestPhases(t *testing.T) {
	t.Setenv("BENCH_DB_DIR", t.TempDir())
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-runs", "20", "-active", "10", "-wakes", "5", "-json"}, &out); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Fill.Runs != 20 || r.Fill.Short || r.Wake.Waiting != 15 || r.Resume.Runs != 10 {
		t.Errorf("%+v", r)
	}
	if r.Resume.First <= 0 || r.Resume.All < r.Resume.First || r.Wake.Decide > r.Wake.DecideAt || r.Disk <= 0 {
		t.Errorf("figures that cannot be: %+v", r)
	}
	out.Reset()
	r.Wake.RSS = mostRSS + 1
	if err := r.print(&out, false); err != nil || !strings.Contains(out.String(), "aim 300: missed") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestRunThatDoesNotWaitIsAnError(t *testing.T) {
	t.Setenv("BENCH_DB_DIR", t.TempDir())
	for _, args := range [][]string{{"-runs", "0"}, {"-phase", "nap"}, {"-phase", "wake", "-dir", t.TempDir()}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
