package local_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

// evidence is a data folder to be forged, and what belongs to it.
type evidence struct {
	dir, anchor string
	run         string // of 60 subtasks, ended
	waiting     string // a run that waits for a person
	large       string // hash of content that is a file of its own
	report      *audit.Report
}

// gathered makes a folder with three runs, of enough records for a full tile, at rest.
func gathered(t *testing.T) evidence {
	t.Helper()
	x := evidence{dir: filepath.Join(t.TempDir(), "data"), anchor: t.TempDir()}
	e, err := local.Open(t.Context(), local.Options{Dir: x.dir, Anchor: x.anchor, Workers: worker.Set{"w": echo, "d": doubtful}})
	if err != nil {
		t.Fatal(err)
	}
	o := order(60, nil)
	text := strings.Repeat("all work and no play ", 20_000)
	o.Objective.Documents = []chargehand.Document{{Name: "large", Text: text}}
	x.large = chargehand.Hash([]byte(text))
	x.run = start(t, e, o)
	until(t, e, x.run, ended)
	x.waiting = start(t, e, order(1, func(team *chargehand.Team) { team.Workers[0].WorkerID = "d" }))
	until(t, e, x.waiting, needsHuman)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if x.report = verify(t, x.dir, local.AuditOptions{Anchor: x.anchor}); x.report.Verdict != audit.Intact || x.report.Records < 300 {
		t.Fatal(say(x.report))
	}
	return x
}

// forged is a copy of the folder, changed by do, and the report on it.
func (x evidence) forged(t *testing.T, do func(t *testing.T, dir, journal string)) *audit.Report {
	t.Helper()
	dir, anchor := copyOf(t, x.dir), copyOf(t, x.anchor)
	journals, err := filepath.Glob(filepath.Join(anchor, "*"))
	if err != nil || len(journals) != 1 {
		t.Fatal(journals, err)
	}
	do(t, dir, journals[0])
	return verify(t, dir, local.AuditOptions{Anchor: anchor})
}

func sql(statements ...string) func(*testing.T, string, string) {
	return func(t *testing.T, dir, _ string) {
		if err := local.ForgeFile(t.Context(), dir, statements...); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(change func([]byte) []byte, path ...string) func(*testing.T, string, string) {
	return func(t *testing.T, dir, journal string) {
		file := filepath.Join(append([]string{dir}, path...)...)
		if path[0] == "anchor" {
			file = filepath.Join(append([]string{journal}, path[1:]...)...)
		}
		b, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, change(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// firstNote leaves only the oldest checkpoint.
func firstNote(b []byte) []byte {
	notes, _, _ := audit.Notes(b)
	return notes[0]
}

func flipMiddle(b []byte) []byte {
	b[len(b)/2] ^= 4
	return b
}

func TestForgeriesAreFoundAndLocated(t *testing.T) {
	x := gathered(t)
	record := func(seq int64, from, to string) func(*testing.T, string, string) {
		return func(t *testing.T, dir, _ string) {
			if err := local.ForgeFileRecord(t.Context(), dir, x.run, seq, from, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name string
		kind audit.Kind
		seq  int64 // where the finding must say so
		do   func(t *testing.T, dir, journal string)
	}{
		{"a record is changed", audit.KindAltered, 100, record(100, `"type"`, `"tipe"`)},
		{"a record's number is changed", audit.KindAltered, 100, record(100, `"seq":100`, `"seq":101`)},
		{"a segment is removed", audit.KindOrder, 0, sql(`delete from segment where id = (select id from segment where id > 100 limit 1)`)},
		{"a segment is removed and those after it moved up", audit.KindOrder, 0, sql(
			`delete from segment where id = (select min(id) from segment where id > 100)`,
			`update segment set id = id - 1 where id > 100`)},
		{"two segments change places", audit.KindOrder, 0, sql(
			`create temp table two as select id from segment order by id limit 2 offset 2`,
			`update segment set id = -1 where id = (select min(id) from two)`,
			`update segment set id = (select min(id) from two) where id = (select max(id) from two)`,
			`update segment set id = (select max(id) from two) where id = -1`)},
		{"a segment is there twice", audit.KindOrder, 0, sql(
			`insert into segment (id, run, first, last, base, packed, body)
				select (select max(id) + 100 from segment), run, first + 1000, last + 1000, base, packed, body from segment where run = '` + x.run + `' limit 1`)},
		{"the end is cut off, its hashes too", audit.KindRollback, 0, sql(
			`delete from segment where id > 200`,
			`delete from tile where level = 0 and at > 200`)},
		{"the end is cut off", audit.KindOrder, 0, sql(`delete from segment where id > 200`)},
		{"hashes are cut off", audit.KindTile, 0, sql(`delete from tile where level = 0 and at > 200`)},
		{"a stored hash is changed", audit.KindTile, 0, sql(
			`update tile set hashes = unhex(hex(zeroblob(32)) || substr(hex(hashes), 65)) where level = 0 and at = 0`)},
		{"a hash higher up is changed", audit.KindTile, 0, sql(`update tile set hashes = zeroblob(32) where level = 1`)},
		{"content is changed", audit.KindContent, 0, sql(`update content set at = at + 1 where pack is not null and hash = (select max(hash) from content where pack is not null)`)},
		{"content is removed", audit.KindContent, 0, sql(`delete from content where pack is null`)},
		{"a pack is removed", audit.KindContent, 0, sql(`delete from pack where id = (select max(id) from pack)`)},
		{"a pack is damaged", audit.KindContent, 0, sql(`update pack set body = zeroblob(length(body))`)},
		{"a large file is changed", audit.KindContent, 0, edit(flipMiddle, "blobs", x.large[7:9], x.large[7:])},
		{"a run's line is changed", audit.KindDerived, 0, sql(`update run set state = 'failed' where id = '` + x.run + `'`)},
		{"a run is put to sleep", audit.KindDerived, 0, sql(`update run set wake = null where id = '` + x.waiting + `'`)},
		{"a run is taken from the list", audit.KindDerived, 0, sql(`delete from run where id = '` + x.run + `'`)},
		{"a run is invented", audit.KindDerived, 0, sql(
			`insert into run select 'run_none', started, state, active, wake, waiting, team, starter, tenant, null, summary from run limit 1`)},
		{"a review is closed", audit.KindDerived, 0, sql(`update review set open = 0`)},
		{"a review is taken away", audit.KindDerived, 0, sql(`delete from review`)},
		{"where a fold may begin is changed", audit.KindDerived, 0, sql(`update segment set base = 1 where id = (select max(id) from segment where base = 0 and run = 'fleet')`)},
		{"where a fold may begin is forgotten", audit.KindDerived, 0, sql(`update segment set base = 0`)},
		{"the last tile is said to lie elsewhere", audit.KindTile, 0, sql(`update tile set at = at + 1 where at = (select max(at) from tile where level = 0) and level = 0`)},
		{"a tile is added above", audit.KindTile, 0, sql(`insert into tile (level, at, hashes) values (2, 0, zeroblob(32))`)},
		{"content is said to lie beyond what numbers can say", audit.KindContent, 0, sql(`update content set at = 9223372036854775807`)},
		{"a run is given an empty key", audit.KindDerived, 0, sql(`update run set key = '' where id = '` + x.run + `'`)},
		{"the journal was opened less often than its records say", audit.KindDerived, 0, sql(`update meta set value = '0' where key = 'boot'`)},
		{"how often it was opened is no number", audit.KindDerived, 0, sql(`update meta set value = 'twice' where key = 'boot'`)},
		{"the journal's origin is gone", audit.KindDatabase, 0, sql(`delete from meta where key = 'origin'`)},
		{"the journal's key is gone", audit.KindKey, 0, sql(`delete from meta where key = 'key'`)},
		{"its migrations are gone", audit.KindDatabase, 0, sql(`delete from goose_db_version where version_id > 0`)},
		{"the journal's key is changed", audit.KindKey, 0, sql(`update meta set value = 'another' where key = 'key'`)},
		{"the journal's name is changed", audit.KindFork, 0, sql(`update meta set value = 'chargehand/journal/other' where key = 'origin'`)},
		{"the journal says another name", audit.KindFork, 0, sql(`update meta set value = 'other' where key = 'journal'`)},
		{"the folder's public key is another", audit.KindKey, 0, func(t *testing.T, dir, journal string) {
			k, err := audit.NewKey("chargehand/journal/" + filepath.Base(journal))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "key.pub"), []byte(k.Public()), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}},
		{"the folder's checkpoints are older", audit.KindReplay, 0, edit(firstNote, "checkpoints")},
		{"the anchor's checkpoints are older", audit.KindReplay, 0, edit(firstNote, "anchor", "checkpoints")},
		{"an old checkpoint comes again", audit.KindReplay, 0, edit(func(b []byte) []byte { return append(b, firstNote(b)...) }, "checkpoints")},
		{"a checkpoint is changed", audit.KindSignature, 0, edit(func(b []byte) []byte {
			return bytes.Replace(b, []byte("/journal/"), []byte("/Journal/"), 1)
		}, "checkpoints")},
		{"the checkpoints are gone", audit.KindNoCheck, 0, func(t *testing.T, dir, _ string) {
			if err := os.Remove(filepath.Join(dir, "checkpoints")); err != nil {
				t.Fatal(err)
			}
		}},
		{"the database is half there", audit.KindDatabase, 0, edit(func(b []byte) []byte { return b[:len(b)/2/4096*4096] }, "journal.db")},
		{"the database is something else", audit.KindDatabase, 0, edit(func([]byte) []byte { return []byte("this is no database, but some text instead") }, "journal.db")},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := x.forged(t, test.do)
			f := finding(r, test.kind)
			if f == nil || r.Verdict != audit.Damaged || test.seq > 0 && (f.Run != x.run || f.Seq != test.seq || f.At.IsZero()) {
				t.Errorf("the report: %s", say(r))
			}
		})
	}
}

// TestRewrittenHistoryIsAFork changes a record and makes every hash anew: only the checkpoints tell,
// and between which of them.
func TestRewrittenHistoryIsAFork(t *testing.T) {
	x := gathered(t)
	r := x.forged(t, func(t *testing.T, dir, _ string) {
		err := errors.Join(local.ForgeFileRecord(t.Context(), dir, x.run, 100, `"at":"20`, `"at":"19`), local.Replant(t.Context(), dir))
		if err != nil {
			t.Fatal(err)
		}
	})
	if f := finding(r, audit.KindFork); f == nil || !strings.Contains(f.What, "between leaf ") {
		t.Errorf("the report: %s", say(r))
	}
	if finding(r, audit.KindAltered) != nil || finding(r, audit.KindTile) != nil {
		t.Errorf("the hashes were made anew, and do not agree: %s", say(r))
	}
}

// TestFlippedBitsAreFoundOrMeanNothing flips bits of the database anywhere. What is not found has
// changed no record.
func TestFlippedBitsAreFoundOrMeanNothing(t *testing.T) {
	x := gathered(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 60 {
		r := x.forged(t, edit(func(b []byte) []byte {
			b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
			return b
		}, "journal.db"))
		switch {
		case r.Verdict == audit.Damaged:
			found++
		case r.Root != x.report.Root || r.Records != x.report.Records:
			t.Fatalf("records were changed, and it was not found: %s", say(r))
		}
	}
	t.Logf("%d of 60 were found", found)
	if found < 5 { // how much of the file is read depends on the journal
		t.Errorf("%d of 60 were found", found)
	}
}

// TestLogCutShortIsARollback cuts the write-ahead log of a process that was killed, everywhere:
// SQLite takes what is left for all there was. Below the last checkpoint the report says otherwise.
func TestLogCutShortIsARollback(t *testing.T) {
	dir, anchor := filepath.Join(t.TempDir(), "data"), t.TempDir()
	e := open(t, local.Options{Dir: dir, Anchor: anchor, Workers: worker.Set{"w": doubtful}})
	until(t, e, start(t, e, order(10, nil)), func(v *chargehand.View) bool { return v.NeedsHuman == 10 })
	var whole *audit.Report
	for whole == nil || whole.Tail != nil {
		whole = verify(t, dir, local.AuditOptions{Anchor: anchor})
	}
	killed, anchored := copyOf(t, dir), copyOf(t, anchor)
	log, err := os.ReadFile(filepath.Join(killed, "journal.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	rollbacks := 0
	for n := 4096; n < len(log); n += max(4099, len(log)/40) {
		cut := copyOf(t, killed)
		err := errors.Join(os.WriteFile(filepath.Join(cut, "journal.db-wal"), log[:n], 0o600), os.RemoveAll(filepath.Join(cut, "journal.db-shm")))
		if err != nil {
			t.Fatal(err)
		}
		r, err := local.Audit(t.Context(), cut, local.AuditOptions{Anchor: anchored})
		switch {
		case err != nil:
			if chargehand.CodeOf(err) != chargehand.CodeFormat {
				t.Fatal(err)
			}
			rollbacks++ // the schema itself is not there yet
		case r.Verdict == audit.Intact && r.Records < whole.Newest.Size:
			t.Fatalf("cut at byte %d of %d: %s", n, len(log), say(r))
		case finding(r, audit.KindRollback) != nil:
			rollbacks++
		}
	}
	if rollbacks < 10 {
		t.Errorf("%d cuts were called rollbacks", rollbacks)
	}
}

// TestAuditAltersNothing compares the folder before and after, at rest and beside an engine.
func TestAuditAltersNothing(t *testing.T) {
	x := gathered(t)
	before := sums(t, x.dir)
	verify(t, x.dir, local.AuditOptions{Anchor: x.anchor})
	if diff := cmp.Diff(before, sums(t, x.dir)); diff != "" {
		t.Errorf("at rest:\n%s", diff)
	}
	e := open(t, local.Options{Dir: x.dir, Anchor: x.anchor, Workers: worker.Set{"w": echo, "d": doubtful}})
	until(t, e, start(t, e, order(3, nil)), ended)
	var r *audit.Report
	for r == nil || r.Tail != nil {
		r = verify(t, x.dir, local.AuditOptions{Anchor: x.anchor})
	}
	killed := copyOf(t, x.dir)
	before = sums(t, killed)
	if before["journal.db-wal"] == "" {
		t.Fatal("there is no log beside the database")
	}
	verify(t, killed, local.AuditOptions{Anchor: x.anchor})
	after := sums(t, killed)
	delete(before, "journal.db-shm") // SQLite's index of the log, made anew by whoever opens it first
	delete(after, "journal.db-shm")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("as a killed process leaves it:\n%s", diff)
	}
}

func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		sum := sha256.Sum256(b)
		name, _ := filepath.Rel(dir, path)
		out[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
