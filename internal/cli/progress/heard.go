package progress

import (
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// A Hearer is a Renderer that shows what workers say. It is told of that only while no record waits to
// be shown: texts are provisional, and may be lost.
type Hearer interface {
	// Heard is called when a worker of a run has said more, after it was taken into r.
	Heard(r *Run, t *chargehand.Token)

	// Unheard is called when what a run's workers go on to say cannot be told, and why.
	Unheard(r *Run, why error)
}

// errLate is why the last texts of a run are not told.
var errLate = errors.New("the run has ended, and what was said last did not come in time")

// A passage is text that one attempt's worker said in one go, as a log tells it.
type passage struct {
	run *Run
	chargehand.AttemptRef
	offset int64 // bytes that were said before
	lost   int64 // of them right before, those that are not told
	text   []byte
	began  time.Time
}

const (
	maxPassage = 1 << 10                // bytes
	passageAge = 300 * time.Millisecond // a line of a log is not a word, nor told much later
)

// passages gather the pieces of texts until they make a line. There are at most as many as attempts
// that speak at once, and none keeps more than maxPassage bytes.
type passages struct {
	tell func(*passage)
	open []*passage // in the order they began
}

// add takes a piece in. What cannot go on with it, or has become long enough, is told.
func (ps *passages) add(r *Run, t *chargehand.Token) {
	i := slices.IndexFunc(ps.open, func(p *passage) bool { return p.run == r && p.AttemptRef == t.AttemptRef })
	if i >= 0 && (t.Lost > 0 || t.Offset != ps.open[i].offset+int64(len(ps.open[i].text))) {
		broken := ps.open[i]
		ps.close(func(p *passage) bool { return p == broken })
		i = -1
	}
	if i < 0 {
		i = len(ps.open)
		ps.open = append(ps.open, &passage{run: r, AttemptRef: t.AttemptRef, offset: t.Offset, lost: t.Lost, began: time.Now()})
	}
	p := ps.open[i]
	for p.text = append(p.text, t.Text...); len(p.text) >= maxPassage; {
		ps.part(p, whole(p.text[:maxPassage]))
	}
}

// part tells the first n bytes of a passage, which goes on with the rest.
func (ps *passages) part(p *passage, n int) {
	if n == 0 && p.lost == 0 {
		return
	}
	head := *p
	head.text = p.text[:n]
	ps.tell(&head)
	p.offset, p.lost, p.text, p.began = p.offset+int64(n), 0, slices.Clone(p.text[n:]), time.Now()
}

// age tells what has waited for long enough; a character of which a part is missing waits on.
func (ps *passages) age(now time.Time) {
	for _, p := range ps.open {
		if now.Sub(p.began) >= passageAge {
			ps.part(p, whole(p.text))
		}
	}
	ps.open = slices.DeleteFunc(ps.open, func(p *passage) bool { return len(p.text) == 0 && p.lost == 0 })
}

// close tells some passages as they are, and ends them.
func (ps *passages) close(these func(*passage) bool) {
	ps.open = slices.DeleteFunc(ps.open, func(p *passage) bool {
		if !these(p) {
			return false
		}
		ps.part(p, len(p.text))
		return true
	})
}

// before tells what was said by the attempt that a record is about, or in the run that it ends.
func (ps *passages) before(r *Run, e *Event) {
	ps.close(func(p *passage) bool {
		return p.run == r && (r.View.State.Final() || p.AttemptRef == chargehand.AttemptRef{Subtask: e.Subtask, Attempt: e.Attempt})
	})
}

// all is for the passages of every run.
func all(*passage) bool { return true }

// whole is the length of a text without a character at its end of which a part is missing.
func whole(b []byte) int {
	for n := 1; n < utf8.UTFMax && n < len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(b) - n
			}
			break
		}
	}
	return len(b)
}
