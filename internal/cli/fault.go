package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// complain tells what went wrong, why, where, and what to do, on stderr.
func (a *app) complain(err error) {
	if e, ok := errors.AsType[*exit.Error](err); ok {
		err = e.Err
	}
	if err == nil {
		return
	}
	st := a.style(a.io.Err)
	e, ok := errors.AsType[*chargehand.Error](err)
	if !ok {
		e = &chargehand.Error{What: err.Error()}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", st.Tone(chargehand.ToneFail, "error:"), term.Line(e.What))
	if e.Why != "" {
		fmt.Fprintf(&b, "  why:  %s\n", term.Line(e.Why))
	}
	for _, p := range e.Problems {
		fmt.Fprintf(&b, "  %s\n", term.Line(p.String()))
	}
	if e.Next != "" {
		fmt.Fprintf(&b, "  next: %s\n", term.Line(e.Next))
	}
	if a.flags.debug {
		for cause := err; cause != nil; cause = errors.Unwrap(cause) {
			fmt.Fprintf(&b, "  %T: %s\n", cause, term.Line(cause.Error()))
		}
	}
	fmt.Fprint(a.io.Err, b.String())
}

// usage is an error in how a command was called.
func usage(what, next string) error {
	return &exit.Error{Code: exit.Usage, Err: &chargehand.Error{Code: chargehand.CodeInvalid, What: what, Next: next}}
}

func misused(c *cobra.Command, err error) error {
	return usage(err.Error(), "see: "+c.CommandPath()+" --help")
}

// args checks how many arguments a command was given.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := check(c, given); err != nil {
			return usage(err.Error(), "usage: "+c.UseLine())
		}
		return nil
	}
}

func unknownCommand(c *cobra.Command, given []string) error {
	if len(given) == 0 {
		return nil
	}
	next := "see: " + c.CommandPath() + " --help"
	if near := c.SuggestionsFor(given[0]); len(near) > 0 {
		nearest := chargehand.Near(given[0], near)
		if i := slices.Index(near, nearest); i > 0 {
			near = slices.Insert(slices.Delete(near, i, i+1), 0, nearest)
		}
		next = "did you mean: " + c.CommandPath() + " " + strings.Join(near, ", ")
	}
	return usage(fmt.Sprintf("there is no command %q", c.CommandPath()+" "+given[0]), next)
}

// oneOf checks the value of a flag that has a few.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	shown := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "" })
	return usage(fmt.Sprintf("%s cannot be %q", flag, value), "choose one of: "+strings.Join(shown, ", "))
}

// placed finds what an error says of a team in the file that declares it.
func (a *app) placed(r Ready, err error) error {
	if e, ok := errors.AsType[*chargehand.Error](err); ok && r.File != "" && a.Place != nil && len(e.Problems) > 0 {
		e.Problems = a.Place(r.File, e.Problems)
	}
	return err
}
