//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A page is a document as a sequence of blocks, in the order in which a reader meets them.
type page struct {
	path   string // from the module's root
	blocks []block
}

// A block is a fence that the runner acts on. A fence's info string is a language and options:
//
//	sh             commands, run by bash in the folder and environment that earlier blocks left
//	sh exit=3      the last command's exit code; without it every command exits with 0
//	sh serve       a server: it runs until the page or the next server, and the next block begins when it listens
//	sh step        a step of .ci/run, which is only looked up there
//	sh needs=key   commands that need a key or a service elsewhere: bash only parses them
//	text output    what the block before prints, in this order; … stands for anything
//	yaml file=NAME the text is saved as NAME; so with every other language, and sh is not run then
//
// Any other word is a name, by which a test finds the block.
type block struct {
	line int // of the fence, from 1
	lang string
	text string

	file  string // where the text is saved; empty means nowhere
	needs string // what a machine lacks to run it; empty means nothing
	exit  int
	serve bool
	step  bool
	out   bool // it is what the block before prints
}

// command reports whether the block is run.
func (b *block) command() bool { return b.lang == "sh" && !b.step && b.needs == "" && b.file == "" }

// parse reads a document. Every fence that is not closed, every option that it does not know, and
// every indented block is an error: a command that a reader sees must be one that the runner sees.
func parse(path, text string) (page, error) {
	p := page{path: path}
	var open *block
	var mark string
	var body []string
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", path, i+1)
		trimmed := strings.TrimSpace(line)
		switch {
		case open != nil && trimmed == mark:
			open.text = strings.Join(body, "\n") + "\n"
			p.blocks = append(p.blocks, *open)
			open, body = nil, nil
		case open != nil:
			body = append(body, line)
		case strings.HasPrefix(trimmed, "```"):
			mark = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
			b, err := info(trimmed[len(mark):])
			if err != nil {
				return p, fmt.Errorf("%s: %w", at, err)
			}
			b.line, open = i+1, &b
		case strings.HasPrefix(line, "    ") && !inList(text, i):
			return p, fmt.Errorf("%s: an indented block: write it as a fence, ```sh for commands", at)
		}
	}
	if open != nil {
		return p, fmt.Errorf("%s:%d: the fence is not closed", path, open.line)
	}
	return p, p.ordered()
}

// inList reports whether an indented line continues a paragraph or a list above it.
func inList(text string, line int) bool {
	lines := strings.Split(text, "\n")
	for line--; line >= 0; line-- {
		if lines[line] == "" {
			return false
		}
		if !strings.HasPrefix(lines[line], "    ") {
			return true
		}
	}
	return false
}

// info reads what stands behind a fence.
func info(s string) (b block, err error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return b, fmt.Errorf("a fence without a language: write ```sh for commands, ```text for what is no command")
	}
	b.lang = words[0]
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case name == "file" && filepath.IsLocal(value):
			b.file = value
		case name == "exit" && b.lang == "sh":
			b.exit, err = strconv.Atoi(value)
		case name == "needs" && b.lang == "sh" && value != "":
			b.needs = value
		case w == "serve" && b.lang == "sh":
			b.serve = true
		case w == "step" && b.lang == "sh":
			b.step = true
		case w == "output" && b.lang == "text":
			b.out = true
		case !strings.Contains(w, "="): // a name
		default:
			err = fmt.Errorf("the fence says %q, which is not an option of ```%s", w, b.lang)
		}
		if err != nil {
			return b, err
		}
	}
	if slices.Contains([]string{"bash", "shell", "console"}, b.lang) {
		return b, fmt.Errorf("a fence of %s: write ```sh", b.lang)
	}
	return b, nil
}

// ordered demands that an output follows what prints it.
func (p *page) ordered() error {
	for i, b := range p.blocks {
		if b.out && (i == 0 || !p.blocks[i-1].command()) {
			return fmt.Errorf("%s:%d: an output without a command block before it", p.path, b.line)
		}
	}
	return nil
}

// missing is the first line of want that out does not hold, in order; empty means none.
func missing(out, want string) string {
	for line := range strings.Lines(want) {
		line = strings.TrimSpace(line)
		for part := range strings.SplitSeq(line, "…") {
			part = strings.TrimSpace(part)
			at := strings.Index(out, part)
			if at < 0 {
				return line
			}
			out = out[at+len(part):]
		}
	}
	return ""
}
