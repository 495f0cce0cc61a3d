package local

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/audit"
)

// A blob is content under its hash. One of at most maxInline bytes commits with the records that
// name it; a larger one is a file, written and synced before.
type blob struct {
	hash   string
	body   []byte
	file   bool
	recipe []byte // in place of the body in a pack; nil: it is stored as it is
	cold   bool   // nobody reads it soon
	made   any    // what the body is the JSON of, for whoever reads it soon; nil: nobody does
}

const maxInline = 256 << 10 // bytes

// keep is content to be made durable with the next commit; large content is on disk when it returns.
func (s *store) keep(body []byte) (blob, error) { return s.keepDraft(draft{body: body}) }

// keepDraft is keep for content that has copies of other content in it.
func (s *store) keepDraft(d draft) (blob, error) {
	b := blob{hash: chargehand.Hash(d.body), body: d.body}
	if len(d.copies) > 0 {
		var err error
		if b.recipe, err = d.recipe(); err != nil {
			return b, err
		}
	}
	if len(b.stored()) <= maxInline {
		return b, nil
	}
	b.file, b.recipe = true, nil
	return b, s.writeFile(b)
}

// stored is what goes into a pack.
func (b blob) stored() []byte {
	if b.recipe != nil {
		return b.recipe
	}
	return b.body
}

// writeFile puts content into the folder blobs under its hash. It is synced before it gets its
// name, and so is the folder, so a name is never without its content.
func (s *store) writeFile(b blob) (err error) {
	path := s.path(b.hash)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("store content: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return fmt.Errorf("store content: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("store content: %w", errors.Join(err, os.Remove(tmp.Name())))
		}
	}()
	if _, err = tmp.Write(b.body); err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *store) path(hash string) string {
	hex := strings.TrimPrefix(hash, "sha256:")
	return filepath.Join(s.dir, "blobs", hex[:2], hex)
}

// content is what is stored under that hash, verified. It is shared and must not be changed.
func (s *store) content(ctx context.Context, hash string) ([]byte, error) {
	p, err := s.piece(ctx, hash)
	if err != nil {
		return nil, err
	}
	return p.body, nil
}

// text is content as text.
func (s *store) text(ctx context.Context, hash string) (string, error) {
	p, err := s.piece(ctx, hash)
	if err != nil {
		return "", err
	}
	return p.text(), nil
}

// made is what content is the JSON of. It is shared and must not be changed.
func made[T any](ctx context.Context, s *store, hash string) (*T, error) {
	p, err := s.piece(ctx, hash)
	if err != nil {
		return nil, err
	}
	if v, ok := p.made.(*T); ok {
		return v, nil
	}
	var v T
	return &v, json.Unmarshal(p.body, &v)
}

// piece is content as it is kept at hand.
func (s *store) piece(ctx context.Context, hash string) (*piece, error) {
	return s.pieceAt(ctx, hash, 0)
}

// deepest is how many copies of copies content may be: the result of the aggregate, that of the
// outputs.
const deepest = 2

// pieceAt is piece for content that so many others are copies of.
func (s *store) pieceAt(ctx context.Context, hash string, depth int) (*piece, error) {
	if p := s.shelf.piece(hash); p != nil {
		return p, nil
	}
	key, err := hashKey(hash)
	if err != nil {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: fmt.Sprintf("%q is not a content hash", hash),
			Why: "want sha256: and 64 hexadecimal digits",
		}
	}
	body, err := s.stored(ctx, hash, key, depth)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, &chargehand.Error{
			Code: chargehand.CodeNotFound, What: "there is no content " + hash,
			Next: "if a run names it, chargehand audit verify says more",
		}
	case err != nil:
		return nil, fmt.Errorf("read content: %w", err)
	//guard:content-verified
	case chargehand.Hash(body) != hash:
		return nil, &chargehand.Error{
			Code: chargehand.CodeInternal, What: "the content " + hash + " is damaged",
			Why: "the stored bytes have another hash", Next: auditNext,
		}
	}
	return s.shelf.put(blob{hash: hash, body: body}), nil
}

// stored is what lies where the journal says that content is.
func (s *store) stored(ctx context.Context, hash string, key []byte, depth int) ([]byte, error) {
	var size, at int
	var pack sql.NullInt64
	var copied bool
	err := s.read.QueryRowContext(ctx, `select size, at, pack, recipe from content where hash = ?`, key).Scan(&size, &at, &pack, &copied)
	switch {
	case err != nil:
		return nil, err
	case !pack.Valid:
		body, err := audit.ReadFile(s.path(hash), int64(size))
		if _, ok := errors.AsType[*fs.PathError](err); err != nil && (!ok || errors.Is(err, fs.ErrNotExist)) {
			err = spoilt("the content "+hash+" is damaged", err.Error())
		}
		return body, err
	}
	body, err := s.unpacked(ctx, pack.Int64)
	if err != nil {
		return nil, err
	}
	if at < 0 || size < 0 || at > len(body)-size {
		return nil, spoilt("the content "+hash+" is damaged", fmt.Sprintf("its row in the table content says %d bytes from byte %d of pack %d, which has %d", size, at, pack.Int64, len(body)))
	}
	if !copied {
		return bytes.Clone(body[at : at+size]), nil
	}
	return cook(body[at:at+size], func(hash string) ([]byte, error) {
		if depth == deepest {
			return nil, errRecipe
		}
		p, err := s.pieceAt(ctx, hash, depth+1)
		if err != nil {
			return nil, err
		}
		return p.body, nil
	})
}
