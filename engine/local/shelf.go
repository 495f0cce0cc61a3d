package local

import (
	"sync"
	"unsafe"
)

// A shelf keeps content at hand that was lately written or read, all of it durable. What it hands
// out is shared and must not be changed.
type shelf struct {
	mu       sync.Mutex
	new, old map[string]*piece // by hash; the old ones go when the new ones fill half of it
	size     int               // weight of the new ones
}

// A piece is content.
type piece struct {
	body []byte
	made any // what the body is the JSON of; nil: not known
}

// text is the content as text, which takes no memory of its own: the body never changes.
func (p *piece) text() string { return unsafe.String(unsafe.SliceData(p.body), len(p.body)) }

// shelfSize is the most a shelf holds, in bytes; about, for what bodies were made of is estimated.
const shelfSize = 64 << 20

// weight counts the hash and the place of a piece, too: most pieces are small.
func (p *piece) weight() int {
	const place = 512
	if p.made == nil {
		return place + len(p.body)
	}
	return place + 3*len(p.body)
}

func (s *shelf) put(b blob) *piece {
	p := &piece{b.body, b.made}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(b.hash, p)
	return p
}

func (s *shelf) keep(hash string, p *piece) {
	if s.size += p.weight(); s.size > shelfSize/2 || s.new == nil {
		s.old, s.new, s.size = s.new, map[string]*piece{}, p.weight()
	}
	s.new[hash] = p
}

// piece is what the shelf has under a hash; nil if nothing.
func (s *shelf) piece(hash string) *piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.new[hash]; p != nil {
		return p
	}
	p := s.old[hash]
	if p != nil {
		s.keep(hash, p)
	}
	return p
}
