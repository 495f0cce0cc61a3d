package faults

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
)

// TestNewerFormat opens a journal that a newer program has migrated: whatever way it is asked for,
// it is refused with the reason, and not a byte of the folder changes.
func TestNewerFormat(t *testing.T) {
	s := tidy(t)
	opt := reference.Options(s.data(), s.world)
	paused(t, opt)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data(), journalFile)+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("insert into goose_db_version (version_id, is_applied) values (99, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := contents(t, s.data())
	_, err = local.Open(t.Context(), opt)
	wantCode(t, "an engine", err, chargehand.CodeFormat)
	_, err = local.LookAt(t.Context(), s.data())
	wantCode(t, "a reader", err, chargehand.CodeFormat)
	_, err = local.Audit(t.Context(), s.data(), local.AuditOptions{})
	wantCode(t, "a verification", err, chargehand.CodeFormat)
	if diff := cmp.Diff(before, contents(t, s.data())); diff != "" {
		t.Errorf("the folder is not as it was: %s", diff)
	}
	run(t, s.data(), "runs", "list").want(t, 10, "99")
}

// contents are the hashes of all files of a data folder, but for the lock's hint for people.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "journal.lock" {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = chargehand.Hash(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
