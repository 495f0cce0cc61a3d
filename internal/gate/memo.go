package gate

import (
	"regexp"
	"sync"
)

// A memo keeps the search patterns that workers name, read and compiled: the same worker names the
// same patterns for every document. What it answers is what readTrigger answers. It may be used
// from many goroutines.
type memo struct {
	mu    sync.Mutex
	known map[string]*remembered
	size  int // of the patterns, in bytes and instructions
}

// keptPatterns bounds the size of a memo. Compiled, it is some hundred times as many bytes.
const keptPatterns = 128 << 10

// A remembered pattern is one that was read, or why it was refused.
type remembered struct {
	*trigger
	why string
}

// trigger reads a pattern, or remembers it.
func (m *memo) trigger(source string) (*trigger, string) {
	m.mu.Lock()
	r := m.known[source]
	m.mu.Unlock()
	if r == nil {
		r = &remembered{}
		r.trigger, r.why = readTrigger(source)
		m.keep(source, r)
	}
	return r.trigger, r.why
}

// keep begins anew when there are too many: what is in use comes back by itself.
func (m *memo) keep(source string, r *remembered) {
	size := len(source)
	if r.trigger != nil {
		size += r.size
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.size+size > keptPatterns {
		m.known, m.size = map[string]*remembered{}, 0
	}
	m.known[source] = r
	m.size += size
}

// A lazy expression is compiled when it is first run.
type lazy struct {
	once sync.Once
	re   *regexp.Regexp
	err  error
}

func (l *lazy) compile(source string) (*regexp.Regexp, error) {
	l.once.Do(func() { l.re, l.err = regexp.Compile(source) })
	return l.re, l.err
}
