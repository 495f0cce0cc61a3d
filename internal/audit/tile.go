package audit

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Height is that of every tile, and Width how many hashes a full one holds (C2SP tlog-tiles).
const (
	Height = 8
	Width  = 1 << Height
)

// Tiles reads the hashes of a tile, as many as there are of it: 32 bytes each, in order.
type Tiles func(level int, n int64) ([]byte, error)

// ReadHashes reads hashes by their storage index, which is how tlog.ProveRecord, tlog.ProveTree and
// tlog.TreeHash ask for them. It does not check them against a root.
func (t Tiles) ReadHashes(at []int64) ([]Hash, error) {
	out := make([]Hash, len(at))
	for i, x := range at {
		tile := tlog.TileForIndex(Height, x)
		data, err := t(tile.L, tile.N)
		if err != nil {
			return nil, err
		}
		if len(data) < tile.W*tlog.HashSize {
			return nil, fmt.Errorf("tile %d of level %d has %d hashes, at least %d are needed", tile.N, tile.L, len(data)/tlog.HashSize, tile.W)
		}
		if out[i], err = tlog.HashFromTile(tile, data, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Root is the root of the first size leaves.
func (t Tiles) Root(size int64) (Hash, error) {
	return tlog.TreeHash(size, t)
}
