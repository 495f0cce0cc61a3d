package gate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// spelling reads a JSON text byte by byte, in whatever pieces it comes. It keeps no value: only where
// it stands, and why the text cannot become JSON any more.
type spelling struct {
	shape  shape
	output func(text string) // is told the texts of the output, decoded
	end    func()            // one of them is over

	at     juncture
	open   []byte // lists and objects around, each by its first byte
	key    []byte // of the outermost object, while it is read
	isKey  bool   // the string under way is a key
	hex    []byte // of an escape
	high   rune   // first half of a pair of escapes
	rest   string // of a word such as true
	size   int    // bytes of the output so far
	begun  bool   // with an object: it is no prose
	result bool   // the text is a result, and its output a member of it
	inside bool   // what is read is that member
	given  bool   // it is prose, of which nothing more can be said
	plain  []byte
}

// A juncture is what may come next.
type juncture int

const (
	atValue juncture = iota
	atFirst          // a value, or the end of an empty list
	atKey
	atFirstKey // a key, or the end of an empty object
	atColon
	atComma // or the end of what is open
	inString
	inEscape
	inHex
	inNumber
	inWord
	atEnd
)

// read takes a piece in, and says why the text cannot become JSON of the shape; empty while it can.
func (p *spelling) read(piece string, prose bool) string {
	for i := range len(piece) {
		if p.given {
			return ""
		}
		if why := p.byte(piece[i]); why != "" {
			if prose && !p.begun {
				p.given = true // what it is, nobody can tell before its end
				return ""
			}
			return why
		}
		if p.inside || !p.result {
			p.size++
		}
	}
	p.tell()
	return ""
}

// tell hands on what has been decoded of a text of the output.
func (p *spelling) tell() {
	if len(p.plain) > 0 {
		p.output(string(p.plain))
		p.plain = p.plain[:0]
	}
}

const noJSON = "The output is no JSON"

func (p *spelling) byte(c byte) string {
	switch p.at {
	case inString, inEscape, inHex:
		return p.inText(c)
	case inNumber:
		if c >= '0' && c <= '9' || strings.IndexByte("+-.eE", c) >= 0 {
			return ""
		}
		p.close()
	case inWord:
		if c != p.rest[0] {
			return noJSON
		}
		if p.rest = p.rest[1:]; p.rest == "" {
			p.close()
		}
		return ""
	}
	if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
		return ""
	}
	return p.sign(c)
}

// sign takes a byte in that is no space and stands between values.
func (p *spelling) sign(c byte) string {
	switch p.at {
	case atValue, atFirst:
		if c == ']' && p.at == atFirst {
			return p.leave(c)
		}
		return p.value(c)
	case atKey, atFirstKey:
		switch {
		case c == '}' && p.at == atFirstKey:
			return p.leave(c)
		case c != '"':
			return noJSON
		}
		p.at, p.isKey, p.key = inString, true, p.key[:0]
	case atColon:
		if c != ':' {
			return noJSON
		}
		p.at = atValue
	case atComma:
		switch c {
		case ',':
			if p.at = atValue; p.open[len(p.open)-1] == '{' {
				p.at = atKey
			}
		default:
			return p.leave(c)
		}
	default:
		return "Something follows the output's JSON"
	}
	return ""
}

// value begins a value.
func (p *spelling) value(c byte) string {
	if why := p.misshapen(c); why != "" {
		return why
	}
	switch {
	case c == '{' || c == '[':
		if len(p.open) >= maxDepth {
			return fmt.Sprintf("The output has more than %d lists and objects in one another", maxDepth)
		}
		p.open = append(p.open, c)
		if p.at = atFirst; c == '{' {
			p.at = atFirstKey
		}
	case c == '"':
		p.at, p.isKey = inString, false
	case c == '-' || c >= '0' && c <= '9':
		p.at = inNumber
	default:
		p.at = inWord
		for _, w := range []string{"true", "false", "null"} {
			if c == w[0] {
				p.rest = w[1:]
				return ""
			}
		}
		return noJSON
	}
	return ""
}

// misshapen says why the outermost value, or the output in a result, may not begin so.
func (p *spelling) misshapen(c byte) string {
	known := c == '{' || c == '[' || c == '"' || c == '-' || c == 't' || c == 'f' || c == 'n' || c >= '0' && c <= '9'
	switch {
	case !known:
		return noJSON
	case len(p.open) == 0:
		p.begun = c == '{'
		if c != '{' && !p.shape.takes(c) {
			return p.wrongKind(c)
		}
	case len(p.open) == 1 && p.result && p.open[0] == '{':
		p.inside = string(p.key) == "output"
		if p.inside && c != 'n' && !p.shape.takes(c) {
			return p.wrongKind(c)
		}
	}
	return ""
}

func (p *spelling) wrongKind(c byte) string {
	return "The output is " + article(kindOf(c)) + " and must be " + article(strings.Join(p.shape.kinds, " or "))
}

func article(kind string) string {
	switch kind {
	case "null", "":
		return "null"
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}

// leave ends a list or object.
func (p *spelling) leave(c byte) string {
	last := p.open[len(p.open)-1]
	if c != '}' && c != ']' || (c == '}') != (last == '{') {
		return noJSON
	}
	p.open = p.open[:len(p.open)-1]
	p.close()
	return ""
}

// close ends a value.
func (p *spelling) close() {
	if p.at = atComma; len(p.open) == 0 {
		p.at = atEnd
	}
	if len(p.open) <= 1 {
		p.inside = false
	}
}

// inText takes a byte of a string in.
func (p *spelling) inText(c byte) string {
	switch p.at {
	case inEscape:
		return p.escape(c)
	case inHex:
		return p.hexDigit(c)
	}
	switch {
	case c == '\\':
		p.at = inEscape
	case c < ' ':
		return noJSON
	case c == '"':
		return p.endText()
	default:
		p.put(c)
	}
	return ""
}

func (p *spelling) escape(c byte) string {
	i := strings.IndexByte(`"\/bfnrt`, c)
	switch {
	case c == 'u':
		p.at, p.hex = inHex, p.hex[:0]
		return ""
	case i < 0:
		return noJSON
	}
	p.at = inString
	p.put("\"\\/\b\f\n\r\t"[i])
	return ""
}

func (p *spelling) hexDigit(c byte) string {
	if strings.IndexByte("0123456789abcdefABCDEF", c) < 0 {
		return noJSON
	}
	if p.hex = append(p.hex, c); len(p.hex) < 4 {
		return ""
	}
	p.at = inString
	n, _ := strconv.ParseUint(string(p.hex), 16, 32) // they are digits
	p.rune(rune(n))
	return ""
}

// rune takes an escaped character in; one outside the basic plane comes as two.
func (p *spelling) rune(r rune) {
	if utf16.IsSurrogate(r) && p.high == 0 {
		p.high = r
		return
	}
	if p.high != 0 {
		r, p.high = utf16.DecodeRune(p.high, r), 0
	}
	for _, b := range utf8.AppendRune(nil, r) {
		p.put(b)
	}
}

const maxKey = 200 // bytes of a key that are looked at

func (p *spelling) put(c byte) {
	if p.isKey && len(p.open) == p.depth() && len(p.key) < maxKey {
		p.key = append(p.key, c)
	}
	if p.isKey && p.result && len(p.open) == 1 || p.result && !p.inside {
		return
	}
	p.plain = append(p.plain, c)
}

// depth is how many objects stand around the keys that are looked at: those of the outermost
// object, or of the output in a result.
func (p *spelling) depth() int {
	if p.inside {
		return 2
	}
	return 1
}

func (p *spelling) endText() string {
	p.tell()
	p.end()
	if !p.isKey {
		p.close()
		return ""
	}
	p.at, p.isKey = atColon, false
	if len(p.open) != p.depth() {
		return ""
	}
	return p.outOfScope(string(p.key))
}

// resultMembers are those of a worker's whole result that a model writes (SPEC.md ·3).
var resultMembers = map[string]bool{
	"status": true, "output": true, "summary": true, "confidence": true, "blockers": true, "proposedActions": true,
	"evidenceRefs": true, "recommendedNextSteps": true, "claims": true, "usage": true, "taskId": true, "attempt": true,
	"workerName": true, "outputRef": true, "artifacts": true, "transcript": true, "denied": true,
}

// ofResult reports whether a key that is not the contract's shows that the object is a result.
func (p *spelling) ofResult(key string) bool {
	return key == "status" || key == "output" || resultMembers[key] && (p.shape.closed || !p.shape.takes('{'))
}

// outOfScope says that a key is none the output may have. An outermost object may be a whole result.
func (p *spelling) outOfScope(key string) string {
	switch {
	case p.inside:
	case p.result:
		return ""
	case !p.shape.has(key) && p.ofResult(key):
		p.result, p.size = true, 0
		return ""
	case !p.shape.takes('{'):
		return p.wrongKind('{')
	}
	if p.shape.closed && !p.shape.has(key) {
		return "The output answers what was not asked: it has " + quoted(key)
	}
	return ""
}
