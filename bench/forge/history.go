package main

import (
	"bytes"
	"fmt"
	"slices"
)

// Whoever alters history is careless or careful by the toss of a coin.

func recordRemoved(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		s, l := b.some(k)
		k.segments[s].lines = slices.Delete(slices.Clone(k.segments[s].lines), l, l+1)
		return k.save(b.careful())
	})
}

func segmentRemoved(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		i := b.dice.IntN(len(k.segments))
		k.segments = slices.Delete(k.segments, i, i+1)
		return k.save(b.careful())
	})
}

// runRemoved leaves no trace of a run: its records, its line and its reviews are gone, and where the
// forger is careful the others have moved up.
func runRemoved(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		run := b.run(k)
		k.segments = slices.DeleteFunc(k.segments, func(s segment) bool { return s.run == run })
		if err := k.save(b.careful()); err != nil {
			return err
		}
		if _, err := k.db.Exec(`delete from review where run = ?`, run); err != nil {
			return err
		}
		return changed(k.db.Exec(`delete from run where id = ?`, run))
	})
}

// run is a random one.
func (b *bench) run(k *book) string {
	var runs []string
	for _, s := range k.segments {
		if s.run != "fleet" && !slices.Contains(runs, s.run) {
			runs = append(runs, s.run)
		}
	}
	return runs[b.dice.IntN(len(runs))]
}

// recordInserted puts a copy of a record behind it, with the next number, and moves the rest of its
// run up.
func recordInserted(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		s, l := b.some(k)
		for k.leaf(s)+int64(l)+1 == k.leaf(len(k.segments)) { // behind the last one is above the checkpoint
			s, l = b.some(k)
		}
		run, line := k.segments[s].run, slices.Clone(k.segments[s].lines[l])
		k.segments[s].lines = slices.Insert(slices.Clone(k.segments[s].lines), l+1, line)
		for i := range k.segments {
			g := &k.segments[i]
			if g.run != run {
				continue
			}
			g.lines = slices.Clone(g.lines)
			for j, text := range g.lines {
				if n := g.first + int64(j); i > s || i == s && j > l {
					g.lines[j] = renumbered(text, n, i, s)
				}
			}
			if i > s {
				g.first++
			}
		}
		return k.save(b.careful())
	})
}

// renumbered gives a line the number that follows its old one: in the segment itself its place
// has moved already, in later ones it has not.
func renumbered(text []byte, place int64, segment, changed int) []byte {
	to := place
	from := place - 1
	if segment > changed {
		from, to = place, place+1
	}
	return bytes.Replace(text, fmt.Appendf(nil, `"seq":%d,`, from), fmt.Appendf(nil, `"seq":%d,`, to), 1)
}

// recordsReordered exchanges two lines of a segment, or two segments.
func recordsReordered(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		for {
			s := b.dice.IntN(len(k.segments))
			lines := slices.Clone(k.segments[s].lines)
			if len(lines) < 2 || b.dice.IntN(2) == 0 {
				o := b.dice.IntN(len(k.segments))
				if o == s {
					continue
				}
				k.segments[s], k.segments[o] = k.segments[o], k.segments[s]
				return k.save(b.careful())
			}
			i := b.dice.IntN(len(lines) - 1)
			lines[i], lines[i+1] = lines[i+1], lines[i]
			k.segments[s].lines = lines
			return k.save(b.careful())
		}
	})
}

// recordsExchanged exchanges what two runs recorded under the same number, names made to fit.
func recordsExchanged(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		for {
			s, l := b.some(k)
			run, seq := k.segments[s].run, k.segments[s].first+int64(l)
			for o := range k.segments {
				g := &k.segments[o]
				at := seq - g.first
				if g.run == run || g.run == "fleet" || run == "fleet" || at < 0 || at >= int64(len(g.lines)) {
					continue
				}
				mine, theirs := k.segments[s].lines[l], g.lines[at]
				k.segments[s].lines, g.lines = slices.Clone(k.segments[s].lines), slices.Clone(g.lines)
				k.segments[s].lines[l] = bytes.ReplaceAll(theirs, []byte(g.run), []byte(run))
				g.lines[at] = bytes.ReplaceAll(mine, []byte(run), []byte(g.run))
				if bytes.Equal(mine, k.segments[s].lines[l]) {
					continue
				}
				return k.save(b.careful())
			}
		}
	})
}

// endCutOff removes the last segments.
func endCutOff(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		k.segments = k.segments[:len(k.segments)-1-b.dice.IntN(len(k.segments)/2)]
		return k.save(b.careful())
	})
}

func (b *bench) careful() bool { return b.dice.IntN(2) == 0 }
