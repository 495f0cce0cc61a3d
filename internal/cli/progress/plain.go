package progress

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// silence is how long a log stays quiet before it says that it is alive. A job without output is
// taken for dead by much that runs jobs.
const silence = 15 * time.Second

// A Plain writes one event a line: time, level, run, subtask, attempt, event and its details.
type Plain struct {
	out  io.Writer
	runs []*Run
	last time.Time // of the last line, by the wall clock
	said passages
}

var _ Hearer = (*Plain)(nil)

// NewPlain writes events of runs to out.
func NewPlain(out io.Writer, runs []*Run) *Plain {
	p := &Plain{out: out, runs: runs, last: time.Now()}
	p.said.tell = p.passage
	return p
}

// Record implements Renderer.
func (p *Plain) Record(r *Run, rec chargehand.Record) {
	p.last = time.Now()
	e := describe(&r.View, rec)
	p.said.before(r, &e)
	p.write(rec.At, e)
}

// Heard implements Hearer.
func (p *Plain) Heard(r *Run, t *chargehand.Token) { p.said.add(r, t) }

// Unheard implements Hearer.
func (p *Plain) Unheard(r *Run, why error) {
	p.said.close(func(s *passage) bool { return s.run == r })
	p.text(r, "", " left_out="+quoted("the rest: "+why.Error()))
}

func (p *Plain) passage(s *passage) {
	at := fmt.Sprintf(" sub=%s att=%d", quoted(s.Subtask), s.Attempt)
	left := ""
	if s.lost > 0 {
		left = fmt.Sprintf(" left_out=%d", s.lost)
	}
	p.text(s.run, at, left+" text="+strconv.Quote(term.Line(string(s.text))))
}

// text writes a line about what workers say. It has no event: it tells of no record.
func (p *Plain) text(r *Run, at, what string) {
	p.last = time.Now()
	_, _ = fmt.Fprintf(p.out, "%s TEXT run=%s%s provisional%s\n", term.Time(p.last), quoted(r.ID), at, what)
}

// Tick implements Renderer.
func (p *Plain) Tick(now time.Time) {
	p.said.age(now)
	if now.Sub(p.last) < silence {
		return
	}
	p.last = now
	for _, r := range p.runs {
		if !r.done {
			p.write(now, alive(r, now))
		}
	}
}

// Say implements Renderer.
func (p *Plain) Say(text string) { _, _ = io.WriteString(p.out, text) }

// Close implements Renderer.
func (p *Plain) Close() { p.said.close(all) }

// alive says what a quiet run is about.
func alive(r *Run, now time.Time) Event {
	e := Event{Level: Info, Name: "still_running", Run: r.ID}
	if r.View.State == chargehand.RunPaused {
		e.Level, e.Name = Wait, "still_paused"
		return *e.with("by", r.View.PausedBy).left(&r.View)
	}
	if rev := nextReview(&r.View); rev != nil && !Busy(&r.View) {
		e.Level, e.Name, e.Subtask = Wait, "still_waiting", rev.TaskID
		return *e.with("review", rev.ID).with("auto", auto(rev)).with("in", term.Span(rev.Due().Sub(now)))
	}
	return *e.count("accepted", r.View.Accepted).count("subtasks", r.View.Subtasks)
}

// nextReview is the open review that is due first; nil if there is none.
func nextReview(v *chargehand.View) *chargehand.Review {
	var next *chargehand.Review
	for i := range v.Reviews {
		if rev := &v.Reviews[i]; rev.Open() && (next == nil || rev.Due().Before(next.Due())) {
			next = rev
		}
	}
	return next
}

func (p *Plain) write(at time.Time, e Event) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s run=%s", term.Time(at), e.Level, quoted(e.Run))
	if e.Subtask != "" {
		b.WriteString(" sub=" + quoted(e.Subtask))
	}
	if e.Attempt > 0 {
		fmt.Fprintf(&b, " att=%d", e.Attempt)
	}
	b.WriteString(" event=" + e.Name)
	for _, f := range e.Fields {
		b.WriteString(" " + f.Key + "=" + quoted(f.Value))
	}
	b.WriteByte('\n')
	// A log that cannot be written must not stop the run.
	_, _ = io.WriteString(p.out, b.String())
}

// quoted is the value as it is, or in quotation marks where it would not be one word.
func quoted(s string) string {
	s = term.Line(s)
	if s == "" || strings.ContainsAny(s, " \"=\\") {
		return strconv.Quote(s)
	}
	return s
}
