package local

import (
	"strings"
	"testing"
)

// The words of a worker are shown on terminals and kept in records.
//
//guard:plain-words
func TestPlainWords(t *testing.T) {
	for _, c := range []struct{ name, words, want string }{
		{"words", "Größe 10 €, 表", "Größe 10 €, 表"},
		{"an escape sequence", "\x1b[2Jgone", "·[2Jgone"},
		{"lines and tabs", "a\nb\r\tc", "a·b··c"},
		{"the other direction", "a\u202eb", "a·b"},
		{"half a character", "a\xffb", "a�b"},
		{"nothing", "", ""},
	} {
		if have := plain(c.words); have != c.want {
			t.Errorf("%s: %q, want %q", c.name, have, c.want)
		}
	}
	if have := plain(strings.Repeat("x", 10*maxPlain)); len(have) > maxPlain+len("x…") {
		t.Errorf("%d bytes of words, want %d at most", len(have), maxPlain)
	}
}
