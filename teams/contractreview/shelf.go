package contractreview

import (
	"slices"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A finder is a document that has been read and answers one category at a time. Packages pattern
// and lexical have one each.
type finder interface {
	Find(category string) (clause.Found, error)
}

// Bounds of a shelf. The document in use stays, whatever its size.
const (
	shelfPlaces = 8
	shelfBytes  = 32 << 20 // of text
)

// A shelf keeps what was read last, so that the subtasks of a run read a document once. What it
// holds follows from the text alone: a worker that finds it empty answers the same.
type shelf struct {
	read func(text string) finder

	mu    sync.Mutex
	books []*book // the last one used first
}

// A book is one document. It is read by whoever asks first; the others wait for that.
type book struct {
	hash   string
	size   int
	once   sync.Once
	finder finder
}

func (s *shelf) open(hash, text string) finder {
	if hash == "" {
		hash = chargehand.Hash([]byte(text))
	}
	b := s.take(hash, len(text))
	b.once.Do(func() { b.finder = s.read(text) })
	return b.finder
}

// take moves the document to the front, and drops what no longer fits.
func (s *shelf) take(hash string, size int) *book {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &book{hash: hash, size: size}
	if i := slices.IndexFunc(s.books, func(b *book) bool { return b.hash == hash && b.size == size }); i >= 0 {
		b = s.books[i]
		s.books = slices.Delete(s.books, i, i+1)
	}
	s.books = slices.Insert(s.books, 0, b)
	kept, total := 0, 0
	for i, b := range s.books {
		if total += b.size; i > 0 && (i >= shelfPlaces || total > shelfBytes) {
			break
		}
		kept++
	}
	clear(s.books[kept:])
	s.books = s.books[:kept]
	return b
}
