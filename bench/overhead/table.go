package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"sync"

	_ "modernc.org/sqlite"
)

// table is the log of the durable floor: every change is a row in SQLite, synced to disk. What
// comes in while one transaction is being made goes into the next together.
type table struct {
	db     *sql.DB
	insert *sql.Stmt

	mu      sync.Mutex
	pending []entry
	made    int64
	wake    chan struct{} // has an element when something may be pending
	done    chan struct{} // closed when the writer has ended
}

type entry struct {
	change
	kept chan<- error
}

func newTable(ctx context.Context, dir string) (*table, error) {
	q := url.Values{"_pragma": {"journal_mode(wal)", "synchronous(full)", "wal_autocheckpoint(4000)"}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "floor.db")+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the floor's table: %w", err)
	}
	db.SetMaxOpenConns(1)
	t := &table{db: db, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if _, err := db.ExecContext(ctx, `create table change (seq integer primary key, run integer not null, kind text not null,
		task text not null, attempt integer not null, body blob) strict`); err != nil {
		return nil, errors.Join(fmt.Errorf("make the floor's table: %w", err), db.Close())
	}
	t.insert, err = db.PrepareContext(ctx, `insert into change (run, kind, task, attempt, body) values (?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the floor's table: %w", err), db.Close())
	}
	go t.write()
	return t, nil
}

func (t *table) keep(ctx context.Context, c change) error {
	kept := make(chan error, 1)
	t.mu.Lock()
	t.pending = append(t.pending, entry{c, kept})
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
	select {
	case err := <-kept:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write commits what is pending until wake is closed.
func (t *table) write() {
	defer close(t.done)
	for range t.wake {
		t.gather()
		t.mu.Lock()
		batch := t.pending
		t.pending = nil
		t.mu.Unlock()
		if len(batch) == 0 {
			continue
		}
		err := t.commit(batch)
		t.mu.Lock()
		t.made++
		t.mu.Unlock()
		for _, e := range batch {
			e.kept <- err
		}
	}
}

// gather lets whoever is ready to add something do so, until nobody is.
func (t *table) gather() {
	for n := 0; ; {
		runtime.Gosched()
		t.mu.Lock()
		have := len(t.pending)
		t.mu.Unlock()
		if have == n {
			return
		}
		n = have
	}
}

func (t *table) commit(batch []entry) error {
	tx, err := t.db.Begin()
	if err != nil {
		return err
	}
	insert := tx.Stmt(t.insert)
	for _, e := range batch {
		if _, err := insert.Exec(e.run, e.kind, e.task, e.attempt, e.body); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func (t *table) commits() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.made
}

func (t *table) close() error {
	close(t.wake)
	<-t.done
	return errors.Join(t.insert.Close(), t.db.Close())
}
