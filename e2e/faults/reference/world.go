package reference

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// A World is what lies outside an engine's data folder: a diary of everything that was called,
// done and acknowledged, and the two places that effects go to. Each line of the diary is one
// write to a file opened for appending, so it outlives the process that wrote it, whole and in
// order.
type World struct{ Dir string }

// Made is the world in a folder, which is made.
func Made(dir string) (World, error) {
	return World{dir}, os.MkdirAll(filepath.Join(dir, "keyed"), 0o700)
}

// Note adds a line to the diary.
func (w World) Note(format string, args ...any) error {
	f, err := os.OpenFile(filepath.Join(w.Dir, "diary"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return err
}

// Diary is every line so far.
func (w World) Diary() ([]string, error) {
	b, err := os.ReadFile(filepath.Join(w.Dir, "diary"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n"), err
}

// book is an effect with an idempotency key: done where the key is new.
func (w World) book(key string) error {
	name := strings.TrimPrefix(chargehand.Hash([]byte(key)), "sha256:")
	f, err := os.OpenFile(filepath.Join(w.Dir, "keyed", name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Booked is how often the effect with a key was done.
func (w World) Booked() (int, error) {
	names, err := os.ReadDir(filepath.Join(w.Dir, "keyed"))
	return len(names), err
}

// print is an effect without a key: done each time.
func (w World) print() error {
	f, err := os.OpenFile(filepath.Join(w.Dir, "printed"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write([]byte("page\n"))
	return err
}

// Printed is how often the effect without a key was done.
func (w World) Printed() (int, error) {
	b, err := os.ReadFile(filepath.Join(w.Dir, "printed"))
	if os.IsNotExist(err) {
		return 0, nil
	}
	return bytes.Count(b, []byte("\n")), err
}

// hold returns when the calls that are held are let go.
func (w World) hold(ctx context.Context) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(filepath.Join(w.Dir, "release")); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Release lets go of the calls that are held.
func (w World) Release() error {
	return os.WriteFile(filepath.Join(w.Dir, "release"), nil, 0o600)
}
