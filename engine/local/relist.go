package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/turn"
)

// relist writes every run's line in the list anew where an earlier program wrote it: what a line
// holds is this program's affair, and the records say all of it.
func (s *store) relist(ctx context.Context) (err error) {
	newest, err := newestSchema()
	if err != nil {
		return err
	}
	version := strconv.Itoa(newest)
	if listed, err := s.meta(ctx, "listed"); err != nil || listed == version {
		return err
	}
	ids, err := column[string](s.read.QueryContext(ctx, `select id from run order by id`))
	if err != nil {
		return fmt.Errorf("rebuild the list of runs: %w", err)
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("rebuild the list of runs: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("rebuild the list of runs: %w", err), rollback(tx))
		}
	}()
	w := writer{ctx: ctx, tx: tx, st: &s.stmt}
	for _, id := range ids {
		row, err := s.folded(ctx, id)
		if chargehand.CodeOf(err) == chargehand.CodeAudit {
			continue // it will not be taken up either
		}
		if err == nil {
			err = w.lines([]line{{Row: row}})
		}
		if err != nil {
			return err
		}
	}
	if err := w.meta(map[string]string{"listed": version}); err != nil {
		return err
	}
	return tx.Commit()
}

// folded is what a run's records say of its line.
func (s *store) folded(ctx context.Context, id string) (turn.Row, error) {
	digest, err := s.team(ctx, id)
	if err != nil {
		return turn.Row{}, err
	}
	body, err := s.content(ctx, digest)
	if err != nil {
		return turn.Row{}, err
	}
	var team chargehand.Team
	if err := json.Unmarshal(body, &team); err != nil {
		return turn.Row{}, err
	}
	records, err := s.records(ctx, id, 0)
	if err != nil {
		return turn.Row{}, err
	}
	m, err := restored(id, &team, records)
	if err != nil {
		return turn.Row{}, err
	}
	return turn.Row{Summary: m.Summary(), Active: !m.Idle(), Wake: m.Wake()}, nil
}
