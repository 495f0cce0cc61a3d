package local

import (
	"encoding/binary"
	"errors"
	"slices"
)

// A draft is content to be stored, and which stretches of it are copies of content that is stored
// already: the aggregate holds what the outputs said, and the result what the aggregate does. What
// is a copy is not stored again.
type draft struct {
	body   []byte
	copies []excerpt // in order
}

// An excerpt is a part of a draft that is a copy.
type excerpt struct {
	at, size int    // in the draft
	from     string // hash of the content that it is copied from
	start    int    // there
}

// worthCopying is the least size of a copy: to say where one is takes some forty bytes.
const worthCopying = 64

// recipe tells a draft by what is its own and what is copied: as often as there is a copy, the
// length of what stands before it and that, the copy's length, its source's hash, and where it
// starts there; then the rest, and a zero in place of a copy. Numbers are varints.
func (d draft) recipe() ([]byte, error) {
	var out []byte
	own := func(b []byte) { out = append(binary.AppendUvarint(out, uint64(len(b))), b...) }
	end := 0
	for _, c := range d.copies {
		if c.size < worthCopying {
			continue
		}
		key, err := hashKey(c.from)
		if err != nil {
			return nil, err
		}
		own(d.body[end:c.at])
		out = binary.AppendUvarint(out, uint64(c.size))
		out = append(out, key...)
		out = binary.AppendUvarint(out, uint64(c.start))
		end = c.at + c.size
	}
	own(d.body[end:])
	return append(out, 0), nil
}

// cook is the content that a recipe tells. What comes of one that was tampered with is no longer than
// a document may be.
func cook(recipe []byte, source func(hash string) ([]byte, error)) ([]byte, error) {
	r := recipeReader{rest: recipe}
	var out []byte
	for {
		out = append(out, r.bytes(r.number())...)
		size := r.number()
		if r.bad || len(out)+size > maxDocument {
			return nil, errRecipe
		}
		if size == 0 {
			return out, r.over()
		}
		hash, start := contentHash(r.bytes(32)), r.number()
		if r.bad {
			return nil, errRecipe
		}
		body, err := source(hash)
		if err != nil {
			return nil, err
		}
		if start > len(body)-size {
			return nil, errRecipe
		}
		out = append(out, body[start:start+size]...)
	}
}

var errRecipe = errors.New("its recipe cannot be read")

type recipeReader struct {
	rest []byte
	bad  bool
}

func (r *recipeReader) number() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > maxDocument {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *recipeReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *recipeReader) over() error {
	if len(r.rest) > 0 {
		return errRecipe
	}
	return nil
}

// within is a draft between two texts.
func (d draft) within(head, tail []byte) draft {
	out := draft{body: slices.Concat(head, d.body, tail), copies: slices.Clone(d.copies)}
	for i := range out.copies {
		out.copies[i].at += len(head)
	}
	return out
}
