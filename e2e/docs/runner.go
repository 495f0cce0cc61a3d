//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pageTime is how long the commands of one page may take altogether.
const pageTime = 3 * time.Minute

// A runner runs pages, each in a folder of its own.
type runner struct {
	root, dir string
	files     []string // of the project, from its root
}

// run runs a page's blocks and reports how many it ran.
func (r *runner) run(ctx context.Context, p *page) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	at := filepath.Join(r.dir, strings.ReplaceAll(p.path, string(filepath.Separator), "-"))
	project, home := filepath.Join(at, "chargehand"), filepath.Join(at, "home")
	if err := errors.Join(os.MkdirAll(home, 0o700), os.MkdirAll(project, 0o755), r.copyTo(project)); err != nil {
		return 0, err
	}
	script, n, err := r.script(p, at)
	if err != nil || n == 0 {
		return n, err
	}
	var said bytes.Buffer
	bash := exec.CommandContext(ctx, "bash", script)
	bash.Dir, bash.Env = project, environment(home, filepath.Join(r.dir, "bin"), r.root)
	bash.Stdout, bash.Stderr = &said, &said
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bash.Cancel = func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) }
	bash.WaitDelay = 5 * time.Second
	if err := bash.Start(); err != nil {
		return 0, err
	}
	group := bash.Process.Pid
	err = bash.Wait()
	_ = syscall.Kill(-group, syscall.SIGKILL) // servers that did not end with the page
	if err != nil {
		return n, r.failure(p, at, said.String(), err)
	}
	return n, r.outputs(p, at)
}

func (r *runner) copyTo(dir string) error {
	for _, name := range r.files {
		from, to := filepath.Join(r.root, name), filepath.Join(dir, name)
		info, err := os.Stat(from)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// script writes a page as one bash script. A block is a file that the script sources, so that
// folders, variables and functions last from block to block.
func (r *runner) script(p *page, at string) (string, int, error) {
	var s strings.Builder
	s.WriteString(prologue)
	n := 0
	for _, b := range p.blocks {
		block, out := b.place(at)
		if b.file != "" {
			if err := os.WriteFile(block, []byte(b.text), 0o600); err != nil {
				return "", 0, err
			}
			fmt.Fprintf(&s, "mkdir -p \"$(dirname %[2]q)\" && cp %[1]q %[2]q\n", block, b.file)
		}
		if b.lang != "sh" || b.step || b.file != "" {
			continue
		}
		if err := os.WriteFile(block, []byte(b.text), 0o600); err != nil {
			return "", 0, err
		}
		n++
		switch {
		case b.needs != "":
			fmt.Fprintf(&s, "at=%d; bash -n %q >%q 2>&1\n", b.line, block, out)
		case b.serve:
			fmt.Fprintf(&s, "at=%d; serve %q %q\n", b.line, block, out)
		case b.exit != 0:
			fmt.Fprintf(&s, "at=%d; set +e; . %q >%q 2>&1; code=$?; set -e; [ $code -eq %d ] || { echo \"exit code $code, and the page says %[4]d\" >>%[3]q; false; }\n",
				b.line, block, out, b.exit)
		default:
			fmt.Fprintf(&s, "at=%d; . %q >%q 2>&1\n", b.line, block, out)
		}
	}
	s.WriteString("at=\n")
	path := filepath.Join(at, "page.sh")
	return path, n, os.WriteFile(path, []byte(s.String()), 0o600)
}

// prologue stops at the first command that fails, says which block it stands in, and ends servers.
const prologue = `set -euo pipefail
servers=()
end() {
	for pid in "${servers[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
	for pid in "${servers[@]}"; do wait "$pid" 2>/dev/null || true; done
	servers=()
}
finish() {
	code=$?
	end
	[ -z "$at" ] || { echo "block $at"; exit 1; }
	exit "$code"
}
trap finish EXIT
serve() {
	end
	set -m # a process group of its own
	( . "$1" ) >"$2" 2>&1 &
	set +m
	servers+=($!)
	for _ in $(seq 600); do
		! grep -q 'http://' "$2" || return 0
		kill -0 "${servers[-1]}" || return 1
		sleep 0.1
	done
	return 1
}
at=
`

// place is where a block's text and what it prints are kept.
func (b *block) place(at string) (text, out string) {
	name := filepath.Join(at, fmt.Sprintf("block-%d", b.line))
	return name, name + ".out"
}

// failure says which block failed, and how.
func (r *runner) failure(p *page, at, said string, cause error) error {
	for _, b := range p.blocks {
		if strings.Contains("\n"+said, fmt.Sprintf("\nblock %d\n", b.line)) {
			_, path := b.place(at)
			out, err := os.ReadFile(path)
			return errors.Join(fmt.Errorf("%s:%d: %w\n%s\nit prints:\n%s", p.path, b.line, cause, b.text, tail(out)), err)
		}
	}
	return fmt.Errorf("%s: %w\n%s", p.path, cause, said)
}

func (r *runner) outputs(p *page, at string) error {
	var failed error
	for i, b := range p.blocks {
		if !b.out {
			continue
		}
		_, path := p.blocks[i-1].place(at)
		got, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if line := missing(string(got), b.text); line != "" {
			failed = errors.Join(failed, fmt.Errorf("%s:%d: the page shows %q, and the command prints:\n%s", p.path, b.line, line, tail(got)))
		}
	}
	return failed
}

// tail is the end of what a command printed.
func tail(out []byte) string {
	const most = 4 << 10
	if len(out) > most {
		out = append([]byte("…"), out[len(out)-most:]...)
	}
	return string(out)
}
