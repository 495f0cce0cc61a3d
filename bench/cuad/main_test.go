package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// data returns the folder of the data set as seen from this one.
func data(t *testing.T) string {
	t.Helper()
	dir := dataset()
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("..", "..", dir)
	}
	if _, err := load(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("no contracts: the public data set is not in " + dir)
	}
	return dir
}

// TestRun measures a few contracts both ways.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-json", "-from", "21", "-to", "24", "-data", data(t)}, &out); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Contracts != 4 || len(r.With.Categories) != 41 || len(r.Without.Categories) != 41 {
		t.Fatalf("%d contracts, %d and %d categories, want 4, 41 and 41", r.Contracts, len(r.With.Categories), len(r.Without.Categories))
	}
	if n := len(secondCategories()); len(r.Correlations) != n || len(r.Second.Categories) != n {
		t.Fatalf("%d correlations and %d second readings, want %d", len(r.Correlations), len(r.Second.Categories), n)
	}
	if r.With.RightAnswers == 0 || len(r.Misses) == 0 {
		t.Errorf("%d right answers and %d misses: nothing was measured", r.With.RightAnswers, len(r.Misses))
	}
}

// TestFirstWords holds the figures of all contracts without the gate, which are quick to have; the
// command with -floor does so with the gate.
func TestFirstWords(t *testing.T) {
	contracts, err := load(data(t))
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := callPlainly(t.Context(), contracts)
	if err != nil {
		t.Fatal(err)
	}
	tallies, err := score(contracts, func(i int) extractor { return first[i] })
	if err != nil {
		t.Fatal(err)
	}
	r := report{Contracts: len(contracts), With: newFigures(tallies)}
	if err := r.belowFloor(); err != nil {
		t.Error(err)
	}
	const least = 0.85
	if f1 := r.With.MacroContract.F1; f1 < least {
		t.Errorf("macro-average F1 on contract level is %.3f, want %.2f", f1, least)
	}
}

func TestTableFits(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-misses=false", "-from", "22", "-to", "23", "-data", data(t)}, &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestRunNeedsTheDataSet(t *testing.T) {
	if err := run(t.Context(), []string{"-data", t.TempDir()}, &bytes.Buffer{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that the data set is not there", err)
	}
}

func TestFloor(t *testing.T) {
	good := line{Contract: rate{Precision: 1, Recall: 1}, Span: rate{Precision: 1, Recall: 1}}
	r := report{Contracts: allContracts}
	for _, f := range floors {
		good.Category = f.category
		r.With.Categories = append(r.With.Categories, good)
	}
	if err := r.belowFloor(); err != nil {
		t.Fatal(err)
	}
	r.With.Categories[1].Span.Recall, r.With.Categories[2].Contract.Precision = 0.5, 0.89
	err := r.belowFloor()
	for _, want := range []string{"Anti-Assignment, quotes", "Cap on Liability, contracts"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to name %q", err, want)
		}
	}
	if r.Contracts = 39; r.belowFloor() == nil {
		t.Error("the floors hold of 39 contracts")
	}
}
