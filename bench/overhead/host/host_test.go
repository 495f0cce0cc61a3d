//go:build linux

package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMeterReadsThisProcess(t *testing.T) {
	m := Start()
	for n := 0; m.Read().CPU == 0; n++ { // until some has been used
		_ = strings.Repeat("x", n)
	}
	if r := m.Read(); r.Wall <= 0 || r.Noise < 0 || r.Noise > 1 {
		t.Errorf("%+v", r)
	}
	if rss := PeakRSS(); rss < 1 || rss > 10_000 {
		t.Errorf("%v MB resident", rss)
	}
}

func TestSizeAddsFilesUp(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"a": 100, "sub/b": 50} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := Size(dir); n != 150 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if Free(dir) <= 0 {
		t.Error("the disk has no room")
	}
}

func TestMemoryIsNoDisk(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("there is no /dev/shm")
	}
	t.Setenv("BENCH_DB_DIR", "/dev/shm")
	if dir, err := Folder("host"); err == nil {
		t.Errorf("a folder in memory was taken: %s", dir)
	}
	t.Setenv("BENCH_DB_DIR", t.TempDir())
	if _, err := Folder("host"); err != nil {
		t.Error(err)
	}
}
