package config

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

const byteOrderMark = "\uFEFF"

// legible is what makes the bytes no text that can be read, nil where they are.
func legible(doc document) *chargehand.Problem {
	data := doc.data
	switch {
	case len(data) > MaxBytes:
		return &chargehand.Problem{
			Path: "$", Message: fmt.Sprintf("the file is larger than %d bytes", MaxBytes),
			Hint: "documents and long inputs are given to the run, not written here",
		}
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}), bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return &chargehand.Problem{Path: "$", Line: 1, Column: 1, Message: "the file is UTF-16", Hint: "save it as UTF-8"}
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(byteOrderMark)))) == 0:
		return &chargehand.Problem{Path: "$", Message: "the file is empty", Hint: "make a first team with: chargehand init"}
	}
	return oddByte(data)
}

// oddByte is the first byte that is not UTF-8, or that no text holds.
func oddByte(data []byte) *chargehand.Problem {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		problem := ""
		switch {
		case r == utf8.RuneError && size == 1:
			problem = fmt.Sprintf("the byte 0x%02X is not UTF-8", data[i])
		case r == 0:
			problem = "there is a NUL byte: this is not a text file"
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7F:
			problem = fmt.Sprintf("there is a control character, 0x%02X", r)
		}
		if problem != "" {
			at := cursor{data: data, place: place{1, 1}}
			p := at.to(i).problem("$", problem)
			p.Hint = "save the file as plain UTF-8 text"
			return &p
		}
		i += size
	}
	return nil
}

// A place is a line and a column, both from 1; columns count characters.
type place struct{ line, column int }

func (p place) problem(path, message string) chargehand.Problem {
	return chargehand.Problem{Line: p.line, Column: p.column, Path: path, Message: message}
}

// A cursor turns offsets, given in rising order, into places.
type cursor struct {
	data   []byte
	offset int
	place
}

func (c *cursor) to(offset int) place {
	for c.offset < min(offset, len(c.data)) {
		r, size := utf8.DecodeRune(c.data[c.offset:])
		c.offset += size
		c.column++
		if r == '\n' {
			c.line, c.column = c.line+1, 1
		}
	}
	return c.place
}

const shown = 60 // bytes of a value that a message repeats

// quoted is a value as a message repeats it: cut, and with nothing in it that moves a terminal.
func quoted(s string) string {
	if len(s) > shown {
		s = cut(s, shown)
	}
	return strconv.Quote(s)
}

// cut is the beginning of a text longer than n bytes.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// tick is a name as a message repeats it.
func tick(s string) string {
	q := quoted(s)
	return "`" + strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + "`"
}
