package local

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitsAreSynced asks SQLite itself: with anything less than FULL a commit in a WAL is not on
// disk when it returns.
//
//guard:full-sync
func TestCommitsAreSynced(t *testing.T) {
	s, err := openStore(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	var mode string
	var synchronous int
	if err := errors.Join(
		s.write.QueryRowContext(t.Context(), `pragma journal_mode`).Scan(&mode),
		s.write.QueryRowContext(t.Context(), `pragma synchronous`).Scan(&synchronous),
	); err != nil {
		t.Fatal(err)
	}
	if full := 2; mode != "wal" || synchronous < full {
		t.Errorf("the journal is kept in mode %s, synchronous %d", mode, synchronous)
	}
}

// scrap is a small database.
func scrap(t *testing.T) (*sql.DB, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scrap.db")
	db, err := open(file, 1)
	if err == nil {
		_, err = db.ExecContext(t.Context(), `create table x (y blob) strict; insert into x values (zeroblob(9000))`)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, file
}

// TestWhatEndsTheEngine tells errors after which nobody knows what is on disk from those that only
// say no.
func TestWhatEndsTheEngine(t *testing.T) {
	const write = `insert into x values (zeroblob(9000))`
	for name, test := range map[string]struct {
		fatal bool
		spoil func(t *testing.T) error
	}{
		"no space left": {false, func(t *testing.T) error {
			db, _ := scrap(t)
			_, err := db.ExecContext(t.Context(), `pragma max_page_count = 1; `+write)
			return err
		}},
		"not to be written to": {false, func(t *testing.T) error {
			db, _ := scrap(t)
			_, err := db.ExecContext(t.Context(), `pragma query_only = on; `+write)
			return err
		}},
		"pages that are none": {true, func(t *testing.T) error {
			db, file := scrap(t)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			body, err := os.ReadFile(file)
			if err == nil {
				copy(body[4096:], bytes.Repeat([]byte{0xff}, 4096))
				err = os.WriteFile(file, body, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			again, err := open(file, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = again.Close() })
			_, err = again.ExecContext(t.Context(), write)
			return err
		}},
		"another owner": {true, func(*testing.T) error { return errLostOwnership }},
	} {
		err := test.spoil(t)
		if err == nil || fatal(err) != test.fatal {
			t.Errorf("%s: %v is fatal: %v", name, err, fatal(err))
		}
	}
}
