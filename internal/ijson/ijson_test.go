package ijson

import (
	"bytes"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// unsounds are what two readers could take for two things, or for nothing.
var unsounds = []struct{ give, want string }{
	{"", "it is empty"},
	{" \n", "it is empty"},
	{"{", "it ends before its JSON does"},
	{"{} {}", "it is not JSON"},
	{"\"\xff\"", "it is not UTF-8"},
	{`{"a":[{"b":1,"\u0062":2}]}`, "at /a/0/b: the key occurs twice"},
	{`{"a/b":"\ud83d"}`, "half a surrogate pair"},
	{`"\ude00\ud83d"`, "half a surrogate pair"},
	{`{"n":1e999}`, "at /n: the number 1e999 is out of range"},
	{`{"` + "\u202e" + `":{"x":1,"x":1}}`, "at /·/x: the key occurs twice"},
	{strings.Repeat("[", 101) + strings.Repeat("]", 101), "it nests deeper than 100 levels"},
}

func TestCheck(t *testing.T) {
	for _, tt := range unsounds {
		if err := Check([]byte(tt.give)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: %v, want %q", tt.give, err, tt.want)
		}
	}
	for _, give := range []string{`{"a":"\ud83d\ude00","b":[1e308,null]}`, strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		if err := Check([]byte(give)); err != nil {
			t.Errorf("%.60q: %v", give, err)
		}
	}
}

// FuzzSound holds the quick reading to the thorough one: what it lets pass has nothing wrong.
func FuzzSound(f *testing.F) {
	for _, tt := range unsounds {
		f.Add([]byte(tt.give))
	}
	for _, s := range []string{
		`{"a":[1,2.5e3,-0,"x\n\u00e9"],"b":{"a":null}}`, `[{"a":1},{"a":1}]`, `"\ud83d\ude00"`, `{"a":1,"\u0061":2}`,
		` [true,false] `, `1E+2`, `-`, `01`, `1.`, `.5`, `[1,]`, `{"a":1,}`, `{"a"}`, "\"\x00\"", `"\x"`, `"\u12"`, `"\u00g0"`, `"\u+123"`, `1e308`, `123456789012345678901234567890`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if sound(b) {
			if err := unsound(b); err != nil {
				t.Errorf("%q passes: %v", b, err)
			}
		}
	})
}

// TestSoundKnowsUsualAnswers holds the quick reading to knowing what workers usually say.
func TestSoundKnowsUsualAnswers(t *testing.T) {
	long := `{"items":[` + strings.Repeat(`{"key":"a \"b\" \u00e9","present":true,"start":1234567,"score":0.75},`, 1000) + `null]}`
	for _, b := range []string{long, ` {} `, "[]", `"x"`, "-1.5e-3", "true"} {
		if !sound([]byte(b)) {
			t.Errorf("not sure of %q", excerpt.Of(b, 60))
		}
		if sound([]byte(b[:len(b)-1])) && !bytes.HasSuffix([]byte(b), []byte("3")) && !strings.HasSuffix(b, " ") {
			t.Errorf("sure of half of %q", excerpt.Of(b, 60))
		}
	}
}

// TestSoundReadsEveryByte puts each byte at each place of a text, which is read several bytes at a
// time.
func TestSoundReadsEveryByte(t *testing.T) {
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				b := []byte(`["` + strings.Repeat("x", size) + `"]`)
				b[2+at] = byte(c)
				err := unsound(b)
				if sound(b) != (err == nil) {
					t.Fatalf("%q: %v", b, err)
				}
			}
		}
	}
}
