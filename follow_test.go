package chargehand

import (
	"context"
	"errors"
	"iter"
	"testing"
)

// A broken is a reader of records that breaks off within the second pass.
type broken struct {
	Reader
	records []Record
	passes  int
}

var errBroken = errors.New("broken off")

func (b *broken) Records(_ context.Context, _ string, after int64, follow bool) iter.Seq2[Record, error] {
	if !follow {
		b.passes++
	}
	return func(yield func(Record, error) bool) {
		for _, r := range b.records {
			switch {
			case r.Seq <= after:
			case b.passes == 1 && !follow && r.Seq > 2: // not there yet
			case b.passes == 2 && r.Seq > 3:
				yield(Record{}, errBroken)
				return
			default:
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// TestFollowStopsAtAMoment breaks off between two records of one moment: the run is told as it was at
// the moment before.
func TestFollowStopsAtAMoment(t *testing.T) {
	b := broken{}
	for i, f := range []Fact{
		RunStarted{},
		SubtasksPlanned{Subtasks: []Subtask{{ID: "s"}}},
		SubtaskEnded{Subtask: "s", State: SubtaskNeedsHuman},
		ReviewOpened{Review: Review{ID: "r", TaskID: "s"}},
	} {
		b.records = append(b.records, Record{Run: "run", Seq: int64(i + 1), Fact: f})
	}
	v, err := Follow(t.Context(), &b, "run", func(Moment) bool { return false })
	if !errors.Is(err, errBroken) || v.Seq != 2 || v.Rows[0].State != SubtaskBlocked {
		t.Errorf("told of record %d, %s (%v)", v.Seq, v.Rows[0].State, err)
	}
}
