package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand/internal/cli/term"
)

// outputFlag gives a command the flag -o with the forms that it has, the default first, and --jq where
// JSON is one of them. Both are checked before the command begins.
func (a *app) outputFlag(c *cobra.Command, form *string, forms ...string) {
	c.Flags().StringVarP(form, "output", "o", forms[0], "form of the output: "+choice(forms))
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

// writeJSON writes v as a line of JSON, or what the expression of --jq makes of it.
func (a *app) writeJSON(v any) error {
	if a.jq == nil {
		return term.WriteJSON(a.io.Out, v)
	}
	return a.jq.write(a.io.Out, v)
}
