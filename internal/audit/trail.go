package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand/internal/regular"
)

// maxTrail is above what size, in bytes, a trail is begun anew with its last note.
const maxTrail = 1 << 20

// A Trail is a file that signed notes are appended to, the newest last. Nobody else may write to it.
type Trail struct {
	path string
	size int64 // of what is known to be whole
	torn bool  // what follows is what a failed Append left
}

// NewTrail begins a trail with its first note, in the place of whatever is at path.
func NewTrail(path string, msg []byte) (*Trail, error) {
	if err := Replace(path, msg); err != nil {
		return nil, fmt.Errorf("begin checkpoints: %w", err)
	}
	return &Trail{path: path, size: int64(len(msg))}, nil
}

// OpenTrail opens the trail at path, and returns its notes. What a crash left of the note being
// written is cut off by the next Append; anything else that is no note is an error.
func OpenTrail(path string) (*Trail, [][]byte, error) {
	b, err := ReadFile(path, MaxFile)
	if err != nil {
		return nil, nil, fmt.Errorf("open checkpoints: %w", err)
	}
	notes, rest, err := Notes(b)
	if err != nil {
		return nil, nil, fmt.Errorf("open checkpoints %s: %w", path, err)
	}
	return &Trail{path: path, size: int64(len(b) - len(rest)), torn: len(rest) > 0}, notes, nil
}

// Append adds a note, and returns when it is durable. After an error the trail may be appended to
// again. A file that is gone, or that somebody else has written to, is an error.
func (t *Trail) Append(msg []byte) error {
	if t.size+int64(len(msg)) > maxTrail {
		if err := Replace(t.path, msg); err != nil {
			return fmt.Errorf("start new checkpoints: %w", err)
		}
		t.size, t.torn = int64(len(msg)), false
		return nil
	}
	if err := t.write(msg); err != nil {
		return fmt.Errorf("append to checkpoints: %w", err)
	}
	t.size += int64(len(msg))
	return nil
}

func (t *Trail) write(msg []byte) (err error) {
	f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case t.torn && info.Size() > t.size:
		if err := f.Truncate(t.size); err != nil {
			return err
		}
	case info.Size() != t.size:
		return fmt.Errorf("%s has %d bytes and should have %d: another program has written to it", t.path, info.Size(), t.size)
	}
	t.torn = true
	if _, err := f.WriteAt(msg, t.size); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	t.torn = false
	return nil
}

// Notes cuts a trail into its notes. What a crash left of the last one is returned as rest; other
// bytes that are no note are an error.
func Notes(b []byte) (notes [][]byte, rest []byte, err error) {
	for at := 0; at < len(b); {
		n := whole(b[at:])
		if n == 0 {
			if torn(b[at:]) {
				return notes, b[at:], nil
			}
			return notes, b[at:], fmt.Errorf("there is no signed note at byte %d", at)
		}
		notes = append(notes, b[at:at+n])
		at += n
	}
	return notes, nil, nil
}

var (
	blank = []byte("\n\n")
	dash  = []byte("— ")
)

// whole is the length of the note that b begins with; zero if it begins with none.
func whole(b []byte) int {
	n := bytes.Index(b, blank)
	if n <= 0 {
		return 0
	}
	n += len(blank)
	signed := false
	for bytes.HasPrefix(b[n:], dash) {
		end := bytes.IndexByte(b[n:], '\n')
		if end < 0 {
			break
		}
		n, signed = n+end+1, true
	}
	if !signed {
		return 0
	}
	return n
}

// torn reports whether b is what is left of one checkpoint that was being written: each line is as
// that of a checkpoint, and it ends before its first signature does. One whose line break was
// altered is as long as a whole one, and is not.
func torn(b []byte) bool {
	lines := bytes.Split(b, []byte("\n"))
	for i, line := range lines {
		last := i == len(lines)-1
		switch i {
		case 0: // origin
		case 1: // size
			if strings.Trim(string(line), "0123456789") != "" {
				return false
			}
		case 2: // root
			if len(line) > rootText || !last && len(line) != rootText {
				return false
			}
		case 3:
			if len(line) > 0 {
				return false
			}
		case 4:
			return last && tornSignature(string(line))
		}
	}
	return true
}

func tornSignature(line string) bool {
	name, ok := strings.CutPrefix(line, string(dash))
	if !ok {
		return strings.HasPrefix(string(dash), line)
	}
	_, sig, _ := strings.Cut(name, " ")
	return len(sig) <= signatureText && strings.Trim(sig, base64Text) == ""
}

const (
	rootText      = 44 // of 32 bytes
	signatureText = 92 // of a key's hash of 4 bytes, and 64
	base64Text    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
)

// MaxFile is more than any file of checkpoints or of a key has, in bytes.
const MaxFile = 8 * maxTrail

// ReadFile is a file's content. One of more than limit bytes is an error, and is not read.
func ReadFile(path string, limit int64) (b []byte, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if b, err = io.ReadAll(io.LimitReader(f, limit+1)); err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes, and should not", path, limit)
	}
	return b, err
}

// Replace puts a file, readable by its owner only, in the place of another, which stays as it is
// until the new one is durable.
func Replace(path string, body []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err = f.Write(body); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
