package law

import "github.com/chargehand/chargehand"

// tools judges that a run goes by the first definition of a tool it saw, until a person who was asked
// lets another stand.
func (r *run) tools(l *Law, f chargehand.Fact) {
	l.looked(Principal)
	switch f := f.(type) {
	case chargehand.ToolsUsed:
		for _, p := range f.Pins {
			if have := r.pins[p.Tool]; have != "" {
				l.fails(Principal, r.id, "%s is pinned to %s, it was %s, and nobody let that stand", p.Tool, p.Digest, have)
			}
			r.pins[p.Tool] = p.Digest
		}
		a := r.at(f.AttemptRef)
		if a == nil || !a.running && !a.stopping {
			l.fails(Principal, r.id, "tools of %s attempt %d are noted, and it does not run", f.Subtask, f.Attempt)
			return
		}
		a.changed = a.changed || a.running && len(f.Changed) > 0
	case chargehand.ToolsAllowed:
		if a := r.at(f.AttemptRef); a == nil || !a.approved || !a.changed {
			l.fails(Principal, r.id, "tools of %s attempt %d are let stand, and nobody approved it", f.Subtask, f.Attempt)
		}
		for _, p := range f.Pins {
			r.pins[p.Tool] = p.Digest
		}
	}
}
