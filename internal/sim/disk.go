package sim

import (
	"bytes"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/journal"
	"github.com/chargehand/chargehand/internal/turn"
)

// A disk is a journal in memory that behaves as the local engine's: what a turn says is kept
// whole or not at all, as bytes. It outlives processes.
type disk struct {
	streams map[string]*stream
	runs    []string // that have a row, as they began
	rows    map[string]turn.Row
	records int64
	spare   []byte
}

// A stream is the records of a run, or of the fleet, as lines.
type stream struct {
	body []byte
	base int // where a fold may begin

	read    int // of body, in decoded
	decoded []chargehand.Record
}

func newDisk() *disk {
	return &disk{streams: map[string]*stream{}, rows: map[string]turn.Row{}}
}

// append keeps records and rows. After an error nothing of them is kept.
func (d *disk) append(records []chargehand.Record, rows map[string]turn.Row, touched []string) error {
	d.spare = d.spare[:0]
	ends := make([]int, len(records))
	for i, r := range records {
		body, err := journal.AppendRecord(d.spare, r)
		if err != nil {
			return fmt.Errorf("append to journal: %w", err)
		}
		d.spare = append(body, '\n')
		ends[i] = len(d.spare)
	}
	from := 0
	for i, r := range records {
		s := d.streams[r.Run]
		if s == nil {
			s = &stream{}
			d.streams[r.Run] = s
		}
		if f, ok := r.Fact.(chargehand.FleetRebased); ok && f.Part == 1 {
			s.base, s.read, s.decoded = len(s.body), len(s.body), nil
		}
		s.body = append(s.body, d.spare[from:ends[i]]...)
		from = ends[i]
	}
	d.records += int64(len(records))
	for _, run := range touched {
		if _, known := d.rows[run]; !known {
			d.runs = append(d.runs, run)
		}
		d.rows[run] = rows[run]
	}
	return nil
}

// fold are the records of a stream from where a fold may begin, read from their bytes. A line is
// read once, however often its stream is folded.
func (d *disk) fold(run string) ([]chargehand.Record, error) {
	s := d.streams[run]
	if s == nil {
		return nil, nil
	}
	more, err := decode(s.body[s.read:])
	if err != nil {
		return nil, fmt.Errorf("read records of %s: %w", run, err)
	}
	s.read, s.decoded = len(s.body), append(s.decoded, more...)
	return s.decoded[:len(s.decoded):len(s.decoded)], nil
}

func decode(body []byte) ([]chargehand.Record, error) {
	var out []chargehand.Record
	for line := range bytes.Lines(body) {
		r, err := journal.Decode(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// active are the runs to be taken up at start.
func (d *disk) active() []string {
	var ids []string
	for _, id := range d.runs {
		if d.rows[id].Active {
			ids = append(ids, id)
		}
	}
	return ids
}

// due are the parked runs that want to be woken by now, and when the next one does.
func (d *disk) due(now time.Time) (ids []string, next time.Time) {
	for _, id := range d.runs {
		switch r := d.rows[id]; {
		case r.Active || r.Wake.IsZero():
		case !r.Wake.After(now):
			ids = append(ids, id)
		case next.IsZero() || r.Wake.Before(next):
			next = r.Wake
		}
	}
	return ids, next
}
