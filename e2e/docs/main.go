//go:build unix

// Command docs runs every command block of README, CONTRIBUTING and docs as a reader would: each
// page by itself, from its first block to its last, in a fresh copy of the project and with a home
// folder, a data folder and an environment of its own. A command that ends with another exit code
// than the page says, and an output that the page shows and the command does not print, is an
// error. page.go says what a block may be.
//
//	go run ./e2e/docs                 every page
//	go run ./e2e/docs docs/money.md   one page
//	go run ./e2e/docs -list           what would be run, and what not, and why
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	only := flag.Bool("list", false, "print the blocks, and run nothing")
	flag.Parse()
	if err := run(ctx, flag.Args(), *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, paths []string, only bool, out io.Writer) (err error) {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	pages, err := read(root, paths)
	if err != nil {
		return err
	}
	if only {
		for _, p := range pages {
			p.list(out)
		}
		return nil
	}
	files, err := projectFiles(ctx, root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "chargehand-docs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := build(ctx, root, filepath.Join(dir, "bin", "chargehand")); err != nil {
		return err
	}
	r := &runner{root: root, dir: dir, files: files}
	return r.runAll(ctx, pages, out)
}

// runAll runs the pages and reports each. All of them are run, also where one fails.
func (r *runner) runAll(ctx context.Context, pages []page, out io.Writer) error {
	failed, ran := 0, 0
	for _, p := range pages {
		began := time.Now()
		n, err := r.run(ctx, &p)
		ran += n
		if err != nil {
			failed++
			fmt.Fprintf(out, "✗ %v\n", err)
			continue
		}
		fmt.Fprintf(out, "✓ %s: %d blocks, %.1fs\n", p.path, n, time.Since(began).Seconds())
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d pages do not run as written", failed, len(pages))
	}
	fmt.Fprintf(out, "%d command blocks of %d pages run as written\n", ran, len(pages))
	return nil
}

// projectFiles are the files of the working tree, from its root: what git tracks or would track.
func projectFiles(ctx context.Context, root string) ([]string, error) {
	list := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the project's files: %w", err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			files = append(files, name)
		}
	}
	return files, nil
}

func build(ctx context.Context, root, program string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/chargehand")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

// moduleRoot is the folder of the go.mod around the current one.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	path := strings.TrimSpace(string(out))
	if err != nil || path == "" || path == os.DevNull {
		return "", fmt.Errorf("there is no go.mod here: run it inside the module")
	}
	return filepath.Dir(path), nil
}

// read parses the named pages, or all.
func read(root string, paths []string) ([]page, error) {
	if len(paths) == 0 {
		paths = []string{"README.md", "CONTRIBUTING.md"}
		found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			paths = append(paths, filepath.Join("docs", filepath.Base(f)))
		}
	}
	steps, bad := os.ReadFile(filepath.Join(root, ".ci", "run"))
	var pages []page
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		p, err := parse(path, string(text))
		bad = errors.Join(bad, err, p.inSteps(string(steps)))
		pages = append(pages, p)
	}
	return pages, bad
}

// inSteps demands that each command which is said to be a step of .ci/run stands there.
func (p *page) inSteps(steps string) error {
	lines := strings.Fields(strings.ReplaceAll(steps, ".ci/bin/chargehand", "chargehand"))
	have := strings.Join(lines, " ")
	for _, b := range p.blocks {
		for line := range strings.Lines(b.text) {
			command, _, _ := strings.Cut(line, " #")
			command = strings.ReplaceAll(strings.TrimSpace(command), "go run ./cmd/chargehand", "chargehand")
			if b.step && command != "" && command != ".ci/run" && !strings.Contains(have, strings.Join(strings.Fields(command), " ")) {
				return fmt.Errorf("%s:%d: %q is no step of .ci/run", p.path, b.line, command)
			}
		}
	}
	return nil
}

func (p *page) list(out io.Writer) {
	for _, b := range p.blocks {
		if b.lang != "sh" {
			continue
		}
		what := "runs"
		switch {
		case b.step:
			what = "is a step of .ci/run"
		case b.needs != "":
			what = "needs " + b.needs
		}
		first, _, _ := strings.Cut(b.text, "\n")
		fmt.Fprintf(out, "%s:%d\t%s\t%s\n", p.path, b.line, what, first)
	}
}

// environment is what a page's commands find: no keys, no settings, folders of their own.
func environment(home, bin, root string) []string {
	keep := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "GONOSUMDB", "GOSUMDB", "GONOSUMCHECK", "SSL_CERT_FILE", "LANG", "LC_ALL", "USER"}
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if slices.Contains(keep, name) {
			env = append(env, e)
		}
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		if out, err := exec.Command("go", "env", name).Output(); err == nil && os.Getenv(name) == "" {
			env = append(env, name+"="+strings.TrimSpace(string(out)))
		}
	}
	data := os.Getenv("CHARGEHAND_DATA")
	if data == "" {
		data = filepath.Join(root, "..", "shared", "data")
	}
	return append(env, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TERM=dumb", "CHARGEHAND_DATA="+data)
}
