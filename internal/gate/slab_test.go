package gate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// drawText makes texts with figures of every kind, some of them long.
var drawText = rapid.Custom(func(t *rapid.T) string {
	words := rapid.SampledFrom([]string{
		"USD 5,000", "30 days", "thirty (30) days", "12 May 2014", "2014-05-12", "7%", "per annum", "€1.250,50", "1.234.567", "0012",
		"9.2.1", "annually", "Acme", "the", "fee", "1'000", "12’000", "3 million", "£5", "x", "don't", "-", "12", "007.50",
	})
	return strings.Repeat(strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "words"), " ")+" ", rapid.SampledFrom([]int{1, 1, 2, 12}).Draw(t, "times"))
})

// What is read in the room of a slab is what is read anywhere, and stays so while more is read.
func TestSlab(t *testing.T) {
	same := []cmp.Option{cmp.AllowUnexported(figures{}, figure{}, lexeme{}, date{}), cmpopts.EquateEmpty()}
	rapid.Check(t, func(t *rapid.T) {
		var b slab
		for range 3 { // an empty slab is as good as a new one
			texts := rapid.SliceOfN(drawText, 0, 9).Draw(t, "texts")
			var read []*figures
			for _, text := range texts {
				read = append(read, b.read(text))
			}
			for i, text := range texts {
				want := new(slab).read(text)
				if reflect.DeepEqual(want, read[i]) {
					continue // quick
				}
				if diff := cmp.Diff(want, read[i], same...); diff != "" {
					t.Fatalf("%.80q: %s", text, diff)
				}
			}
			b.empty()
		}
	})
}

// A slab that read very much keeps little.
func TestSlabLetsGo(t *testing.T) {
	var b slab
	for range 3 {
		for range 300 {
			b.read(strings.Repeat("30 days and USD 5 ", 50))
		}
		b.read(strings.Repeat("30 days ", 100_000))
		b.empty()
		if n := cap(b.lexemes); n > 4*keptRoom {
			t.Errorf("room for %d lexemes", n)
		}
		if n := max(cap(b.figures), cap(b.units), cap(b.texts)); n > keptRoom {
			t.Errorf("room for %d", n)
		}
		for _, f := range b.figures[:cap(b.figures)] {
			if f.value != "" {
				t.Fatalf("%q is kept", f.value)
			}
		}
	}
}

// Room for very many items is not kept, either.
func TestItemListLetsGo(t *testing.T) {
	l := itemList{room: make([]item, 5*keptRoom), all: make([]*item, 5*keptRoom)}
	if l.empty(); cap(l.room)+cap(l.all) != 0 {
		t.Errorf("room for %d and %d", cap(l.room), cap(l.all))
	}
}
