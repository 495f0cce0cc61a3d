package sim

import (
	"slices"

	"github.com/chargehand/chargehand/internal/sim/law"
)

// patience is how many worlds are gone through at most for a smaller one.
const patience = 2_000

// A shrinker looks for the smallest case that breaks the same invariant.
type shrinker struct {
	again func(*Case) *Failure // goes through a case
	want  law.Invariant
	best  *Case
	fails *Failure
	tries int
}

// shrink is the smallest case found, with what fails in it: fewer runs, fewer subtasks, and of the
// faults that happened as few as it takes. It answers the case itself where nothing smaller fails.
func shrink(c *Case, f *Failure, again func(*Case) *Failure) *Failure {
	s := shrinker{again: again, want: f.Invariant, best: c, fails: f}
	s.runs()
	s.script()
	s.subtasks()
	s.runs()
	s.faults()
	return s.fails
}

// try goes through a case, and keeps it if it fails the same way.
func (s *shrinker) try(c *Case) bool {
	if s.tries++; s.tries > patience {
		return false
	}
	f := s.again(c)
	if f == nil || f.Invariant != s.want {
		return false
	}
	s.best, s.fails = c, f
	return true
}

// runs leaves out the runs that have no part in it.
func (s *shrinker) runs() {
	for _, n := range s.best.runs() {
		c := s.best.clone()
		c.Runs = slices.DeleteFunc(s.best.runs(), func(m int) bool { return m == n })
		if len(c.Runs) > 0 {
			s.try(c)
		}
	}
}

// script pins the faults that happened: from then on nothing else does.
func (s *shrinker) script() {
	c := s.best.clone()
	c.Script = s.fails.Script
	s.try(c)
}

// subtasks cuts the plans.
func (s *shrinker) subtasks() {
	for n := 1; n <= 4; n++ {
		c := s.best.clone()
		if c.Subtasks = n; s.try(c) {
			return
		}
	}
}

// faults leaves out faults of the script: half of them at a time, then a quarter, and so on.
func (s *shrinker) faults() {
	if s.best.Script == nil {
		return
	}
	for size := len(s.best.Script); size > 0; {
		if !s.without(size) && size > 0 {
			size /= 2
		} else {
			size = min(size, len(s.best.Script))
		}
	}
}

// without tries to leave out so many faults in a row, and reports whether it could.
func (s *shrinker) without(size int) bool {
	for from := 0; from < len(s.best.Script); from += size {
		c := s.best.clone()
		c.Script = slices.Delete(c.Script, from, min(from+size, len(c.Script)))
		if s.try(c) {
			return true
		}
	}
	return false
}
