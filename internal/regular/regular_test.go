//go:build unix

package regular

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, fifo, socket := filepath.Join(dir, "file"), filepath.Join(dir, "fifo"), filepath.Join(dir, "socket")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o600), syscall.Mkfifo(fifo, 0o600), os.Symlink(fifo, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for path, want := range map[string]string{
		fifo: "it is a FIFO", filepath.Join(dir, "link"): "it is a FIFO", socket: "it is a socket",
		"/dev/zero": "it is a device", dir: "it is a folder", filepath.Join(dir, "none"): "no such file",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
