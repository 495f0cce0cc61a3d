package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// A site is where checkpoints are kept: the data folder, and the journal's own folder in the
// anchor.
type site struct {
	name   string // folder or anchor
	dir    string
	secret string // file of the private key, should it lie here
	trail  *audit.Trail
	size   int64  // leaves that the newest checkpoint here covers
	last   []byte // the note this process kept here last; nil: none
}

// sites are those that are configured. The last is where the private key belongs.
func sites(dir, anchor, journal string) ([]*site, error) {
	folder := &site{name: "folder", dir: dir, secret: "audit.key"}
	if anchor == "" {
		return []*site{folder}, nil
	}
	anchor, err := filepath.Abs(anchor)
	if err != nil {
		return nil, unusableAnchor(anchor, err)
	}
	if rel, err := filepath.Rel(dir, anchor); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "the anchor " + anchor + " lies in the data folder",
			Why: "an account that can change the folder can change both", Next: "name a folder outside of it, on another disk if possible",
		}
	}
	return []*site{folder, {name: "anchor", dir: filepath.Join(anchor, journal), secret: "key"}}, nil
}

func unusableAnchor(anchor string, err error) error {
	e := &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the anchor " + anchor + " cannot be used", Why: err.Error(), Err: err,
		Next: "correct its permissions, or mount it",
	}
	if full(err) {
		e.Code, e.Next = chargehand.CodeFull, "free some space there"
	}
	return e
}

func (p *site) checkpoints() string { return filepath.Join(p.dir, "checkpoints") }

func (p *site) publicKey() string { return filepath.Join(p.dir, "key.pub") }

func (p *site) privateKey() string { return filepath.Join(p.dir, p.secret) }

// fresh reports whether nothing has been kept here yet.
func (p *site) fresh() (bool, error) {
	for _, file := range []string{p.checkpoints(), p.publicKey()} {
		switch _, err := os.Stat(file); {
		case err == nil:
			return false, nil
		case !errors.Is(err, fs.ErrNotExist):
			return false, unusableAnchor(p.dir, err)
		}
	}
	return true, nil
}

// begin keeps a first checkpoint here, and the public key. What was here is kept beside it.
func (p *site) begin(public string, c audit.Checkpoint, msg []byte) error {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return unusableAnchor(p.dir, err)
	}
	err := errors.Join(setAside(p.checkpoints()), setAside(p.publicKey()))
	if err == nil {
		p.trail, err = audit.NewTrail(p.checkpoints(), msg)
	}
	if err == nil {
		err = p.publish(public)
	}
	if err != nil {
		return unusableAnchor(p.dir, err)
	}
	p.size = c.Size
	return nil
}

// publish keeps the public key here. It comes after the checkpoints, so where it is they are.
func (p *site) publish(public string) error {
	if have, err := read(p.publicKey()); err != nil || have == public {
		return err
	}
	return audit.Replace(p.publicKey(), []byte(public+"\n"))
}

// setAside keeps what is in a file in another, numbered from 1.
func setAside(path string) error {
	b, err := audit.ReadFile(path, audit.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for n := 1; err == nil; n++ {
		other := path + "." + strconv.Itoa(n)
		if _, err = os.Stat(other); errors.Is(err, fs.ErrNotExist) {
			return audit.Replace(other, b)
		}
	}
	return fmt.Errorf("keep %s: %w", path, err)
}

// read is a small file's text without white space at its ends; empty if there is no file.
func read(path string) (string, error) {
	b, err := audit.ReadFile(path, audit.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// signingKey is the private key, and where it lies: at home, in the last of the sites, or in the
// folder still. It is nil where it is in none of them.
func signingKey(sites []*site) (audit.Key, *site, error) {
	for _, p := range []*site{sites[len(sites)-1], sites[0]} {
		text, err := read(p.privateKey())
		if err != nil {
			return audit.Key{}, nil, unusableAnchor(p.dir, err)
		}
		if text == "" {
			continue
		}
		k, err := audit.ParseKey(text)
		if err != nil {
			return k, nil, spoilt("the signing key in "+p.dir+" cannot be read", err.Error())
		}
		return k, p, nil
	}
	return audit.Key{}, nil, nil
}

func keepKey(p *site, k audit.Key) error {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return unusableAnchor(p.dir, err)
	}
	if err := audit.Replace(p.privateKey(), []byte(k.Secret())); err != nil {
		return unusableAnchor(p.dir, err)
	}
	return nil
}
