package audit

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A Checkpoint says what a log was: its first Size leaves have that root (C2SP tlog-checkpoint).
type Checkpoint struct {
	Origin string `json:"origin"` // names the log
	Size   int64  `json:"size"`
	Root   Hash   `json:"root"`
}

// Checkpoint is the tree's, of the log of that name.
func (t *Tree) Checkpoint(origin string) Checkpoint { return Checkpoint{origin, t.size, t.Root()} }

// Text is what is signed: three lines.
func (c Checkpoint) Text() string {
	return c.Origin + "\n" + strconv.FormatInt(c.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Root[:]) + "\n"
}

// ParseCheckpoint reads a note's text. Lines after the third are left aside, as the specification
// has it.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[len(lines)-1] != "" || lines[0] == "" {
		return Checkpoint{}, errNoCheckpoint
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, errNoCheckpoint
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Checkpoint{}, errNoCheckpoint
	}
	for _, extension := range lines[3 : len(lines)-1] {
		if extension == "" {
			return Checkpoint{}, errNoCheckpoint
		}
	}
	return Checkpoint{lines[0], size, Hash(root)}, nil
}

var errNoCheckpoint = errors.New("it is not a checkpoint: want a name, a size and a root hash, on a line each")

// Sign is the checkpoint as a signed note.
func (k Key) SignCheckpoint(c Checkpoint) ([]byte, error) { return k.Sign(c.Text()) }

// OpenCheckpoint reads a signed note. At least one of the keys must have signed it, and none of
// them wrongly; signatures by other keys are passed over. A signature that is not written as Sign
// writes it is wrong: no bit of a note may change unnoticed.
func OpenCheckpoint(msg []byte, keys note.Verifiers) (Checkpoint, *note.Note, error) {
	n, err := note.Open(msg, keys)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	for _, s := range n.Sigs {
		//guard:signature
		if _, err := base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil {
			return Checkpoint{}, nil, fmt.Errorf("read the signature of %s: %w", s.Name, err)
		}
	}
	c, err := ParseCheckpoint(n.Text)
	return c, n, err
}

// Verifiers are keys to open notes with, from verifier keys, one a line. Empty lines, and lines
// that come again, are passed over.
func Verifiers(lines string) (note.Verifiers, error) {
	var list []note.Verifier
	seen := map[string]bool{"": true}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); seen[line] {
			continue
		}
		seen[line] = true
		v, err := note.NewVerifier(line)
		if err != nil {
			return nil, fmt.Errorf("read verifier key %q: %w", line, err)
		}
		list = append(list, v)
	}
	return note.VerifierList(list...), nil
}
