package excerpt

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for n, want := range []string{"…", "a…", "a…", "aé…", "aéb"} {
		if got := Of("aéb", n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	if got := Head("aéb", 2); got != "a" {
		t.Errorf("%q", got)
	}
	if got := Head("\x80\x80\x80", 2); got != "" { // no character begins here
		t.Errorf("%q", got)
	}
}

func TestLine(t *testing.T) {
	const hostile = "  one\ntwo \x1b[31mred\u202e \xff\u200b end "
	if got := Line(hostile); got != "one·two ·[31mred· \uFFFD· end" {
		t.Errorf("%q", got)
	}
	if got := Line(strings.Repeat("é", 200)); got != strings.Repeat("é", 150)+"…" {
		t.Errorf("%q", got)
	}
}
