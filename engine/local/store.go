package local

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/journal"
)

//go:embed schema/*.sql
var schema embed.FS

// store is the journal on disk: one SQLite file with one writer, and a folder for large content.
// The turn loop alone writes; anyone may read.
type store struct {
	dir   string
	write *sql.DB // one connection
	read  *sql.DB
	boot  int64 // of the process that owns the file; a write under an older one is refused
	stmt  statements
	shelf shelf
	open  openPacks

	journal string     // the journal's name, for good
	tree    audit.Tree // over all records; the turn loop's
	full    fullTiles
}

// openStore opens the journal in a folder that this process has locked.
func openStore(ctx context.Context, dir string) (*store, error) {
	s := &store{dir: dir}
	if err := os.MkdirAll(filepath.Join(dir, "blobs"), 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	file := filepath.Join(dir, "journal.db")
	var err error
	if s.write, err = open(file, 1); err != nil {
		return nil, unusable(dir, err)
	}
	if s.read, err = open(file, 4); err != nil {
		return nil, errors.Join(unusable(dir, err), s.write.Close())
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(unopened(dir, err), s.close())
	}
	return s, nil
}

func open(file string, conns int, pragmas ...string) (*sql.DB, error) {
	//guard:full-sync off=pragmas = append(pragmas, "journal_mode(wal)", "synchronous(normal)", "busy_timeout(5000)", "foreign_keys(on)")
	pragmas = append(pragmas,
		"journal_mode(wal)", "synchronous(full)", "busy_timeout(5000)",
		"foreign_keys(on)", "wal_autocheckpoint(4000)",
	)
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// prepare brings the schema up to date and takes the next boot number.
func (s *store) prepare(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := s.takeOver(ctx); err != nil {
		return err
	}
	if err := s.openTree(ctx); err != nil {
		return err
	}
	if err := s.stmt.prepare(ctx, s.write); err != nil {
		return err
	}
	return s.relist(ctx)
}

func (s *store) migrate(ctx context.Context) error {
	if s.upToDate(ctx, s.write) == nil {
		return nil
	}
	files, err := fs.Sub(schema, "schema")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.write, files)
	if err != nil {
		return fmt.Errorf("read the journal's migrations: %w", err)
	}
	have, want, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read the journal's version: %w", err)
	case have > want:
		return journal.NewerFormat("the journal in "+s.dir, int(have))
	case have == want:
		return nil
	}
	if _, err = p.Up(ctx); err != nil {
		return fmt.Errorf("bring the journal's schema up to date: %w", err)
	}
	return nil
}

func (s *store) takeOver(ctx context.Context) error {
	row := s.write.QueryRowContext(ctx, `insert into meta (key, value) values ('boot', '1')
		on conflict (key) do update set value = cast(value as integer) + 1 returning value`)
	var v string
	if err := row.Scan(&v); err != nil {
		return fmt.Errorf("take the journal over: %w", err)
	}
	var err error
	if s.boot, err = strconv.ParseInt(v, 10, 64); err != nil {
		return spoilt("how often the journal was opened, boot in the table meta, cannot be read", err.Error())
	}
	return nil
}

func (s *store) close() error {
	return errors.Join(s.stmt.close(), s.read.Close(), s.write.Close())
}

// unusable says why a data folder cannot be worked with, and what to do.
func unusable(dir string, err error) error {
	if _, ok := errors.AsType[*chargehand.Error](err); ok {
		return err
	}
	e := &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the data folder " + dir + " cannot be used",
		Why: err.Error(), Err: err, Next: "choose another with --data, or correct its permissions",
	}
	if full(err) {
		e.Code, e.Next = chargehand.CodeFull, "free some space, or choose another folder with --data"
	}
	return e
}

// unopened is unusable for what went wrong while a journal was opened: it may be damaged.
func unopened(dir string, err error) error {
	err = unusable(dir, err)
	if e, ok := errors.AsType[*chargehand.Error](err); ok && e.Code == chargehand.CodeUnavailable && damaged(e.Err) {
		e.Code, e.Next = chargehand.CodeAudit, auditNext
	}
	return err
}

// damaged reports whether the database answered that it is none of this program's: a table or a column
// is missing, or a value is of another type than its column's.
func damaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err != nil && strings.Contains(err.Error(), "sql: Scan error") // database/sql has no type for it
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH,
		sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_TOOBIG:
		return true
	}
	return false
}

// full reports whether there was no space to write to. SQLite's index of the WAL that cannot grow
// is such a case.
func full(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_FULL || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE) || errors.Is(err, errNoSpace)
}

// fatal reports whether what is on disk can no longer be known: the process must stop, and another
// start from what is there.
func fatal(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok || full(err) {
		return errors.Is(err, errLostOwnership)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}

var errLostOwnership = errors.New("another process has taken the journal over")
