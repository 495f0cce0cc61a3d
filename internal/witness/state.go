package witness

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand/internal/audit"
)

// state is what a witness must not forget: for each log the checkpoint it signed last, a file each.
type state struct {
	dir  string
	lock *os.File
	last map[string][]byte // by the hash of the log's name
}

func openState(dir string) (*state, Key, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Key{}, err
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, Key{}, err
	}
	s := &state{dir: dir, lock: lock, last: map[string][]byte{}}
	key, err := s.load()
	if err != nil {
		return nil, Key{}, errors.Join(err, s.close())
	}
	return s, key, nil
}

func (s *state) load() (Key, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.checkpoint"))
	if err != nil {
		return Key{}, err
	}
	for _, f := range files {
		b, err := audit.ReadFile(f, audit.MaxFile)
		if err != nil {
			return Key{}, err
		}
		s.last[strings.TrimSuffix(filepath.Base(f), ".checkpoint")] = b
	}
	key, err := s.key(len(files) > 0)
	if err != nil {
		return key, err
	}
	v, err := NewVerifier(key.Public())
	if err != nil {
		return key, err
	}
	for hash, msg := range s.last {
		if _, ok := v.Seen(msg); !ok {
			return key, fmt.Errorf("%s.checkpoint is not signed by this witness: it has been altered", hash)
		}
	}
	return key, nil
}

// key is the witness's, which is made if there is none; used says that it must be there.
func (s *state) key(used bool) (Key, error) {
	path := filepath.Join(s.dir, "key")
	b, err := audit.ReadFile(path, audit.MaxFile)
	switch {
	case err == nil:
		return ParseKey(string(b))
	case !errors.Is(err, fs.ErrNotExist):
		return Key{}, err
	case used:
		return Key{}, errors.New("there are checkpoints, and the key that signed them is gone")
	}
	key, err := NewKey("chargehand/witness/" + strings.ToLower(rand.Text()[:10]))
	if err != nil {
		return key, err
	}
	return key, errors.Join(
		audit.Replace(filepath.Join(s.dir, "key.pub"), []byte(key.Public()+"\n")),
		audit.Replace(path, []byte(key.Secret()+"\n")),
	)
}

// name is a log's file, and how the log is asked for (C2SP tlog-witness).
func name(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return hex.EncodeToString(sum[:])
}

// size is the checkpoint signed last; the zero one if there was none.
func (s *state) size(origin string) (audit.Checkpoint, error) {
	msg := s.last[name(origin)]
	if msg == nil {
		return audit.Checkpoint{}, nil
	}
	text, _, _ := strings.Cut(string(msg), "\n\n")
	return audit.ParseCheckpoint(text + "\n")
}

func (s *state) byHash(hash string) []byte { return s.last[hash] }

// keep returns when the checkpoint is durable. After an error the one before still counts.
func (s *state) keep(c audit.Checkpoint, msg []byte) error {
	if err := audit.Replace(filepath.Join(s.dir, name(c.Origin)+".checkpoint"), msg); err != nil {
		return err
	}
	s.last[name(c.Origin)] = msg
	return nil
}

func (s *state) close() error { return s.lock.Close() }
