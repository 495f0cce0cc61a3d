package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/regular"
)

// maxDocument is the most a document may have, in bytes.
const maxDocument = 64 << 20

// documents reads every file before anything starts, and refuses them all at once. "-" is stdin.
func (a *app) documents(paths []string) ([]chargehand.Document, error) {
	var docs []chargehand.Document
	var problems []chargehand.Problem
	stdin := 0
	for _, path := range paths {
		if path == "-" {
			stdin++
		}
		doc, why := a.document(path)
		if path == "-" && stdin > 1 {
			why = errors.New("standard input can be read only once")
		}
		if why != nil {
			problems = append(problems, chargehand.Problem{Path: path, Message: why.Error()})
			continue
		}
		docs = append(docs, doc)
	}
	if len(problems) > 0 {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "the documents cannot be used, and nothing was started", Problems: problems,
		}
	}
	return docs, nil
}

func (a *app) document(path string) (chargehand.Document, error) {
	name, in := filepath.Base(path), io.Reader(a.io.In)
	if path == "-" {
		name = "stdin"
	} else {
		f, err := openFile(path)
		if err != nil {
			return chargehand.Document{}, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err != nil {
		return chargehand.Document{}, fmt.Errorf("cannot be read: %w", err)
	}
	if err := legible(b); err != nil {
		return chargehand.Document{}, err
	}
	return chargehand.Document{Name: name, MediaType: mediaType(name), Text: string(b)}, nil
}

func openFile(path string) (*os.File, error) {
	f, err := regular.Open(path)
	switch {
	case errors.Is(err, regular.ErrFolder):
		return nil, errors.New("it is a folder; name the files in it")
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("you may not read it")
	case err != nil:
		return nil, fmt.Errorf("cannot be opened: %w", err)
	}
	return f, nil
}

func mediaType(name string) string {
	switch filepath.Ext(name) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".json":
		return "application/json"
	case ".csv":
		return "text/csv"
	case ".html", ".htm":
		return "text/html"
	}
	return ""
}

// signatures are how files begin that hold text in a form that is not text.
var signatures = []struct{ begins, is, next string }{
	{"%PDF-", "a PDF", "extract its text, for example with: pdftotext -layout FILE"},
	{"PK\x03\x04", "a zip archive, or an office document", "save it as plain text"},
	{"\xd0\xcf\x11\xe0", "an old office document", "save it as plain text"},
	{"\x1f\x8b", "gzip-compressed", "unpack it first"},
	{"\xff\xfe", "UTF-16 text", "convert it with: iconv -f UTF-16 -t UTF-8 FILE"},
	{"\xfe\xff", "UTF-16 text", "convert it with: iconv -f UTF-16 -t UTF-8 FILE"},
}

// legible says what is wrong with a document that is not UTF-8 text. Text in another encoding is
// not guessed at: a quote must stand in the source byte for byte.
func legible(b []byte) error {
	switch {
	case len(b) > maxDocument:
		return fmt.Errorf("it is larger than %d MiB", maxDocument>>20)
	case len(bytes.TrimSpace(b)) == 0:
		return errors.New("it is empty")
	}
	for _, s := range signatures {
		if bytes.HasPrefix(b, []byte(s.begins)) {
			return fmt.Errorf("it is %s, not UTF-8 text; %s", s.is, s.next)
		}
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return fmt.Errorf("it is not text: byte %d is NUL", i)
	}
	if i := malformed(b); i >= 0 {
		return fmt.Errorf("it is not UTF-8 text: byte %d is 0x%02X; if it is Windows-1252 or Latin-1, convert it with: iconv -f WINDOWS-1252 -t UTF-8 FILE", i, b[i])
	}
	return nil
}

// malformed is where b stops being UTF-8, -1 if it does not.
func malformed(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
