package main

import (
	"context"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// waits counts the commits that the latest run waited for one after another.
func (b *bench) waits(ctx context.Context) error {
	e, ok := b.peer.(*engine)
	if !ok {
		return nil
	}
	id, err := e.latest(ctx)
	if err != nil {
		return err
	}
	p := newPath()
	for r, err := range e.Records(ctx, id, 0, false) {
		if err != nil {
			return err
		}
		p.add(r)
	}
	b.row.Waits, b.row.Straight = p.whole, p.straight
	if b.workload.runs == 1 && p.straight > mostWaits { // one that waits for a slot waits for its grant, too
		return fmt.Errorf("the longest path waits for %d commits, the most is %d", p.straight, mostWaits)
	}
	return nil
}

// mostWaits is what a run of any size waits for; each further attempt waits for two more, its
// output and its judgement.
const mostWaits = 8

// path follows causes through a run's records. All records of a commit have the same time; a
// record waits for one commit more than what it answers, and for as many as what it follows from
// in its own commit.
type path struct {
	asked map[string]wait // by what was asked for: the plan, an attempt, a judgement, ...
	tasks map[string]wait // by subtask: the latest answer about it
	stage wait            // the latest answer that subtasks follow from: the plan, then the aggregate
	last  wait            // the longest of all answers so far, at the time of the latest

	whole, straight int // at the run's end
}

// A wait is how many commits a record comes after, itself included.
type wait struct {
	at    time.Time
	n     int
	again int // commits that second attempts on the way cost
}

func newPath() *path { return &path{asked: map[string]wait{}, tasks: map[string]wait{}} }

// after is the wait of a record that answers w.
func (w wait) after(at time.Time) wait { return wait{at, w.n + 1, w.again} }

// with is the wait of a record that follows from w at once, or a commit later.
func (w wait) with(at time.Time) wait {
	if w.at.Equal(at) {
		return w
	}
	return w.after(at)
}

func (p *path) add(r chargehand.Record) {
	switch f := r.Fact.(type) {
	case chargehand.RunStarted:
		p.answer(wait{at: r.At, n: 1})
	case chargehand.PlanAsked:
		p.asked["plan"] = p.last.with(r.At)
	case chargehand.PlanAdopted:
		p.stage = p.answer(p.asked["plan"].after(r.At))
	case chargehand.AttemptStarted:
		p.asked["attempt/"+f.Subtask] = p.cause(f).with(r.At)
	case chargehand.OutputChecked:
		p.tasks[f.Subtask] = p.answer(p.asked["attempt/"+f.Subtask].after(r.At))
	case chargehand.JudgeAsked:
		p.asked["judge/"+f.Subtask] = p.tasks[f.Subtask].with(r.At)
	case chargehand.Judged:
		p.tasks[f.Subtask] = p.answer(p.asked["judge/"+f.Subtask].after(r.At))
	case chargehand.AggregateAsked:
		p.asked["aggregate"] = p.last.with(r.At)
	case chargehand.Aggregated:
		p.stage = p.answer(p.asked["aggregate"].after(r.At))
	case chargehand.ResultAsked:
		p.asked["result"] = p.last.with(r.At)
	case chargehand.RunEnded:
		end := p.asked["result"].after(r.At)
		p.whole, p.straight = end.n, end.n-end.again
	}
}

// answer takes an answer in.
func (p *path) answer(w wait) wait {
	if w.n > p.last.n {
		p.last = w
	}
	p.last.at = w.at
	return w
}

// cause is what an attempt follows from: the plan or the aggregate, and a later one from what was
// wrong with the one before.
func (p *path) cause(f chargehand.AttemptStarted) wait {
	if f.Attempt == 1 {
		return p.stage
	}
	w := p.tasks[f.Subtask]
	w.again += 2
	return w
}
