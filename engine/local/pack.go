package local

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"
)

// maxPack is how much content goes into one pack, in bytes; a larger piece has one to itself. To
// read a piece its pack is unpacked.
const maxPack = 64 << 10

// fresh are the pieces that are not stored yet, each once.
func (w *writer) fresh(blobs []blob, at *shelf) ([]blob, error) {
	var fresh []blob
	seen := map[string]bool{}
	for _, b := range blobs {
		if seen[b.hash] || at.piece(b.hash) != nil {
			continue
		}
		seen[b.hash] = true
		if len(b.body) > worthAsking {
			if stored, err := w.has(b.hash); err != nil {
				return nil, err
			} else if stored {
				continue
			}
		}
		fresh = append(fresh, b)
	}
	return fresh, nil
}

// worthAsking is the size above which content is looked up before it is written again, in bytes.
const worthAsking = 2 << 10

// has reports whether content is stored.
func (w *writer) has(hash string) (bool, error) {
	key, err := hashKey(hash)
	if err != nil {
		return false, err
	}
	var found int
	err = w.tx.StmtContext(w.ctx, w.st.has).QueryRowContext(w.ctx, key).Scan(&found)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// contents writes pieces that are not known to be there yet: small ones into packs, and where
// large ones are.
func (w *writer) contents(blobs []blob) error {
	var places []place
	var pack []byte
	var inPack int // places from here on are in the pack
	flush := func() error {
		if len(pack) == 0 {
			return nil
		}
		id, err := w.pack(pack)
		for i := range places[inPack:] {
			if p := &places[inPack+i]; !p.file {
				p.pack = id
			}
		}
		pack, inPack = pack[:0], len(places)
		return err
	}
	for _, b := range blobs {
		stored := b.stored()
		if !b.file && len(pack)+len(stored) > maxPack {
			if err := flush(); err != nil {
				return err
			}
		}
		key, err := hashKey(b.hash)
		if err != nil {
			return err
		}
		places = append(places, place{key: key, size: len(stored), at: len(pack), file: b.file, recipe: b.recipe != nil})
		if !b.file {
			pack = append(pack, stored...)
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return w.places(places)
}

// A place is where a piece of content is.
type place struct {
	key    []byte
	size   int // as it is stored
	at     int
	pack   int64
	file   bool
	recipe bool
}

// pack writes a pack and answers its number.
func (w *writer) pack(body []byte) (int64, error) {
	stored, packed := squeeze(body)
	res, err := w.tx.StmtContext(w.ctx, w.st.pack).ExecContext(w.ctx, packed, stored)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// manyPlaces is how many rows one statement writes: the cost of a statement is that of many rows.
const manyPlaces = 32

const insertPlaces = `insert or ignore into content (hash, size, pack, at, recipe) values (?, ?, ?, ?, ?)`

func insertManyPlaces() string {
	return insertPlaces + strings.Repeat(", (?, ?, ?, ?, ?)", manyPlaces-1)
}

func (w *writer) places(places []place) error {
	for many := range slices.Chunk(places, manyPlaces) {
		if len(many) == manyPlaces {
			if err := w.exec(w.st.places, placeArgs(many)...); err != nil {
				return err
			}
			continue
		}
		for _, p := range many {
			if err := w.exec(w.st.place, placeArgs([]place{p})...); err != nil {
				return err
			}
		}
	}
	return nil
}

func placeArgs(places []place) []any {
	args := make([]any, 0, 5*len(places))
	for _, p := range places {
		pack := sql.NullInt64{Int64: p.pack, Valid: !p.file}
		args = append(args, p.key, p.size, pack, p.at, p.recipe)
	}
	return args
}

// hashKey is a content hash as the journal keys it.
func hashKey(hash string) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimPrefix(hash, "sha256:"))
	if err != nil || len(key) != 32 || hash != "sha256:"+hex.EncodeToString(key) {
		return nil, fmt.Errorf("%q is not a content hash", hash)
	}
	return key, nil
}

// contentHash is hashKey's hash.
func contentHash(key []byte) string { return "sha256:" + hex.EncodeToString(key) }

// squeeze is a body as it is stored, and whether it had to be squeezed to be smaller.
func squeeze(body []byte) (stored []byte, packed bool) {
	if len(body) < 256 {
		return body, false
	}
	if stored = s2.Encode(nil, body); len(stored) < len(body) {
		return stored, true
	}
	return body, false
}

// maxUnpacked is more than any body has, in bytes: a damaged one may claim to be of any size.
const maxUnpacked = 256 << 20

// unsqueeze is what squeeze was given.
func unsqueeze(stored []byte, packed bool) ([]byte, error) {
	if !packed {
		return stored, nil
	}
	if n, err := s2.DecodedLen(stored); err != nil || n > maxUnpacked {
		return nil, fmt.Errorf("unpack %d bytes: they are damaged", len(stored))
	}
	return s2.Decode(nil, stored)
}

// openPacks are those read last: readers of their neighbours find them unpacked.
type openPacks struct {
	mu     sync.Mutex
	bodies map[int64][]byte
	order  []int64
}

const maxOpen = 32

func (o *openPacks) body(id int64) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bodies[id]
}

func (o *openPacks) keep(id int64, body []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bodies == nil {
		o.bodies = map[int64][]byte{}
	}
	if len(o.order) == maxOpen {
		delete(o.bodies, o.order[0])
		o.order = o.order[1:]
	}
	o.bodies[id], o.order = body, append(o.order, id)
}

// unpacked is the content of a pack.
func (s *store) unpacked(ctx context.Context, id int64) ([]byte, error) {
	if body := s.open.body(id); body != nil {
		return body, nil
	}
	var packed bool
	var body []byte
	err := s.read.QueryRowContext(ctx, `select packed, body from pack where id = ?`, id).Scan(&packed, &body)
	if err == nil {
		body, err = unsqueeze(body, packed)
	}
	if err != nil {
		return nil, fmt.Errorf("read pack %d: %w", id, err)
	}
	s.open.keep(id, body)
	return body, nil
}
