package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/chargehand/chargehand/model"
)

func regularised(c *Call, in io.Reader) (string, error) {
	b, err := io.ReadAll(newEvents(tContext, c, io.NopCloser(in)))
	return string(b), err
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, in, want, err string }{
		{"plain", "data: {}\n\ndata: {\"a\":1}\n\n", "data: {}\n\ndata: {\"a\":1}\n\n", ""},
		{"named", "event: x\ndata: {}\n\n", "event: x\ndata: {}\n\n", ""},
		{"a name is of one event", "event: x\ndata: {}\n\ndata: {}\n\n", "event: x\ndata: {}\n\ndata: {}\n\n", ""},
		{"line ends", "data: {}\r\n\r\ndata: {\"a\":1}\r\rdata: {\"b\":1}\n\n", "data: {}\n\ndata: {\"a\":1}\n\ndata: {\"b\":1}\n\n", ""},
		{"comments", ": hello\n\n:\ndata: {}\n: more\n\n", "data: {}\n\n", ""},
		{"other fields", "id: 1\nretry: 5\nfoo\nbar: baz\ndata: {}\n\n", "data: {}\n\n", ""},
		{"no space", "event:x\ndata:{}\n\n", "event: x\ndata: {}\n\n", ""},
		{"several lines", "data: {\"a\":\ndata: 1}\n\n", "data: {\"a\": 1}\n\n", ""},
		{"empty data", "data:\n\nevent: x\n\ndata: {}\n\n", "data: {}\n\n", ""},
		{"byte order mark", "\ufeffdata: {}\n\n", "data: {}\n\n", ""},
		{"one in the middle", "data: {}\n\n\ufeffdata: {}\n\n", "data: {}\n\n", ""},
		{"no last empty line", "data: {}\n", "data: {}\n\n", ""},
		{"nothing after the end", "data: [DONE]\n\ndata: nonsense\n\n", "data: [DONE]\n\n", ""},
		{"ends in a line", "data: {}\n\ndata: {\"a\"", "data: {}\n\n", "within a line"},
		{"no empty lines", "data: {}\ndata: {\"a\":1}\nevent: x\ndata: {\"b\":1}\ndata: [DONE]\n", "data: {}\n\ndata: {\"a\":1}\n\nevent: x\ndata: {\"b\":1}\n\ndata: [DONE]\n\n", ""},
		{"a type instead of a name", "data: {\"type\":\"y\"}\n\n", "event: y\ndata: {\"type\":\"y\"}\n\n", ""},
		{"null", "data: null\n\ndata: {}\n\n", "data: {}\n\n", ""},
		{"llama.cpp's error", "data: {}\n\nerror: {\"code\":500,\"message\":\"no room\"}\n\n", "data: {}\n\n", "no room"},
		{"an empty error", "data: {\"error\":{}}\n\n", "data: {\"error\":{}}\n\n", ""},
		{"no object", "data: [1]\n\n", "", "not a JSON object"},
		{"not UTF-8", "data: {\"a\":\"\xe2\x82\"}\n\n", "", "not UTF-8"},
		{"an error", "data: {\"error\":{\"message\":\"no\"}}\n\n", "", "no"},
		{"no error", "data: {\"error\":null}\n\n", "data: {\"error\":null}\n\n", ""},
		{"an error in words", "data: {\"a\":\"\\\"error\\\"\"}\n\n", "data: {\"a\":\"\\\"error\\\"\"}\n\n", ""},
		{"a long line", "data: {}\n\n:" + strings.Repeat("x", longestLine) + "\n", "data: {}\n\n", "longer than 1 MiB"},
		{"a long event", strings.Repeat("data: "+strings.Repeat(" ", 1000)+"\n", 1100), "", "larger than 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
				got, err := regularised((&Client{Provider: "p", Named: true}).Call(true), in)
				if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("%q, %v; want %q, %q", got, err, c.want, c.err)
				}
				if _, ok := errors.AsType[*model.Error](err); err != nil && !ok {
					t.Errorf("%v is a %T", err, err)
				}
			}
		})
	}
}

// Whoever floods a stream is cut off, and meanwhile holds no more than a line of memory.
func TestFloodEnds(t *testing.T) {
	for name, unit := range map[string]string{"comments": ": x\n\n", "ids": "id: 1\n", "names": "event: x\n", "empty": "\n"} {
		c := (&Client{Provider: "p", Limit: 1000}).Call(true)
		e := newEvents(tContext, c, io.NopCloser(endless(unit)))
		_, err := io.ReadAll(e)
		if err == nil || !strings.Contains(err.Error(), "does not end") {
			t.Errorf("%s: %v", name, err)
		}
		if held := cap(e.line) + cap(e.data) + cap(e.name) + cap(e.out); held > 4096 {
			t.Errorf("%s: %d bytes are held", name, held)
		}
	}
}

func endless(unit string) io.Reader { return &loop{unit: []byte(unit)} }

type loop struct {
	unit []byte
	at   int
}

func (l *loop) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = l.unit[l.at]
		l.at = (l.at + 1) % len(l.unit)
	}
	return len(p), nil
}

// Whatever comes in, what comes out is regular, and making it regular again changes nothing.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		"data: {}\n\n", "event: x\r\ndata: {\"a\":1}\r\r", "data: {\"error\":{}}\n\n", ": c\n\ufeffdata:{}\n\n", "data: [DONE]\n\nx",
		"data: {\"a\":\"\xff\"}\n\n", "data: {\ndata: }\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c := &Client{Provider: "p", Named: true}
		once, err := regularised(c.Call(true), bytes.NewReader(in))
		for _, block := range strings.Split(strings.TrimSuffix(once, "\n\n"), "\n\n") {
			if block == "" {
				continue
			}
			name, data, named := strings.Cut(block, "\n")
			if !named {
				data = name
			}
			if named && !strings.HasPrefix(name, "event: ") || strings.Contains(data, "\n") ||
				!strings.HasPrefix(data, "data: {") && data != "data: [DONE]" || !utf8.ValidString(data) {
				t.Errorf("%q is not regular", block)
			}
		}
		if err != nil {
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Provider != "p" {
				t.Errorf("%v is a %T", err, err)
			}
		}
		twice, err := regularised(c.Call(true), strings.NewReader(once))
		if twice != once || err != nil {
			t.Errorf("%q became %q, %v", once, twice, err)
		}
		slow, _ := regularised(c.Call(true), iotest.OneByteReader(bytes.NewReader(in)))
		if slow != once {
			t.Errorf("byte by byte it is %q, at once %q", slow, once)
		}
	})
}
