// Package faults kills, starves and damages real processes over real files, and wants that nothing
// is lost, nothing is done twice and nothing is silently wrong. docs/reliability.md says which test
// shows what.
package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// By default each test takes a sample, so that the package is quick. With -full it takes
// everything.
var (
	full   = flag.Bool("full", false, "every crash point and every image instead of a sample")
	kills  = flag.Int("kills", 0, "random kills; zero means 40, and 500 with -full")
	images = flag.Int("images", 0, "images of a damaged journal; zero means 150, and 2000 with -full")
	seed   = flag.Int64("seed", 1, "of everything random")
)

// size is how many there are to be: what a flag says, or else one of two defaults.
func size(given, sample, all int) int {
	switch {
	case given > 0:
		return given
	case *full:
		return all
	}
	return sample
}

// programs are built once, when first wanted.
var programs struct {
	dir, sources               string
	victim, faulty, chargehand func() (string, error)
	instrumented               sync.Once
	instrumentedAt             string
}

func TestMain(m *testing.M) {
	flag.Parse()
	sources, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "chargehand-faults-")
	if err != nil {
		panic(err)
	}
	programs.dir, programs.sources = dir, sources
	programs.victim = sync.OnceValues(func() (string, error) { return build("victim", "./victim") })
	programs.faulty = sync.OnceValues(faulty)
	programs.chargehand = sync.OnceValues(func() (string, error) { return build("chargehand", "../../cmd/chargehand") })
	code := m.Run()
	if err := printFigures(os.Stdout, code == 0); err != nil {
		panic(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// build compiles a program into the suite's own folder.
func build(name, pkg string, flags ...string) (string, error) {
	to := filepath.Join(programs.dir, name)
	args := append([]string{"build", "-o", to}, flags...)
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = programs.sources
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	return to, nil
}

func built(t *testing.T, program func() (string, error)) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// each calls do for every element, a few at a time, and returns when all have ended.
func each[T any](elements []T, do func(T)) {
	todo := make(chan T)
	var wg sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for e := range todo {
				do(e)
			}
		})
	}
	for _, e := range elements {
		todo <- e
	}
	close(todo)
	wg.Wait()
}

// soon is a context for what takes no longer than three minutes, even on a busy machine.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func wantCode(t *testing.T, what string, err error, code chargehand.Code) {
	t.Helper()
	if err == nil || chargehand.CodeOf(err) != code {
		t.Errorf("%s: got %v, want an error of code %s", what, err, code)
	}
}
