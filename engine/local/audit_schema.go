package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/chargehand/chargehand/internal/audit"
)

// shape compares how the database's tables and indexes are declared with how this program declares
// them: a declaration that was altered may admit what the right one does not.
func (i *inspection) shape() {
	want, err := declared()
	if err != nil {
		i.broken("the declarations of tables cannot be made", err)
		return
	}
	have, err := declarations(i.ctx, i.db)
	if err != nil {
		i.broken("the declarations of tables cannot be read", err)
		return
	}
	names := maps.Clone(want)
	maps.Copy(names, have)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if want[name] != have[name] {
			i.fail(audit.Finding{Kind: audit.KindDatabase, Check: checkDatabase, Leaf: -1, What: fmt.Sprintf("%s is not declared as the program declares it", name)})
		}
	}
}

// declarations are those of all tables and indexes, but for the migrations' own.
func declarations(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, `select type || ' ' || name, coalesce(tbl_name, '') || ': ' || coalesce(sql, '')
		from sqlite_schema where tbl_name not in ('goose_db_version', 'sqlite_sequence')`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, rows.Err()
}

// declared are the declarations of a journal that this program has just made.
var declared = sync.OnceValues(func() (d map[string]string, err error) {
	ctx := context.Background()
	s := &store{dir: "memory"}
	if s.write, err = sql.Open("sqlite", ":memory:"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.write.Close()) }()
	s.write.SetMaxOpenConns(1)
	if err := s.migrate(ctx); err != nil {
		return nil, err
	}
	return declarations(ctx, s.write)
})
