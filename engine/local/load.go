package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/journal"
	"github.com/chargehand/chargehand/internal/supervise"
)

// stream yields the records of one stream after a sequence number to f, in order, until f says no.
// One that is not the record that was written, or a missing one, is an error of CodeAudit.
func (s *store) stream(ctx context.Context, run string, after int64, f func(chargehand.Record) bool) (err error) {
	conn, err := s.read.Conn(ctx) // one for both queries: of a pool, two could wait for each other
	if err != nil {
		return fmt.Errorf("read records of %s: %w", run, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	rows, err := conn.QueryContext(ctx, `select id, first, last, packed, body from segment where run = ? and last > ? order by first`, run, after)
	if err != nil {
		return fmt.Errorf("read records of %s: %w", run, err)
	}
	defer rows.Close()
	leaves, next := leaves{tiles: s.full.over(tiles(ctx, conn))}, int64(0)
	for rows.Next() {
		var leaf, seq, last int64
		var packed bool
		var body []byte
		if err := rows.Scan(&leaf, &seq, &last, &packed, &body); err != nil {
			return altered(run, next, fmt.Errorf("its row in the table segment: %w", err))
		}
		if body, err = unsqueeze(body, packed); err != nil {
			return altered(run, seq, err)
		}
		if next == 0 {
			next = min(seq, after+1)
		}
		for line := range lines(body) {
			if err := leaves.check(line, leaf); err != nil {
				return altered(run, seq, err)
			}
			r, err := journal.Decode(line)
			switch {
			case err != nil:
				return fmt.Errorf("read record %d of %s: %w", seq, run, err)
			case r.Seq != seq || r.Run != run || seq != next:
				return altered(run, next, fmt.Errorf("record %d of %s stands in its place, as leaf %d", r.Seq, r.Run, leaf))
			case seq > after && !f(r):
				return nil
			}
			leaf, seq, next = leaf+1, seq+1, next+1
		}
		if seq != last+1 {
			return altered(run, seq, fmt.Errorf("its segment ends before it, and should end with %d", last))
		}
	}
	return rows.Err()
}

// altered is the error for a record that is not the one that was written.
func altered(run string, seq int64, why error) error {
	return spoilt(fmt.Sprintf("record %d of %s is not the one that was recorded", seq, run), why.Error())
}

// records are all records of a stream.
func (s *store) records(ctx context.Context, run string, after int64) ([]chargehand.Record, error) {
	var all []chargehand.Record
	err := s.stream(ctx, run, after, func(r chargehand.Record) bool { all = append(all, r); return true })
	return all, err
}

// fleet folds the fleet's records, from the last one at which a fold may begin. Without one it begins
// at the first.
func (s *store) fleet(ctx context.Context) (f *fleet.Machine, err error) {
	var base int64
	if err := s.read.QueryRowContext(ctx, `select coalesce(max(first), 1) from segment where run = ? and base = 1`,
		chargehand.FleetStream).Scan(&base); err != nil {
		return nil, fmt.Errorf("read the fleet's records: %w", err)
	}
	records, err := s.records(ctx, chargehand.FleetStream, max(base, 1)-1)
	if err != nil {
		return nil, err
	}
	if base > 1 && (len(records) == 0 || !isBase(records[0])) {
		return nil, altered(chargehand.FleetStream, base, errors.New("the column base of its row in the table segment says that a fold may begin there, and it may not"))
	}
	defer unfolded(chargehand.FleetStream, &err)
	return fleet.Restore(records), nil
}

// isBase reports whether a fold of the fleet's records may begin at a record.
func isBase(r chargehand.Record) bool {
	f, ok := r.Fact.(chargehand.FleetRebased)
	return ok && f.Part == 1
}

// restored folds a run's records. Records that no engine wrote are an error.
func restored(run string, team *chargehand.Team, records []chargehand.Record) (m *supervise.Machine, err error) {
	defer unfolded(run, &err)
	return supervise.Restore(run, team, records), nil
}

// unfolded turns the panic of a fold into an error: a machine panics where no engine can have written
// the records, and they come from a disk.
func unfolded(stream string, err *error) {
	if v := recover(); v != nil {
		*err = spoilt("the records of "+stream+" cannot be folded", fmt.Sprint(v))
	}
}

// team is the digest of a run's team.
func (s *store) team(ctx context.Context, run string) (string, error) {
	var digest string
	err := s.read.QueryRowContext(ctx, `select team from run where id = ?`, run).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return "", notFound("run", run)
	}
	return digest, err
}

func notFound(what, id string) error {
	return &chargehand.Error{
		Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no %s %q", what, id),
		Next: "chargehand " + what + "s list",
	}
}

// summary is a run's line in the list.
func (s *store) summary(ctx context.Context, run string) (chargehand.RunSummary, error) {
	var body []byte
	var out chargehand.RunSummary
	if err := s.read.QueryRowContext(ctx, `select summary from run where id = ?`, run).Scan(&body); err != nil {
		return out, fmt.Errorf("read the summary of %s: %w", run, err)
	}
	return out, json.Unmarshal(body, &out)
}

// count is how many records a run has. A result was written before the record that names it, and late
// results follow that.
func (s *store) count(ctx context.Context, run string) (n int64, err error) {
	if err = s.read.QueryRowContext(ctx, `select coalesce(max(last), 0) from segment where run = ?`, run).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the records of %s: %w", run, err)
	}
	return n, nil
}

// ended reports whether nothing but late results will follow in a run.
func (s *store) ended(ctx context.Context, run string) bool {
	var state string
	err := s.read.QueryRowContext(ctx, `select state from run where id = ?`, run).Scan(&state)
	return err == nil && chargehand.RunState(state).Final()
}

// find is the one run or review whose id begins with prefix.
func (s *store) find(ctx context.Context, table, prefix string) (string, error) {
	query := `select id from run where id >= ? and id < ? limit 2`
	if table == "review" {
		query = `select id from review where id >= ? and id < ? limit 2`
	}
	ids, err := column[string](s.read.QueryContext(ctx, query, prefix, prefix+"\U0010ffff"))
	switch {
	case err != nil:
		return "", fmt.Errorf("look %s up: %w", prefix, err)
	case len(ids) == 0 || prefix == "":
		return "", notFound(table, prefix)
	case len(ids) > 1 && ids[0] != prefix:
		return "", &chargehand.Error{
			Code: chargehand.CodeInvalid,
			What: fmt.Sprintf("%q could be several %ss: %s, %s …", prefix, table, ids[0], ids[1]),
		}
	}
	return ids[0], nil
}

// active are the runs to be taken up at start.
func (s *store) active(ctx context.Context) ([]string, error) {
	return column[string](s.read.QueryContext(ctx, `select id from run where active = 1 order by started, id`))
}

// due are the parked runs that wanted to be woken by now, and when the next one does.
func (s *store) due(ctx context.Context, now time.Time) (ids []string, next time.Time, err error) {
	ids, err = column[string](s.read.QueryContext(ctx,
		`select id from run where wake <= ? and active = 0 and wake is not null order by wake limit 1000`, now.UnixMicro()))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read what is due: %w", err)
	}
	var at sql.NullInt64
	if err := s.read.QueryRowContext(ctx, `select min(wake) from run where wake > ? and active = 0 and wake is not null`,
		now.UnixMicro()).Scan(&at); err != nil {
		return nil, time.Time{}, fmt.Errorf("read what is due: %w", err)
	}
	if at.Valid {
		next = time.UnixMicro(at.Int64).UTC()
	}
	return ids, next, nil
}

// byKey is the run started under an idempotency key; empty if there is none.
func (s *store) byKey(ctx context.Context, key string) (string, error) {
	ids, err := column[string](s.read.QueryContext(ctx, `select id from run where key = ?`, key))
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// committed is what a tenant's runs have spent, and may yet spend while they are open.
func (s *store) committed(ctx context.Context, tenant string) (chargehand.Micros, error) {
	bodies, err := column[[]byte](s.read.QueryContext(ctx, `select summary from run where tenant = ? and tenant <> ''`, tenant))
	if err != nil {
		return 0, fmt.Errorf("add up what %s spends: %w", tenant, err)
	}
	runs, err := decodeAll[chargehand.RunSummary](bodies)
	var sum chargehand.Micros
	for _, r := range runs {
		if r.State.Final() {
			sum += r.Spent - r.Inherited
		} else {
			sum += max(r.Spent, r.Budget) - r.Inherited
		}
	}
	return sum, err
}

// runs lists runs, newest first.
func (s *store) runs(ctx context.Context, f chargehand.Filter) ([]chargehand.RunSummary, error) {
	where, args := []string{"1 = 1"}, []any{}
	if len(f.States) > 0 {
		where = append(where, "state in (?"+strings.Repeat(", ?", len(f.States)-1)+")")
		for _, s := range f.States {
			args = append(args, string(s))
		}
	}
	if f.NeedsHuman {
		where = append(where, "waiting > 0")
	}
	if f.StartedBy != "" {
		where, args = append(where, "starter = ?"), append(args, f.StartedBy)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 50
	}
	bodies, err := column[[]byte](s.read.QueryContext(ctx, `select summary from run where `+strings.Join(where, " and ")+
		` order by started desc, id desc limit ?`, append(args, limit)...))
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return decodeAll[chargehand.RunSummary](bodies)
}

// reviews lists the open reviews, the next deadline first.
func (s *store) reviews(ctx context.Context) ([]chargehand.Review, error) {
	bodies, err := column[[]byte](s.read.QueryContext(ctx, `select body from review where open = 1 order by deadline, id limit 1000`))
	if err != nil {
		return nil, fmt.Errorf("list reviews: %w", err)
	}
	return decodeAll[chargehand.Review](bodies)
}

// reviewRun is the run a review belongs to.
func (s *store) reviewRun(ctx context.Context, review string) (string, error) {
	ids, err := column[string](s.read.QueryContext(ctx, `select run from review where id = ?`, review))
	if err != nil || len(ids) == 0 {
		return "", errors.Join(notFound("review", review), err)
	}
	return ids[0], nil
}

func decodeAll[T any](bodies [][]byte) ([]T, error) {
	out := make([]T, len(bodies))
	for i, b := range bodies {
		if err := json.Unmarshal(b, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// column reads a query's only column.
func column[T any](rows *sql.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
