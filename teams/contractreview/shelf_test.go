package contractreview

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

type blank struct{}

func (blank) Find(string) (clause.Found, error) { return clause.Found{}, nil }

func TestShelfReadsOnce(t *testing.T) {
	var reads atomic.Int32
	s := &shelf{read: func(string) finder { reads.Add(1); return blank{} }}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { s.open("", "one text") })
	}
	wg.Wait()
	if n := reads.Load(); n != 1 {
		t.Errorf("read %d times", n)
	}
}

func TestShelfIsBounded(t *testing.T) {
	read := ""
	s := &shelf{read: func(text string) finder { read += text[:1]; return blank{} }}
	for _, name := range strings.Split("abcdefghi", "") {
		s.open(name, name)
	}
	s.open("i", "i")
	s.open("b", "b")
	s.open("a", "a") // the first to go
	if read != "abcdefghia" {
		t.Errorf("read %q", read)
	}
	big := strings.Repeat("x", shelfBytes+1)
	s.open("x", big)
	s.open("x", big)
	if read != "abcdefghiax" || len(s.books) != 1 {
		t.Errorf("read %q, %d on the shelf", read, len(s.books))
	}
}
