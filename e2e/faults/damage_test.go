package faults

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
)

const journalFile, walFile = "journal.db", "journal.db-wal"

// recorded is a data folder as a process leaves it that is killed right after its run's end: all
// there is stands in the write-ahead log, and a checkpoint covers it.
func recorded(t *testing.T) string {
	t.Helper()
	s := tidy(t)
	opt := reference.Options(s.data(), s.world)
	opt.Anchor = "" // the folder is all there is
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := s.world.Drive(soon(t), e); err != nil {
		t.Fatal(err)
	}
	until(t, "a checkpoint covers the run", func() bool {
		r, err := local.Audit(t.Context(), s.data(), local.AuditOptions{})
		return err == nil && r.Tail == nil && r.Newest != nil && r.Newest.Size == r.Records
	})
	dir := filepath.Join(t.TempDir(), "recorded")
	if err := os.CopyFS(dir, os.DirFS(s.data())); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, journalFile+"-shm")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A history is the rows of a journal's segments, in order.
type history []string

// readHistory reads a journal as it is. One without tables has none.
func readHistory(dir string) (h history, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.Query("select run, first, last, body from segment order by id")
	if err != nil {
		if strings.Contains(err.Error(), "no such table") {
			err = nil
		}
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var run string
		var first, last int64
		var body []byte
		if err := rows.Scan(&run, &first, &last, &body); err != nil {
			return nil, err
		}
		h = append(h, fmt.Sprintf("%s %d-%d %s", run, first, last, chargehand.Hash(body)))
	}
	return h, rows.Err()
}

// startsWith reports whether h is the first part of whole.
func (h history) isPrefixOf(whole history) bool {
	for i, line := range h {
		if i >= len(whole) || whole[i] != line {
			return false
		}
	}
	return true
}

// TestTornLog cuts the write-ahead log of a run at every 509th byte, and in a second image writes
// zeros there up to the end of the sector. What is read is always the first part of what happened,
// and an engine does not go on with less than its checkpoints say there was.
func TestTornLog(t *testing.T) {
	dir := recorded(t)
	wal, err := os.ReadFile(filepath.Join(dir, walFile))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := readHistory(copied(t, dir))
	if err != nil || len(whole) == 0 {
		t.Fatalf("the journal reads as %d segments (%v)", len(whole), err)
	}
	list := tears(len(wal), size(*images, 150, 2000))
	var shorter, refused atomic.Int64
	var failures atomic.Int64
	each(list, func(i tear) {
		lost, err := i.try(dir, wal, whole)
		if lost {
			shorter.Add(1)
		}
		if chargehand.CodeOf(err) == chargehand.CodeAudit && strings.Contains(err.Error(), "AUDIT_ROLLBACK") {
			refused.Add(1)
			if lost {
				return
			}
			err = fmt.Errorf("nothing is lost and yet: %w", err)
		}
		if lost && err == nil {
			err = errors.New("records are lost, and the engine goes on")
		}
		if err != nil && failures.Add(1) < 10 {
			t.Errorf("%+v: %v", i, err)
		}
	})
	count(t, "images", len(list))
	count(t, "images that hold less", shorter.Load())
	count(t, "starts refused", refused.Load())
	if shorter.Load() == 0 {
		t.Error("no image lost anything")
	}
}

// A tear is one image of the log: cut at a byte, or with zeros from there to the sector's end.
type tear struct {
	at    int
	zeros bool
}

// tears are n images, evenly spread over all of them; beyond those there are, at other bytes.
func tears(length, n int) []tear {
	var all []tear
	for step := 509; len(all) < n && step > 0; step -= 100 {
		for at := 0; at < length; at += step {
			all = append(all, tear{at, false}, tear{at, true})
		}
	}
	var out []tear
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}

// try makes the image, reads it, and opens an engine over it.
func (i tear) try(dir string, wal []byte, whole history) (lost bool, err error) {
	at, err := os.MkdirTemp(programs.dir, "image-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(at)
	if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
		return false, err
	}
	image := bytes.Clone(wal[:i.at])
	if i.zeros {
		image = bytes.Clone(wal)
		clear(image[i.at:min(len(image), (i.at/512+1)*512)])
	}
	if err := os.WriteFile(filepath.Join(at, walFile), image, 0o600); err != nil {
		return false, err
	}
	h, err := readHistory(at)
	if err != nil {
		return false, err
	}
	if !h.isPrefixOf(whole) {
		return false, errors.New("what is read is not the first part of what happened")
	}
	e, err := local.Open(context.Background(), local.Options{Dir: at, Hold: true})
	if err == nil {
		err = e.Close()
	}
	return len(h) < len(whole), err
}

// copied is a folder like another.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copied")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestBitRot flips single bits in every file of a data folder. The verification finds each, unless
// what it reads is still what was written.
func TestBitRot(t *testing.T) {
	inLog := recorded(t)
	inFile := copied(t, inLog)
	e, err := local.Open(t.Context(), local.Options{Dir: inFile, Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	large, err := filepath.Glob(filepath.Join(inFile, "blobs", "*", "*"))
	if err != nil || len(large) == 0 {
		t.Fatalf("no content is in a file of its own: %v", err)
	}
	blob, err := filepath.Rel(inFile, large[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d", *seed)
	for _, c := range []struct {
		dir, file string
		always    bool // no bit of it is without meaning
	}{
		{inFile, journalFile, false}, {inLog, walFile, false}, {inFile, blob, true}, {inFile, "checkpoints", true},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			n := size(0, 15, 250)
			found := 0
			dice := rand.New(rand.NewPCG(uint64(*seed), 7))
			before, content := verdict(t, c.dir), dump(t, c.dir)
			if before.Verdict != audit.Intact {
				t.Fatalf("an untouched folder is %s: %+v", before.Verdict, before.Findings)
			}
			for range n {
				dir := copied(t, c.dir)
				at := flip(t, filepath.Join(dir, c.file), dice)
				after := verdict(t, dir)
				switch {
				case after.Verdict == audit.Damaged:
					found++
				case c.always || after.Root != before.Root || dump(t, dir) != content:
					t.Errorf("bit %d is flipped, the folder reads differently, and is said to be %s", at, after.Verdict)
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			count(t, "bits flipped", n)
			count(t, "found; the rest hit what nothing reads", found)
		})
	}
}

func verdict(t *testing.T, dir string) *audit.Report {
	t.Helper()
	r, err := local.Audit(t.Context(), dir, local.AuditOptions{})
	if err != nil {
		return &audit.Report{Verdict: audit.Damaged} // so broken that it cannot be verified
	}
	return r
}

// dump is the hash of every row that says something of runs: not how often the journal was opened,
// nor when it was migrated. Content is held to its hash by the verification itself.
func dump(t *testing.T, dir string) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(copied(t, dir), journalFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all strings.Builder
	for _, table := range column(t, db, "select name from sqlite_master where type = 'table' and name not in ('goose_db_version', 'sqlite_sequence', 'pack') order by name") {
		where := ""
		if table == "meta" {
			where = " where key <> 'boot'"
		}
		all.WriteString(table + "\n" + strings.Join(column(t, db, "select json_array("+strings.Join(
			column(t, db, "select 'hex(' || name || ')' from pragma_table_info('"+table+"')"), ", ")+") from "+table+where), "\n"))
	}
	return chargehand.Hash([]byte(all.String()))
}

func column(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		return []string{err.Error()}
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		return append(out, err.Error())
	}
	return out
}

// flip flips a bit of a file and answers which.
func flip(t *testing.T, file string, dice *rand.Rand) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := dice.IntN(len(b) * 8)
	b[at/8] ^= 1 << (at % 8)
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestRottenRunIsLeftAlone damages the content that one waiting run needs to go on, and another
// run's not. The engine opens, the other run goes on to its end, and the damaged one comes to no
// result from content that is not what it was.
func TestRottenRunIsLeftAlone(t *testing.T) {
	s := tidy(t)
	opt := reference.Options(s.data(), s.world)
	run := paused(t, opt)
	large, err := filepath.Glob(filepath.Join(s.data(), "blobs", "*", "*"))
	if err != nil || len(large) != 1 {
		t.Fatalf("content in files: %v (%v)", large, err)
	}
	flip(t, large[0], rand.New(rand.NewPCG(1, 1)))
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Resume, By: reference.Person}); err != nil {
		t.Fatal(err)
	}
	var v chargehand.View
	for r, err := range e.Records(soon(t), run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		v.Apply(r)
		if row := last(&v); row != nil && row.State == chargehand.SubtaskNeedsHuman {
			break
		}
	}
	for _, a := range last(&v).Attempts {
		if !strings.Contains(a.Message, "damaged") {
			t.Errorf("an attempt on damaged content: %q", a.Message)
		}
	}
	other := reference.Order()
	other.Key = "another-run"
	other.Team.Name = "others"
	follow(t, e, other, func(v *chargehand.View) bool { return v.Accepted >= 3 })
	if r := verdict(t, s.data()); r.Verdict != audit.Damaged {
		t.Error("the verification finds nothing wrong")
	}
}

// last is the row of the subtask that reads the large output.
func last(v *chargehand.View) *chargehand.SubtaskView {
	for _, row := range v.Rows {
		if row.ID == "last" {
			return row
		}
	}
	return nil
}

// paused leaves the reference run paused in its folder, with its large output accepted and not read
// yet.
func paused(t *testing.T, opt local.Options) string {
	t.Helper()
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx := soon(t)
	run, err := e.Start(ctx, reference.Order())
	if err != nil {
		t.Fatal(err)
	}
	var v chargehand.View
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		v.Apply(r)
		// The doubtful output waits for a person, and what reads the large one waits for that.
		if v.NeedsHuman == 1 && v.Accepted == 5 {
			if err := e.Control(ctx, run, chargehand.Control{Verb: chargehand.Pause, By: reference.Person}); err != nil {
				t.Fatal(err)
			}
			w := v.Reviews[0]
			if _, err := e.Decide(ctx, chargehand.Decision{ReviewID: w.ID, Approved: true, Approver: reference.Person, ContentHash: w.ContentHash, Nonce: w.Nonce}); err != nil {
				t.Fatal(err)
			}
			return run
		}
	}
	t.Fatalf("the run stands at %s", v.State)
	return ""
}

// TestOlderBackup puts an older copy of the journal in the place of the journal. Neither the
// library nor the command opens it, nothing is changed by that, and whoever accepts the loss has
// it put on record.
func TestOlderBackup(t *testing.T) {
	t.Chdir(t.TempDir())
	data := filepath.Join(t.TempDir(), "data")
	write(t, "notes.txt", "The fee is EUR 500 per month.")
	review := []string{"run", "contract-review", "notes.txt"}
	run(t, data, review...).wait(t)
	backup, err := os.ReadFile(filepath.Join(data, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	run(t, data, review...).wait(t)
	if err := os.WriteFile(filepath.Join(data, journalFile), backup, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := readHistory(copied(t, data))
	if err != nil || len(before) == 0 {
		t.Fatalf("the backup has %d segments (%v)", len(before), err)
	}
	run(t, data, review...).want(t, 11, "AUDIT_ROLLBACK", "--accept-rollback")
	after, err := readHistory(data)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the refused journal has %d segments, had %d (%v)", len(after), len(before), err)
	}
	run(t, data, append(review, "--accept-rollback")...).wait(t)
	var said string
	for _, c := range verdict(t, data).Checks {
		if c.Name == "history" {
			said = c.NotProved
		}
	}
	if !strings.Contains(said, "accepted that the journal is not what") {
		t.Errorf("that the rollback was accepted is not on record: %q", said)
	}
	run(t, data, "runs", "list").want(t, 0)
}
