package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// What a pack may be at most. A zip file can claim to hold far more than it is.
const (
	maxMembers = 1<<16 - 2 // more would need another form of directory
	maxBytes   = 4<<30 - 1 // of all members, as they are
	maxPart    = 64 << 20  // of one that is held in memory
	maxLine    = 16 << 20  // of one record
	maxRatio   = 100       // of a member as it is to as it is packed, where it is larger than
	freeRatio  = 1 << 20   // this many bytes
	maxValues  = 1 << 19   // of the JSON of one record or of the manifest: each may become a large value
)

var partNames = []string{
	partReadme, partManifest, partSignature, partReport, partRecords, partLeaves, partProof, partCheckpoint, partKey, partWitnesses,
}

// An archive is a pack's members, before any of them is verified.
type archive struct {
	file      io.ReaderAt
	parts     map[string]*member
	artifacts map[string]*member // by content hash
	bytes     int64
}

// unzip reads what a pack claims to hold, and refuses what no pack holds.
func unzip(r io.ReaderAt, size int64) (*archive, error) {
	members, err := directory(r, size)
	if err != nil {
		return nil, err
	}
	a := &archive{file: r, parts: map[string]*member{}, artifacts: map[string]*member{}}
	for _, m := range members {
		if err := a.add(m); err != nil {
			return nil, err
		}
	}
	for _, name := range partNames {
		if a.parts[name] == nil && name != partWitnesses {
			return nil, fmt.Errorf("it has no %s", name)
		}
	}
	return a, nil
}

func (a *archive) add(m *member) error {
	to, name := a.parts, m.name
	hash := "sha256:" + strings.TrimPrefix(name, artifactFolder)
	if strings.HasPrefix(name, artifactFolder) && contentHash.MatchString(hash) {
		to, name = a.artifacts, hash
	} else if !slices.Contains(partNames, name) {
		return fmt.Errorf("it holds %.100q, which no pack does", name)
	}
	a.bytes += m.size
	switch {
	case to[name] != nil:
		return fmt.Errorf("it holds %s twice", m.name)
	case m.size > freeRatio && m.size/maxRatio > m.packed:
		return fmt.Errorf("%s claims to be %d bytes, packed into %d: more than %d times", m.name, m.size, m.packed, maxRatio)
	case a.bytes > maxBytes:
		return fmt.Errorf("it claims to hold more than %d bytes", int64(maxBytes))
	}
	to[name] = m
	return nil
}

// read is a whole member, for one that is held in memory.
func (a *archive) read(m *member) ([]byte, error) {
	if m.size > maxPart {
		return nil, fmt.Errorf("%s has %d bytes, and at most %d are read", m.name, m.size, maxPart)
	}
	var b held
	err := a.copy(m, &b)
	return b, err
}

// held keeps what is written to it.
type held []byte

func (h *held) Write(b []byte) (int, error) {
	*h = append(*h, b...)
	return len(b), nil
}

// A splitter calls line with each line that is written to it, without its line break.
type splitter struct {
	line func(text []byte) error
	rest []byte
}

var errLine = errors.New("a line is longer than any record")

func (s *splitter) Write(b []byte) (int, error) {
	n := len(b)
	for {
		text, after, ok := bytes.Cut(b, []byte("\n"))
		if len(s.rest)+len(text) > maxLine {
			return 0, errLine
		}
		if s.rest = append(s.rest, text...); !ok {
			return n, nil
		}
		if err := s.line(s.rest); err != nil {
			return 0, err
		}
		s.rest, b = s.rest[:0], after
	}
}

// values is how many values a JSON text has at most.
func values(text []byte) int {
	n := 0
	for _, c := range text {
		if c == ',' || c == '{' || c == '[' {
			n++
		}
	}
	return n
}
