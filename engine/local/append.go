package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/journal"
)

// A commit is what one turn makes durable, all of it or nothing.
type commit struct {
	records []chargehand.Record
	blobs   []blob
	lines   []line
}

// A line is a run's row in the list.
type line struct {
	summary chargehand.RunSummary
	active  bool
	wake    time.Time
	team    string
	key     string
}

type statements struct {
	segment, blob, run, openReview, closeReview, boot *sql.Stmt
}

func (st *statements) prepare(ctx context.Context, db *sql.DB) error {
	for _, s := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&st.segment, `insert into segment (run, first, last, base, body) values (?, ?, ?, ?, ?)`},
		{&st.blob, `insert or ignore into blob (hash, size, body) values (?, ?, ?)`},
		{&st.run, `insert into run (id, started, state, active, wake, waiting, team, starter, tenant, key, summary)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do update set state = excluded.state,
			active = excluded.active, wake = excluded.wake, waiting = excluded.waiting, summary = excluded.summary`},
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
	for _, s := range []*sql.Stmt{st.segment, st.blob, st.run, st.openReview, st.closeReview, st.boot} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// append makes a commit durable. After an error nothing of it is.
func (s *store) append(ctx context.Context, c commit) (err error) {
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
	w := writer{ctx, tx, &s.stmt}
	if err := w.blobs(c.blobs); err != nil {
		return err
	}
	if err := w.records(c.records); err != nil {
		return err
	}
	if err := w.lines(c.lines); err != nil {
		return err
	}
	return tx.Commit()
}

func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// writer is one transaction.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
	st  *statements
}

func (w *writer) exec(s *sql.Stmt, args ...any) error {
	_, err := w.tx.StmtContext(w.ctx, s).ExecContext(w.ctx, args...)
	return err
}

func (w *writer) blobs(blobs []blob) error {
	for _, b := range blobs {
		body := any(b.body)
		if b.file {
			body = nil
		}
		if err := w.exec(w.st.blob, b.hash, len(b.body), body); err != nil {
			return err
		}
	}
	return nil
}

// records writes each stream's records as one segment, in the order the streams first appear.
func (w *writer) records(records []chargehand.Record) error {
	type segment struct {
		run         string
		first, last int64
		base        bool
		body        []byte
	}
	var order []*segment
	open := map[string]*segment{}
	for _, r := range records {
		base, _ := r.Fact.(chargehand.FleetRebased)
		rebased := base.Part == 1
		s := open[r.Run]
		if s == nil || rebased {
			s = &segment{run: r.Run, first: r.Seq, base: rebased}
			open[r.Run] = s
			order = append(order, s)
		}
		body, err := journal.AppendRecord(s.body, r)
		if err != nil {
			return err
		}
		s.last, s.body = r.Seq, append(body, '\n')
		if err := w.review(r); err != nil {
			return err
		}
	}
	for _, s := range order {
		if err := w.exec(w.st.segment, s.run, s.first, s.last, s.base, s.body); err != nil {
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
		body, err := json.Marshal(l.summary)
		if err != nil {
			return err
		}
		var wake, key any
		if !l.wake.IsZero() {
			wake = l.wake.UnixMicro()
		}
		if l.key != "" {
			key = l.key
		}
		s := l.summary
		if err := w.exec(w.st.run, s.RunID, s.StartedAt.UnixMicro(), string(s.State), l.active, wake, s.NeedsHuman,
			l.team, s.StartedBy, s.Tenant, key, body); err != nil {
			return err
		}
	}
	return nil
}
