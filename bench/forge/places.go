package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
)

// olderCopy puts the data folder back to what it was a run ago.
func olderCopy(b *bench) (mark, error) {
	if err := b.only(b.older, folder); err != nil {
		return mark{}, err
	}
	return mark{place: "anchor"}, nil
}

// only makes a part of the forged image that of another.
func (b *bench) only(from image, part string) error {
	if err := os.RemoveAll(filepath.Join(b.dir, part)); err != nil {
		return err
	}
	return b.copy(from, part)
}

func (b *bench) copy(from image, part string) error {
	for rel, body := range from {
		if !strings.HasPrefix(rel, part+"/") {
			continue
		}
		path := filepath.Join(b.dir, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, body, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// logReplaced puts another journal in the place of this one, sometimes with its anchor.
func logReplaced(b *bench) (mark, error) {
	if err := b.only(b.other, folder); err != nil {
		return mark{}, err
	}
	if b.careful() {
		return mark{}, b.only(b.other, anchor)
	}
	return mark{}, nil
}

// fork is another history of the same journal, made to agree with itself and signed with the true
// key in the folder. What the anchor holds is out of the forger's reach.
func fork(b *bench) (mark, error) {
	key, err := b.trueKey()
	if err != nil {
		return mark{}, err
	}
	return mark{place: "anchor"}, b.within(func(k *book) error {
		if err := b.rewrite(k); err != nil {
			return err
		}
		return b.sign(k, key, folder+"/checkpoints")
	})
}

// rewrite makes somebody else decide, or lets the end of history go another way.
func (b *bench) rewrite(k *book) error {
	if b.careful() {
		k.segments = k.segments[:len(k.segments)-1-b.dice.IntN(10)]
		return k.save(true)
	}
	for i := range k.segments {
		g := &k.segments[i]
		g.lines = slices.Clone(g.lines)
		for j, l := range g.lines {
			g.lines[j] = []byte(strings.ReplaceAll(string(l), `"approver":"ana"`, `"approver":"eve"`))
		}
	}
	return k.save(true)
}

// trueKey is the journal's own, as somebody who stole it has it.
func (b *bench) trueKey() (audit.Key, error) {
	file, err := b.pick(anchor + "/*/key")
	if err != nil {
		return audit.Key{}, err
	}
	text, err := os.ReadFile(filepath.Join(b.dir, file))
	if err != nil {
		return audit.Key{}, err
	}
	return audit.ParseKey(string(text))
}

// sign makes a file of checkpoints one of the journal as it is now.
func (b *bench) sign(k *book, key audit.Key, file string) error {
	path := filepath.Join(b.dir, file)
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	notes, _, err := audit.Notes(old)
	if err != nil {
		return err
	}
	origin, _, _ := strings.Cut(string(notes[len(notes)-1]), "\n")
	tree := k.tree()
	msg, err := key.SignCheckpoint(tree.Checkpoint(origin))
	if err != nil {
		return err
	}
	return os.WriteFile(path, msg, 0o600)
}

// anotherKey signs everything anew, in the folder and in the anchor, and names its key wherever the
// old one was named, the records included. Only who knows the key from elsewhere can tell.
func anotherKey(b *bench) (mark, error) {
	return mark{}, b.within(func(k *book) error {
		key, err := audit.NewKeyFrom(b, strings.SplitN(b.key, "+", 2)[0])
		if err != nil {
			return err
		}
		for i := range k.segments {
			g := &k.segments[i]
			g.lines = slices.Clone(g.lines)
			for j, l := range g.lines {
				g.lines[j] = []byte(strings.ReplaceAll(string(l), b.key, key.Public()))
			}
		}
		if err := k.save(true); err != nil {
			return err
		}
		if err := changed(k.db.Exec(`update meta set value = ? where key = 'key'`, key.Public())); err != nil {
			return err
		}
		for _, pattern := range []string{folder, anchor + "/*"} {
			dir, err := b.pick(pattern)
			if err != nil {
				return err
			}
			if err := b.sign(k, key, dir+"/checkpoints"); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(b.dir, dir, "key.pub"), []byte(key.Public()+"\n"), 0o600); err != nil {
				return err
			}
		}
		return nil
	})
}

// replayed takes the newest checkpoints away, or writes an old one again.
func replayed(b *bench) (mark, error) {
	file, err := b.pick([]string{folder + "/checkpoints", anchor + "/*/checkpoints"}[b.dice.IntN(2)])
	if err != nil {
		return mark{}, err
	}
	return mark{}, b.edit(file, func(body []byte) []byte {
		notes, _, err := audit.Notes(body)
		if err != nil || len(notes) < 4 {
			panic("a journal of several runs has more checkpoints")
		}
		old := b.dice.IntN(len(notes) - 3)
		if b.careful() {
			return slices.Concat(notes[:old+1]...)
		}
		return append(slices.Clone(body), notes[old]...)
	})
}

func checkpointsRemoved(b *bench) (mark, error) {
	file, err := b.pick([]string{folder + "/checkpoints", anchor + "/*/checkpoints"}[b.dice.IntN(2)])
	if err != nil {
		return mark{}, err
	}
	if b.careful() {
		return mark{}, b.edit(file, func([]byte) []byte { return nil })
	}
	return mark{}, os.Remove(filepath.Join(b.dir, file))
}

// A limit is something that whoever has enough in hand gets away with, and what would tell.
type limit struct {
	Name  string `json:"name"`
	Found bool   `json:"found"`
	Want  bool   `json:"want"` // what docs/audit.md says of it
}

// allowed shows what the promise does not cover: the key stolen and every place within reach. With a
// checkpoint that somebody far away kept, it is found.
func allowed(ctx context.Context, w *works) ([]limit, error) {
	b := &bench{works: w, dir: filepath.Join(w.dir, "limits"), dice: dice(7)}
	if err := b.closed.put(b.dir); err != nil {
		return nil, err
	}
	key, err := b.trueKey()
	if err != nil {
		return nil, err
	}
	home, err := b.pick(anchor + "/*")
	if err != nil {
		return nil, err
	}
	err = b.within(func(k *book) error {
		for i := range k.segments { // the end of the last run, as it never was
			g := &k.segments[i]
			g.lines = slices.Clone(g.lines)
			for j, l := range g.lines {
				g.lines[j] = []byte(strings.ReplaceAll(string(l), `"it is so"`, `"it is no"`))
			}
		}
		if err := k.save(true); err != nil {
			return err
		}
		if _, err := k.db.Exec(`update review set body = cast(replace(body, 'it is so', 'it is no') as blob)`); err != nil {
			return err
		}
		if err := b.sign(k, key, folder+"/checkpoints"); err != nil {
			return err
		}
		return b.sign(k, key, home+"/checkpoints")
	})
	if err != nil {
		return nil, err
	}
	var out []limit
	for _, l := range []struct {
		name string
		want bool
		kept []local.KeptNote
	}{
		{"stolen key, folder and anchor rewritten", false, nil},
		{"the same, and one checkpoint kept far away (a witness, an auditor, a pack)", true, []local.KeptNote{{Name: "kept", Note: w.seen}}},
	} {
		b.with = l.kept
		r, err := b.audit(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, limit{l.name, r.Verdict != audit.Intact, l.want})
	}
	return out, nil
}
