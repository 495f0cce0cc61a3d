package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// A voucher is somewhere that signed checkpoints come from.
type voucher struct {
	name  string // folder, anchor, or what a kept note is called
	dir   string // empty: it is a note that somebody kept
	key   string // the public key that lies beside the checkpoints
	notes []audit.Checkpoint
	torn  bool
	none  bool   // nothing is there
	worst string // how the journal contradicts a checkpoint; empty: it does not
}

// newest is the last checkpoint; ok is false where there is none.
func (v *voucher) newest() (audit.Checkpoint, bool) {
	if len(v.notes) == 0 {
		return audit.Checkpoint{}, false
	}
	return v.notes[len(v.notes)-1], true
}

// readPlaces opens every checkpoint there is. The folder comes first: the anchor is written before it.
func (i *inspection) readPlaces() {
	folder := &voucher{name: "folder", dir: i.dir}
	i.vouchers = append(i.vouchers, folder)
	if i.opt.Anchor != "" {
		i.vouchers = append(i.vouchers, i.anchored(folder))
	}
	for _, v := range i.vouchers {
		i.readKey(v)
	}
	keys := i.trusted()
	for _, v := range i.vouchers {
		i.readNotes(v, keys)
	}
	for _, k := range i.opt.Kept {
		v := &voucher{name: k.Name}
		i.vouchers = append(i.vouchers, v)
		i.openNote(v, k.Note, 0, keys)
	}
}

// anchored is the journal's folder in the anchor. The journal's name stands in its public key.
func (i *inspection) anchored(folder *voucher) *voucher {
	v := &voucher{name: "anchor", dir: i.opt.Anchor, none: true}
	text, err := read(filepath.Join(i.dir, "key.pub"))
	name, _, _ := strings.Cut(text, "+")
	others, unread := claims(i.opt.Anchor, i.dir)
	if unread != nil {
		return v
	}
	if err == nil && strings.HasPrefix(name, "chargehand/journal/") {
		v.dir, v.none = filepath.Join(i.opt.Anchor, filepath.Base(name)), false
	} else if len(others) > 0 { // the folder cannot say which journal it is; the anchor can
		v.dir, v.none = others[0], false
	}
	for _, other := range others {
		if other != v.dir {
			i.fail(audit.Finding{Kind: audit.KindFork, Check: checkCheckpoints, Leaf: -1, Place: v.name, What: lastSeen(other).Why + ": it was replaced"})
		}
	}
	return v
}

func (i *inspection) readKey(v *voucher) {
	var err error
	if v.key, err = read(filepath.Join(v.dir, "key.pub")); err != nil {
		i.fail(audit.Finding{Kind: audit.KindKey, Check: checkKeys, Leaf: -1, Place: v.name, What: err.Error()})
	}
}

// trusted are the keys that checkpoints are opened with: those known from elsewhere, else the
// anchor's, else the folder's.
func (i *inspection) trusted() note.Verifiers {
	lines := strings.Join(i.opt.Keys, "\n")
	for n := len(i.vouchers) - 1; n >= 0 && lines == ""; n-- {
		lines = i.vouchers[n].key
	}
	keys, err := audit.Verifiers(lines)
	if err != nil {
		i.fail(audit.Finding{Kind: audit.KindKey, Check: checkKeys, Leaf: -1, What: err.Error()})
		return note.VerifierList()
	}
	return keys
}

func (i *inspection) readNotes(v *voucher, keys note.Verifiers) {
	b, err := audit.ReadFile(filepath.Join(v.dir, "checkpoints"), audit.MaxFile)
	if v.none = errors.Is(err, fs.ErrNotExist); v.none {
		return
	}
	var list [][]byte
	var rest []byte
	if err == nil {
		list, rest, err = audit.Notes(b)
		v.torn = len(rest) > 0
	}
	if err != nil {
		i.unsigned(v, err.Error())
	}
	for n, msg := range list {
		i.openNote(v, msg, n, keys)
	}
}

func (i *inspection) openNote(v *voucher, msg []byte, n int, keys note.Verifiers) {
	c, _, err := audit.OpenCheckpoint(msg, keys)
	if err != nil {
		text, _, _ := strings.Cut(string(msg), "\n\n")
		i.unsigned(v, fmt.Sprintf("checkpoint %d (%q) is not signed by the journal's key: %v", n+1, plain(text), err))
		return
	}
	if last, ok := v.newest(); ok && last.Origin == c.Origin && c.Size < last.Size {
		i.fail(audit.Finding{
			Kind: audit.KindReplay, Check: checkCheckpoints, Leaf: -1, Place: v.name,
			What: fmt.Sprintf("checkpoint %d covers %d records, the one before it %d: an older one was written again", n+1, c.Size, last.Size),
		})
	}
	v.notes = append(v.notes, c)
}

func (i *inspection) unsigned(v *voucher, what string) {
	i.fail(audit.Finding{Kind: audit.KindSignature, Check: checkCheckpoints, Leaf: -1, Place: v.name, What: what})
}

// A mark is a checkpoint to be met on the way along the leaves.
type mark struct {
	audit.Checkpoint
	met func(root audit.Hash)
}

// marks are the checkpoints of every place, by size.
func (i *inspection) marks() []mark {
	var out []mark
	for _, v := range i.vouchers {
		for n, c := range v.notes {
			out = append(out, mark{c, func(root audit.Hash) {
				if root != c.Root && v.worst == "" {
					v.worst = i.contradiction(v, n)
				}
			}})
		}
	}
	slices.SortStableFunc(out, func(a, b mark) int { return int(min(max(a.Size-b.Size, -1), 1)) })
	return out
}

// contradiction says between which leaves the records part from what was signed.
func (i *inspection) contradiction(v *voucher, n int) string {
	from := int64(0)
	for _, c := range v.notes[:n] {
		from = max(from, c.Size)
	}
	return fmt.Sprintf("records differ from those it covers: the first of them is between leaf %d and leaf %d", from, v.notes[n].Size-1)
}

// protected is how many leaves the newest checkpoint of any place covers.
func (i *inspection) protected() int64 {
	var n int64
	for _, v := range i.vouchers {
		if c, ok := v.newest(); ok {
			n = max(n, c.Size)
		}
	}
	return n
}

// keys compares what is known of the key.
func (i *inspection) keys() {
	wrong := func(place, format string, args ...any) {
		i.fail(audit.Finding{Kind: audit.KindKey, Check: checkKeys, Leaf: -1, Place: place, What: fmt.Sprintf(format, args...)})
	}
	latest := i.declared()
	for _, v := range i.vouchers {
		switch {
		case v.dir == "":
		case v.key == "" && !v.none:
			wrong(v.name, "there is no public key")
		case v.key != "" && i.key != "" && v.key != i.key:
			wrong(v.name, "the public key is %s, the journal's is %s", v.key, i.key)
		case v.key != "" && len(i.opt.Keys) > 0 && !slices.Contains(i.opt.Keys, v.key):
			wrong(v.name, "the public key is %s, which is none of the keys given to verify with", v.key)
		}
	}
	if latest != "" && latest != i.key {
		wrong("", "the journal names the key %s, its records name %s", i.key, latest)
	}
	c := audit.Check{Name: checkKeys, Status: audit.Passed, Proved: "folder, journal and anchor name one public key"}
	switch _, err := os.Stat(filepath.Join(i.dir, "audit.key")); {
	case err == nil:
		c.Status, c.NotProved = audit.Warned, "who signed: the signing key is in the folder, so each account that can write to the folder can sign anything"
	case len(i.opt.Keys) == 0 && i.opt.Anchor == "":
		c.Status, c.NotProved = audit.Warned, "that the key is the right one: only the folder names it, and no key was given to compare it with"
	case len(i.opt.Keys) == 0:
		c.NotProved = "that no other account with access to the anchor has signed"
	default:
		c.NotProved = "that no one has copied the private key"
	}
	i.report.Add(c)
}

// declared is the key that the records name last.
func (i *inspection) declared() string {
	key := ""
	for _, r := range i.facts {
		switch f := r.Fact.(type) {
		case chargehand.AuditBegan:
			key = f.Key
		case chargehand.KeyReplaced:
			key = f.New
		}
	}
	return key
}
