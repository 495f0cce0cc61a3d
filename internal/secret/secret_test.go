package secret

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KEY", "from-the-environment")
	t.Setenv("OTHER_FILE", file)
	t.Setenv("LOST_FILE", file+"x")
	var v Values
	if got, err := v.Expand("a $KEY b ${OTHER} $$5"); err != nil || got != "a from-the-environment b from-a-file $5" {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"$NOWHERE", "$LOST"} {
		if got, err := v.Expand(text); err == nil || !strings.Contains(err.Error(), text[1:]) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

//guard:redaction
func TestRedact(t *testing.T) {
	var v Values
	for name, value := range map[string]string{"A": "abcdef", "B": "abcdef-and-more", "C": `sk-"quoted"`, "SHORT": "abc"} {
		v.Add(name, value)
	}
	for range 20 { // a map has no order
		if got := v.Redact("x abcdef-and-more abcdef abc"); got != "x $B $A abc" {
			t.Fatal(got)
		}
	}
	if got := string(v.RedactJSON([]byte(`{"k":"sk-\"quoted\""}`))); got != `{"k":"$C"}` {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"x sk-\"quo":             "x $C",
		"sk-\"quot… y sk-\"quo…": "$C… y $C…",
		"x abcde":                "x abcde",
		"sk-\"quo y":             "sk-\"quo y", // nothing was cut there
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := v.Redact(`{"k":"sk-\"quoted\""}`); got != `{"k":"$C"}` { // JSON in a text
		t.Error(got)
	}
}

// TestRedactJSON holds to what JSON may do to a value, and that all else keeps its bytes.
func TestRedactJSON(t *testing.T) {
	var v Values
	for name, value := range map[string]string{"A": "ab/<def>", "B": "ab/<def>-and-more", "PIN": "123456", "SHORT": "abc", "KEY": "-----BEGIN\nkey"} {
		v.Add(name, value)
	}
	for give, want := range map[string]string{
		`{"a":"x ab/<def>-and-more ab/<def> y"}`:        `{"a":"x $B $A y"}`,
		`["ab\/\u003cdef\u003e", "\u0061b/<def>"]`:      `["$A", "$A"]`,
		`{"ab/<def>" : 1.50}`:                           `{"$A" : 1.50}`,
		`{"k":"a -----BEGIN\nkey <b> \u003cb\u003e"}`:   `{"k":"a $KEY <b> <b>"}`,
		`[123456, 1234567, -123456, 0.123456]`:          `["$PIN", 1234567, -123456, 0.123456]`,
		`["pin 123456.", "abc"]`:                        `["pin $PIN.", "abc"]`,
		`  {"a" : "\u003cb\u003e \\" , "c":[1e2,null]}`: `  {"a" : "\u003cb\u003e \\" , "c":[1e2,null]}`,
		`{"a":"ab/<def>","b`:                            `{"a":"$A","b`,
		`"ab/<def>`:                                     `"ab/<def>`,
		``:                                              ``,
	} {
		if got := string(v.RedactJSON([]byte(give))); got != want {
			t.Errorf("%s: %s, want %s", give, got, want)
		}
	}
	if got := string(new(Values).RedactJSON([]byte(`"ab/<def>"`))); got != `"ab/<def>"` {
		t.Error(got)
	}
}

// FuzzRedactJSON holds to it that sound JSON stays sound, and says none of the values.
func FuzzRedactJSON(f *testing.F) {
	var v Values
	v.Add("A", "ab/<def>")
	v.Add("PIN", "123456")
	for _, seed := range []string{`{"a":"ab\/<def>"}`, `[123456,-1.5e3,"\"",{}]`, `"\ud83d\ude00"`, `"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := v.RedactJSON(b)
		if !json.Valid(b) {
			return
		}
		var said any
		if err := json.Unmarshal(got, &said); err != nil && json.Unmarshal(b, &said) == nil {
			t.Fatalf("%q becomes %q: %v", b, got, err)
		}
		if !strings.Contains(string(b), "123456") && v.Redact(fmt.Sprint(said)) != fmt.Sprint(said) {
			t.Errorf("%q becomes %q", b, got)
		}
	})
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PATH", "/bin")
	t.Setenv("KEY", "from-the-environment")
	t.Setenv("ALIEN", "stays here")
	env, err := new(Values).Environment(map[string]string{"B": "$KEY", "A": "1"})
	if err != nil || !slices.Contains(env, "PATH=/bin") || !slices.Equal(env[len(env)-2:], []string{"A=1", "B=from-the-environment"}) {
		t.Errorf("%q, %v", env, err)
	}
	if strings.Contains(strings.Join(env, " "), "stays here") {
		t.Errorf("%q", env)
	}
	if _, err := new(Values).Environment(map[string]string{"B": "$NOWHERE"}); err == nil || !strings.HasPrefix(err.Error(), "env.B: ") {
		t.Error(err)
	}
}

// A token that was renewed is kept out of what is said like the one that took its place.
func TestRenewed(t *testing.T) {
	var v Values
	for i := range remembered + 1 {
		v.Add("TOKEN", fmt.Sprintf("token-%02d", i))
		v.Add("TOKEN", fmt.Sprintf("token-%02d", i))
	}
	if got := v.Redact("token-00 token-01 token-16"); got != "token-00 $TOKEN $TOKEN" {
		t.Errorf("got %q", got)
	}
}
