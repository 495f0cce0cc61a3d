package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// flip changes one bit.
func (b *bench) flip(body []byte) []byte {
	out := slices.Clone(body)
	at, bit := b.dice.IntN(len(out)), b.dice.IntN(8)
	out[at] ^= 1 << bit
	b.flipped = fmt.Sprintf("bit %d of byte %d of %d", bit, at, len(out))
	return out
}

// edit rewrites a file of the forged image.
func (b *bench) edit(rel string, f func([]byte) []byte) error {
	path := filepath.Join(b.dir, rel)
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, f(body), 0o600)
}

// pick is one of the image's files that a pattern fits.
func (b *bench) pick(pattern string) (string, error) {
	files, err := filepath.Glob(filepath.Join(b.dir, pattern))
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, fmt.Errorf("there is no %s", pattern))
	}
	return filepath.Rel(b.dir, files[b.dice.IntN(len(files))])
}

// within opens the journal for f.
func (b *bench) within(f func(*book) error) error {
	k, err := openBook(b.at())
	if err != nil {
		return err
	}
	return errors.Join(f(k), k.close())
}

// some is a random record: its segment and line.
func (b *bench) some(k *book) (segment, line int) {
	n := b.dice.IntN(int(k.leaf(len(k.segments))))
	for i, s := range k.segments {
		if n < len(s.lines) {
			return i, n
		}
		n -= len(s.lines)
	}
	return 0, 0
}

// markOf is the mark of a record.
func markOf(k *book, segment, line int) mark {
	s := k.segments[segment]
	return mark{run: s.run, seq: s.first + int64(line), leaf: k.leaf(segment) + int64(line) + 1}
}

func bitOfRecord(b *bench) (mark, error)        { return b.bitOfRecord(false) }
func bitOfRecordCareful(b *bench) (mark, error) { return b.bitOfRecord(true) }

func (b *bench) bitOfRecord(careful bool) (m mark, err error) {
	err = b.within(func(k *book) error {
		s, l := b.some(k)
		m = markOf(k, s, l)
		if careful {
			m = mark{} // the hashes agree with it: the checkpoints say between which leaves it is
		}
		for {
			if line := b.flip(k.segments[s].lines[l]); !slices.Contains(line, '\n') {
				k.segments[s].lines[l] = line
				return k.save(careful)
			}
		}
	})
	return m, err
}

func bitOfDatabase(b *bench) (mark, error) {
	return mark{loose: true}, b.edit(folder+"/journal.db", b.flip)
}

func bitOfLog(b *bench) (mark, error) {
	return mark{loose: true}, b.edit(folder+"/journal.db-wal", b.flip)
}

func cutLog(b *bench) (mark, error) {
	return mark{loose: true}, b.edit(folder+"/journal.db-wal", func(body []byte) []byte { return body[:b.dice.IntN(len(body))] })
}

// row changes a blob or text in a random row of a query, by its rowid or key.
func (b *bench) row(query, update string, change func([]byte) []byte) error {
	return b.within(func(k *book) error {
		rows, err := k.db.Query(query)
		if err != nil {
			return err
		}
		type row struct {
			key  []any
			body []byte
		}
		var all []row
		for rows.Next() {
			var r row
			var a, c any
			if err := rows.Scan(&a, &c, &r.body); err != nil {
				return errors.Join(err, rows.Close())
			}
			r.key = []any{a, c}
			all = append(all, r)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
		r := all[b.dice.IntN(len(all))]
		return changed(k.db.Exec(update, append([]any{change(r.body)}, r.key...)...))
	})
}

// changed checks that exactly one row was.
func changed(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n != 1 {
		err = fmt.Errorf("%d rows were changed", n)
	}
	return err
}

func bitOfTile(b *bench) (mark, error) {
	return mark{}, b.row(`select level, at, hashes from tile`, `update tile set hashes = ? where level = ? and at = ?`, b.flip)
}

func bitOfPack(b *bench) (mark, error) {
	return mark{loose: true}, b.row(`select id, 1, body from pack`, `update pack set body = ? where id = ? and 1 = ?`, b.flip)
}

func bitOfFile(b *bench) (mark, error) {
	file, err := b.pick(folder + "/blobs/*/*")
	if err != nil {
		return mark{}, err
	}
	return mark{}, b.edit(file, b.flip)
}

// exchangedContent puts one content in the place of another.
func exchangedContent(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		return changed(k.db.Exec(`update content set (size, pack, at) = (select size, pack, at from content where pack is not null and hash <> (select max(hash) from content where pack is not null)
			order by hash limit 1 offset ?) where hash = (select max(hash) from content where pack is not null)`, b.dice.IntN(5)))
	})
}

// derivedRow changes what a list says.
func derivedRow(b *bench) (mark, error) {
	ways := []string{
		`update run set state = 'failed' where id = (select id from run order by id limit 1 offset ?)`,
		`update run set starter = starter || 'x' where id = (select id from run order by id limit 1 offset ?)`,
		`update run set summary = cast(replace(summary, 'run ', 'ruin ') as blob) where id = (select id from run order by id limit 1 offset ?)`,
		`update run set started = started + 1 where id = (select id from run order by id limit 1 offset ?)`,
		`update run set waiting = 1 where id = (select id from run order by id limit 1 offset ?)`,
		`update run set active = 1 where id = (select id from run order by id limit 1 offset ?)`,
		`update run set wake = 5 where id = (select id from run order by id limit 1 offset ?)`,
		`update run set team = 'x' where id = (select id from run order by id limit 1 offset ?)`,
		`delete from run where id = (select id from run order by id limit 1 offset ?)`,
		`update review set open = 1 - open where id = (select id from review order by id limit 1 offset ?)`,
		`update review set deadline = deadline + 1 where id = (select id from review order by id limit 1 offset ?)`,
		`update review set body = cast(replace(body, 'doubt', 'trust') as blob) where id = (select id from review order by id limit 1 offset ?)`,
		`delete from review where id = (select id from review order by id limit 1 offset ?)`,
	}
	return mark{}, b.within(func(k *book) error {
		return changed(k.db.Exec(ways[b.dice.IntN(len(ways))], b.dice.IntN(4)))
	})
}

func bitOfCheckpoint(b *bench) (mark, error) {
	file, err := b.pick([]string{folder + "/checkpoints", anchor + "/*/checkpoints"}[b.dice.IntN(2)])
	if err != nil {
		return mark{}, err
	}
	return mark{place: strings.SplitN(strings.Replace(file, folder, "folder", 1), "/", 2)[0]}, b.edit(file, b.flip)
}

// bitOfKey leaves the line break at the end alone, which is no part of a key.
func bitOfKey(b *bench) (mark, error) {
	file, err := b.pick([]string{folder + "/key.pub", anchor + "/*/key.pub"}[b.dice.IntN(2)])
	if err != nil {
		return mark{}, err
	}
	return mark{}, b.edit(file, func(body []byte) []byte { return b.flip(bytes.TrimSpace(body)) })
}
