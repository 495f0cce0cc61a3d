package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// A stretch is a segment being verified: a row, and then the hashes of its lines.
type stretch struct {
	id, first, last int64
	run             string
	packed          bool
	body            []byte

	leaves []audit.Hash
	odd    int           // index of the first line that does not say which record it is; -1: none
	hashed chan struct{} // closed when leaves are there
}

// records hashes every record anew, in the order of the leaves, and holds the hashes against the
// stored ones and against every checkpoint on the way.
func (i *inspection) records() {
	w := walk{inspection: i, tiles: tiles(i.ctx, i.tx), next: map[string]int64{}, tailing: map[string]int{}}
	w.stored = leaves{tiles: w.tiles}
	w.marks = i.marks()
	queue, ordered := make(chan *stretch, 64), make(chan *stretch, 256)
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		go func() {
			for s := range queue {
				s.hash()
			}
		}()
	}
	failed := make(chan error, 1)
	go func() {
		defer close(ordered)
		defer close(queue)
		failed <- i.segments(func(s *stretch) {
			queue <- s
			ordered <- s
		})
	}()
	for s := range ordered {
		<-s.hashed
		w.take(s)
		s.body, s.leaves = nil, nil
	}
	if err := <-failed; err != nil {
		i.broken(fmt.Sprintf("it cannot be read beyond record %d", w.tree.Size()), err)
	}
	w.end()
}

// segments yields every segment in the order of its leaves.
func (i *inspection) segments(yield func(*stretch)) error {
	rows, err := i.tx.QueryContext(i.ctx, `select id, run, first, last, packed, body from segment order by id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		s := &stretch{odd: -1, hashed: make(chan struct{})}
		if err := rows.Scan(&s.id, &s.run, &s.first, &s.last, &s.packed, &s.body); err != nil {
			return err
		}
		yield(s)
	}
	return rows.Err()
}

// hash makes the leaves, and compares what each line says it is with the row.
func (s *stretch) hash() {
	defer close(s.hashed)
	body, err := unsqueeze(s.body, s.packed)
	if s.body = body; err != nil {
		return // it holds no records, then
	}
	run, err := json.Marshal(s.run)
	head := append(append([]byte(`{"run":`), run...), `,"seq":`...)
	n := 0
	for line := range lines(s.body) {
		s.leaves = append(s.leaves, audit.Leaf(line))
		seq, ok := bytes.CutPrefix(line, head)
		if want := strconv.FormatInt(s.first+int64(n), 10) + ","; s.odd < 0 && (err != nil || !ok || !bytes.HasPrefix(seq, []byte(want))) {
			s.odd = n
		}
		n++
	}
}

// walk is the way along the leaves.
type walk struct {
	*inspection
	tiles   audit.Tiles
	stored  leaves
	higher  [8]leaves // by level
	tree    audit.Tree
	next    map[string]int64 // sequence number that each stream must go on with
	marks   []mark           // checkpoints, by size
	tailing map[string]int   // where in the report's tail each stream is
	bad     bool             // some leaf below does not agree with what is stored
}

// take goes along one segment.
func (w *walk) take(s *stretch) {
	w.fill(s)
	want := w.next[s.run]
	if want == 0 {
		want = 1
	}
	if s.first != want {
		w.fail(audit.Finding{
			Kind: audit.KindOrder, Check: checkOrder, Leaf: s.id, Run: s.run, Seq: min(want, s.first), At: when(s.body, 0),
			What: fmt.Sprintf("after record %d comes record %d", want-1, s.first),
		})
	}
	if n := int64(len(s.leaves)); n != s.last-s.first+1 {
		w.fail(audit.Finding{
			Kind: audit.KindOrder, Check: checkOrder, Leaf: s.id, Run: s.run, Seq: s.first, At: when(s.body, 0),
			What: fmt.Sprintf("a segment holds %d records, and should hold %d to %d", n, s.first, s.last),
		})
	} else if s.odd >= 0 {
		w.fail(audit.Finding{
			Kind: audit.KindAltered, Check: checkRecords, Leaf: s.id + int64(s.odd), Run: s.run, Seq: s.first + int64(s.odd),
			At: when(s.body, s.odd), What: "it does not say that it is this record",
		})
	}
	w.next[s.run] = s.last + 1
	w.compare(s)
	w.tail(s)
	w.grow(s.leaves)
}

// fill stands in for leaves whose records are missing, with their stored hashes, so that those after
// them can be verified all the same.
func (w *walk) fill(s *stretch) {
	at := w.tree.Size()
	switch {
	case s.id < at:
		w.fail(audit.Finding{
			Kind: audit.KindOrder, Check: checkOrder, Leaf: s.id, Run: s.run, Seq: s.first, At: when(s.body, 0),
			What: fmt.Sprintf("its segment begins at leaf %d, and the one before ends at %d", s.id, at),
		})
	case s.id > at:
		w.fail(audit.Finding{
			Kind: audit.KindOrder, Check: checkOrder, Leaf: at,
			What: fmt.Sprintf("the records of leaves %d to %d are missing", at, s.id-1),
		})
		w.bad = true
		for ; at < s.id; at++ {
			h, ok, err := w.stored.at(at)
			if err != nil || !ok {
				break
			}
			w.grow([]audit.Hash{h})
		}
	}
}

// compare holds a segment's hashes against the stored ones.
func (w *walk) compare(s *stretch) {
	at := w.tree.Size()
	for n, have := range s.leaves {
		want, ok, err := w.stored.at(at + int64(n))
		if err != nil {
			w.broken("the tiles cannot be read", err)
			return
		}
		if ok && have == want {
			continue
		}
		f := audit.Finding{
			Kind: audit.KindAltered, Check: checkRecords, Leaf: at + int64(n), Run: s.run, Seq: s.first + int64(n), At: when(s.body, n),
			What: "it is not the record that was written: the stored hash is that of another record",
		}
		if !ok {
			f.Kind, f.Check, f.What = audit.KindTile, checkTiles, "its hash is missing"
		} else if w.tileIsWrong(at + int64(n)) {
			f.Kind, f.Check, f.What = audit.KindTile, checkTiles, "its stored hash differs and does not agree with the tile above it: the hash was altered, or the hash and the record"
		}
		w.bad = true
		w.fail(f)
		return // one finding a segment
	}
}

// tileIsWrong reports whether a full tile of leaves contradicts the tile above.
func (w *walk) tileIsWrong(leaf int64) bool {
	n := leaf / audit.Width
	low, err := w.tiles(0, n)
	if err != nil || len(low) < audit.Width*tlog.HashSize {
		return false
	}
	var tree audit.Tree
	for at := 0; at < audit.Width*tlog.HashSize; at += tlog.HashSize {
		tree.Grow([]audit.Hash{audit.Hash(low[at : at+tlog.HashSize])})
	}
	high, err := w.tiles(1, n/audit.Width)
	at := int(n%audit.Width) * tlog.HashSize
	return err == nil && len(high) >= at+tlog.HashSize && tree.Root() != audit.Hash(high[at:at+tlog.HashSize])
}

// grow adds leaves, stopping at every checkpoint's size to compare the root.
func (w *walk) grow(leaves []audit.Hash) {
	for len(w.marks) > 0 && w.marks[0].Size < w.tree.Size()+int64(len(leaves)) {
		n := max(0, w.marks[0].Size-w.tree.Size())
		w.add(leaves[:n])
		leaves = leaves[n:]
		w.meet()
	}
	w.add(leaves)
}

// add adds leaves, and compares the tiles above them.
func (w *walk) add(leaves []audit.Hash) {
	if len(leaves) == 0 {
		return
	}
	for _, p := range w.tree.Grow(leaves) {
		for n := int64(0); p.Level > 0 && !w.bad && len(p.Hashes) > 0; n++ {
			w.above(p.Level, p.At+n, audit.Hash(p.Hashes[:tlog.HashSize]))
			p.Hashes = p.Hashes[tlog.HashSize:]
		}
	}
}

// above compares a hash that stands for a full tile with the stored one.
func (w *walk) above(level int, at int64, want audit.Hash) {
	l := &w.higher[level]
	l.tiles, l.level = w.tiles, level
	if have, ok, err := l.at(at); err == nil && ok && have == want {
		return
	}
	w.bad = true
	w.fail(audit.Finding{
		Kind: audit.KindTile, Check: checkTiles, Leaf: at << (audit.Height * level),
		What: fmt.Sprintf("hash %d of level %d is not the one computed from the hashes below it", at, level),
	})
}

// meet compares the root with that of the checkpoints at the present size.
func (w *walk) meet() {
	var root audit.Hash
	for first := true; len(w.marks) > 0 && w.marks[0].Size <= w.tree.Size(); first = false {
		if first {
			root = w.tree.Root()
		}
		m := w.marks[0]
		w.marks = w.marks[1:]
		m.met(root)
	}
}

// end compares what is left, and says what the walk has shown.
func (w *walk) end() {
	w.meet()
	if _, ok, _ := w.stored.at(w.tree.Size()); ok {
		w.bad = true
		w.fail(audit.Finding{
			Kind: audit.KindOrder, Check: checkOrder, Leaf: w.tree.Size(),
			What: fmt.Sprintf("there are hashes of records that are missing, from leaf %d on", w.tree.Size()),
		})
	}
	w.layout()
	r := w.report
	r.Records, r.Root, w.streams = w.tree.Size(), w.tree.Root(), w.next
	if r.Runs = len(w.next); w.next[chargehand.FleetStream] > 0 {
		r.Runs--
	}
	r.Add(audit.Check{
		Name: checkRecords, Status: audit.Passed, Count: r.Records,
		Proved:    "every record is the one whose hash was stored with it",
		NotProved: "that the stored hashes are those of the records as written; the checkpoints show that",
	})
	r.Add(audit.Check{
		Name: checkOrder, Status: audit.Passed, Count: int64(len(w.next)),
		Proved: "every run has each record between its first and its last exactly once, in the order of the leaves",
	})
	r.Add(audit.Check{Name: checkTiles, Status: audit.Passed, Proved: "the stored hashes are those computed from the records"})
}

// layout checks where the parts of tiles are said to lie: at each level one after the other from the
// first hash on, none over the end of its tile, as many hashes as the records come to.
func (w *walk) layout() {
	rows, err := w.tx.QueryContext(w.ctx, `select level, at, length(hashes) from tile order by level, at`)
	if err != nil {
		w.broken("the tiles cannot be read", err)
		return
	}
	defer rows.Close()
	next := map[int64]int64{} // by level, the hash that the next part begins with
	for rows.Next() {
		var level, at, size int64
		if err := rows.Scan(&level, &at, &size); err != nil {
			w.broken("the tiles cannot be read", err)
			return
		}
		n := size / tlog.HashSize
		if level < 0 || level >= int64(len(w.higher)) || at != next[level] || n == 0 || size%tlog.HashSize != 0 || at%audit.Width+n > audit.Width {
			w.misplaced("the table tile has a row with level %d, at %d and %d bytes of hashes; the part before it ends at %d", level, at, size, next[level])
			return
		}
		next[level] += n
	}
	if err := rows.Err(); err != nil {
		w.broken("the tiles cannot be read to their end", err)
		return
	}
	for level := range w.higher {
		if want := w.tree.Size() >> (audit.Height * level); next[int64(level)] != want {
			w.misplaced("the table tile has %d hashes of level %d, and the records need %d", next[int64(level)], level, want)
		}
	}
}

func (w *walk) misplaced(format string, args ...any) {
	w.fail(audit.Finding{Kind: audit.KindTile, Check: checkTiles, Leaf: -1, What: fmt.Sprintf(format, args...)})
}
