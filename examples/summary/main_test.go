package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

func Example() {
	if err := run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: completed {"summary":"The fee is EUR 500."}
}

// TestReadmeShowsThisProgram keeps README's snippet the program that runs.
func TestReadmeShowsThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	snippet := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	if snippet == nil || !strings.Contains(string(program), string(snippet[1])) {
		t.Error("README's Go snippet is not part of examples/summary/main.go")
	}
}

// TestProgramIsShort holds the promise that a supervised run takes at most 25 statements.
func TestProgramIsShort(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "main.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		_, block := node.(*ast.BlockStmt)
		if _, is := node.(ast.Stmt); is && !block {
			n++
		}
		return true
	})
	if n > 25 {
		t.Errorf("the program has %d statements", n)
	}
}
