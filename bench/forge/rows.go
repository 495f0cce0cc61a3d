package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/klauspost/compress/s2"
)

// allRows is a hash over all rows of all tables of a journal, the schema included, as SQLite reads
// them. Of packs it takes the pieces that content is read from: the rest of a pack nobody reads, and
// there is more than one way to squeeze the same bytes.
func allRows(dir string) (string, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "journal.db"))
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	tables, err := names(db, `select name from sqlite_schema where type = 'table' order by name`)
	if err == nil && len(tables) != len(contents)-1+len(apart) {
		err = fmt.Errorf("there are tables that nobody compares: %v", tables)
	}
	for _, query := range contents {
		if err == nil {
			err = dump(db, query, sum.Write)
		}
	}
	if err == nil {
		err = pieces(db, sum.Write)
	}
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, db.Close())
}

// pieces writes all content that is in packs, by its hash.
func pieces(db *sql.DB, write func([]byte) (int, error)) error {
	rows, err := db.Query(`select hash, c.size, at, packed, body from content c join pack p on p.id = c.pack order by hash`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var hash, body []byte
		var size, at int
		var packed bool
		if err := rows.Scan(&hash, &size, &at, &packed, &body); err != nil {
			return err
		}
		if packed {
			if body, err = s2.Decode(nil, body); err != nil {
				return err
			}
		}
		if at+size > len(body) {
			return errors.New("a piece is beyond its pack")
		}
		if _, err := write(fmt.Appendf(nil, "%x=%x;", hash, body[at:at+size])); err != nil {
			return err
		}
	}
	return rows.Err()
}

func names(db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// contents are queries of all tables, whole, in the order of their keys. Apart are packs, which pieces
// reads, and bookkeeping that says nothing of runs: how often the journal was opened, and when its
// schema was migrated.
var (
	contents = []string{
		`select * from segment not indexed`, `select * from tile`, `select * from content`, `select * from run not indexed`,
		`select * from review not indexed`, `select * from meta where key <> 'boot'`, `select * from sqlite_schema where tbl_name not in ('goose_db_version', 'sqlite_sequence')`,
	}
	apart = []string{"pack", "goose_db_version", "sqlite_sequence"}
)

// dump writes the rows of a query.
func dump(db *sql.DB, query string, write func([]byte) (int, error)) error {
	rows, err := db.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		for i, v := range values {
			if columns[i] == "rootpage" {
				continue // where a table begins in the file is no content
			}
			if _, err := write(fmt.Appendf(nil, "%s %s=%#v;", query, columns[i], v)); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}
