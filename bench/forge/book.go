package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/klauspost/compress/s2"

	"github.com/chargehand/chargehand/internal/audit"
)

// A book is the journal as a forger writes it, past the engine: segments in the order of their
// leaves.
type book struct {
	db       *sql.DB
	segments []segment
}

type segment struct {
	run   string
	first int64
	base  int64
	lines [][]byte
}

func openBook(dir string) (*book, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "journal.db")+"?_pragma=synchronous(off)&_pragma=journal_mode(wal)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	b := &book{db: db}
	if err := b.read(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return b, nil
}

func (b *book) read() error {
	rows, err := b.db.Query(`select run, first, base, packed, body from segment order by id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var s segment
		var packed bool
		var body []byte
		if err := rows.Scan(&s.run, &s.first, &s.base, &packed, &body); err != nil {
			return err
		}
		if packed {
			if body, err = s2.Decode(nil, body); err != nil {
				return err
			}
		}
		for line := range bytes.Lines(body) {
			s.lines = append(s.lines, bytes.TrimSuffix(line, []byte("\n")))
		}
		b.segments = append(b.segments, s)
	}
	return rows.Err()
}

// leaf is the leaf of a segment's first line.
func (b *book) leaf(segment int) int64 {
	n := int64(0)
	for _, s := range b.segments[:segment] {
		n += int64(len(s.lines))
	}
	return n
}

// save writes the segments back. A careful forger numbers the leaves anew and makes the tiles fit;
// a careless one leaves the numbers and the tiles as they were.
func (b *book) save(careful bool) error {
	tx, err := b.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after the commit it has nothing to do
	var ids []int64
	if ids, err = b.ids(tx); err != nil {
		return err
	}
	if _, err := tx.Exec(`delete from segment`); err != nil {
		return err
	}
	leaf, tree := int64(0), audit.Tree{}
	if careful {
		if _, err := tx.Exec(`delete from tile`); err != nil {
			return err
		}
	}
	for n, s := range b.segments {
		id := leaf
		if !careful && n < len(ids) {
			id = ids[n]
		}
		if len(s.lines) == 0 {
			continue
		}
		body := append(bytes.Join(s.lines, []byte("\n")), '\n')
		if _, err := tx.Exec(`insert or replace into segment (id, run, first, last, base, packed, body) values (?, ?, ?, ?, ?, 0, ?)`,
			id, s.run, s.first, s.first+int64(len(s.lines))-1, s.base, body); err != nil {
			return fmt.Errorf("write a segment: %w", err)
		}
		leaf += int64(len(s.lines))
		if !careful {
			continue
		}
		if err := grow(tx, &tree, s.lines); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (b *book) ids(tx *sql.Tx) ([]int64, error) {
	rows, err := tx.Query(`select id from segment order by id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

func grow(tx *sql.Tx, tree *audit.Tree, lines [][]byte) error {
	var leaves []audit.Hash
	for _, l := range lines {
		leaves = append(leaves, audit.Leaf(l))
	}
	for _, p := range tree.Grow(leaves) {
		if _, err := tx.Exec(`insert into tile (level, at, hashes) values (?, ?, ?)`, p.Level, p.At, p.Hashes); err != nil {
			return fmt.Errorf("write a tile: %w", err)
		}
	}
	return nil
}

// tree is that of all lines.
func (b *book) tree() audit.Tree {
	var t audit.Tree
	for _, s := range b.segments {
		for _, l := range s.lines {
			t.Grow([]audit.Hash{audit.Leaf(l)})
		}
	}
	return t
}

func (b *book) close() error { return b.db.Close() }
