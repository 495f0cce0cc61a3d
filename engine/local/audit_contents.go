package local

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// A slot is where a piece of content is said to be.
type slot struct {
	key  [32]byte
	size int64
	at   int64
}

// contents hashes all content.
func (s *stock) contents() {
	packs, files, recipes, err := s.slots()
	if err != nil {
		s.broken("the list of contents cannot be read", err)
		return
	}
	type pack struct {
		slots  []slot
		packed bool
		body   []byte
	}
	abroad(func(send func(pack)) {
		rows, err := s.tx.QueryContext(s.ctx, `select id, packed, body from pack`)
		if err != nil {
			s.broken("the content cannot be read", err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var p pack
			var id int64
			if err := rows.Scan(&id, &p.packed, &p.body); err != nil {
				s.broken("the content cannot be read", err)
				return
			}
			p.slots = packs[id]
			delete(packs, id)
			send(p)
		}
		if err := rows.Err(); err != nil {
			s.broken("the content cannot be read to its end", err)
		}
	}, func(p pack) {
		body, err := unsqueeze(p.body, p.packed)
		for _, at := range p.slots {
			s.piece(at, body, err)
		}
	})
	for _, slots := range packs {
		for _, at := range slots {
			s.piece(at, nil, errors.New("its pack is missing"))
		}
	}
	abroad(func(send func(slot)) {
		for _, at := range files {
			send(at)
		}
	}, s.file)
	abroad(func(send func(slot)) {
		for _, at := range recipes {
			send(at)
		}
	}, func(at slot) {
		_, err := s.store.content(s.ctx, at.hash())
		s.stored(at, err)
	})
}

// slots are those of every pack, of the files, and of what is put together from other content.
func (s *stock) slots() (packs map[int64][]slot, files, recipes []slot, err error) {
	rows, err := s.tx.QueryContext(s.ctx, `select hash, size, pack, at, recipe from content`)
	if err != nil {
		return nil, nil, nil, err
	}
	defer rows.Close()
	packs = map[int64][]slot{}
	for rows.Next() {
		var key []byte
		var at slot
		var pack sql.NullInt64
		var recipe bool
		if err := rows.Scan(&key, &at.size, &pack, &at.at, &recipe); err != nil {
			return nil, nil, nil, err
		}
		if len(key) != len(at.key) {
			return nil, nil, nil, fmt.Errorf("%x is no hash", key)
		}
		at.key = [32]byte(key)
		s.have[at.key] = true
		switch {
		case recipe:
			recipes = append(recipes, at)
		case pack.Valid:
			packs[pack.Int64] = append(packs[pack.Int64], at)
		default:
			files = append(files, at)
		}
	}
	return packs, files, recipes, rows.Err()
}

// piece verifies a piece of a pack.
func (s *stock) piece(at slot, body []byte, err error) {
	if err == nil && (at.at < 0 || at.size < 0 || at.at > int64(len(body))-at.size) {
		err = errors.New("it lies outside of its pack")
	}
	if err == nil && sha256.Sum256(body[at.at:at.at+at.size]) != at.key {
		err = errors.New("the stored bytes have another hash")
	}
	s.stored(at, err)
}

// file verifies a piece that is a file of its own.
func (s *stock) file(at slot) {
	f, err := os.Open((&store{dir: s.dir}).path(at.hash()))
	if err != nil {
		s.stored(at, err)
		return
	}
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err == nil && ([32]byte(h.Sum(nil)) != at.key || size != at.size) {
		err = errors.New("the stored bytes have another hash")
	}
	s.stored(at, errors.Join(err, f.Close()))
}

func (at slot) hash() string { return "sha256:" + hex.EncodeToString(at.key[:]) }

// stored notes what is wrong with a piece.
func (s *stock) stored(at slot, err error) {
	if err != nil {
		s.fail(audit.Finding{
			Kind: audit.KindContent, Check: checkContents, Leaf: -1,
			What: fmt.Sprintf("the content %s (%d bytes): %v", at.hash(), at.size, err),
		})
	}
}

// named notes content that a record names and that is not there.
func (s *stock) named(conn *sql.Conn, leaf int64, r chargehand.Record) error {
	for _, c := range chargehand.Contents(r.Fact) {
		key, err := hashKey(c.Hash)
		if err == nil && s.have[[32]byte(key)] {
			continue
		}
		var n int // it may have come since
		if err := conn.QueryRowContext(s.ctx, `select count(*) from content where hash = ?`, key).Scan(&n); err != nil || n > 0 {
			return err
		}
		s.fail(audit.Finding{
			Kind: audit.KindContent, Check: checkContents, Leaf: leaf, Run: r.Run, Seq: r.Seq, At: r.At,
			What: "it names the content " + c.Hash + ", which is not there",
		})
	}
	return nil
}

// abroad runs do for everything that feed sends, on every core.
func abroad[T any](feed func(send func(T)), do func(T)) {
	queue := make(chan T, 64)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for x := range queue {
				do(x)
			}
		})
	}
	feed(func(x T) { queue <- x })
	close(queue)
	wg.Wait()
}
