package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// AuditOptions say what a verification holds a data folder against. The zero AuditOptions take the
// folder's own word for everything.
type AuditOptions struct {
	// Anchor is the folder outside of the data folder that checkpoints are kept in too. Empty means
	// there is none.
	Anchor string

	// Keys are the verifier keys that are known, from elsewhere, to be the journal's. Empty means
	// the anchor's, else the folder's.
	Keys []string

	// Kept are signed checkpoints that somebody else has kept: a witness, or an auditor. Empty means
	// there are none.
	Kept []KeptNote
}

// A KeptNote is a signed checkpoint from elsewhere.
type KeptNote struct {
	Name string // where it comes from, for the report
	Note []byte
}

// Audit verifies a data folder: that its records are what they were when they were written, as far
// as anybody vouches for them. It neither owns nor alters the folder, so it may run beside an
// engine. What is wrong is in the report; the error says that no verification could be made.
func Audit(ctx context.Context, dir string, opt AuditOptions) (*audit.Report, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	info, err := os.Stat(filepath.Join(dir, "journal.db"))
	if err != nil {
		return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no journal in " + dir, Why: err.Error(), Err: err}
	}
	if !info.Mode().IsRegular() { // opening a FIFO waits for ever
		return nil, &chargehand.Error{Code: chargehand.CodeInvalid, What: "there is no journal in " + dir, Why: "journal.db is no regular file"}
	}
	for range 3 { // again where somebody began to write meanwhile
		i := newInspection(ctx, dir, opt)
		again, err := i.run()
		if err != nil {
			return nil, err
		}
		if !again {
			return i.report, nil
		}
	}
	return nil, unusable(dir, errors.New("it changes too often to be verified"))
}

func newInspection(ctx context.Context, dir string, opt AuditOptions) *inspection {
	return &inspection{
		ctx: ctx, dir: dir, opt: opt, file: filepath.Join(dir, "journal.db"),
		report: &audit.Report{Folder: dir, Anchor: opt.Anchor}, known: map[string]bool{}, told: map[string]int{},
	}
}

// An inspection is one verification under way.
type inspection struct {
	ctx    context.Context
	dir    string
	opt    AuditOptions
	report *audit.Report

	file    string      // the journal
	still   os.FileInfo // of the file, taken to be at rest; nil: somebody may be writing
	db      *sql.DB
	tx      *sql.Conn // the snapshot that is verified
	journal string
	origin  string // of checkpoints, as the journal says
	key     string // likewise

	vouchers []*voucher

	mu    sync.Mutex      // over the report's findings, and these
	known map[string]bool // runs of which something is known to be wrong
	told  map[string]int  // findings, by check

	streams map[string]int64
	facts   []chargehand.Record // about the journal itself
}

// run makes every check. It is to be made again if somebody began to write to a folder that was
// taken to be at rest.
func (i *inspection) run() (again bool, err error) {
	if err := i.open(); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, i.close()) }()
	sound := make(chan []string, 1)
	go func() { sound <- i.sound() }()
	defer func() {
		if sound != nil {
			<-sound
		}
	}()
	i.readPlaces() // before the records: those may only be more
	if err := i.begin(); err != nil {
		return false, err
	}
	i.records()
	i.contentsAndTables()
	i.shape()
	i.soundness(<-sound)
	sound = nil
	i.keys()
	i.checkpoints()
	i.history()
	i.conclude()
	if err := i.ctx.Err(); err != nil {
		return false, context.Cause(i.ctx)
	}
	if i.still == nil {
		return false, nil
	}
	now := i.atRest()
	return now == nil || now.Size() != i.still.Size() || !now.ModTime().Equal(i.still.ModTime()), nil
}

// open opens the journal to be read. One that no process has left anything beside is opened as a
// file that does not change, so that not even SQLite's own files appear.
func (i *inspection) open() error {
	i.still = i.atRest()
	db, err := i.connect()
	if err != nil {
		return unusable(i.dir, err)
	}
	i.db = db
	return nil
}

func (i *inspection) connect() (*sql.DB, error) {
	q := url.Values{"mode": {"ro"}, "_pragma": {"query_only(on)", "busy_timeout(5000)"}}
	if i.still != nil {
		q.Set("immutable", "1")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: i.file}).EscapedPath()+"?"+q.Encode())
	if err == nil {
		db.SetMaxOpenConns(8)
	}
	return db, err
}

// atRest is the database's own file where everything is in it; nil where there is a log beside it.
func (i *inspection) atRest() os.FileInfo {
	if log, err := os.Stat(i.file + "-wal"); err == nil && log.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(i.file)
	if err != nil {
		return nil
	}
	return info
}

func (i *inspection) close() error {
	var err error
	if i.tx != nil {
		err = i.tx.Close()
	}
	return errors.Join(err, i.db.Close())
}

// begin takes the snapshot that is verified, and reads what the journal says of itself.
func (i *inspection) begin() error {
	var err error
	if i.tx, err = i.db.Conn(i.ctx); err != nil {
		return unusable(i.dir, err)
	}
	if _, err := i.tx.ExecContext(i.ctx, "begin"); err != nil {
		i.broken("it cannot be read", err)
		return nil
	}
	for key, to := range map[string]*string{"journal": &i.journal, "origin": &i.origin, "key": &i.key} {
		err := i.tx.QueryRowContext(i.ctx, `select value from meta where key = ?`, key).Scan(to)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			i.broken("it cannot be read", err)
			return nil
		}
	}
	var version int
	if err := i.tx.QueryRowContext(i.ctx, `select max(version_id) from goose_db_version`).Scan(&version); err != nil {
		i.broken("it cannot be read", err)
		return nil
	}
	if version < 1 { // every journal has been migrated once
		i.broken("it cannot be read", errors.New("the table goose_db_version does not say which version its schema has"))
		return nil
	}
	if newest, err := newestSchema(); err != nil || version != newest {
		return &chargehand.Error{
			Code: chargehand.CodeFormat, What: "the journal in " + i.dir + " cannot be verified",
			Why:  fmt.Sprintf("its schema is version %d, this program's is %d", version, newest),
			Next: "open it once with this program, or use the version of chargehand that wrote it",
		}
	}
	if i.journal == "" || i.key != "" && i.origin == "" {
		i.fail(audit.Finding{
			Kind: audit.KindDatabase, Check: checkDatabase, Leaf: -1,
			What: fmt.Sprintf("the table meta lacks the journal's name: journal is %q, origin is %q", i.journal, i.origin),
		})
	}
	if name := nameOf(i.journal); i.origin != "" && i.origin != name && !strings.HasPrefix(i.origin, name+"/") {
		i.fail(audit.Finding{
			Kind: audit.KindFork, Check: checkCheckpoints, Leaf: -1,
			What: fmt.Sprintf("the journal says that it is %s, and that its checkpoints are of %s", name, i.origin),
		})
	}
	i.report.Origin = i.origin
	return nil
}

// broken notes that the database cannot be read.
func (i *inspection) broken(what string, err error) {
	if i.ctx.Err() != nil {
		return
	}
	i.fail(audit.Finding{Kind: audit.KindDatabase, Check: checkDatabase, Leaf: -1, What: what + ": " + err.Error()})
}

// maxFindings is how many findings of one check are told; the rest are counted.
const maxFindings = 100

func (i *inspection) fail(f audit.Finding) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if f.Run != "" {
		i.known[f.Run] = true
	}
	if i.told[f.Check]++; i.told[f.Check] <= maxFindings {
		i.report.Fail(f)
	}
}

// The names of the checks.
const (
	checkDatabase    = "database"
	checkRecords     = "records"
	checkOrder       = "order"
	checkTiles       = "tiles"
	checkContents    = "contents"
	checkTables      = "tables"
	checkKeys        = "keys"
	checkCheckpoints = "checkpoints"
	checkHistory     = "history"
)

// sound is what SQLite itself finds wrong with the file.
func (i *inspection) sound() []string {
	out, err := column[string](i.db.QueryContext(i.ctx, `pragma integrity_check(20)`))
	if err != nil {
		return append(out, err.Error())
	}
	if slices.Equal(out, []string{"ok"}) {
		return nil
	}
	return out
}

func (i *inspection) soundness(wrong []string) {
	for _, w := range wrong {
		i.fail(audit.Finding{Kind: audit.KindDatabase, Check: checkDatabase, Leaf: -1, What: w})
	}
	i.report.Add(audit.Check{
		Name: checkDatabase, Status: audit.Passed, Proved: "the file is a valid SQLite database with the tables that the program declares",
		NotProved: "that nothing is missing at its end: SQLite reads a damaged write-ahead log as a shorter one; the checkpoints show that",
	})
}

// conclude puts the findings in order, and says what they come to.
func (i *inspection) conclude() {
	r := i.report
	slices.SortStableFunc(r.Findings, func(a, b audit.Finding) int {
		switch {
		case a.Leaf == b.Leaf:
			return 0
		case b.Leaf < 0 || a.Leaf >= 0 && a.Leaf < b.Leaf:
			return -1
		}
		return 1
	})
	for _, c := range r.Checks {
		if more := i.told[c.Name] - maxFindings; more > 0 {
			r.Fail(audit.Finding{Check: c.Name, Leaf: -1, What: fmt.Sprintf("and %d more", more)})
		}
	}
	if r.Verdict = audit.Intact; len(r.Findings) > 0 {
		r.Verdict = audit.Damaged
	}
}
