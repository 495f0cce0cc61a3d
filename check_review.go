package chargehand

import (
	"fmt"
	"slices"
)

// reviewed finds subtasks at risk high or above whose output nobody but the gate would look at, or
// only who made it (SPEC.md ·66).
func (c *check) reviewed(path string, p *Plan) {
	var readTwice func(*Subtask) bool
	for i := range p.Subtasks {
		s := &p.Subtasks[i]
		at := fmt.Sprintf("%s.subtasks[%d].riskLevel", path, i)
		switch {
		case s.RiskLevel.Level() < RiskHigh.Level():
		case c.team.Policy.Judge() != "":
			c.judgesItself(at, s)
		default:
			if readTwice == nil {
				readTwice = c.team.ReadTwice(p.Subtasks)
			}
			if !readTwice(s) {
				c.add(at, fmt.Sprintf("is %s, and the team does without a reviewer", s.RiskLevel),
					"name one in `policy.reviewer`, or plan a second reading: a subtask for another capability, with the same contract of items and the same aspects")
			}
		}
	}
}

// judgesItself finds a subtask that only the reviewer can do.
func (c *check) judgesItself(path string, s *Subtask) {
	judge := c.team.Policy.Judge()
	others := slices.ContainsFunc(c.team.Workers, func(w WorkerSpec) bool {
		return w.WorkerID != judge && w.Can(s.Capability) && (s.Assignee == "" || s.Assignee == w.WorkerID)
	})
	if w := c.team.Worker(judge); !others && w != nil && w.Can(s.Capability) {
		c.add(path, fmt.Sprintf("is %s, and only the reviewer %s can do it, who would judge its own work", s.RiskLevel, tick(judge)),
			"name another reviewer, or give another worker the capability "+tick(s.Capability))
	}
}

// Readings are the first subtask of each capability that finds something out, by what that is. The
// gate compares what the items of two readings say.
type readings struct {
	team *Team
	of   map[finding]map[string]*Subtask
}

type finding struct{ contract, aspect string }

// ReadTwice says of each subtask of a list whether others of them read the same, so that the gate
// compares the two: each of its aspects stands in another, of the same contract of items, which no
// worker of its own does and which neither waits for it nor it for that (SPEC.md ·66).
func (t *Team) ReadTwice(list []Subtask) func(*Subtask) bool {
	r := &readings{t, map[finding]map[string]*Subtask{}}
	for i := range list {
		s := &list[i]
		if contract := t.Contract(s.OutputContract); contract == nil || contract.Items == nil {
			continue
		}
		for _, aspect := range s.RequiredAspects {
			f := finding{s.OutputContract, aspect}
			if r.of[f] == nil {
				r.of[f] = map[string]*Subtask{}
			}
			if r.of[f][s.Capability] == nil {
				r.of[f][s.Capability] = s
			}
		}
	}
	return r.cover
}

// cover reports whether each aspect of a subtask is read a second time, by others and without a look
// at the first.
func (r *readings) cover(s *Subtask) bool {
	for _, aspect := range s.RequiredAspects {
		second := false
		for _, other := range r.of[finding{s.OutputContract, aspect}] {
			second = second || r.apart(s, other)
		}
		if !second {
			return false
		}
	}
	return len(s.RequiredAspects) > 0
}

// apart reports whether two subtasks are done by different workers, and neither sees the other's output.
func (r *readings) apart(s, other *Subtask) bool {
	both := slices.ContainsFunc(r.team.Workers, func(w WorkerSpec) bool { return w.Can(s.Capability) && w.Can(other.Capability) })
	return !both && !slices.Contains(other.Deps, s.ID) && !slices.Contains(s.Deps, other.ID)
}
