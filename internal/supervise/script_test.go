package supervise

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/journal"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// TestScripts plays each script in testdata on one machine; the scripts are the machine's
// specification. A script declares a team and a plan, and then has blocks: input lines, "----",
// and what came of them: records ("3. ..."), messages to the fleet ("->"), effects ("=>"), and when
// the machine wants to be told the time. What a line leaves out is filled in: the attempt under
// way, its epoch, and a review's nonce and hash.
//
//guard:fencing
//guard:late-result
//guard:attempt-deadline
//guard:attempts-limit
//guard:schema-verdict
//guard:gate-rejection
//guard:partial-is-not-complete
//guard:own-confidence
//guard:reviewer-asked
//guard:reviewer-nonsense
//guard:changed-tools
//guard:unknown-outcome
//guard:no-blind-retry
//guard:ceiling
//guard:reservation
//guard:crash-cost
//guard:nonce
//guard:content-hash
//guard:principal
//guard:review-deadline
//guard:required
//guard:pause
//guard:pause-time
//guard:plan-effects
//guard:overbill-stop
//guard:subtask-budget
//guard:override-said
//guard:gaps-said
//guard:unreviewed
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, file, newScript(t).run(string(src)))
		})
	}
}

// golden compares what came with what the file says, or rewrites the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

type script struct {
	t       *testing.T
	cast    cast
	m       *Machine
	now     time.Time
	records []chargehand.Record
	wake    time.Time
	epoch   int64                           // of the latest grant
	epochs  map[chargehand.AttemptRef]int64 // of the grants, by attempt
	boot    int64
}

func newScript(t *testing.T) *script {
	return &script{t: t, cast: newCast(), now: epoch0, epochs: map[chargehand.AttemptRef]int64{}, boot: 1}
}

// run plays the script and gives it back with the outputs that came.
func (s *script) run(src string) string {
	var b strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(src), "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		in, _, play := strings.Cut(block, "\n----")
		b.WriteString(in + "\n")
		lines := strings.Split(in, "\n")
		if !play {
			s.head(lines)
			continue
		}
		b.WriteString("----\n")
		for _, text := range lines {
			if !strings.HasPrefix(text, "#") {
				b.WriteString(s.play(text))
			}
		}
		fmt.Fprintf(&b, "wake %s\n", moment(s.wake))
	}
	return b.String()
}

// head takes the declarations in, and makes the machine once there is a plan.
func (s *script) head(lines []string) {
	for _, text := range lines {
		if !strings.HasPrefix(text, "#") && !s.cast.declare(parseLine(s.t, text)) {
			s.t.Fatalf("line %q declares nothing", text)
		}
	}
	if len(s.cast.plan.Subtasks) == 0 || s.m != nil {
		return
	}
	s.cast = s.cast.complete()
	for _, p := range s.cast.team.Check() {
		s.t.Errorf("the team is wrong: %s", p)
	}
	s.m = New("run", &s.cast.team)
}

// play plays one input line.
func (s *script) play(text string) string {
	l := parseLine(s.t, text)
	if l.word(0) == "at" {
		d, err := time.ParseDuration(l.word(1))
		l.must(err)
		s.now, l.words = epoch0.Add(d), l.words[2:]
	}
	switch l.word(0) {
	case "restart":
		s.boot++
		s.restore()
		return s.step(Resumed{Boot: s.boot, Held: l.word(1) == "held"})
	case "refold":
		s.restore()
		return s.step(Refolded{})
	case "fork":
		return s.fork(l)
	case "leases":
		return s.leases()
	}
	return s.step(s.input(l))
}

// step tells the machine and prints what it says.
func (s *script) step(in Input) string {
	out := s.m.Step(s.now, in)
	s.records = append(s.records, out.Records...)
	s.wake = out.Wake
	var b strings.Builder
	for _, r := range out.Records {
		b.WriteString(s.recordLine(r) + "\n")
	}
	for _, m := range out.Fleet {
		b.WriteString(messageLine(m) + "\n")
	}
	for _, e := range out.Effects {
		b.WriteString(effectLine(e) + "\n")
	}
	if out.Refusal != nil {
		fmt.Fprintf(&b, "REFUSED %s: %s\n", out.Refusal.Code, out.Refusal.Why)
	}
	return b.String()
}

// restore folds the records so far anew, as they come back from a journal.
func (s *script) restore() { s.m = Restore("run", &s.cast.team, throughJournal(s.t, s.records)) }

// fork goes on with a fork of the run, from record at= or the last.
func (s *script) fork(l line) string {
	records, err := Cut(s.records, int64(l.number("at", 0)))
	if err != nil {
		return "REFUSED " + err.Error() + "\n"
	}
	p := chargehand.Parent{Run: "run", Seq: int64(len(records)), Hash: "hash"}
	s.records = Branch(records, "fork", "other", p)
	s.m = Restore("fork", &s.cast.team, throughJournal(s.t, s.records))
	return s.step(Fork{Parent: p, By: l.opts["by"]})
}

// A fataler is the part of a test that a helper needs.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func throughJournal(t fataler, records []chargehand.Record) []chargehand.Record {
	t.Helper()
	back := make([]chargehand.Record, len(records))
	for i, r := range records {
		line, err := journal.AppendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if back[i], err = journal.Decode(line); err != nil {
			t.Fatal(err)
		}
	}
	return back
}

func (s *script) leases() string {
	var b strings.Builder
	for _, l := range s.m.Leases() {
		fmt.Fprintf(&b, "lease %d %s\n", l.Epoch, ref(l.AttemptRef))
	}
	return b.String()
}
