package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

var _ chargehand.Reader = (*Look)(nil)

// A Look reads a data folder without owning it: it takes no run up and changes nothing, so it may
// be had beside an engine, or where none runs.
type Look struct{ reader }

// LookAt opens a data folder to be read. Without a journal in it the error is of CodeNotFound; a
// journal of an older program is of CodeFormat until an engine has opened it.
func LookAt(ctx context.Context, dir string) (*Look, error) {
	file := filepath.Join(dir, "journal.db")
	if _, err := os.Stat(file); err != nil {
		return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no journal in " + dir, Why: err.Error(), Err: err}
	}
	l := &Look{reader{store: &store{dir: dir}, kits: &kits{}, hub: &hub{}}}
	l.hub.init()
	l.kits.init(l.store, nil)
	var err error
	if l.store.read, err = open(file, 2, "query_only(on)"); err != nil {
		return nil, unusable(dir, err)
	}
	if err := l.store.upToDate(ctx, l.store.read); err != nil {
		return nil, errors.Join(unopened(dir, err), l.Close())
	}
	return l, nil
}

// Fleet is what the journal says of the workers; asks that wait are not in it.
func (l *Look) Fleet(ctx context.Context) ([]chargehand.WorkerStatus, error) {
	f, err := l.store.fleet(ctx)
	if err != nil {
		return nil, err
	}
	return f.Status(), nil
}

// Close closes the journal.
func (l *Look) Close() error { return l.store.read.Close() }

// upToDate reports a journal whose schema is not this program's.
func (s *store) upToDate(ctx context.Context, db querier) error {
	var have int
	if err := db.QueryRowContext(ctx, `select max(version_id) from goose_db_version`).Scan(&have); err != nil {
		return fmt.Errorf("read the journal's version: %w", err)
	}
	newest, err := newestSchema()
	if err != nil || have == newest {
		return err
	}
	return &chargehand.Error{
		Code: chargehand.CodeFormat, What: "the journal in " + s.dir + " cannot be read",
		Why: fmt.Sprintf("its schema is version %d, this program's is %d", have, newest),
	}
}

// newestSchema is the number of the last migration.
func newestSchema() (int, error) {
	files, err := schema.ReadDir("schema")
	if err != nil {
		return 0, err
	}
	number, _, _ := strings.Cut(files[len(files)-1].Name(), "_")
	return strconv.Atoi(number)
}
