package supervise

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// A line is one line of a script: words, "quoted text", and key=value options.
type line struct {
	t     *testing.T
	src   string
	words []string
	opts  map[string]string
}

func parseLine(t *testing.T, src string) line {
	t.Helper()
	l := line{t: t, src: src, opts: map[string]string{}}
	for _, w := range split(src) {
		if k, v, ok := strings.Cut(w, "="); ok && !strings.HasPrefix(w, `"`) {
			l.opts[k] = strings.Trim(v, `"`)
			continue
		}
		l.words = append(l.words, strings.Trim(w, `"`))
	}
	return l
}

// split cuts at spaces outside quotation marks.
func split(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// word is the i-th word; empty if there are not so many.
func (l line) word(i int) string {
	if i < len(l.words) {
		return l.words[i]
	}
	return ""
}

// from is every word from the i-th on, as one text.
func (l line) from(i int) string { return strings.Join(l.words[min(i, len(l.words)):], " ") }

// has reports whether the bare word stands in the line, after its first.
func (l line) has(word string) bool {
	for _, w := range l.words[1:] {
		if w == word {
			return true
		}
	}
	return false
}

func (l line) number(key string, otherwise int) int {
	v, ok := l.opts[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	l.must(err)
	return n
}

func (l line) float(key string) *float64 {
	v, ok := l.opts[key]
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(v, 64)
	l.must(err)
	return &f
}

func (l line) money(key string) chargehand.Micros {
	v, ok := l.opts[key]
	if !ok {
		return 0
	}
	m, err := chargehand.ParseMicros(v)
	l.must(err)
	return m
}

func (l line) duration(key string) time.Duration {
	v, ok := l.opts[key]
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(v)
	l.must(err)
	return d
}

func (l line) list(key string) []string {
	if l.opts[key] == "" {
		return nil
	}
	return strings.Split(l.opts[key], ",")
}

func (l line) must(err error) {
	if err != nil {
		l.t.Helper()
		l.t.Fatalf("line %q: %v", l.src, err)
	}
}

func (l line) bad() { l.t.Helper(); l.t.Fatalf("line %q is not understood", l.src) }
