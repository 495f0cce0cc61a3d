package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/progress"
)

// A journey follows runs from a command's start to its last line.
type journey struct {
	app     *app
	session *session
	runs    []*progress.Run
	strict  bool
	texts   bool                        // show what workers say, in a log too
	reads   bool                        // it supervises nothing, and Ctrl-C leaves the runs as they are
	until   func(*chargehand.View) bool // ends the watch early; nil: never
	timeout time.Duration               // zero: none

	notices  chan string
	signals  relay
	pausing  atomic.Bool                        // Ctrl-C was pressed once, and the runs are on their way to a halt
	asking   atomic.Pointer[context.CancelFunc] // ends the question at the terminal; nil: nothing is asked
	halted   error                              // why the journey ended before the runs did
	attempts int                                // of taking over from an owner that left, since the last record
	seen     int64                              // records seen at the last attempt
}

func (a *app) journey(strict bool) *journey {
	return &journey{app: a, strict: strict, notices: make(chan string, 8)}
}

func (j *journey) open(ctx context.Context, how Taking) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer onSignal(func(s os.Signal) { cancel(signalled(s)) })()
	j.session, err = j.app.open(ctx, how)
	return cause(ctx, err)
}

// follow shows the runs until they end, or stand still where nobody may be waited for, or a signal
// says otherwise. What it returns is only what went wrong.
func (j *journey) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if j.timeout > 0 {
		timer := time.AfterFunc(j.timeout, func() { cancel(&exit.Error{Code: exit.Timeout}) })
		defer timer.Stop()
	}
	for {
		err := j.watch(ctx, cancel)
		if stop, ok := errors.AsType[*exit.Error](err); ok {
			j.halted = stop
			return nil
		}
		if err != nil {
			return err
		}
		again, err := j.takeOver(ctx, cancel)
		if err != nil || !again {
			return err
		}
	}
}

func (j *journey) watch(ctx context.Context, cancel context.CancelCauseFunc) error {
	defer j.signals.to(func(s os.Signal) { j.interrupted(ctx, s, cancel) })()
	w := &progress.Watch{
		Source: j.session, Runs: j.runs, Renderer: j.app.renderer(j.hint(), j.runs), Until: j.still, Notices: j.notices,
	}
	if j.texts || j.app.mode() == "tty" {
		w.Tokens, _ = j.session.Engine.(chargehand.Streamer)
	}
	if j.app.asks() {
		decides := j.decides()
		w.Review = func(r *progress.Run, rev *chargehand.Review) string {
			return j.app.shown(ctx, j.session, &r.View, rev, decides)
		}
		if decides {
			w.Ask = func(rev chargehand.Review) { j.question(ctx, &rev) }
		}
	}
	return w.Follow(ctx)
}

// decides reports whether the person at the terminal is asked to decide. One who only watches is not
// asked, nor is one who wants no questions or no text.
func (j *journey) decides() bool {
	return canType && !j.reads && !j.app.flags.yes && j.speaks()
}

// asked reports whether a few letters can answer a review. What became of a write of unknown outcome takes
// more: its sheet names the commands.
func asked(r *chargehand.Review) bool { return r.Cause != chargehand.CauseUnknown }

// question asks the person at the terminal about a review, until a signal comes.
func (j *journey) question(ctx context.Context, r *chargehand.Review) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	j.asking.Store(&stop)
	if !j.pausing.Load() && asked(r) {
		(&question{app: j.app, session: j.session, review: r}).ask(ctx)
	}
	j.asking.Store(nil)
}

// stopped reports whether the journey ended before the runs did.
func (j *journey) stopped() bool { return j.halted != nil || j.pausing.Load() }

// still reports whether a quiet run need not be watched any longer.
func (j *journey) still(v *chargehand.View) bool {
	switch {
	case j.pausing.Load() && v.State == chargehand.RunPaused && !progress.Busy(v):
		return true
	case j.app.flags.noInput && progress.Parked(v):
		return true
	}
	return j.until != nil && j.until(v)
}

func (j *journey) hint() string {
	if j.reads || !j.session.owner {
		return "Ctrl-C detaches"
	}
	return "Ctrl-C pauses · twice stops now"
}

// interrupted is called for each signal. Runs in this process are paused first; others go on
// without us.
func (j *journey) interrupted(ctx context.Context, s os.Signal, cancel context.CancelCauseFunc) {
	if s != os.Interrupt || j.reads || !j.session.owner || j.pausing.Swap(true) {
		cancel(signalled(s))
		return
	}
	if stop := j.asking.Load(); stop != nil {
		(*stop)()
	}
	j.notice("pausing: what is under way is finished first; Ctrl-C again stops now\n")
	for _, r := range j.runs {
		err := j.session.Control(ctx, r.ID, chargehand.Control{Verb: chargehand.Pause, By: me(), Reason: "Ctrl-C"})
		if err != nil && chargehand.CodeOf(err) != chargehand.CodeEnded {
			j.notice(fmt.Sprintf("warning: %s is not paused: %v\n", r.ID, err))
		}
	}
}

// notice is shown by the watch, or lost if that has ended: nobody may wait for it.
func (j *journey) notice(text string) {
	select {
	case j.notices <- text:
	default:
	}
}

// takeOver opens the data folder again when the process that had it is gone, so that a run does
// not stand still because the command that happened to supervise it has ended. A journey that only
// reads looks for the next owner.
func (j *journey) takeOver(ctx context.Context, cancel context.CancelCauseFunc) (again bool, err error) {
	defer onSignal(func(s os.Signal) { cancel(signalled(s)) })()
	var lost error
	var seen int64
	for _, r := range j.runs {
		seen += r.View.Seq
		if r.Err != nil {
			lost = r.Err
		}
	}
	if lost == nil || j.session.owner || chargehand.CodeOf(lost) != chargehand.CodeUnavailable {
		return false, lost
	}
	if j.attempts++; seen > j.seen {
		j.attempts, j.seen = 1, seen
	}
	if j.attempts > 3 {
		return false, lost
	}
	next, err := j.reach(ctx)
	if err != nil {
		return false, errors.Join(lost, cause(ctx, err))
	}
	old := j.session
	j.session = next
	if !next.supervised {
		return false, errors.Join(j.standStill(ctx), old.close())
	}
	for _, r := range j.runs {
		r.Retry()
	}
	return true, old.close()
}

// reach has this process supervise the runs, or finds the one that does. One that only reads waits
// for that for a moment: the owner may be on its way to be started again.
func (j *journey) reach(ctx context.Context) (*session, error) {
	if !j.reads {
		return j.app.open(ctx, Taking{})
	}
	for patience := time.Now().Add(ownerPatience); ; {
		s, err := j.app.look(ctx)
		if err != nil || s.supervised || time.Now().After(patience) {
			return s, err
		}
		if err := errors.Join(s.close(), pause(ctx, 100*time.Millisecond)); err != nil {
			return nil, err
		}
	}
}

// finish writes the last words on every run and makes the exit code: the gravest of all runs, or
// why the command ended before them. err is what went wrong on the way.
func (j *journey) finish(err error) error {
	var conflicts map[string][]chargehand.Conflict
	if j.session != nil {
		conflicts = j.conflicts()
		err = errors.Join(err, j.session.close())
	}
	if err != nil {
		return err
	}
	code := exit.OK
	for _, r := range j.runs {
		if r.View.RunID != "" {
			code = max(code, j.code(&r.View))
		}
	}
	if stop, ok := errors.AsType[*exit.Error](j.halted); ok {
		code = stop.Code
	} else if j.pausing.Load() {
		code = exit.Interrupted
	}
	j.lastWords(code, conflicts)
	if code == exit.OK {
		return nil
	}
	return &exit.Error{Code: code}
}

func (j *journey) code(v *chargehand.View) exit.Code {
	code := exit.Of(&v.RunSummary)
	if code != exit.OK || !j.strict {
		return code
	}
	for _, row := range v.Rows {
		if row.State == chargehand.SubtaskAcceptedLow || row.Against != "" {
			return exit.Gaps
		}
	}
	return code
}

// alone reports whether no process supervises the runs once this one has ended.
func (j *journey) alone() bool { return j.session.owner || !j.session.supervised }

// unfinished reports whether there is a run that is neither paused nor ended.
func (j *journey) unfinished() bool {
	return slices.ContainsFunc(j.runs, func(r *progress.Run) bool {
		return r.View.RunID != "" && !r.View.State.Final() && r.View.State != chargehand.RunPaused
	})
}

// speaks reports whether there are last words.
func (j *journey) speaks() bool { return j.app.mode() != "quiet" && j.app.mode() != "jsonl" }

// conflicts are those in the results of the runs that have one, by run. A result that cannot be read
// now is left to the command that shows it. What came late to an ended run is taken in.
func (j *journey) conflicts() map[string][]chargehand.Conflict {
	out := map[string][]chargehand.Conflict{}
	for _, r := range j.runs {
		if v := &r.View; j.speaks() && v.ResultRef != "" {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			if late, err := j.session.Run(ctx, v.RunID); err == nil {
				r.View = *late
			}
			if res, err := j.session.Result(ctx, v.RunID); err == nil && v.Accepted > 0 {
				out[v.RunID] = res.Conflicts
			}
			cancel()
		}
	}
	return out
}

func (j *journey) lastWords(code exit.Code, conflicts map[string][]chargehand.Conflict) {
	if !j.speaks() {
		return
	}
	st := j.app.style(j.app.io.Err)
	var b strings.Builder
	for _, r := range j.runs {
		if r.View.RunID != "" {
			f := progress.Final{View: &r.View, Style: st, Width: j.app.screen(j.app.io.Err).Width, Conflicts: conflicts[r.View.RunID], Remedy: remedyOf, Alone: j.alone()}
			b.WriteString(strings.Join(f.Lines(), "\n") + "\n")
		}
	}
	switch {
	case j.alone() && j.unfinished():
		b.WriteString("No process supervises what is not paused: it stands still until it is resumed.\n")
	case j.halted != nil && !j.session.owner:
		b.WriteString("The process that supervises it goes on.\n")
	}
	fmt.Fprintf(&b, "exit %d\n", code)
	fmt.Fprint(j.app.io.Err, b.String())
}
