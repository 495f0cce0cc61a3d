package sim

import (
	"fmt"
	"io"

	"github.com/chargehand/chargehand/internal/journal"
)

// A story is what happened in a world, told turn by turn. The zero story is not told.
type story struct{ to io.Writer }

func (s story) say(w *world, format string, args ...any) {
	if s.to != nil {
		fmt.Fprintf(s.to, "%12s %s\n", w.now, fmt.Sprintf(format, args...))
	}
}

// turn tells what the machines were told, what they said, and what became of it.
func (s story) turn(w *world, p *pass, fate write) {
	if s.to == nil {
		return
	}
	s.say(w, "turn %d at %s: %s", w.steps, p.now.Format("15:04:05.000"), [...]string{"kept", "refused", "lost", "kept, and the process dies"}[fate])
	for _, l := range p.letters {
		if l.Fleet != nil {
			fmt.Fprintf(s.to, "  < fleet %T %.200s\n", l.Fleet, fmt.Sprintf("%+v", l.Fleet))
			continue
		}
		fmt.Fprintf(s.to, "  < %s %T %.200s\n", l.Run, l.Input, fmt.Sprintf("%+v", l.Input))
	}
	for _, r := range p.Records {
		line, err := journal.Encode(r)
		if err != nil {
			line = []byte(err.Error())
		}
		fmt.Fprintf(s.to, "  %.400s\n", line)
	}
	for _, e := range p.Effects {
		fmt.Fprintf(s.to, "  > %s %T%T %.200s\n", e.Run, e.Do, e.Fleet, fmt.Sprintf("%+v%+v", e.Do, e.Fleet))
	}
}
