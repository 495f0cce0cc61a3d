// Package law is what must hold of every run and of the fleet. It judges by what engines make
// durable and begin, and by what they are told: the records, the effects and the events of each
// turn. It knows nothing of the machines' insides, and does its own sums.
package law

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// An Invariant names something that always holds.
type Invariant string

// The invariants.
const (
	Verdict      Invariant = "output-before-verdict" // nothing uses an output that was not accepted (SPEC.md ·50, ·60, ·65)
	Accept       Invariant = "double-accept"         // a subtask ends once, and never goes on (SPEC.md ·51)
	Capacity     Invariant = "capacity"              // no worker holds more than its slots, stopping attempts included (SPEC.md ·101)
	Share        Invariant = "fair-share"            // when contended, no tenant exceeds its share (SPEC.md ·102)
	Ledger       Invariant = "ledger"                // settled + reserved <= ceiling, but for what is overbilled (SPEC.md ·90)
	Review       Invariant = "lost-review"           // a review waits until it is decided, once (SPEC.md ·122, ·124)
	Threshold    Invariant = "threshold"             // a run ends at ⌊n·ratio⌋+1 failures, and not before (SPEC.md ·80)
	Principal    Invariant = "principal"             // each decision is somebody's, on what they saw; a nonce serves once (SPEC.md ·125)
	Fencing      Invariant = "fencing"               // only the current attempt's own answer counts (SPEC.md ·55)
	Effects      Invariant = "effect-after-record"   // an effect has its record, and is begun once in a process
	Retry        Invariant = "no-blind-retry"        // a write in doubt is never tried again (SPEC.md ·160)
	Attempts     Invariant = "attempt-limit"         // no subtask is tried more often than the policy says (SPEC.md ·70)
	Conservation Invariant = "fleet-conservation"    // the leases are those of the open attempts
	Early        Invariant = "never-early"           // nothing falls due before its time (SPEC.md ·85, ·124)
	Standstill   Invariant = "paused-stands-still"   // nothing of a paused run expires; it goes on with the time that was left (SPEC.md ·129)
	Gapless      Invariant = "gapless"               // sequence numbers rise by one
	Monotonic    Invariant = "monotonic"             // time never goes back in a stream
	Kept         Invariant = "acknowledged"          // what was acknowledged is in the journal for good
	Replay       Invariant = "replay-equals-live"    // the fold of the bytes is the machine
	Debates      Invariant = "debate"                // a debate is bounded, and won by nothing that the checks do not accept (SPEC.md ·69)
	Shortfall    Invariant = "known-shortfall"       // what is known to be missing or doubted is said (SPEC.md ·7, ·63, ·78)
	Ends         Invariant = "every-run-ends"        // no run is stuck
)

// All lists the invariants.
var All = []Invariant{
	Verdict, Accept, Capacity, Share, Ledger, Review, Threshold, Principal, Fencing, Effects, Retry, Attempts,
	Conservation, Early, Standstill, Gapless, Monotonic, Kept, Replay, Debates, Shortfall, Ends,
}

// A Breach is an invariant that did not hold.
type Breach struct {
	Invariant Invariant `json:"invariant"`
	Run       string    `json:"run,omitempty"`
	What      string    `json:"what"`
}

// Error says what was broken.
func (b *Breach) Error() string {
	if b.Run == "" {
		return fmt.Sprintf("%s: %s", b.Invariant, b.What)
	}
	return fmt.Sprintf("%s: run %s: %s", b.Invariant, b.Run, b.What)
}

// A Law watches one journal. The zero Law is not ready: use New.
type Law struct {
	Checked map[Invariant]int64 // how often each was looked at

	runs   map[string]*run
	order  []*run // as they began
	pool   pool
	said   said
	breach *Breach // the first
}

// New is a law that has seen nothing.
func New() *Law {
	return &Law{Checked: make(map[Invariant]int64, len(All)), runs: map[string]*run{}, pool: newPool(), said: newSaid()}
}

// Run says which team a run has, before its first turn.
func (l *Law) Run(id string, team *chargehand.Team) {
	r := newRun(id, team)
	l.runs[id], l.order = r, append(l.order, r)
}

// A Turn is one turn whose records are durable.
type Turn struct {
	Events []turn.Event // what the machines were told
	turn.Turn
	Rows   map[string]turn.Row // of the runs it touched, as the engine kept them
	Folded bool                // it is the first since the machines were folded
	Held   bool                // by an engine on hold: runs that are not spoken to do not ask for workers
}

// Took judges a turn, and answers what it broke first; nil if nothing.
func (l *Law) Took(t Turn) *Breach {
	l.hear(t.Events)
	l.pool.begin(t.Folded || t.Held)
	l.pool.held = t.Held
	for _, r := range t.Records {
		l.record(r)
	}
	for _, e := range t.Effects {
		l.effect(e)
	}
	for _, id := range t.Touched {
		l.runs[id].rest(l, t.Rows[id])
	}
	l.conserved()
	return l.breach
}

// Wrote judges records that were made durable outside a turn.
func (l *Law) Wrote(records []chargehand.Record) *Breach {
	for _, r := range records {
		l.record(r)
	}
	return l.breach
}

// Died says that the process ended, and everything it had begun with it.
func (l *Law) Died() {
	clear(l.pool.live)
	for _, r := range l.order {
		clear(r.begun)
	}
}

// fails reports a breach. Only the first counts: what follows may follow from it.
func (l *Law) fails(i Invariant, run, format string, args ...any) {
	if l.breach == nil {
		l.breach = &Breach{i, run, fmt.Sprintf(format, args...)}
	}
}

// Fails is for what the caller finds out of order itself.
func (l *Law) Fails(i Invariant, run, format string, args ...any) *Breach {
	l.fails(i, run, format, args...)
	return l.breach
}

// looked counts a look at an invariant.
func (l *Law) looked(i Invariant) { l.Checked[i]++ }

func (l *Law) record(r chargehand.Record) {
	if r.Run == chargehand.FleetStream {
		l.pool.stream.next(l, r)
		l.pool.record(l, r)
		return
	}
	run := l.runs[r.Run]
	if run == nil {
		l.fails(Effects, r.Run, "record %d is of a run that nobody started", r.Seq)
		return
	}
	run.stream.next(l, r)
	run.record(l, r)
}

// A stream is how far a stream of records has come.
type stream struct {
	seq int64
	at  time.Time
}

func (s *stream) next(l *Law, r chargehand.Record) {
	l.looked(Gapless)
	l.looked(Monotonic)
	if r.Seq != s.seq+1 {
		l.fails(Gapless, r.Run, "record %d follows record %d", r.Seq, s.seq)
	}
	if r.At.Before(s.at) {
		l.fails(Monotonic, r.Run, "record %d at %s follows one at %s", r.Seq, r.At, s.at)
	}
	s.seq, s.at = r.Seq, r.At
}

// said is what the machines were told in this turn, and who ever decided what.
type said struct {
	finished []report
	nothing  map[place]bool              // crashed before it began
	decided  map[word]bool               // what people asked for, without time and comment
	verbs    map[chargehand.Control]bool // what operators asked for, without the reason
}

// A word is what a person asks for in a decision, but for its comment.
type word struct {
	review, approver, content, nonce, edit string

	approved, back bool
	settled        chargehand.Settlement
}

// A report is a worker's answer, of a run.
type report struct {
	run string
	supervise.Finished
}

func newSaid() said {
	return said{nothing: map[place]bool{}, decided: map[word]bool{}, verbs: map[chargehand.Control]bool{}}
}

// hear takes in what the turn was told.
func (l *Law) hear(events []turn.Event) {
	l.said.finished = l.said.finished[:0]
	clear(l.said.nothing)
	for _, e := range events {
		switch in := e.Input.(type) {
		case supervise.Finished:
			l.said.finished = append(l.said.finished, report{e.Run, in})
			l.letGo(e.Run, in.AttemptRef, in.Epoch)
		case supervise.Crashed:
			l.said.nothing[place{e.Run, in.AttemptRef}] = in.NotBegun
			l.letGo(e.Run, in.AttemptRef, in.Epoch)
		case supervise.Stopped:
			l.letGo(e.Run, in.AttemptRef, in.Epoch)
		case supervise.Decide:
			l.said.decided[word{
				in.ReviewID, in.Approver, in.ContentHash, in.Nonce, editOf(in), in.Approved, in.SendBack, in.Settled,
			}] = true
		case supervise.Operate:
			l.said.verbs[chargehand.Control{Verb: in.Verb, By: e.Run + "/" + in.By}] = true
		}
	}
}

// editOf is what a decision puts in the place of what the review is about.
func editOf(in supervise.Decide) string {
	if in.Given != nil {
		return in.Given.Output
	}
	return in.EditRef
}

// letGo notes that a worker said it is no longer at an attempt.
func (l *Law) letGo(run string, ref chargehand.AttemptRef, epoch int64) {
	if at, ok := l.pool.live[epoch]; ok && at.run == run && at.AttemptRef == ref {
		delete(l.pool.live, epoch)
	}
}

// Open reports whether the run has not ended.
func (l *Law) Open(id string) bool { return !l.runs[id].ended }

// fleetEffect judges an effect of the fleet.
func (l *Law) fleetEffect(e fleet.Effect) {
	l.looked(Effects)
	if e, ok := e.(fleet.Spawn); ok && l.pool.instance(e.Worker, e.Instance) == nil && !l.pool.gone[e.Instance] {
		l.fails(Effects, "", "instance %s is spawned without a record", e.Instance)
	}
}
