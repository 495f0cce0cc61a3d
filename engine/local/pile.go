package local

import "context"

// pileSize is how many runs are taken up in one turn after a start. Of ten thousand the first go on
// while the others are still being read.
const pileSize = 64

// A pile is the runs that were under way when the last owner of the journal stopped, and that have
// not been taken up yet.
type pile struct {
	all  []string // in the order in which they are taken up
	next int
	left map[string]bool
}

func (p *pile) heap(runs []string) {
	*p = pile{all: runs, left: make(map[string]bool, len(runs))}
	for _, run := range runs {
		p.left[run] = true
	}
}

// take reports whether a run was on the pile, and takes it off.
func (p *pile) take(run string) bool {
	was := p.left[run]
	delete(p.left, run)
	return was
}

// takeNext takes the next runs off the pile. Once it is empty the fleet hears which leases there
// are; until then it goes by its own records, which were kept together with those of the runs.
func (e *Engine) takeNext(ctx context.Context) {
	p := &e.pile
	if len(p.left) == 0 {
		return
	}
	var runs []string
	for ; p.next < len(p.all) && len(runs) < pileSize; p.next++ {
		if p.take(p.all[p.next]) {
			runs = append(runs, p.all[p.next])
		}
	}
	e.loadAll(ctx, runs)
	e.loop.Tell(runs, e.resumed)
	if len(p.left) == 0 {
		e.loop.Settle(p.all)
		*p = pile{}
	}
}
