package local

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// InMemory is how many runs the turn loop holds.
func (e *Engine) InMemory(ctx context.Context) (n int, err error) {
	err = e.ask(ctx, envelope{look: func() { n = e.loop.Len() }})
	return n, err
}

// StepClock has the wall clock be d ahead of the engine's time.
func (e *Engine) StepClock(ctx context.Context, d time.Duration) error {
	return e.ask(ctx, envelope{look: func() { e.clock.asleep += d }})
}

// FleetRecords are the records of what all runs share, since they were last drawn together.
func (e *Engine) FleetRecords(ctx context.Context) ([]chargehand.Record, error) {
	return e.store.records(ctx, chargehand.FleetStream, 0)
}

// MaxUncovered is how many records may go uncovered while checkpoints fail.
const MaxUncovered = maxUncovered

// BreakWrites makes every commit fail with err until it is called with nil.
func (e *Engine) BreakWrites(ctx context.Context, broken bool) error {
	pragma := "pragma query_only = off"
	if broken {
		pragma = "pragma query_only = on"
	}
	_, err := e.store.write.ExecContext(ctx, pragma)
	return err
}

// HoldWrites keeps commits waiting until what it returns is called, which says how many of them fail
// then.
func (e *Engine) HoldWrites(ctx context.Context) (release func(fail int64) error, err error) {
	conn, err := e.store.write.Conn(ctx)
	return func(fail int64) error {
		failing.Store(fail)
		_, err := conn.ExecContext(ctx, "create temp trigger fail before insert on main.segment begin select fails(); end")
		return errors.Join(err, conn.Close())
	}, err
}

// failing is how many more times the SQL function fails fails.
var failing atomic.Int64

func init() {
	sqlite.MustRegisterScalarFunction("fails", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		if failing.Add(-1) >= 0 {
			return nil, errors.New("it is to fail")
		}
		return int64(0), nil
	})
}

// Pause has a run paused, and answers what its caller is told.
func (e *Engine) Pause(run string) <-chan error {
	told := make(chan error, 1)
	e.inbox.put(envelope{
		Event: turn.Event{Run: run, Input: supervise.Operate{Control: chargehand.Control{Verb: chargehand.Pause, By: "olu"}}},
		reply: func(a answer) { told <- a.err },
	})
	return told
}

// Look has the turn loop show the fleet when it next takes what came in.
func (e *Engine) Look(f func([]chargehand.WorkerStatus)) {
	e.inbox.put(envelope{look: func() { f(e.loop.Fleet().Status()) }, reply: func(answer) {}})
}

// Owed is how many hands have not reported yet.
func (e *Engine) Owed() int { return int(e.hands.owed.Load()) }

// Taken reports whether the turn loop has taken all that came in.
func (e *Engine) Taken() bool { return e.inbox.len() == 0 }

// Forge changes what the journal keeps beside the records.
func (e *Engine) Forge(ctx context.Context, sql string) error {
	_, err := e.store.write.ExecContext(ctx, sql)
	return err
}

// Multiply copies a run into as many of other names, with everything that is kept of it, and
// closes the journal. It returns how many records there are then.
func Multiply(ctx context.Context, dir, run string, times int) (n int64, err error) {
	s, err := openStore(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	records, err := s.records(ctx, run, 0)
	if err != nil {
		return 0, err
	}
	digest := records[0].Fact.(chargehand.RunStarted).TeamDigest
	ks := &kits{}
	ks.init(s, nil)
	k, err := ks.load(ctx, digest)
	if err != nil {
		return 0, err
	}
	for i := range times {
		id := fmt.Sprintf("run_copy%06d", i)
		for j := range records {
			records[j].Run = id
		}
		m := supervise.Restore(id, k.team, records)
		for from := 0; from < len(records); from += 100 {
			c := commit{records: records[from:min(from+100, len(records))]}
			c.lines = []line{{Row: turn.Row{Summary: m.Summary(), Active: !m.Idle(), Wake: m.Wake()}}}
			if from == 0 {
				c.lines[0].team = digest
			}
			if err := s.append(ctx, c); err != nil {
				return 0, err
			}
		}
	}
	return s.tree.Size(), nil
}

// ForgeRecord changes a record of a run where it is stored, and nothing else.
func ForgeRecord(ctx context.Context, e *Engine, run string, seq int64, from, to string) error {
	return forge(ctx, e.store.write, run, seq, from, to)
}

func forge(ctx context.Context, db *sql.DB, run string, seq int64, from, to string) error {
	var id, first int64
	var packed bool
	var body []byte
	err := db.QueryRowContext(ctx, `select id, first, packed, body from segment where run = ? and first <= ? and last >= ?`, run, seq, seq).
		Scan(&id, &first, &packed, &body)
	if err == nil {
		body, err = unsqueeze(body, packed)
	}
	if err != nil {
		return err
	}
	var out []byte
	n := first
	for line := range lines(body) {
		if n == seq {
			if !bytes.Contains(line, []byte(from)) {
				return fmt.Errorf("%s is not in %s", from, line)
			}
			line = bytes.Replace(line, []byte(from), []byte(to), 1)
		}
		out = append(append(out, line...), '\n')
		n++
	}
	body, packed = squeeze(out)
	_, err = db.ExecContext(ctx, `update segment set packed = ?, body = ? where id = ?`, packed, body, id)
	return err
}

// ForgeFile changes a journal that nobody has open.
func ForgeFile(ctx context.Context, dir string, statements ...string) error {
	db, err := open(filepath.Join(dir, "journal.db"), 1)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", s, err), db.Close())
		}
	}
	return db.Close()
}

// ForgeFileRecord changes a record in a journal that nobody has open. With the hashes its leaf is
// changed to fit as well.
func ForgeFileRecord(ctx context.Context, dir, run string, seq int64, from, to string) error {
	db, err := open(filepath.Join(dir, "journal.db"), 1)
	if err != nil {
		return err
	}
	return errors.Join(forge(ctx, db, run, seq, from, to), db.Close())
}

// Replant makes every hash of a journal anew, from the records as they are.
func Replant(ctx context.Context, dir string) error {
	db, err := open(filepath.Join(dir, "journal.db"), 1)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `delete from tile`); err != nil {
		return err
	}
	if _, err := grown(ctx, tx); err != nil {
		return err
	}
	return errors.Join(tx.Commit(), db.Close())
}

// Listeners is how many follow the texts of a run.
func (e *Engine) Listeners(run string) int {
	e.hands.tokens.mu.Lock()
	defer e.hands.tokens.mu.Unlock()
	return len(e.hands.tokens.listeners[run])
}

// Restored folds records of a run of an empty team.
func Restored(run string, records []chargehand.Record) error {
	_, err := restored(run, &chargehand.Team{}, records)
	return err
}
