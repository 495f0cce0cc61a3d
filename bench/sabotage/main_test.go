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

// data is the folder of the data sets as seen from this one.
func data(t *testing.T) string {
	t.Helper()
	dir := dataset()
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("..", "..", dir)
	}
	if _, err := load(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the public data sets are not in " + dir)
	}
	return dir
}

// TestPromises measures a part of what the command does, with another seed.
func TestPromises(t *testing.T) {
	o := options{altered: 800, seed: 7, data: data(t)}
	contracts, err := load(o.data)
	if err != nil {
		t.Fatal(err)
	}
	r := report{Seed: o.seed}
	if r.Contracts, err = testContracts(contracts, o); err != nil {
		t.Fatal(err)
	}
	if r.Sums, err = testSums(o); err != nil {
		t.Fatal(err)
	}
	if r.Unseen, err = testBlind(t.Context(), contracts[:1]); err != nil {
		t.Fatal(err)
	}
	if err := r.broken(o); err != nil {
		t.Errorf("%v: %v %v", err, r.Contracts.Slips, r.Sums.Slips)
	}
	for _, b := range r.Unseen {
		if b.Made == 0 || b.Wordless != b.Made || b.Accepted >= b.Wordless {
			t.Errorf("%s by %s: of %d made %d pass, %d without the words that the contract expects", b.Kind, b.Liar, b.Made, b.Accepted, b.Wordless)
		}
	}
	if r.Sums.Expressed*100 < r.Sums.Questions*90 {
		t.Errorf("%d of %d questions can be expressed", r.Sums.Expressed, r.Sums.Questions)
	}
	var people, machine bytes.Buffer
	r.print(&people, 5)
	for line := range strings.Lines(people.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if err := r.printJSON(&machine); err != nil || !json.Valid(machine.Bytes()) {
		t.Errorf("%v: %s", err, machine.String())
	}
}

// TestBrokenPromisesAreTold breaks each promise in turn.
func TestBrokenPromisesAreTold(t *testing.T) {
	sound := func() report {
		good := trial{True: []count{{Kind: "t", Made: 5, Accepted: 5}}, Altered: []count{{Kind: "a", Made: leastSums, Rejected: leastSums}}}
		return report{Contracts: good, Sums: sums{trial: good}}
	}
	o := options{altered: leastSums}
	r := sound()
	if err := r.broken(o); err != nil {
		t.Fatal(err)
	}
	for want, harm := range map[string]func(r *report){
		"1 altered outputs are accepted": func(r *report) {
			r.Contracts.Altered[0].Accepted = 1
			r.Contracts.Slips = []slip{{}}
		},
		"1 true outputs are not accepted": func(r *report) { r.Sums.Slips = []slip{{}} },
		"nothing was altered by \"b\"":    func(r *report) { r.Sums.Altered = append(r.Sums.Altered, count{Kind: "b"}) },
		"want 1000 altered":               func(r *report) { r.Contracts.Altered[0].Made-- },
	} {
		r := sound()
		r.Contracts.Altered = []count{r.Contracts.Altered[0]}
		harm(&r)
		if err := r.broken(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestDerivations(t *testing.T) {
	for s, want := range map[string]float64{
		"44.1-56.7": -12.6, "(44.1-56.7)/56.7": -0.2222222222222222, "[(166+178)/2] - [(57+44)/2]": 121.5, "-1.9-(-2.2)": 0.3,
		"126 / 67 - 1": 0.8805970149253732, "$1,000 + 34%": 1034, "-(2+3)*4": -20,
	} {
		e, err := parseDerivation(s)
		if err != nil || differs(want, e.value()) {
			t.Errorf("%s: %v, %v; want %v", s, e, err, want)
		}
	}
	for _, s := range []string{"", "1+", "(1", "1 2)", "a-b", "1>2"} {
		if e, err := parseDerivation(s); err == nil {
			t.Errorf("%q is read as %v", s, e.value())
		}
	}
}

func TestMayState(t *testing.T) {
	for _, tt := range []struct {
		text string
		v    value
		want bool
	}{
		{"a fee of $1,250.50", value{kind: amount, digits: "1250.5"}, true},
		{"a fee of $1,250.50", value{kind: amount, digits: "1260.5"}, false},
		{"within two years", value{kind: duration, digits: "24"}, true},
		{"within two years", value{kind: duration, digits: "3"}, false},
		{"$3 million", value{kind: amount, digits: "3000000"}, true},
		{"on the 8th day of May, 2014", value{kind: date, y: 2014, m: 5, d: 8}, true},
		{"on the 8th day of May, 2014", value{kind: date, y: 2014, m: 5, d: 9}, false},
		{"on the 8th day of May, 2014", value{kind: date, y: 2013, m: 5, d: 8}, false},
	} {
		if got := mayState(tt.text, tt.v); got != tt.want {
			t.Errorf("%q may state %s: %v", tt.text, tt.v.answer(), got)
		}
	}
}

func TestNeedsTheDataSets(t *testing.T) {
	if err := run(t.Context(), []string{"-data", t.TempDir()}, &bytes.Buffer{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that the data set is not there", err)
	}
}
