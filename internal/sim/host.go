package sim

import (
	"errors"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// A host is a process that drives the turn loop, as the local engine does: it drains its inbox,
// takes a turn, makes its records durable, answers whoever asked and hands back what is to be
// begun. Everything but the disk is lost with it.
type host struct {
	disk  *disk
	teams map[string]*chargehand.Team // by run
	boot  int64
	hold  bool

	loop   *turn.Loop
	taken  turn.TakeUp
	inbox  []letter
	parked time.Time // when the next run that is not in memory wants to be told the time; zero: never
	folded bool      // no turn was kept since the machines were folded

	underWay bool // a turn was kept
}

// A letter is an event on its way to the loop.
type letter struct {
	turn.Event
	begin bool                           // the run has to be made first
	reply func(*chargehand.Error, error) // nil: nobody waits
}

// A write is what becomes of a turn's records.
type write int

const (
	kept    write = iota // durable
	refused              // not durable, and the process goes on
	lost                 // not durable: the process dies
	cut                  // durable: the process dies before anything is begun
)

var errRefused = errors.New("append to journal: no space left")

// open takes the journal up, as a process that starts does.
func open(d *disk, teams map[string]*chargehand.Team, boot int64, hold bool) (*host, error) {
	h := &host{disk: d, teams: teams, boot: boot, hold: hold, taken: turn.TakeUp{Hold: hold}}
	return h, h.refold()
}

func (h *host) resumed(run string) supervise.Input {
	h.taken.Telling(run)
	return supervise.Resumed{Boot: h.boot, Held: h.hold}
}

// refold builds the loop anew from the bytes, and has every active run told why: until a turn is
// kept, that this process takes it up.
func (h *host) refold() error {
	records, err := h.disk.fold(chargehand.FleetStream)
	if err != nil {
		return err
	}
	h.loop, h.parked, h.folded = turn.New(fleet.Restore(records)), time.Unix(0, 0), true
	if h.loop.Hold = h.hold; h.hold {
		return nil
	}
	active := h.disk.active()
	for _, run := range active {
		if err := h.load(run); err != nil {
			return err
		}
	}
	why := h.resumed
	if h.underWay {
		why = func(string) supervise.Input { return supervise.Refolded{} }
	}
	h.loop.Refold(active, why)
	return nil
}

func (h *host) load(run string) error {
	records, err := h.disk.fold(run)
	if err != nil {
		return err
	}
	h.loop.Add(run, h.teams[run], supervise.Restore(run, h.teams[run], records))
	return nil
}

// next is when a turn is wanted at the latest; zero: whenever something comes.
func (h *host) next() time.Time {
	next := h.loop.Next()
	if !h.hold && !h.parked.IsZero() && (next.IsZero() || h.parked.Before(next)) {
		next = h.parked
	}
	return next
}

// A pass is a turn as it was taken.
type pass struct {
	letters []letter
	now     time.Time
	turn.Turn
	rows   map[string]turn.Row
	folded bool
}

// take steps the machines with what is in the inbox. Nil: there was nothing to do.
func (h *host) take(now time.Time) (*pass, error) {
	letters := h.inbox
	h.inbox = nil
	if !h.hold && !h.parked.IsZero() && !h.parked.After(now) {
		var due []string
		due, h.parked = h.disk.due(now)
		for _, run := range due {
			letters = append(letters, letter{Event: turn.Event{Run: run, Input: supervise.Tick{}}})
		}
	}
	letters, err := h.admit(letters)
	if err != nil {
		return nil, err
	}
	if next := h.loop.Next(); len(letters) == 0 && (next.IsZero() || next.After(now)) {
		return nil, nil
	}
	p := &pass{letters: letters, now: now, folded: h.folded, rows: map[string]turn.Row{}}
	events := make([]turn.Event, len(letters))
	for i := range letters {
		events[i] = letters[i].Event
	}
	p.Turn = h.loop.Take(now, events)
	for _, run := range p.Touched {
		p.rows[run] = h.loop.Row(run)
	}
	return p, nil
}

// admit brings the machine of every letter's run into memory, turns away what has none, and has
// runs told that they are taken up.
func (h *host) admit(letters []letter) ([]letter, error) {
	var in []letter
	for _, l := range letters {
		switch {
		case l.Run == "":
		case l.begin:
			if h.disk.streams[l.Run] != nil {
				l.reply(nil, nil) // the key has started the run already
				continue
			}
			h.loop.Add(l.Run, h.teams[l.Run], supervise.New(l.Run, h.teams[l.Run]))
		case h.loop.Machine(l.Run) != nil:
		case h.disk.streams[l.Run] == nil:
			if l.reply != nil {
				l.reply(&chargehand.Error{Code: chargehand.CodeNotFound}, nil)
			}
			continue
		default:
			if err := h.load(l.Run); err != nil {
				return nil, err
			}
		}
		if h.hold && !l.begin && h.taken.Due(h.loop, l.Event) {
			h.loop.First(turn.Event{Run: l.Run, Input: h.resumed(l.Run)})
		}
		in = append(in, l)
	}
	return in, nil
}

// keep makes a pass durable, answers those who asked, lets idle runs go and hands back what is to
// be begun.
func (h *host) keep(p *pass) ([]turn.Effect, error) {
	if len(p.Records) > 0 {
		if err := h.disk.append(p.Records, p.rows, p.Touched); err != nil {
			return nil, err
		}
	}
	h.taken.Kept()
	h.folded, h.underWay = false, true
	for i, l := range p.letters {
		if l.reply != nil {
			l.reply(p.Refusals[i], nil)
		}
	}
	var begun []turn.Effect
	for _, e := range p.Effects {
		if !h.hold || !e.CallsWorker() {
			begun = append(begun, e)
		}
	}
	if at := h.loop.Park(p.Touched); h.parked.IsZero() || !at.IsZero() && at.Before(h.parked) {
		h.parked = at
	}
	return begun, nil
}

// undo answers a write that failed: whoever asked is told, and every machine is folded anew. It
// hands back what is to be said again a little later.
func (h *host) undo(p *pass, cause error) ([]letter, error) {
	var again []letter
	for _, l := range p.letters {
		if l.reply != nil {
			l.reply(nil, cause)
			continue
		}
		again = append(again, l)
	}
	h.taken.Lost()
	return again, h.refold()
}
