package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/internal/journal"
	"github.com/chargehand/chargehand/internal/turn"
)

// A commit is what a flight makes durable, all of it or nothing.
type commit struct {
	records []chargehand.Record
	blobs   []blob
	lines   []line
	meta    map[string]string // of the journal itself
}

// A line is a run's row in the list.
type line struct {
	turn.Row
	team string // of a run that is new; else empty
	key  string
}

type statements struct {
	segment, tile, pack, has, place, places, openRun, run, openReview, closeReview, boot *sql.Stmt
}

func (st *statements) prepare(ctx context.Context, db *sql.DB) error {
	for _, s := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&st.segment, `insert into segment (id, run, first, last, base, packed, body) values (?, ?, ?, ?, ?, ?, ?)`},
		{&st.tile, insertTile},
		{&st.pack, `insert into pack (packed, body) values (?, ?)`},
		{&st.has, `select 1 from content where hash = ?`},
		{&st.place, insertPlaces},
		{&st.places, insertManyPlaces()},
		{&st.openRun, `insert into run (state, active, wake, waiting, summary, id, started, team, starter, tenant, key)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&st.run, `update run set state = ?, active = ?, wake = ?, waiting = ?, summary = ? where id = ?`},
		{&st.openReview, `insert into review (id, run, deadline, open, body) values (?, ?, ?, 1, ?)`},
		{&st.closeReview, `update review set open = 0 where id = ?`},
		{&st.boot, `select 1 from meta where key = 'boot' and value = ?`},
	} {
		var err error
		if *s.to, err = db.PrepareContext(ctx, s.sql); err != nil {
			return fmt.Errorf("prepare the journal's statements: %w", err)
		}
	}
	return nil
}

func (st *statements) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{st.segment, st.tile, st.pack, st.has, st.place, st.places, st.openRun, st.run, st.openReview, st.closeReview, st.boot} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// append makes a commit durable. After an error nothing of it is. Once begun it is not cut short:
// to watch a context, SQLite's driver starts a goroutine for each statement.
func (s *store) append(ctx context.Context, c commit) (err error) {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	segs := segments(c.records)
	var enc encoding
	enc.begin(segs)
	defer enc.Wait()
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("append to journal: %w", err), rollback(tx))
		}
	}()
	var owned int
	if err := tx.StmtContext(ctx, s.stmt.boot).QueryRowContext(ctx, fmt.Sprint(s.boot)).Scan(&owned); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return errLostOwnership
		}
		return err
	}
	w := writer{ctx: ctx, tx: tx, st: &s.stmt, tree: s.tree}
	fresh, err := w.fresh(c.blobs, &s.shelf)
	if err != nil {
		return err
	}
	if err := w.contents(fresh); err != nil {
		return err
	}
	if err := enc.end(); err != nil {
		return err
	}
	if err := w.records(segs); err != nil {
		return err
	}
	if err := w.lines(c.lines); err != nil {
		return err
	}
	if err := w.meta(c.meta); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.tree = w.tree
	for _, b := range fresh {
		if !b.cold {
			s.shelf.put(b)
		}
	}
	return nil
}

func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// writer is one transaction.
type writer struct {
	ctx  context.Context
	tx   *sql.Tx
	st   *statements
	tree audit.Tree // as it is after the commit
}

func (w *writer) exec(s *sql.Stmt, args ...any) error {
	_, err := w.tx.StmtContext(w.ctx, s).ExecContext(w.ctx, args...)
	return err
}

// A segment is one stream's records of one commit.
type segment struct {
	run         string
	first, last int64
	base        bool
	records     []chargehand.Record

	body   []byte // as stored
	packed bool
	leaves []audit.Hash
}

// segments are the records by stream, in the order in which the streams first appear.
func segments(records []chargehand.Record) []*segment {
	var order []*segment
	open := map[string]*segment{}
	for _, r := range records {
		s := open[r.Run]
		if s == nil || isBase(r) {
			s = &segment{run: r.Run, first: r.Seq, base: isBase(r)}
			open[r.Run] = s
			order = append(order, s)
		}
		s.last, s.records = r.Seq, append(s.records, r)
	}
	return order
}

// encode writes the segment's lines, hashes each, and packs them.
func (s *segment) encode() error {
	const usual = 320 // bytes of a line
	lines := make([]byte, 0, usual*len(s.records))
	s.leaves = make([]audit.Hash, 0, len(s.records))
	for _, r := range s.records {
		start := len(lines)
		var err error
		if lines, err = journal.AppendRecord(lines, r); err != nil {
			return err
		}
		s.leaves = append(s.leaves, audit.Leaf(lines[start:]))
		lines = append(lines, '\n')
	}
	s.body, s.packed = squeeze(lines)
	return nil
}

// An encoding is segments being encoded, beside what else a commit does.
type encoding struct {
	sync.WaitGroup
	errs []error
}

func (e *encoding) begin(segments []*segment) {
	e.errs = make([]error, len(segments))
	for i, s := range segments {
		e.Go(func() { e.errs[i] = s.encode() })
	}
}

func (e *encoding) end() error {
	e.Wait()
	return errors.Join(e.errs...)
}

// records writes segments that have been encoded, and adds their leaves to the tree.
func (w *writer) records(segments []*segment) error {
	leaf := w.tree.Size()
	var leaves []audit.Hash
	for _, s := range segments {
		if err := w.exec(w.st.segment, leaf, s.run, s.first, s.last, s.base, s.packed, s.body); err != nil {
			return err
		}
		leaf += int64(len(s.leaves))
		leaves = append(leaves, s.leaves...)
		for _, r := range s.records {
			if err := w.review(r); err != nil {
				return err
			}
		}
	}
	return w.grow(leaves)
}

// grow adds the records' leaves to the tree.
func (w *writer) grow(leaves []audit.Hash) error {
	for _, p := range w.tree.Grow(leaves) {
		if err := w.exec(w.st.tile, p.Level, p.At, p.Hashes); err != nil {
			return err
		}
	}
	return nil
}

// review keeps the list of reviews.
func (w *writer) review(r chargehand.Record) error {
	switch f := r.Fact.(type) {
	case chargehand.ReviewOpened:
		body, err := json.Marshal(f.Review)
		if err != nil {
			return err
		}
		return w.exec(w.st.openReview, f.Review.ID, r.Run, f.Review.Deadline.UnixMicro(), body)
	case chargehand.ReviewDecided:
		return w.exec(w.st.closeReview, f.Decision.ReviewID)
	}
	return nil
}

func (w *writer) lines(lines []line) error {
	for _, l := range lines {
		body, err := json.Marshal(l.Summary)
		if err != nil {
			return err
		}
		s := l.Summary
		args := []any{string(s.State), l.Active, sql.NullInt64{Int64: l.Wake.UnixMicro(), Valid: !l.Wake.IsZero()}, s.NeedsHuman, body, s.RunID}
		stmt := w.st.run
		if l.team != "" {
			stmt = w.st.openRun
			args = append(args, s.StartedAt.UnixMicro(), l.team, s.StartedBy, s.Tenant, sql.NullString{String: l.key, Valid: l.key != ""})
		}
		if err := w.exec(stmt, args...); err != nil {
			return err
		}
	}
	return nil
}
