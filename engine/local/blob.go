package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand"
)

// A blob is content under its hash. One of at most maxInline bytes commits with the records that
// name it; a larger one is a file, written and synced before.
type blob struct {
	hash string
	body []byte
	file bool
}

const maxInline = 256 << 10 // bytes

// keep is content to be made durable with the next commit; large content is on disk when it returns.
func (s *store) keep(body []byte) (blob, error) {
	b := blob{hash: chargehand.Hash(body), body: body, file: len(body) > maxInline}
	if !b.file {
		return b, nil
	}
	return b, s.writeFile(b)
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

// content is the blob of that hash, verified.
func (s *store) content(ctx context.Context, hash string) ([]byte, error) {
	if !wellFormed(hash) {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: fmt.Sprintf("%q is no content hash", hash),
			Why: "want sha256: and 64 hexadecimal digits",
		}
	}
	var body []byte
	err := s.read.QueryRowContext(ctx, `select body from blob where hash = ?`, hash).Scan(&body)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no content " + hash}
	case err != nil:
		return nil, fmt.Errorf("read content: %w", err)
	case body == nil:
		if body, err = readAll(s.path(hash)); err != nil {
			return nil, fmt.Errorf("read content: %w", err)
		}
	}
	if chargehand.Hash(body) != hash {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInternal, What: "the content " + hash + " is damaged",
			Why: "what is stored has another hash", Next: "restore the data folder from a copy",
		}
	}
	return body, nil
}

func readAll(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

func wellFormed(hash string) bool {
	hex, ok := strings.CutPrefix(hash, "sha256:")
	if !ok || len(hex) != 64 {
		return false
	}
	return strings.Trim(hex, "0123456789abcdef") == ""
}
