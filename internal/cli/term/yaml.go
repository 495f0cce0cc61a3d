package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// WriteYAML writes v as YAML in blocks, with the members and the order of WriteJSON. Texts stand in
// double quotes, so that none reads as a number, a date or a mark of YAML. Characters that could not be
// seen are escaped.
func WriteYAML(w io.Writer, v any) error {
	var text bytes.Buffer
	if err := WriteJSON(&text, v); err != nil {
		return err
	}
	y := yaml{in: json.NewDecoder(&text)}
	y.in.UseNumber()
	if err := y.value(0, ""); err != nil {
		return err
	}
	_, err := io.WriteString(w, y.out.String())
	return err
}

// A yaml turns the tokens of a JSON value into lines.
type yaml struct {
	in  *json.Decoder
	out strings.Builder
}

// value writes the next value. Before it, its line has a key and a colon, a dash, or nothing.
func (y *yaml) value(indent int, before string) error {
	token, err := y.in.Token()
	if err != nil {
		return err
	}
	y.out.WriteString(before)
	if open, ok := token.(json.Delim); ok {
		return y.block(open, indent, before)
	}
	if before != "" {
		y.out.WriteByte(' ')
	}
	y.out.WriteString(scalar(token) + "\n")
	return nil
}

// block writes a mapping or a list. Under a key it begins in the next line, behind a dash in the same.
func (y *yaml) block(open json.Delim, indent int, before string) error {
	empty, dash := !y.in.More(), before == "-"
	switch {
	case empty && before != "":
		y.out.WriteByte(' ')
		fallthrough
	case empty:
		y.out.WriteString(map[json.Delim]string{'{': "{}\n", '[': "[]\n"}[open])
	case dash:
		y.out.WriteByte(' ')
	case before != "":
		y.out.WriteByte('\n')
	}
	for first := true; y.in.More(); first = false {
		if !first || !dash {
			y.out.WriteString(strings.Repeat(" ", indent))
		}
		if err := y.member(open, indent); err != nil {
			return err
		}
	}
	_, err := y.in.Token() // the closing bracket
	return err
}

func (y *yaml) member(open json.Delim, indent int) error {
	if open == '[' {
		return y.value(indent+2, "-")
	}
	name, err := y.in.Token()
	if err != nil {
		return err
	}
	return y.value(indent+2, key(fmt.Sprint(name))+":")
}

var (
	word     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	reserved = regexp.MustCompile(`^(?i:true|false|null|yes|no|on|off|y|n)$`)
)

func key(name string) string {
	if word.MatchString(name) && !reserved.MatchString(name) {
		return name
	}
	return quoted(name)
}

func scalar(token json.Token) string {
	switch t := token.(type) {
	case nil:
		return "null"
	case string:
		return quoted(t)
	}
	return fmt.Sprint(token)
}

// quoted is a text in double quotes, as YAML escapes it.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r > 0xFFFF && Hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case Hidden(r) || r == 0xFFFE || r == 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
