package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// openTree loads the edge of the tree over the records. A journal that has no name yet is new, or
// was written by a program without a tree: it is given one.
func (s *store) openTree(ctx context.Context) error {
	err := s.write.QueryRowContext(ctx, `select value from meta where key = 'journal'`).Scan(&s.journal)
	if errors.Is(err, sql.ErrNoRows) {
		return s.plant(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the journal's name: %w", err)
	}
	size, err := treeSize(ctx, s.write)
	if err != nil {
		return err
	}
	if s.tree, err = audit.LoadTree(size, tiles(ctx, s.write)); err != nil {
		return spoilt("the tree over the records cannot be loaded", err.Error())
	}
	return nil
}

// treeSize is how many leaves there are. The records and the tiles must say the same.
func treeSize(ctx context.Context, db querier) (int64, error) {
	var records, hashes int64
	if err := db.QueryRowContext(ctx, `select
		coalesce((select id + last - first + 1 from segment order by id desc limit 1), 0),
		coalesce((select at + length(hashes) / 32 from tile where level = 0 order by at desc limit 1), 0)`).Scan(&records, &hashes); err != nil {
		return 0, fmt.Errorf("count the journal's leaves, in the last rows of the tables segment and tile: %w", err)
	}
	if records != hashes || records < 0 {
		return 0, spoilt("records of the journal are missing", fmt.Sprintf("%d are there, and the hashes of %d", records, hashes))
	}
	return records, nil
}

// plant names the journal, and makes the tree of the records that are there.
func (s *store) plant(ctx context.Context) (err error) {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("make the journal's tree: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make the journal's tree: %w", err), rollback(tx))
		}
	}()
	if s.tree, err = grown(ctx, tx); err != nil {
		return err
	}
	s.journal = strings.ToLower(rand.Text()[:16])
	if _, err := tx.ExecContext(ctx, `insert into meta (key, value) values ('journal', ?)`, s.journal); err != nil {
		return err
	}
	return tx.Commit()
}

// grown is the tree of all records there are; its tiles are written.
func grown(ctx context.Context, tx *sql.Tx) (audit.Tree, error) {
	var tree audit.Tree
	put, err := tx.PrepareContext(ctx, insertTile)
	if err != nil {
		return tree, err
	}
	for {
		leaves, err := leavesFrom(ctx, tx, tree.Size())
		if err != nil || len(leaves) == 0 {
			return tree, errors.Join(err, put.Close())
		}
		for _, p := range tree.Grow(leaves) {
			if _, err := put.ExecContext(ctx, p.Level, p.At, p.Hashes); err != nil {
				return tree, err
			}
		}
	}
}

// leavesFrom are the leaves of the next segments, at most so many.
func leavesFrom(ctx context.Context, tx *sql.Tx, from int64) ([]audit.Hash, error) {
	rows, err := tx.QueryContext(ctx, `select packed, body from segment where id >= ? order by id limit 100`, from)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var leaves []audit.Hash
	for rows.Next() {
		var packed bool
		var body []byte
		if err := rows.Scan(&packed, &body); err != nil {
			return nil, err
		}
		if body, err = unsqueeze(body, packed); err != nil {
			return nil, err
		}
		for line := range lines(body) {
			leaves = append(leaves, audit.Leaf(line))
		}
	}
	return leaves, rows.Err()
}

const insertTile = `insert into tile (level, at, hashes) values (?, ?, ?)`

// A querier is a database, a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// tiles reads the tree's tiles.
func tiles(ctx context.Context, db querier) audit.Tiles {
	return func(level int, n int64) ([]byte, error) {
		parts, err := column[[]byte](db.QueryContext(ctx, `select hashes from tile where level = ? and at >= ? and at < ? order by at`,
			level, n*audit.Width, (n+1)*audit.Width))
		if err != nil {
			return nil, fmt.Errorf("read tile %d of level %d: %w", n, level, err)
		}
		return bytes.Join(parts, nil), nil
	}
}

const auditNext = "chargehand audit verify says more; restore the data folder from a copy"

// spoilt is the error for a journal that is not what was written.
func spoilt(what, why string) error {
	return &chargehand.Error{
		Code: chargehand.CodeAudit, What: what, Why: why,
		Next: auditNext,
	}
}
