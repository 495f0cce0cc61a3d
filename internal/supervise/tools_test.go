package supervise

import (
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// toolReport is what an executor says of tools, or what somebody made it say.
func (d *dice) toolReport() *chargehand.ToolReport {
	r := &chargehand.ToolReport{}
	for range d.below(3) {
		r.Pins = append(r.Pins, chargehand.ToolPin{Tool: pick(d, "files.read", "files.write", d.words()), Digest: pick(d, "d1", "d1", "d1", "d2", "")})
	}
	if d.one(4) {
		r.Changed = append(r.Changed, chargehand.ToolChange{
			Tool: pick(d, "files.read", d.words()), Pinned: "d1", Now: pick(d, "d2", "d3", "", d.words()), Team: d.one(4),
		})
	}
	for range d.below(3) {
		r.Denied = append(r.Denied, chargehand.ToolDenial{Tool: d.words(), Cause: chargehand.DeniedGrant, Why: d.words()})
	}
	if d.one(3) {
		r.Done = []string{pick(d, "a1", "a2", d.words())}
	}
	return r
}

// However much an executor has to say, records stay within what the journal holds.
func TestReportsOfToolsFitTheirRecords(t *testing.T) {
	long := strings.Repeat("\u2028", 5_000)
	r := &chargehand.ToolReport{}
	for range 500 {
		r.Pins = append(r.Pins, chargehand.ToolPin{Tool: itoa(len(r.Pins)) + long, Digest: long})
		r.Changed = append(r.Changed, chargehand.ToolChange{Tool: long, Pinned: long, Now: long})
		r.Denied = append(r.Denied, chargehand.ToolDenial{Tool: long, Why: long})
		r.Done = append(r.Done, long)
	}
	m := New("run1", &chargehand.Team{})
	var out Output
	m.noteTools(time.Time{}, chargehand.AttemptRef{Subtask: "s1", Attempt: 1}, r, &out)
	if len(out.Records) != 27 || len(m.tools.pins) != 500 {
		t.Errorf("%d records, %d pins; want 13 records of pins, 13 of calls and one of the rest", len(out.Records), len(m.tools.pins))
	}
	for _, r := range out.Records {
		if b, err := r.MarshalJSON(); err != nil || len(b) > 16<<10 {
			t.Errorf("a record has %d bytes, %v", len(b), err)
		}
	}
}

// Two reviews that read alike are told apart by every definition that is to be let stand.
func TestADecisionNamesTheDefinitions(t *testing.T) {
	hash := func(now string) string {
		m := New("run1", &chargehand.Team{})
		var out Output
		m.open(time.Time{}, chargehand.Review{
			Subject: chargehand.SubjectTools, Description: "tools have changed",
			Changes: []chargehand.ToolChange{{Tool: "files.read", Pinned: "d1", Now: "d2"}, {Tool: "files.write", Pinned: "d1", Now: now}},
		}, &out)
		return out.Records[0].Fact.(chargehand.ReviewOpened).Review.ContentHash
	}
	if two, three := hash("d2"), hash("d3"); two == three {
		t.Errorf("both have the hash %s", two)
	}
}
