package local

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
)

// TestRecipeTellsTheDraft puts drafts together again from any sources and copies.
func TestRecipeTellsTheDraft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources := map[string][]byte{}
		var d draft
		for range rapid.IntRange(0, 6).Draw(t, "copies") {
			d.body = append(d.body, rapid.SliceOfN(rapid.Byte(), 0, 90).Draw(t, "own")...)
			src := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "source")
			start := rapid.IntRange(0, len(src)).Draw(t, "start")
			end := rapid.IntRange(start, len(src)).Draw(t, "end")
			hash := chargehand.Hash(src)
			sources[hash] = src
			d.copies = append(d.copies, excerpt{len(d.body), end - start, hash, start})
			d.body = append(d.body, src[start:end]...)
		}
		r, err := d.recipe()
		if err != nil {
			t.Fatal(err)
		}
		got, err := cook(r, func(hash string) ([]byte, error) { return sources[hash], nil })
		if err != nil || !bytes.Equal(got, d.body) {
			t.Fatalf("cooked %q (%v), want %q", got, err, d.body)
		}
	})
}

// FuzzCook feeds it what was tampered with: it may be refused, and never panics or grows without
// bound.
func FuzzCook(f *testing.F) {
	src := bytes.Repeat([]byte("source "), 40)
	d := draft{body: append([]byte("own "), src[:100]...), copies: []excerpt{{4, 100, chargehand.Hash(src), 0}}}
	r, err := d.recipe()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(r)
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		body, err := cook(b, func(string) ([]byte, error) { return src, nil })
		if err != nil && !errors.Is(err, errRecipe) || len(body) > maxDocument {
			t.Fatalf("%d bytes, %v", len(body), err)
		}
	})
}
