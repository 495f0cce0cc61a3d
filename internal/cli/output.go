package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand/internal/cli/term"
)

// outputFlag gives a command the flag -o with the forms that it has, the default first, and --jq where
// JSON is one of them. Both are checked before the command begins.
func (a *app) outputFlag(c *cobra.Command, form *string, forms ...string) {
	c.Flags().StringVarP(form, "output", "o", forms[0], "form of the output: "+choice(forms))
	choices(c, "output", forms...)
	expression := ""
	if slices.Contains(forms, "json") {
		c.Flags().StringVar(&expression, "jq", "", "show only what this jq `EXPRESSION` makes of the JSON; texts without quotes")
	}
	c.PreRunE = func(c *cobra.Command, _ []string) (err error) {
		if err := oneOf("--output", *form, forms...); err != nil {
			return err
		}
		if !c.Flags().Changed("jq") {
			return nil
		}
		if !c.Flags().Changed("output") {
			*form = "json"
		}
		if *form != "json" && *form != "jsonl" {
			return usage("--jq reads JSON, and --output is "+*form, "leave --output out: --jq implies json")
		}
		a.jq, err = parseQuery(expression)
		return err
	}
}

// choice is words as in "md, table or json".
func choice(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

var dataForms = []string{"json", "jsonl", "yaml", "name"} // for programs, all others for people

// A page is what a command shows, ready for every form.
type page struct {
	value any          // of json and yaml
	lines []any        // of jsonl
	names []string     // of name: ids, one a line
	text  func() error // writes the forms for people
}

func (a *app) show(form string, p page) error {
	switch form {
	case "json":
		return a.writeJSON(p.value)
	case "yaml":
		return term.WriteYAML(a.io.Out, p.value)
	case "jsonl":
		for _, line := range p.lines {
			if err := a.writeJSON(line); err != nil {
				return err
			}
		}
		return nil
	case "name":
		for _, name := range p.names {
			fmt.Fprintln(a.io.Out, term.Line(name))
		}
		return nil
	}
	return p.text()
}

// names are the ids of a list's elements.
func names[T any](list []T, id func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = id(&list[i])
	}
	return out
}

// writeTable writes a table. Only the form wide has the columns with these heads.
func (a *app) writeTable(form string, t *term.Table, wide ...string) error {
	if form != "wide" {
		t.Drop(wide...)
	}
	t.Width = a.screen(a.io.Out).Width
	return t.Write(a.io.Out, a.style(a.io.Out))
}

// writeJSON writes v as a line of JSON, or what the expression of --jq makes of it.
func (a *app) writeJSON(v any) error {
	if a.jq == nil {
		return term.WriteJSON(a.io.Out, v)
	}
	return a.jq.write(a.io.Out, v)
}
