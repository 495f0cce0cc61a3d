package local

import (
	"context"
	"encoding/base64"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/account"
	"github.com/chargehand/chargehand/internal/audit"
)

// settle makes the key and a first checkpoint where there are none, and begins both anew where a
// person has accepted that they do not fit.
func (v *vouching) settle() error {
	old := v.known
	if err := v.keepKey(); err != nil {
		return err
	}
	v.known = v.key.Public()
	anew := len(v.lost)+len(v.keys) > 0
	if anew {
		v.origin = v.next()
	}
	c := v.store.tree.Checkpoint(v.origin)
	msg, err := v.key.SignCheckpoint(c)
	if err != nil {
		return err
	}
	for _, p := range v.sites {
		if anew || v.fresh[p] {
			err = p.begin(v.known, c, msg)
		} else {
			err = p.publish(v.known)
		}
		if err == nil && p.name == "anchor" {
			err = p.claim(v.store.dir)
		}
		if err != nil {
			return err
		}
	}
	if err := renounce(v.others); err != nil {
		return err
	}
	v.remember(old, c)
	return nil
}

// keepKey makes a key where there is none to go on with, and puts it where it belongs: one that lies
// in the folder moves to the anchor, once there is one.
func (v *vouching) keepKey() (err error) {
	home := v.sites[len(v.sites)-1]
	made := v.signer == nil || len(v.keys) > 0
	if made {
		if v.key, err = audit.NewKey(v.name()); err != nil {
			return err
		}
	}
	if made || v.signer != home {
		if err := keepKey(home, v.key); err != nil {
			return err
		}
	}
	if v.signer != nil && v.signer != home {
		return os.Remove(v.signer.privateKey())
	}
	return nil
}

// next is the journal's next name for checkpoints: none was signed under it, as far as anybody knows.
func (v *vouching) next() string {
	epoch := 1
	for _, origin := range append([]string{v.origin}, origins(v.lost)...) {
		if n, err := strconv.Atoi(strings.TrimPrefix(origin, v.name()+"/")); err == nil {
			epoch = max(epoch, n)
		}
	}
	return v.name() + "/" + strconv.Itoa(epoch+1)
}

func origins(lost []chargehand.SignedState) []string {
	var out []string
	for _, l := range lost {
		out = append(out, l.Origin)
	}
	return out
}

// remember is what has to be put on record.
func (v *vouching) remember(old string, c audit.Checkpoint) {
	if !v.begun {
		v.facts = append(v.facts, chargehand.AuditBegan{Origin: v.origin, Key: v.known})
	}
	by := account.Name(os.Geteuid()) // as decisions over the socket
	if len(v.lost) > 0 {
		v.facts = append(v.facts, chargehand.RollbackAccepted{
			By: by, Lost: v.lost, Size: c.Size, Root: base64.StdEncoding.EncodeToString(c.Root[:]), Origin: v.origin,
		})
	}
	if len(v.keys) > 0 {
		v.facts = append(v.facts, chargehand.KeyReplaced{By: by, Old: old, New: v.known, Origin: v.origin})
	}
}

// register puts on record what opening the journal came to, and the fleet as it is taken over.
func (e *Engine) register(ctx context.Context, facts []chargehand.Fact) error {
	var c commit
	for _, f := range facts {
		c.records = append(c.records, e.loop.Fleet().Note(e.clock.now(), f).Records...)
		c.meta = map[string]string{"origin": e.notary.origin, "key": e.notary.key.Public()}
	}
	if c.records = append(c.records, e.loop.Fleet().Rebase(e.clock.now()).Records...); len(c.records) == 0 {
		return nil
	}
	if err := e.store.append(ctx, c); err != nil {
		return err
	}
	e.notary.committed(&e.store.tree, false)
	return nil
}

// ends reports whether a run ends with these records.
func ends(records []chargehand.Record) bool {
	return slices.ContainsFunc(records, func(r chargehand.Record) bool {
		_, ended := r.Fact.(chargehand.RunEnded)
		return ended
	})
}
