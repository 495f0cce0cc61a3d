package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSyncFails has the system answer the n-th fsync of each of a process's threads with an I/O
// error. Once one of the journal's has failed, the process writes no more to it; a checkpoint, or
// content in a file of its own, is written anew. Whoever takes the run up next brings it to its end.
func TestSyncFails(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace, which makes fsync fail, is not here")
	}
	program := built(t, programs.victim)
	want, _ := undisturbed(t, program)
	if out, err := exec.Command(strace, "-f", "-e", "trace=fsync", "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not look at processes here: %s", out)
	}
	hit, journal, fatal := 0, 0, 0
	for n := 1; n < 200; n += size(0, 4, 1) {
		s := tidy(t)
		trace := filepath.Join(s.root, "trace")
		cmd := exec.CommandContext(soon(t), strace, "-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,pwrite64,write",
			"-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", n), program, s.data(), s.world.Dir)
		out, _ := cmd.CombinedOutput()
		f := failing(t, trace)
		if !f.any {
			break // the run syncs less often
		}
		hit++
		if f.journal {
			journal++
		}
		if f.fatal {
			fatal++
		}
		if f.after != "" {
			t.Errorf("fsync %d failed, and the process went on: %s (it said %s)", n, f.after, out)
		}
		if _, err := s.settle(soon(t), want); err != nil {
			t.Errorf("fsync %d failed, and then: %v", n, err)
		}
	}
	if journal == 0 {
		t.Error("no fsync of the journal failed")
	}
	count(t, "runs with another fsync failing", hit)
	count(t, "of them the journal's", journal)
	count(t, "of these while the run was under way", fatal)
}

// A failed is what a trace shows of fsyncs that failed.
type failed struct {
	any     bool
	journal bool   // of the journal's log
	fatal   bool   // one of these after something was acknowledged
	after   string // the first write to the journal's log after a fatal one
}

// failing reads a trace. Before anything is acknowledged a journal is being made, and what fails may be
// tried again. Of the database itself it is a copy that fails: the log is kept, and copied again.
func failing(t *testing.T, trace string) failed {
	t.Helper()
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var f failed
	begun := false
	for line := range strings.Lines(string(b)) {
		log := strings.Contains(line, walFile)
		switch {
		case strings.Contains(line, "(INJECTED)"):
			f.any, f.journal, f.fatal = true, f.journal || log, f.fatal || log && begun
		case strings.Contains(line, " write(") && strings.Contains(line, "/diary>"):
			begun = true
		case f.fatal && log && strings.Contains(line, "pwrite64"):
			f.after = line
			return f
		}
	}
	return f
}
