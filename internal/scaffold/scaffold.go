// Package scaffold writes a first team that runs at once: a team file, a document, and workers that
// need nothing but awk.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand"
)

//go:embed files
var files embed.FS

// Write puts the files into dir, which it makes where it is not there, and returns their names
// within it. A folder that holds anything but a .git is refused with a *chargehand.Error, and what
// cannot be written whole is taken away again.
func Write(dir string) ([]string, error) {
	if dir == "" {
		dir = "."
	}
	if err := vacant(dir); err != nil {
		return nil, err
	}
	var done written
	names, err := done.all(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write a first team: %w", err), done.undo())
	}
	return names, nil
}

const maxNamed = 5 // files that a refusal names

func vacant(dir string) error {
	refuse := func(why, next string, err error) error {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: "cannot make a team in " + dir, Why: why, Next: next, Err: err}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		return refuse("it is a file", "name a folder, or one that does not exist yet", nil)
	}
	if err != nil {
		return refuse("its files cannot be listed", "", err)
	}
	var there []string
	for _, e := range entries {
		if e.Name() != ".git" {
			there = append(there, e.Name())
		}
	}
	if len(there) == 0 {
		return nil
	}
	more := ""
	if len(there) > maxNamed {
		there, more = there[:maxNamed], fmt.Sprintf(" and %d more", len(there)-maxNamed)
	}
	return refuse("it holds files already: "+strings.Join(there, ", ")+more, "name a folder that is empty, or one that does not exist yet", nil)
}

// written is what was made, in order.
type written []string

func (w *written) all(dir string) (names []string, err error) {
	if err := w.folders(dir); err != nil {
		return nil, err
	}
	root, err := fs.Sub(files, "files")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return w.folders(path)
		}
		names = append(names, filepath.FromSlash(name))
		return w.file(root, name, path)
	})
	return names, err
}

// folders makes dir and what is missing above it.
func (w *written) folders(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := w.folders(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	*w = append(*w, dir)
	return nil
}

// file writes one file that is not there yet.
func (w *written) file(from fs.FS, name, path string) error {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	*w = append(*w, path)
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// undo takes away what was made, the last first.
func (w *written) undo() error {
	var all []error
	for i := len(*w) - 1; i >= 0; i-- {
		all = append(all, os.Remove((*w)[i]))
	}
	return errors.Join(all...)
}
