package faults

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite"
)

// sound wants that SQLite finds nothing wrong with the journal in a folder.
func sound(dir string) (err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "journal.db")+"?_pragma=query_only(on)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var says string
	if err := db.QueryRow("pragma integrity_check").Scan(&says); err != nil {
		return err
	}
	if says != "ok" {
		return fmt.Errorf("the journal is not sound: %s", says)
	}
	return nil
}
