package progress

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/journal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// recorded is a run with a retry, a reassignment, a review, two gaps and hostile text.
func recorded(t *testing.T) []chargehand.Record {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "nordwind.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var records []chargehand.Record
	for line := range bytes.Lines(b) {
		r, err := journal.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// reviewOpen is the number of records up to the moment the review is open.
func reviewOpen(records []chargehand.Record) int {
	for i, r := range records {
		if r.Type() == "review_opened" {
			return i + 1
		}
	}
	panic("the recording has no review")
}

func folded(id string, records []chargehand.Record) *Run {
	r := &Run{ID: id}
	for _, rec := range records {
		rec.Run = id
		r.View.Apply(rec)
	}
	return r
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestPictures(t *testing.T) {
	records := recorded(t)
	at := records[reviewOpen(records)-1].At.Add(8 * time.Second)
	for _, width := range []int{80, 140} {
		for _, style := range []struct {
			name string
			st   term.Style
		}{{"plain", term.Style{}}, {"ascii", term.Style{ASCII: true}}, {"color", term.Style{Color: true}}} {
			p := Picture{
				Runs: []*Run{folded("run_7h2k", records[:reviewOpen(records)])}, Now: at,
				Width: width, Height: 24, Style: style.st, Hint: "Ctrl-C pauses · again within 3 s stops now",
			}
			lines := p.Lines()
			for _, l := range lines {
				if w := term.Width(l); w >= width {
					t.Errorf("%d columns in a terminal of %d: %q", w, width, l)
				}
				if style.st.ASCII && strings.ContainsFunc(l, func(r rune) bool { return r > '~' && !strings.ContainsRune("価格🙂", r) }) {
					t.Errorf("not ASCII: %q", l)
				}
			}
			golden(t, fmt.Sprintf("picture_%s_%d.txt", style.name, width), strings.Join(lines, "\n")+"\n")
		}
	}
}

func TestPictureOfManyRuns(t *testing.T) {
	records := recorded(t)
	var runs []*Run
	for i := range 30 {
		n := 15
		switch {
		case i == 17:
			n = reviewOpen(records)
		case i%3 == 0:
			n = len(records)
		}
		runs = append(runs, folded(fmt.Sprintf("run_%02d", i), records[:n]))
	}
	p := Picture{Runs: runs, Now: records[20].At, Width: 100, Height: 24, Hint: "hint"}
	lines := p.Lines()
	if len(lines) > 16 {
		t.Errorf("%d lines in a terminal of 24", len(lines))
	}
	golden(t, "picture_many.txt", strings.Join(lines, "\n")+"\n")
	p.Height = 60
	golden(t, "picture_many_high.txt", strings.Join(p.Lines(), "\n")+"\n")
}

func TestPlain(t *testing.T) {
	r := &Run{ID: "run_7h2k"}
	var out strings.Builder
	p := NewPlain(&out, []*Run{r})
	for _, rec := range recorded(t) {
		r.View.Apply(rec)
		p.Record(r, rec)
	}
	golden(t, "plain.txt", out.String())
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Error("a log has carriage returns or escapes")
	}
}

func TestJSONL(t *testing.T) {
	r := &Run{ID: "run_7h2k"}
	var out strings.Builder
	j := NewJSONL(&out)
	for _, rec := range recorded(t) {
		r.View.Apply(rec)
		j.Record(r, rec)
	}
	golden(t, "jsonl.txt", out.String())
}

func TestHeartbeat(t *testing.T) {
	records := recorded(t)
	r := folded("run_7h2k", records[:reviewOpen(records)])
	var out strings.Builder
	p := NewPlain(&out, []*Run{r})
	p.Tick(p.last.Add(silence - 1))
	if out.Len() > 0 {
		t.Errorf("it spoke too early: %s", out.String())
	}
	for i := range r.View.Rows { // until only the review is left
		if row := r.View.Rows[i]; row.State == chargehand.SubtaskRunning || len(row.Deps) == 0 && row.State == chargehand.SubtaskBlocked {
			row.State = chargehand.SubtaskAccepted
		}
	}
	p.last = r.View.At
	p.Tick(r.View.At.Add(time.Minute))
	want := "2026-11-21T14:12:33Z WAIT run=run_7h2k sub=s3 event=still_waiting review=rev_91ab auto=reject in=19m27s\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
	r.View.State, r.View.PausedBy = chargehand.RunPaused, "olu"
	p.Tick(r.View.At.Add(2 * time.Minute))
	if !strings.Contains(out.String(), "event=still_paused by=olu") {
		t.Errorf("a paused run says %s", out.String())
	}
}

func TestFinal(t *testing.T) {
	records := recorded(t)
	var out strings.Builder
	conflicts := map[string][]chargehand.Conflict{"ended": {{Key: "Governing Law"}, {Key: "Cap\x1b"}, {Key: "Governing Law"}}}
	for _, tt := range []struct {
		name    string
		records []chargehand.Record
	}{
		{"ended", records},
		{"waiting", records[:reviewOpen(records)]},
		{"nothing", records[:2]},
		{"paused", append(records[:15:15], chargehand.Record{Run: "run_7h2k", Seq: 16, At: records[14].At, Fact: chargehand.PauseBegan{By: "olu", Reason: "lunch\x07"}})},
		{"by policy", byPolicy(records)},
		{"not decided", notDecided(records)},
		{"lost", lost(records[0].At)},
	} {
		out.WriteString("-- " + tt.name + " --\n")
		v := &folded("run_7h2k", tt.records).View
		out.WriteString(strings.Join(Final{View: v, Remedy: remedy, Conflicts: conflicts[tt.name]}.Lines(), "\n") + "\n")
	}
	golden(t, "final.txt", out.String())
	for _, width := range []int{40, 80} {
		f := Final{View: &folded("run_7h2k", lost(records[0].At)).View, Remedy: remedy, Conflicts: conflicts["ended"]}
		whole := f.Lines()
		f.Width = width
		golden(t, fmt.Sprintf("final_%d.txt", width), strings.Join(f.Lines(), "\n")+"\n")
		for _, line := range f.Lines() {
			if n := term.Width(line); n >= width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		if got, want := strings.Fields(strings.Join(f.Lines(), " ")), strings.Fields(strings.Join(whole, " ")); !slices.Equal(got, want) {
			t.Errorf("broken, it says %q, whole %q", got, want)
		}
	}
	if n := folded("run_7h2k", notDecided(records)).View.Gaps; n != 4 {
		t.Errorf("a run that leaves four subtasks out counts %d gaps", n)
	}
}

func remedy(cause string) string {
	if strings.Contains(cause, "denied") {
		return "check the key"
	}
	return ""
}

// notDecided is the recording of a run that ended without waiting for its review.
func notDecided(records []chargehand.Record) []chargehand.Record {
	out := append([]chargehand.Record(nil), records[:reviewOpen(records)]...)
	at := records[reviewOpen(records)-1].At.Add(time.Minute)
	return append(out,
		chargehand.Record{At: at, Fact: chargehand.ReviewDecided{Decision: chargehand.Decision{ReviewID: "rev_91ab", Approver: "legal-high@7", ByPolicy: true, Withdrawn: true}}},
		chargehand.Record{At: at, Fact: chargehand.RunEnded{State: chargehand.RunPartial, Stop: chargehand.StopHumanRequired, Why: "nobody decided about 1 subtask"}},
	)
}

// lost is a run of which a model's provider turned nearly everything away.
func lost(at time.Time) []chargehand.Record {
	const words = "openai: denied (HTTP 401): wrong key"
	facts := []chargehand.Fact{
		chargehand.RunStarted{Objective: chargehand.Objective{Title: "NDA"}},
		chargehand.SubtasksPlanned{Version: 1, Subtasks: []chargehand.Subtask{{ID: "outline"}, {ID: "law", Label: "Governing law"}, {ID: "term"}, {ID: "ip"}}},
		chargehand.SubtaskEnded{Subtask: "outline", State: chargehand.SubtaskAccepted},
	}
	for id, name := range map[string]string{"law": "Governing law", "term": "term", "ip": "ip"} {
		facts = append(facts, chargehand.ReviewOpened{Review: chargehand.Review{ID: "rev_" + id, TaskID: id, Description: name + ": " + words, Cause: chargehand.CauseWorkerError}})
	}
	for _, id := range []string{"law", "term", "ip"} {
		facts = append(facts, chargehand.ReviewDecided{Decision: chargehand.Decision{ReviewID: "rev_" + id, ByPolicy: true, Withdrawn: true}})
	}
	facts = append(facts, chargehand.RunEnded{State: chargehand.RunPartial, Stop: chargehand.StopHumanRequired, Why: "nobody decided about 3 subtasks: " + words})
	var out []chargehand.Record
	for i, f := range facts {
		out = append(out, chargehand.Record{Run: "run_9x1c", Seq: int64(i + 1), At: at, Fact: f})
	}
	return out
}

// byPolicy is the recording with the review decided by the policy at its deadline.
func byPolicy(records []chargehand.Record) []chargehand.Record {
	out := append([]chargehand.Record(nil), records[:reviewOpen(records)]...)
	at := records[reviewOpen(records)-1].At.Add(time.Hour)
	return append(out,
		chargehand.Record{At: at, Fact: chargehand.ReviewDecided{Decision: chargehand.Decision{ReviewID: "rev_91ab", Approver: "legal-high@7", ByPolicy: true}}},
		chargehand.Record{At: at, Fact: chargehand.SubtaskEnded{Subtask: "s3", State: chargehand.SubtaskRejected, DecidedBy: "legal-high@7", Cause: chargehand.CauseQuality}},
		chargehand.Record{At: at, Fact: chargehand.RunEnded{State: chargehand.RunFailed, Stop: chargehand.StopPolicyBoundary, Why: "s3 was rejected and is required"}},
	)
}

// A source plays records; the streams of runs in stuck stay open.
type source struct {
	records []chargehand.Record
	stuck   map[string]bool
	err     error
}

func (s source) Records(ctx context.Context, run string, after int64, _ bool) iter.Seq2[chargehand.Record, error] {
	return func(yield func(chargehand.Record, error) bool) {
		for _, r := range s.records {
			if r.Run = run; r.Seq > after && !yield(r, nil) {
				return
			}
		}
		if s.err != nil {
			yield(chargehand.Record{}, s.err)
		}
		if s.stuck[run] {
			<-ctx.Done()
		}
	}
}

func watch(s Source, until func(*chargehand.View) bool, ids ...string) *Watch {
	w := &Watch{Source: s, Renderer: Quiet{}, Until: until}
	for _, id := range ids {
		w.Runs = append(w.Runs, &Run{ID: id})
	}
	return w
}

func TestFollowToTheEnd(t *testing.T) {
	records := recorded(t)
	synctest.Test(t, func(t *testing.T) {
		w := watch(source{records: records}, nil, "a", "b", "c")
		if err := w.Follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range w.Runs {
			if r.Err != nil || r.View.State != chargehand.RunPartial || r.View.RunID != r.ID {
				t.Errorf("%s: %v, %v", r.ID, r.View.State, r.Err)
			}
		}
	})
}

func TestFollowUntilParked(t *testing.T) {
	records := recorded(t)
	n := reviewOpen(records)
	synctest.Test(t, func(t *testing.T) {
		w := watch(source{records: records[:n+3], stuck: map[string]bool{"a": true}}, Parked, "a")
		begun := time.Now()
		if err := w.Follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < lull || d > 2*time.Second {
			t.Errorf("it took %v", d)
		}
		if w.Runs[0].View.NeedsHuman != 1 {
			t.Error("the run does not wait")
		}
	})
}

func TestFollowEndsWithItsContext(t *testing.T) {
	records := recorded(t)
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(gone) })
		// s4 still runs, so the run is not parked.
		w := watch(source{records: records[:reviewOpen(records)], stuck: map[string]bool{"a": true}}, Parked, "a")
		if err := w.Follow(ctx); !errors.Is(err, gone) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestBrokenStreams(t *testing.T) {
	records := recorded(t)[:10]
	synctest.Test(t, func(t *testing.T) {
		w := watch(source{records: records}, nil, "a")
		if err := w.Follow(t.Context()); err != nil || chargehand.CodeOf(w.Runs[0].Err) != chargehand.CodeUnavailable {
			t.Errorf("%v, %v", err, w.Runs[0].Err)
		}
		fault := errors.New("disk on fire")
		w = watch(source{records: records, err: fault}, nil, "a")
		if err := w.Follow(t.Context()); err != nil || !errors.Is(w.Runs[0].Err, fault) {
			t.Errorf("%v, %v", err, w.Runs[0].Err)
		}
	})
}

// TestNames cuts a subtask's name only where the line has no room for it.
func TestNames(t *testing.T) {
	v := folded("run_7h2k", []chargehand.Record{
		{Run: "run_7h2k", Seq: 1, Fact: chargehand.RunStarted{}},
		{Run: "run_7h2k", Seq: 2, Fact: chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{{ID: "competition", Label: "Competition and exclusivity"}, {ID: "law"}}}},
		{Run: "run_7h2k", Seq: 3, Fact: chargehand.AttemptStarted{AttemptRef: chargehand.AttemptRef{Subtask: "competition", Attempt: 1}, Worker: "model-reader"}},
		{Run: "run_7h2k", Seq: 4, Fact: chargehand.SubtaskEnded{Subtask: "law", State: chargehand.SubtaskFailed, Why: "no model"}},
	})
	for width, want := range map[int]string{50: "competition Competition…  ", 120: "competition Competition and exclusivity  "} {
		text := strings.Join(Picture{Runs: []*Run{v}, Width: width, Height: 40}.Lines(), "\n")
		if !strings.Contains(text, want) || !strings.Contains(text, "no model") {
			t.Errorf("%d columns:\n%s", width, text)
		}
	}
}

func TestScreen(t *testing.T) {
	var out bytes.Buffer
	s := screen{out: &out}
	grid := newGrid(10)
	show := func(width int, lines ...string) string {
		out.Reset()
		grid.width = width
		s.draw(lines, width)
		if got := out.String(); !strings.HasPrefix(got, hideCursor) || !strings.HasSuffix(got, showCursor) {
			t.Errorf("the cursor is lost between frames: %q", got)
		}
		grid.write(out.String())
		return out.String()
	}
	show(10, "one", "two", "three")
	if got := show(10, "one", "2", "three"); strings.Contains(got, "one") || strings.Contains(got, "three") {
		t.Errorf("unchanged lines were drawn again: %q", got)
	}
	grid.check(t, "one", "2", "three")
	show(10, "one")
	grid.check(t, "one")
	show(10, "one", "two")
	grid.check(t, "one", "two")
	grid.write("^C") // the echo of a key
	show(10, "1", "two")
	grid.check(t, "1", "two")
	grid.write("^C")
	out.Reset()
	s.clear()
	grid.write(out.String() + "pausing\r\n")
	grid.check(t, "pausing")
	if s.shown != nil {
		t.Error("clear leaves lines")
	}
	var wide screen
	wide.out, wide.shown, wide.width = &out, []string{strings.Repeat("x", 25), "y"}, 30
	if got, want := wide.up(10), "\x1b[4A"; got != want { // three rows and one
		t.Errorf("up = %q, want %q", got, want)
	}
}

// A grid is as much of a terminal as a screen needs.
type grid struct {
	width int
	rows  []string
	at    int
	col   int
}

func newGrid(width int) *grid { return &grid{width: width} }

var sequence = regexp.MustCompile(`\x1b\[(\??)(\d*)([A-Za-z])|\r\n|\r|[^\x1b\r]+`)

func (g *grid) write(s string) {
	for _, m := range sequence.FindAllStringSubmatch(s, -1) {
		for len(g.rows) <= g.at {
			g.rows = append(g.rows, "")
		}
		switch n, _ := strconv.Atoi(m[2]); {
		case m[0] == "\r\n":
			g.at, g.col = g.at+1, 0
		case m[0] == "\r":
			g.col = 0
		case m[3] == "A":
			g.at -= n
		case m[3] == "J":
			g.rows = append(g.rows[:g.at], g.rows[g.at][:min(g.col, len(g.rows[g.at]))])
		case m[3] == "K":
			g.rows[g.at] = g.rows[g.at][:min(g.col, len(g.rows[g.at]))]
		case m[3] == "":
			row := g.rows[g.at] + strings.Repeat(" ", max(0, g.col-len(g.rows[g.at])))
			end := min(g.col+len(m[0]), len(row))
			g.rows[g.at] = row[:g.col] + m[0] + row[end:]
			g.col += len(m[0])
		}
	}
}

func (g *grid) check(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, r := range g.rows {
		if r != "" {
			got = append(got, r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the screen shows (-want +got):\n%s", diff)
	}
}
