package local

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestIOErrorIsFatal lets every file of a database go away under it: its writes fail as on a disk
// that fails.
func TestIOErrorIsFatal(t *testing.T) {
	db, file := scrap(t)
	null, err := os.Open(os.DevNull) // for reading only
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(to, file) || strings.HasSuffix(to, "-shm") {
			continue
		}
		fd, err := strconv.Atoi(filepath.Base(link))
		if err == nil {
			err = syscall.Dup3(int(null.Fd()), fd, syscall.O_CLOEXEC)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), `insert into x values (zeroblob(9000))`); err == nil || !fatal(err) {
		t.Errorf("%v is not fatal", err)
	}
}
