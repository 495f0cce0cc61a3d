package local

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// Fork begins a new run from a record of another, and returns its id. The parent's records come
// into the journal a second time, under the new run's name, together with the first of its own.
func (e *Engine) Fork(ctx context.Context, run string, f chargehand.Fork) (string, error) {
	id, err := e.store.find(ctx, "run", run)
	if err != nil {
		return "", err
	}
	records, err := e.store.records(ctx, id, 0)
	if err != nil {
		return "", err
	}
	if records, err = supervise.Cut(records, f.Seq); err != nil {
		return "", err
	}
	p := chargehand.Parent{Run: id, Seq: int64(len(records))}
	if p.Hash, err = e.store.leaf(ctx, id, p.Seq); err != nil {
		return "", err
	}
	fork := newRunID()
	o, err := e.branch(ctx, supervise.Branch(records, fork, rand.Text(), p))
	if err != nil {
		return "", err
	}
	e.inbox.put(envelope{Event: turn.Event{Fleet: turn.Register(o.team)}})
	ev := envelope{Event: turn.Event{Run: fork, Input: supervise.Fork{Parent: p, By: f.By}}, begin: o}
	if err := e.ask(ctx, ev); err != nil {
		return "", err
	}
	return fork, nil
}

// branch is the opening of a run that begins with records.
func (e *Engine) branch(ctx context.Context, records []chargehand.Record) (*opening, error) {
	began, ok := records[0].Fact.(chargehand.RunStarted)
	if !ok {
		return nil, errors.New("the run's first record does not start it")
	}
	k, err := e.kits.load(ctx, began.TeamDigest)
	if err != nil {
		return nil, err
	}
	if problems := drifted(k); len(problems) > 0 {
		return nil, &chargehand.Error{Code: chargehand.CodeDrift, What: "the run cannot be forked", Problems: problems}
	}
	m, err := restored(records[0].Run, k.team, records)
	if err != nil {
		return nil, err
	}
	o := &opening{
		team: k.team, digest: k.digest, tenant: began.Tenant, budget: began.Budget.USD, machine: m, records: records,
	}
	if o.budget > 0 { // what is spent of it is the parent's; zero would be no limit
		o.budget = max(1, o.budget-o.machine.Summary().Spent)
	}
	return o, nil
}

// leaf is the hash that a record has in the tree.
func (s *store) leaf(ctx context.Context, run string, seq int64) (hash string, err error) {
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return "", fmt.Errorf("read the hash of record %d of %s: %w", seq, run, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return leafOf(ctx, conn, run, seq)
}

func leafOf(ctx context.Context, conn *sql.Conn, run string, seq int64) (string, error) {
	var at int64
	row := conn.QueryRowContext(ctx, `select id + ? - first from segment where run = ? and first <= ? and last >= ?`, seq, run, seq, seq)
	if err := row.Scan(&at); err != nil {
		return "", fmt.Errorf("read the hash of record %d of %s: %w", seq, run, err)
	}
	tree := leaves{tiles: tiles(ctx, conn)}
	h, ok, err := tree.at(at)
	if err != nil || !ok {
		return "", errors.Join(altered(run, seq, errors.New("its hash is missing")), err)
	}
	return "sha256:" + hex.EncodeToString(h[:]), nil
}

// descends reports whether the record that a fork names as its parent's still has that hash.
func descends(ctx context.Context, conn *sql.Conn, p *chargehand.Parent) error {
	hash, err := leafOf(ctx, conn, p.Run, p.Seq)
	if err == nil && hash != p.Hash {
		err = errors.New("it has another hash")
	}
	if err != nil {
		return fmt.Errorf("record %d of %s, which it was forked from: %w", p.Seq, p.Run, err)
	}
	return nil
}
