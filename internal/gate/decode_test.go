package gate

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a":[1,2.50,-0],"b":null,"c":"\u00e9\ud83d\ude00"}`, ""},
		{``, `it ends before the value does, at line 1, column 1.`},
		{`{"a":1}{`, `something follows the first value, at line 1, column 8.`},
		{"{\n \"a\": [1,\n  2,,3]}", `a value was expected, not ",", at line 3, column 5 (/a/2).`},
		{`{"a":1,"b":{"c":1,"c":2}}`, `the key "c" occurs twice, at line 1, column 19 (/b).`},
		{`[1e400]`, `the number 1e400 is out of range, at line 1, column 2 (/0).`},
		{`[-1e400]`, `the number -1e400 is out of range, at line 1, column 2 (/0).`},
		{`[1e-400]`, `the number 1e-400 is out of range, at line 1, column 2 (/0).`},
		{`[0e999999999]`, `the number 0e999999999 is out of range, at line 1, column 2 (/0).`},
		{`[NaN]`, `a value was expected, not "N", at line 1, column 2 (/0).`},
		{`["\ud800"]`, `an escape that JSON does not know, or half of a surrogate pair, at line 1, column 3 (/0).`},
		{"[\"a\xff\"]", `a byte that is not UTF-8, at line 1, column 4.`},
		{"[\"a\x01\"]", `a control character stands inside a text, at line 1, column 4 (/0).`},
		{"<html>", `a value was expected, not "<", at line 1, column 1.`},
		{`{"a":"b`, `a text has no end, at line 1, column 8 (/a).`},
		{`{"a" 1}`, `a colon was expected, not "1", at line 1, column 6.`},
		{`{a:1}`, `a key in quotation marks was expected, not "a", at line 1, column 2.`},
	} {
		_, err := decode([]byte(tt.in))
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.sentence(), "The output is not sound JSON: ")
		}
		if got != tt.want {
			t.Errorf("decode(%q):\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

// TestDecodeBounds holds the bounds on depth, length of numbers and number of values.
func TestDecodeBounds(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		name, in string
		ok       bool
	}{
		{"depth 100", deep(100), true},
		{"depth 101", deep(101), false},
		{"depth 100,000", strings.Repeat("[", 100_000), false},
		{"depth 100,000 of objects", strings.Repeat(`{"a":`, 100_000), false},
		{"400 digits", "0." + strings.Repeat("1", 398), true},
		{"401 digits", "0." + strings.Repeat("1", 399), false},
		{"309 digits of a whole number", "1" + strings.Repeat("0", 308), true},
		{"310 digits of a whole number", "1" + strings.Repeat("0", 309), false},
		{"249,999 in a list", "[" + strings.Repeat("1,", 249_998) + "1]", true},
		{"250,000 in a list", "[" + strings.Repeat("1,", 249_999) + "1]", false},
	} {
		if _, err := decode([]byte(tt.in)); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestDecodeEqualsStandard compares what decode reads with what encoding/json reads.
func TestDecodeEqualsStandard(t *testing.T) {
	for _, in := range []string{
		`{"a":[1,2.50,-0,1E+2],"b":null,"c":"\u00e9\ud83d\ude00\n\/\"","d":{"e":{}},"f":[],"":true}`, ` "x" `, `false`, `-1.5e-3`,
	} {
		got, bad := decode([]byte(in))
		if bad != nil {
			t.Fatalf("%s: %s", in, bad.sentence())
		}
		var want any
		d := json.NewDecoder(strings.NewReader(in))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

// stricter are files of the parsing suite that RFC 8259 lets pass and this decoder does not: keys
// must be unique.
var stricter = map[string]bool{"y_object_duplicated_key.json": true, "y_object_duplicated_key_and_value.json": true}

func TestParsingSuite(t *testing.T) {
	dir := dataPath(t, "json-parsing-suite", "test_parsing")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	g := gateOf(t, chargehand.Contract{})
	count := map[byte]int{}
	for _, f := range files {
		raw := readData(t, "json-parsing-suite", "test_parsing", f.Name())
		v := g.Check(Submission{Contract: "c", Result: chargehand.WorkerResult{Output: raw}})
		accepted := v.Recommendation == chargehand.Accept
		kind := f.Name()[0]
		count[kind]++
		want := kind == 'y' && !stricter[f.Name()]
		if kind != 'i' && accepted != want {
			t.Errorf("%s: accepted %v, want %v: %v", f.Name(), accepted, want, v.Issues)
		}
		if accepted && !json.Valid(bytes.TrimSpace(raw)) {
			t.Errorf("%s: accepted, and encoding/json does not", f.Name())
		}
		if !accepted && (v.Rework != chargehand.Redo || v.Feedback == "" || len(v.Issues) != 1) {
			t.Errorf("%s: rework %q, feedback %q, %d issues", f.Name(), v.Rework, v.Feedback, len(v.Issues))
		}
	}
	t.Logf("%d accepted kind, %d refused kind, %d free", count['y'], count['n'], count['i'])
}
