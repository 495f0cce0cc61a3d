package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
)

// everyCell is the class that is not sampled: each cell of each table of a small journal is changed,
// once for each value of changes.
const everyCell = "every cell of every table, changed"

// maxHeap is far above what the journal and its forgeries take, in bytes.
const maxHeap = 1 << 30

// A cell is one value in the database, and what it is changed to.
type cell struct {
	table, column string
	row           int
	where         string // selects the row
	key           []any
	now, then     any
}

func (c cell) String() string {
	return fmt.Sprintf("%s.%s of row %d: %.40q instead of %.40q", c.table, c.column, c.row, fmt.Sprint(c.then), fmt.Sprint(c.now))
}

// changes are the values that take the place of a cell's.
func changes(v any) []any {
	switch v := v.(type) {
	case int64:
		out := []any{}
		for _, n := range []int64{v + 1, v - 1, 0, -v, math.MaxInt64, math.MinInt64} {
			if n != v && !slices.Contains(out, any(n)) {
				out = append(out, n)
			}
		}
		return out
	case string:
		out := []any{"", v + "x"}
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			for _, w := range changes(n) {
				out = append(out, fmt.Sprint(w))
			}
		}
		return out
	case []byte:
		return []any{[]byte{}, v[:len(v)/2], append(slices.Clone(v), 0)}
	}
	return []any{int64(0), int64(math.MaxInt64)} // a null
}

// cells are all changes of all cells of a journal's tables.
func cells(dir string) (out []cell, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "journal.db")+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tables, err := names(db, `select name from sqlite_schema where type = 'table' order by name`)
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		of, err := cellsOf(db, table)
		if err != nil {
			return nil, fmt.Errorf("read the cells of %s: %w", table, err)
		}
		out = append(out, of...)
	}
	return out, nil
}

// identity is what tells the rows of a table without rowids apart; of others, the rowid does.
var identity = map[string]string{"content": "hash"}

func cellsOf(db *sql.DB, table string) (out []cell, err error) {
	id := identity[table]
	if id == "" {
		id = "rowid"
	}
	rows, err := db.Query(`select ` + id + `, * from ` + table + ` order by 1`) //nolint:gosec // names of the program's own tables
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for row := 0; rows.Next(); row++ {
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		for i, v := range values[1:] {
			if at, ok := v.(time.Time); ok {
				v = at.Format(time.RFC3339)
			}
			for _, then := range changes(v) {
				out = append(out, cell{table, columns[i+1], row, id + " = ?", []any{values[0]}, v, then})
			}
		}
	}
	return out, rows.Err()
}

// write changes the cell. It reports whether the database takes that.
func (c cell) write(dir string) (ok bool, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "journal.db")+"?_pragma=synchronous(off)")
	if err != nil {
		return false, err
	}
	res, err := db.Exec(`update `+c.table+` set `+c.column+` = ? where `+c.where, append([]any{c.then}, c.key...)...) //nolint:gosec // likewise
	if err != nil {
		return false, db.Close() // another row has that key, or the column takes no such value
	}
	return true, errors.Join(changed(res, nil), db.Close())
}

// tryCells changes every cell of a small journal, each in a copy. What verification does not find must
// leave the next start and the next run as they were; what a start refuses, verification must find.
func tryCells(ctx context.Context, dir string, o options, t *tally) error {
	w := &works{dir: dir}
	home := filepath.Join(dir, "small")
	if err := w.closed.fill(ctx, home, []chargehand.Order{short(0), short(1)}, nil); err != nil {
		return err
	}
	var err error
	if w.closed, err = take(home); err != nil {
		return err
	}
	w.key = strings.TrimSpace(string(w.closed[folder+"/key.pub"]))
	all, err := cells(filepath.Join(home, folder))
	if err != nil {
		return err
	}
	if step := len(all) / max(o.n, 1); step > 1 { // a small bench takes a part of them
		part := all[:0]
		for i := int(o.seed) % step; i < len(all); i += step {
			part = append(part, all[i])
		}
		all = part
	}
	first := &bench{works: w, dir: home}
	if first.listed, err = first.list(ctx); err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for n := range errs {
		wg.Go(func() {
			b := &bench{works: w, dir: filepath.Join(dir, fmt.Sprint("cells", n)), listed: first.listed}
			for i := n; i < len(all) && errs[n] == nil && ctx.Err() == nil; i += len(errs) {
				errs[n] = b.tryCell(ctx, all[i], i, t)
			}
		})
	}
	wg.Wait()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys > maxHeap {
		errs = append(errs, fmt.Errorf("the heap grew to %d MB: a cell made something be read that is not there", m.HeapSys>>20))
	}
	return errors.Join(append(errs, context.Cause(ctx))...)
}

func (b *bench) tryCell(ctx context.Context, c cell, n int, t *tally) error {
	if err := b.closed.put(b.dir); err != nil {
		return err
	}
	if ok, err := c.write(b.at()); !ok || err != nil {
		return err
	}
	r, err := b.audit(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	found := err != nil || r.Verdict != audit.Intact
	why := b.goesOn(ctx)
	o := outcome{found: found && advised(why), located: true, harmless: !found && why == nil}
	o.note = fmt.Sprintf("%v: found is %t, then: %v", c, found, why)
	t.add(everyCell, n, o)
	return nil
}

// advised reports whether an error of a start says what to type, where there is one.
func advised(err error) bool {
	e, ok := errors.AsType[*chargehand.Error](err)
	return !ok || e.Code == chargehand.CodeFormat || e.Code == chargehand.CodeNotFound && e.Next != "" || strings.Contains(e.Next, "audit verify")
}

// goesOn starts an engine in the forged folder: the runs that are there must read as they do in the
// true one, another must end as they did, and everything verify after that.
func (b *bench) goesOn(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a damaged run may never end
	defer cancel()
	e, err := local.Open(ctx, local.Options{Dir: b.at(), Anchor: filepath.Join(b.dir, anchor), Workers: workers})
	if err != nil {
		return err
	}
	err = b.lives(ctx, e)
	if err = errors.Join(err, e.Close()); err != nil {
		return err
	}
	r, err := b.audit(ctx)
	if err == nil && (r.Verdict != audit.Intact || r.Tail != nil) {
		err = fmt.Errorf("it does not verify afterwards: %+v", r.Findings)
	}
	return err
}

func (b *bench) lives(ctx context.Context, e *local.Engine) error {
	runs, err := e.Runs(ctx, chargehand.Filter{})
	if err != nil {
		return err
	}
	if body, err := json.Marshal(runs); err != nil || string(body) != b.listed {
		return errors.Join(err, fmt.Errorf("the list of runs is another: %s", body))
	}
	for _, r := range runs {
		if err := e.Replay(ctx, r.RunID); err != nil {
			return err
		}
	}
	return oneRun(ctx, e, short(2))
}

// list is what the journal's list of runs says.
func (b *bench) list(ctx context.Context) (string, error) {
	l, err := local.LookAt(ctx, b.at())
	if err != nil {
		return "", err
	}
	runs, err := l.Runs(ctx, chargehand.Filter{})
	body, err2 := json.Marshal(runs)
	return string(body), errors.Join(err, err2, l.Close())
}

// short is an order of one subtask that needs a person.
func short(n int) chargehand.Order {
	o := order(n)
	p := o.Team.Planner.Template
	p.Subtasks = p.Subtasks[len(p.Subtasks)-1:]
	return o
}
