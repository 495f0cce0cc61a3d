package local_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

// TestDamagedJournalsAreRefusedWithAdvice damages what a start reads. A start answers with an error that
// names the command that helps, and that command finds the damage.
func TestDamagedJournalsAreRefusedWithAdvice(t *testing.T) {
	x := gathered(t)
	for name, statements := range map[string][]string{
		"a fold is said to begin in the middle": {`update segment set base = 1 where id = (select max(id) from segment where base = 0 and run = 'fleet')`},
		"a base is no number of that kind":      {`update segment set base = -7, packed = 5 where run = 'fleet'`},
		"the last tile lies elsewhere":          {`update tile set at = at + 1 where level = 0 and at = (select max(at) from tile where level = 0)`},
		"the last tile lies beyond all numbers": {`update tile set at = 9223372036854775807 where level = 0 and at = (select max(at) from tile where level = 0)`},
		"the leaves are negative":               {`update segment set id = id - 100000`, `update tile set at = at - 100000`},
		"the last leaf is beyond all numbers":   {`update segment set id = 9223372036854775807 where id = (select max(id) from segment)`},
		"a fleet's leaf is negative":            {`update segment set id = -5 where id = (select max(id) from segment where run = 'fleet')`},
		"a team's content lies elsewhere":       {`update content set at = 9223372036854775807, size = 9223372036854775807`},
		"the journal has no name":               {`delete from meta where key = 'journal'`},
		"the journal has no origin":             {`delete from meta where key = 'origin'`},
		"the journal was opened too often":      {`update meta set value = '9223372036854775807' where key = 'boot'`},
		"the migrations are gone":               {`drop table goose_db_version`},
		"the records are gone":                  {`drop table segment`},
		"the tiles are gone":                    {`drop table tile`},
		"the runs are gone":                     {`drop table run`},
		"the reviews are gone":                  {`drop table review`},
		"the contents are gone":                 {`drop table content`},
		"the packs are gone":                    {`drop table pack`},
		"the journal's own table is gone":       {`drop table meta`},
		"a column has another name":             {`alter table segment rename column base to basis`},
		"a number is a word": {
			`create table other (id integer primary key, run text, first, last, base, body blob, packed)`,
			`insert into other select id, run, first, 'many', base, body, packed from segment`,
			`drop table segment`, `alter table other rename to segment`,
		},
		"a number is missing": {
			`create table other (level, at, hashes)`, `insert into other select level, at, hashes from tile`, `insert into other values (0, null, null)`,
			`drop table tile`, `alter table other rename to tile`, `delete from segment`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, anchor := copyOf(t, x.dir), copyOf(t, x.anchor)
			sql(statements...)(t, dir, "")
			r, err := local.Audit(t.Context(), dir, local.AuditOptions{Anchor: anchor})
			if err == nil && r.Verdict == audit.Intact {
				t.Error("verification finds nothing")
			}
			e, err := local.Open(t.Context(), local.Options{Dir: dir, Anchor: anchor, Workers: worker.Set{"w": echo, "d": doubtful}})
			if err == nil {
				err = replayed(t, e, x)
				if closed := e.Close(); closed != nil {
					t.Error(closed)
				}
			}
			told, ok := errors.AsType[*chargehand.Error](err)
			if !ok || !strings.Contains(told.Next, "audit verify") {
				t.Errorf("%v; next: %+v", err, told)
			}
		})
	}
}

// replayed reads the runs of a folder that opened all the same.
func replayed(t *testing.T, e *local.Engine, x evidence) error {
	return errors.Join(e.Replay(t.Context(), x.run), e.Replay(t.Context(), x.waiting))
}

// TestRecordsThatNoEngineWroteEndInAnError: a machine panics at what cannot be, and that may lie on a disk.
func TestRecordsThatNoEngineWroteEndInAnError(t *testing.T) {
	for name, facts := range map[string][]chargehand.Fact{
		"an attempt of no subtask": {chargehand.AttemptStarted{AttemptRef: chargehand.AttemptRef{Subtask: "none", Attempt: 9}}},
		"an output of no attempt":  {chargehand.OutputChecked{AttemptRef: chargehand.AttemptRef{Subtask: "none", Attempt: 9}}},
	} {
		var records []chargehand.Record
		for i, f := range facts {
			records = append(records, chargehand.Record{Run: "run_1", Seq: int64(i + 1), Fact: f})
		}
		if err := local.Restored("run_1", records); chargehand.CodeOf(err) != chargehand.CodeAudit {
			t.Errorf("%s: %v", name, err)
		}
	}
}
