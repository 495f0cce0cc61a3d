package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingPasses makes two forgeries of each class, and changes every twentieth cell or so.
func TestNothingPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-json", "-seed", "3", "-n", "62"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var got tally
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Classes) < 12 || got.Found+got.Harmless != got.Forgeries || got.Found < 50 {
		t.Errorf("%d classes, %d forgeries, %d found, %d harmless", len(got.Classes), got.Forgeries, got.Found, got.Harmless)
	}
	for _, r := range got.Classes {
		if r.Total != 2 && r.Class != everyCell || r.Total < 40 && r.Class == everyCell {
			t.Errorf("%s: %d forgeries", r.Class, r.Total)
		}
	}
}

// TestAMissIsToldAndFails: the count is worth something only if a miss shows.
func TestAMissIsToldAndFails(t *testing.T) {
	y := newTally(options{})
	y.add(classes[0].name, 0, outcome{found: true, located: true})
	y.add(classes[1].name, 1, outcome{harmless: true})
	if err := y.broken(); err != nil {
		t.Error(err)
	}
	y.add(classes[2].name, 2, outcome{note: "here"})
	var out bytes.Buffer
	if err := y.write(&out); err != nil {
		t.Fatal(err)
	}
	if err := y.broken(); err == nil || !strings.Contains(out.String(), "MISSED  "+classes[2].name+", forgery 2: here") {
		t.Errorf("%v\n%s", err, out.String())
	}
	x := newTally(options{})
	x.add(classes[0].name, 0, outcome{found: true})
	if err := x.broken(); err == nil || !strings.Contains(err.Error(), classes[0].name+": 1 of 1 ") {
		t.Errorf("one that is found and not located is not told: %v", err)
	}
	z := newTally(options{})
	z.Allowed = []limit{{Name: "x", Found: true}}
	if z.broken() == nil {
		t.Error("a limit that does not hold is not told")
	}
}

// TestRowsTellHarmlessFromHarm: what counts as harmless must be the same to every reader.
func TestRowsTellHarmlessFromHarm(t *testing.T) {
	w, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{works: w, dir: filepath.Join(t.TempDir(), "b"), dice: dice(1)}
	if err := b.closed.put(b.dir); err != nil {
		t.Fatal(err)
	}
	if !b.sameRows(class{}) {
		t.Fatal("the journal differs from itself")
	}
	for name, change := range map[string]func(*bench) (mark, error){"a record": bitOfRecord, "a list": derivedRow, "a tile": bitOfTile} {
		if err := b.closed.put(b.dir); err != nil {
			t.Fatal(err)
		}
		if _, err := change(b); err != nil {
			t.Fatal(err)
		}
		if b.sameRows(class{}) {
			t.Errorf("%s was changed, and passes for harmless", name)
		}
	}
	if err := os.WriteFile(filepath.Join(b.at(), "journal.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b.sameRows(class{}) {
		t.Error("no database at all passes for harmless")
	}
}

func TestScale(t *testing.T) {
	var out bytes.Buffer
	if err := scale(context.Background(), options{verify: 500, json: true}, &out); err != nil {
		t.Fatal(err)
	}
	var r rate
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Records < 500 || r.PerSecond <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestKeysAreOfTheSeed: a forgery that one machine misses, another can make again.
func TestKeysAreOfTheSeed(t *testing.T) {
	kept := crand.Reader
	defer func() { crand.Reader = kept }()
	key := func(seed uint64) string {
		crand.Reader = newSeeded(seed)
		home := t.TempDir()
		if err := (image{}).fill(t.Context(), home, nil, nil); err != nil {
			t.Fatal(err)
		}
		i, err := take(home)
		if err != nil {
			t.Fatal(err)
		}
		return string(i[folder+"/key.pub"])
	}
	if one, again, two := key(1), key(1), key(2); one != again || one == two {
		t.Errorf("the keys are %q, %q and %q", one, again, two)
	}
}
