package local

import (
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// checkpoints says what each place's checkpoints come to.
func (i *inspection) checkpoints() {
	i.reread()
	for _, v := range i.vouchers {
		c, ok := v.newest()
		if !ok {
			if v.dir != "" {
				i.absent(v)
			}
			continue
		}
		seen := audit.Seen{Place: v.name, Checkpoint: c, Notes: len(v.notes), Key: v.key}
		i.report.Places = append(i.report.Places, seen)
		if n := i.report.Newest; n == nil || seen.Size > n.Size {
			i.report.Newest = &seen
		}
		i.contradicted(v, c)
	}
	i.lagging()
	i.report.Add(i.coverage())
}

func (i *inspection) absent(v *voucher) {
	what := "there is no checkpoint"
	if v.none && v.name == "anchor" {
		what = "there is nothing of this journal in it"
	}
	i.fail(audit.Finding{Kind: audit.KindNoCheck, Check: checkCheckpoints, Leaf: -1, Place: v.name, What: what})
}

// contradicted notes where the journal is not what a place says it was.
func (i *inspection) contradicted(v *voucher, c audit.Checkpoint) {
	f := audit.Finding{Check: checkCheckpoints, Leaf: -1, Place: v.name}
	switch {
	case i.origin != "" && c.Origin != i.origin:
		f.Kind, f.What = audit.KindFork, fmt.Sprintf("its checkpoints are of %s, the journal is %s: it was replaced", c.Origin, i.origin)
	case c.Size > i.report.Records:
		f.Kind, f.Leaf = audit.KindRollback, i.report.Records
		f.What = fmt.Sprintf("AUDIT_ROLLBACK: the newest checkpoint covers %d records, the journal has %d: it was cut short, or replaced by an older copy", c.Size, i.report.Records)
	case v.worst != "":
		f.Kind, f.What = audit.KindFork, v.worst
	default:
		return
	}
	i.fail(f)
}

// reread looks at places again that were behind another: somebody may be writing.
func (i *inspection) reread() {
	top := i.protected()
	for _, v := range i.vouchers {
		if c, ok := v.newest(); !ok || v.dir == "" || c.Size >= top {
			continue
		}
		again := newInspection(i.ctx, i.dir, i.opt)
		now := &voucher{name: v.name, dir: v.dir}
		again.readNotes(now, i.trusted())
		if c, ok := now.newest(); ok && c.Size >= top {
			v.notes = append(v.notes, c)
		}
	}
}

// lagging notes places whose newest checkpoint is older than another place's.
func (i *inspection) lagging() {
	for _, v := range i.vouchers {
		c, ok := v.newest()
		ahead, newest := i.ahead(v)
		if !ok || v.dir == "" || ahead == 0 {
			continue
		}
		if ahead > 1 {
			i.fail(audit.Finding{
				Kind: audit.KindReplay, Check: checkCheckpoints, Leaf: -1, Place: v.name,
				What: fmt.Sprintf("its newest checkpoint covers %d records, there is one of %d in the %s: it was replaced by an older copy, or could not be written to", c.Size, newest.Size, newest.Place),
			})
		}
	}
}

// ahead is how many later checkpoints another place has, and the newest of them.
func (i *inspection) ahead(v *voucher) (n int, newest audit.Seen) {
	own, _ := v.newest()
	for _, other := range i.vouchers {
		count := 0
		for _, c := range other.notes {
			if c.Origin == own.Origin && c.Size > own.Size {
				count++
			}
		}
		if c, ok := other.newest(); ok && count > n {
			n, newest = count, audit.Seen{Place: other.name, Checkpoint: c}
		}
	}
	return n, newest
}

// coverage says what the checkpoints prove.
func (i *inspection) coverage() audit.Check {
	c := audit.Check{Name: checkCheckpoints, Status: audit.Passed}
	for _, v := range i.vouchers {
		c.Count += int64(len(v.notes))
	}
	n := i.report.Newest
	if n == nil {
		c.Status, c.NotProved = audit.Failed, "anything: no checkpoint could be read"
		return c
	}
	c.Proved = fmt.Sprintf("the first %d records are the signed ones (%s)", n.Size, n.Place)
	var not []string
	if t := i.report.Tail; t != nil {
		not = append(not, fmt.Sprintf("anything of the last %d records, from leaf %d on: no checkpoint covers them yet", t.Records, t.First))
	}
	if len(i.vouchers) == 1 {
		c.Status = audit.Warned
		not = append(not, "that the whole folder is not an older copy: no second place has checkpoints")
	} else {
		not = append(not, "that the folder and all places were not replaced by older copies together")
	}
	for _, v := range i.vouchers {
		if v.torn {
			c.Status = audit.Warned
			not = append(not, "what the last checkpoint of the "+v.name+" said: it is incomplete, which a crash also causes")
		}
		if ahead, newest := i.ahead(v); ahead == 1 && v.dir != "" {
			c.Status = audit.Warned
			not = append(not, "that the "+v.name+" was not replaced by an older copy: it is one checkpoint behind the "+newest.Place+", which a crash between the two also causes")
		}
	}
	c.NotProved = strings.Join(not, "; ")
	return c
}

// history tells of what people accepted.
func (i *inspection) history() {
	c := audit.Check{Name: checkHistory, Status: audit.Passed, Proved: "no person has accepted a rollback or a new key"}
	var said []string
	for _, r := range i.facts {
		switch f := r.Fact.(type) {
		case chargehand.RollbackAccepted:
			for _, l := range f.Lost {
				said = append(said, fmt.Sprintf("on %s %s accepted that the journal is not what the %s's checkpoint of %d records says", r.At.Format(chargehand.TimeLayout), f.By, l.Place, l.Size))
			}
		case chargehand.KeyReplaced:
			said = append(said, fmt.Sprintf("on %s %s accepted a new key", r.At.Format(chargehand.TimeLayout), f.By))
		}
	}
	if len(said) > 0 {
		c.Status, c.Proved, c.Count = audit.Warned, "", int64(len(said))
		c.NotProved = "what was there before: " + strings.Join(said, "; ")
	}
	i.report.Add(c)
}
