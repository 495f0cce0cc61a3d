package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryCommandHasExamples checks that each command shows at least one, and that it is a command
// line that this program takes: its flags are known and its arguments as many as they must be.
func TestEveryCommandHasExamples(t *testing.T) {
	root := (&app{Parts: Standard()}).root()
	root.SetOut(io.Discard)
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.HasSubCommands() && c.Name() != "demo" || !c.Runnable() || c.Parent() == nil {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			takes(t, root, c, strings.TrimSpace(line))
		}
	}
	walk(root)
}

// takes checks that a line calls a command as it may be called.
func takes(t *testing.T, root, c *cobra.Command, line string) {
	t.Helper()
	var words []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	if words[0] != root.Name() {
		t.Errorf("%q is no command line of %s", line, root.Name())
		return
	}
	found, rest, err := root.Find(words[1:])
	if err != nil || found != c {
		t.Errorf("%q is not about %s (%v)", line, c.CommandPath(), err)
		return
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Errorf("%q: %v", line, err)
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		t.Errorf("%q: %v", line, err)
	}
}
