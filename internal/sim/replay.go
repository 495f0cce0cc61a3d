package sim

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/journal"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
)

// compare judges that the machines in memory are what their bytes make them.
func (w *world) compare() *law.Breach {
	for _, id := range w.ids {
		live := w.host.loop.Machine(id)
		if live == nil || w.disk.streams[id] == nil {
			continue
		}
		records, err := w.disk.fold(id)
		if err != nil {
			return w.law.Fails(law.Replay, id, "%v", err)
		}
		if b := w.same(id, live, records); b != nil {
			return b
		}
	}
	records, err := w.disk.fold(chargehand.FleetStream)
	if err != nil {
		return w.law.Fails(law.Replay, "", "%v", err)
	}
	return w.sameFleet(fleet.Restore(records))
}

// audit judges the journal as a whole once everything is over: every stream is read anew from its
// first byte, written again and folded, and the fleet once more from its beginning.
func (w *world) audit() *law.Breach {
	for _, id := range w.ids {
		if w.host.loop.Machine(id) == nil {
			if err := w.host.load(id); err != nil {
				return w.law.Fails(law.Replay, id, "%v", err)
			}
		}
		records, b := w.rewrite(id)
		if b == nil {
			b = w.same(id, w.host.loop.Machine(id), records)
		}
		if b != nil {
			return b
		}
	}
	records, b := w.rewrite(chargehand.FleetStream)
	if b != nil {
		return b
	}
	return w.sameFleet(fleet.Restore(records))
}

// rewrite judges that a stream's records read, written and read again are the same bytes.
func (w *world) rewrite(id string) ([]chargehand.Record, *law.Breach) {
	s := w.disk.streams[id]
	records, err := decode(s.body)
	if err != nil {
		return nil, w.law.Fails(law.Replay, id, "%v", err)
	}
	var body []byte
	for _, r := range records {
		if body, err = journal.AppendRecord(body, r); err != nil {
			return nil, w.law.Fails(law.Replay, r.Run, "%v", err)
		}
		body = append(body, '\n')
	}
	w.law.Checked[law.Replay]++
	if !bytes.Equal(body, s.body) {
		return nil, w.law.Fails(law.Replay, id, "its records are not the same when they are read and written again")
	}
	return records, nil
}

// same judges one run: its machine, the fold of its records, and what people are shown.
func (w *world) same(id string, live *supervise.Machine, records []chargehand.Record) *law.Breach {
	w.law.Checked[law.Replay]++
	var v chargehand.View
	for _, r := range records {
		v.Apply(r)
	}
	folded := supervise.Restore(id, w.team, records)
	if live.Summary() != folded.Summary() || live.Summary() != v.RunSummary {
		return w.law.Fails(law.Replay, id, "live %+v\nfolded %+v\nshown %+v", live.Summary(), folded.Summary(), v.RunSummary)
	}
	if !slices.Equal(live.Leases(), folded.Leases()) || live.Idle() != folded.Idle() || !live.Wake().Equal(folded.Wake()) {
		return w.law.Fails(law.Replay, id, "live and folded differ: %v %t %s, %v %t %s", live.Leases(), live.Idle(), live.Wake(),
			folded.Leases(), folded.Idle(), folded.Wake())
	}
	a, b := plainly(live.Result(), live.Accepted()), plainly(folded.Result(), folded.Accepted())
	if !bytes.Equal(a, b) {
		return w.law.Fails(law.Replay, id, "live %s\nfolded %s", a, b)
	}
	return nil
}

// sameFleet judges that the fleet is what its bytes make it. Who waits is not part of them.
func (w *world) sameFleet(folded *fleet.Machine) *law.Breach {
	w.law.Checked[law.Replay]++
	live := w.host.loop.Fleet()
	status := func(m *fleet.Machine) []chargehand.WorkerStatus {
		list := m.Status()
		for i := range list {
			list[i].Queued = 0
		}
		return list
	}
	a, b := plainly(live.Leases(), status(live)), plainly(folded.Leases(), status(folded))
	if !bytes.Equal(a, b) {
		return w.law.Fails(law.Replay, "", "the fleet is %s\nfolded %s", a, b)
	}
	return nil
}

func plainly(values ...any) []byte {
	body, err := json.Marshal(values)
	if err != nil {
		panic("sim: results hold only plain data: " + err.Error())
	}
	return body
}
