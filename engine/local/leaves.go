package local

import (
	"bytes"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/chargehand/chargehand/internal/audit"
)

// lines yields the lines of a segment's unsqueezed body, without their line breaks: the leaves of
// the tree.
func lines(body []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(body) {
			if !yield(bytes.TrimSuffix(line, []byte("\n"))) {
				return
			}
		}
	}
}

// leaves are the hashes of one level of tiles, that of the leaves if it is not said, for whoever goes
// along them.
type leaves struct {
	tiles audit.Tiles
	level int
	n     int64  // number of the tile in data
	data  []byte // nil: none has been read
}

// at is the hash of a leaf; ok is false where the tree has none.
func (l *leaves) at(leaf int64) (h audit.Hash, ok bool, err error) {
	if leaf < 0 {
		return h, false, nil
	}
	if n := leaf / audit.Width; l.data == nil || n != l.n {
		if l.data, err = l.tiles(l.level, n); err != nil {
			return h, false, err
		}
		l.n = n
	}
	i := int(leaf%audit.Width) * tlog.HashSize
	if len(l.data) < i+tlog.HashSize {
		return h, false, nil
	}
	return audit.Hash(l.data[i : i+tlog.HashSize]), true, nil
}

// check says whether a line is the one that was recorded as that leaf.
func (l *leaves) check(line []byte, leaf int64) error {
	want, ok, err := l.at(leaf)
	switch have := audit.Leaf(line); {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("the tree has no leaf %d", leaf)
	case have != want:
		return fmt.Errorf("leaf %d was recorded as %v, the record there hashes to %v", leaf, want, have)
	}
	return nil
}

// fullTiles are full tiles of leaves that were read lately: they never change, and runs that were
// recorded together are read together.
type fullTiles struct {
	mu    sync.Mutex
	data  map[int64][]byte
	order []int64
}

const maxFull = 64 // 8 KiB each

// over reads tiles of leaves by way of those that are known.
func (f *fullTiles) over(tiles audit.Tiles) audit.Tiles {
	return func(level int, n int64) ([]byte, error) {
		f.mu.Lock()
		data := f.data[n]
		f.mu.Unlock()
		if level == 0 && data != nil {
			return data, nil
		}
		data, err := tiles(level, n)
		if err == nil && level == 0 && len(data) == audit.Width*tlog.HashSize {
			f.keep(n, data)
		}
		return data, err
	}
}

func (f *fullTiles) keep(n int64, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.data == nil {
		f.data = map[int64][]byte{}
	}
	if f.data[n] != nil {
		return
	}
	if len(f.order) == maxFull {
		delete(f.data, f.order[0])
		f.order = f.order[1:]
	}
	f.data[n], f.order = data, append(f.order, n)
}
