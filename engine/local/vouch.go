package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// vouch compares the journal with what its checkpoints say it was, and makes ready to write
// further ones. The facts are to be put on record.
func vouch(ctx context.Context, s *store, opt *Options) (*notary, []chargehand.Fact, error) {
	v := vouching{ctx: ctx, store: s, opt: opt}
	if err := v.inspect(); err != nil {
		return nil, nil, err
	}
	if err := v.judge(); err != nil {
		return nil, nil, err
	}
	if err := v.settle(); err != nil {
		return nil, nil, err
	}
	return newNotary(&v), v.facts, nil
}

// vouching is the comparison under way.
type vouching struct {
	ctx   context.Context
	store *store
	opt   *Options

	sites  []*site
	fresh  map[*site]bool
	origin string // as the journal says
	begun  bool   // it has been checkpointed before
	known  string // the public key; empty: there has been none
	key    audit.Key
	signer *site // where key lies; nil: there is none

	lost   []chargehand.SignedState // what the journal does not agree with
	others []string                 // other journals of the data folder, in the anchor
	keys   []string                 // what is wrong with the keys
	facts  []chargehand.Fact        // to be put on record
}

// inspect reads what is there.
func (v *vouching) inspect() (err error) {
	if v.origin, err = v.store.meta(v.ctx, "origin"); err != nil {
		return err
	}
	if v.known, err = v.store.meta(v.ctx, "key"); err != nil {
		return err
	}
	if v.begun = v.known != ""; !v.begun {
		v.origin = v.name()
	}
	if v.sites, err = sites(v.store.dir, v.opt.Anchor, v.store.journal); err != nil {
		return err
	}
	v.fresh = map[*site]bool{}
	for _, p := range v.sites {
		if v.fresh[p], err = p.fresh(); err != nil {
			return err
		}
		if err := v.compareKeys(p); err != nil {
			return err
		}
	}
	if err := v.findKey(); err != nil {
		return err
	}
	for _, p := range v.sites {
		if !v.fresh[p] || p.name == "folder" && v.begun {
			v.compare(p)
		} else if p.name == "anchor" {
			if err := v.usurped(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// findKey looks for the private key that belongs to the public one.
func (v *vouching) findKey() (err error) {
	if v.key, v.signer, err = signingKey(v.sites); err != nil {
		return err
	}
	switch {
	case v.signer != nil && v.known == "" && v.key.Name() == v.name():
		v.known = v.key.Public() // made by a process that did not come further
	case v.signer == nil && v.known != "":
		v.keys = append(v.keys, "the private key is not in "+v.sites[len(v.sites)-1].dir)
	case v.signer != nil && v.key.Public() != v.known:
		v.keys = append(v.keys, "the private key is not the one that belongs to the public key")
	}
	return nil
}

// name is that of the key, and of the first checkpoints.
func (v *vouching) name() string { return nameOf(v.store.journal) }

func nameOf(journal string) string { return "chargehand/journal/" + journal }

func (v *vouching) compareKeys(p *site) error {
	public, err := read(p.publicKey())
	switch {
	case err != nil:
		return unusableAnchor(p.dir, err)
	case public == "" || public == v.known:
	case v.known == "" && strings.HasPrefix(public, v.name()+"+"):
		v.known = public
	case v.known != "":
		v.keys = append(v.keys, "the public key in "+p.dir+" is not the journal's")
	}
	return nil
}

// compare holds the newest checkpoint of a place against the tree.
func (v *vouching) compare(p *site) {
	seen := chargehand.SignedState{Place: p.name}
	trail, notes, err := audit.OpenTrail(p.checkpoints())
	var c audit.Checkpoint
	if err == nil {
		c, err = v.newest(notes)
	}
	if p.trail = trail; err != nil {
		seen.Why = err.Error()
		v.lost = append(v.lost, seen)
		return
	}
	p.size = c.Size
	seen.Origin, seen.Size, seen.Root = c.Origin, c.Size, c.Root.String()
	if seen.Why = v.differs(c); seen.Why != "" {
		v.lost = append(v.lost, seen)
	}
}

func (v *vouching) newest(notes [][]byte) (audit.Checkpoint, error) {
	if len(notes) == 0 {
		return audit.Checkpoint{}, errors.New("there is no checkpoint in it")
	}
	keys, err := audit.Verifiers(v.known)
	if err != nil {
		return audit.Checkpoint{}, err
	}
	last := notes[len(notes)-1]
	c, _, err := audit.OpenCheckpoint(last, keys)
	if err != nil {
		text, _, _ := strings.Cut(string(last), "\n\n")
		err = fmt.Errorf("%q is not signed by the journal's key: %w", plain(text), err)
	}
	return c, err
}

// unverified is what a note says, whoever signed it.
func unverified(msg []byte) (audit.Checkpoint, bool) {
	text, _, ok := strings.Cut(string(msg), "\n\n")
	c, err := audit.ParseCheckpoint(text + "\n")
	return c, ok && err == nil
}

// differs says why the journal is not the one that a checkpoint speaks of; empty: it may be.
func (v *vouching) differs(c audit.Checkpoint) string {
	if c.Origin != v.origin {
		return fmt.Sprintf("it is of %s, the journal is %s", c.Origin, v.origin)
	}
	return disagrees(&v.store.tree, tiles(v.ctx, v.store.write), c)
}

// disagrees says how a tree contradicts a checkpoint of it; empty: it does not.
func disagrees(tree *audit.Tree, tiles audit.Tiles, c audit.Checkpoint) string {
	if c.Size > tree.Size() {
		return fmt.Sprintf("it covers %d records, the journal has %d", c.Size, tree.Size())
	}
	root, err := tiles.Root(c.Size)
	switch {
	case err != nil:
		return err.Error()
	//guard:fork
	case root != c.Root:
		return fmt.Sprintf("the first %d records differ from those it covers: their root is %v, it says %v", c.Size, root, c.Root)
	}
	return ""
}

// judge refuses a journal that contradicts its checkpoints or keys, unless a person accepts it.
func (v *vouching) judge() error {
	//guard:rollback
	if len(v.lost) > 0 && !v.opt.AcceptRollback {
		var why []string
		for _, l := range v.lost {
			why = append(why, "the "+l.Place+"'s checkpoint: "+l.Why)
		}
		return &chargehand.Error{
			Code: chargehand.CodeAudit,
			What: "AUDIT_ROLLBACK: the journal in " + v.store.dir + " is not what its checkpoints say it was",
			Why:  strings.Join(why, "; "),
			Next: "chargehand audit verify says more; restore the newest copy of the data folder, or continue from here with --accept-rollback, which is recorded",
		}
	}
	if len(v.keys) > 0 && !v.opt.AcceptNewKey {
		return &chargehand.Error{
			Code: chargehand.CodeAudit,
			What: "AUDIT_KEY: checkpoints of the journal in " + v.store.dir + " cannot be signed as they were",
			Why:  strings.Join(v.keys, "; "),
			Next: "chargehand audit verify says more; name the anchor that has the key with --anchor, or continue with a new key with --accept-new-key, which is recorded",
		}
	}
	return nil
}

// meta is a value of the journal's own; empty if there is none.
func (s *store) meta(ctx context.Context, key string) (string, error) {
	var v string
	err := s.write.QueryRowContext(ctx, `select value from meta where key = ?`, key).Scan(&v)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read the journal's %s: %w", key, err)
	}
	return v, nil
}

func (w *writer) meta(values map[string]string) error {
	for key, value := range values {
		if _, err := w.tx.ExecContext(w.ctx, `insert into meta (key, value) values (?, ?)
			on conflict (key) do update set value = excluded.value`, key, value); err != nil {
			return err
		}
	}
	return nil
}
