package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/tool/mcp"
)

func (a *app) toolsCommand() *cobra.Command {
	return group("tools", "Look at the tools of a team's servers, and sign in to those", a.toolListCommand(), a.signInCommand(), a.signOutCommand())
}

// grants is where sign-ins to tool servers are kept: $XDG_STATE_HOME/chargehand/sign-ins or
// ~/.local/state/chargehand/sign-ins; nil where there is no such place.
func grants() mcp.Grants {
	dir, err := homeFolder("XDG_STATE_HOME", ".local", "state")
	if err != nil {
		return nil
	}
	return mcp.Folder(filepath.Join(dir, "sign-ins"))
}

// servers are how this command reaches a team's tool servers.
func servers() (mcp.Options, error) {
	guard, err := dial.FromEnvironment()
	return mcp.Options{Client: guard.Client, Grants: grants()}, err
}

func (a *app) toolListCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use: "list TEAM.yaml", Short: "List what the team's servers offer now, and what each tool may do", Args: args(cobra.ExactArgs(1)),
		Long: "Ask the team's servers for their tools. EFFECT is what the team declares, and all that counts. With -o wide,\n" +
			"HINTS is what the server says of a tool (MCP's annotations): whether it only reads, destroys, does the same call\n" +
			"once, and reaches beyond a closed world. A hint that contradicts the team is a warning.",
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.listTools(ctx, given[0], form)
		},
	}
	a.outputFlag(c, &form, "table", "wide", "json", "jsonl", "yaml", "name")
	return c
}

// A listedTool is a tool as a server offers it, and what the team says of it.
type listedTool struct {
	Server      string            `json:"server"`
	Name        string            `json:"name"`
	Effect      chargehand.Effect `json:"effect"`               // as the team declares it
	Idempotent  bool              `json:"idempotent,omitempty"` // as the team declares it
	Hints       *tool.Hints       `json:"hints"`                // null means that the server gives none
	Digest      string            `json:"digest"`
	Description string            `json:"description,omitempty"`
}

// listTools asks every server, and says of each that does not answer why.
func (a *app) listTools(ctx context.Context, team, form string) error {
	t, err := a.team(team)
	if err != nil {
		return err
	}
	opt, err := servers()
	if err != nil {
		return err
	}
	var all []listedTool
	var lost []error
	for i := range t.Team.Tools {
		s := &t.Team.Tools[i]
		list, err := offered(ctx, s, opt)
		if err != nil {
			lost = append(lost, err)
		}
		for _, d := range list {
			p := s.Tools[d.Name[len(s.Name)+1:]]
			all = append(all, listedTool{s.Name, d.Name, cmp.Or(p.Effect, chargehand.EffectWrite), p.Idempotent, d.Hints, d.Digest(), d.Description})
		}
	}
	for i := range all {
		if all[i].contradicted() {
			fmt.Fprintf(a.io.Err, "warning: the team declares that %s reads, and its server says that it is destructive\n", term.Line(all[i].Name))
		}
	}
	return errors.Join(append(lost, a.writeTools(all, form, len(lost) > 0))...)
}

// writeTools writes the tools; some says that there may be more, of servers that did not answer.
func (a *app) writeTools(all []listedTool, form string, some bool) error {
	lines := make([]any, len(all))
	for i := range all {
		lines[i] = all[i]
	}
	return a.show(form, page{
		value: map[string]any{"schema_version": 1, "tools": nonNil(all)}, lines: lines,
		names: names(all, func(d *listedTool) string { return d.Name }),
		text: func() error {
			switch {
			case len(all) == 0 && some:
				return nil
			case len(all) == 0:
				fmt.Fprintln(a.io.Err, "no server of this team offers a tool")
				return nil
			}
			t := term.Table{Head: []string{"TOOL", "EFFECT", "HINTS", "WHAT ITS SERVER SAYS OF IT"}}
			for i := range all {
				d := &all[i]
				t.Add(d.Name, string(d.Effect), hintWords(d.Hints), d.Description)
			}
			return a.writeTable(form, &t, "HINTS")
		},
	})
}

// contradicted reports whether the server says that a tool destroys of which the team says that it reads.
func (d *listedTool) contradicted() bool {
	h := d.Hints
	return d.Effect.Reads() && h != nil && !h.ReadOnly && h.Destructive != nil && *h.Destructive
}

// hintWords is what a server says of the manner of its tool, as far as it says anything.
func hintWords(h *tool.Hints) string {
	if h == nil {
		return "none"
	}
	var words []string
	say := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	say(h.ReadOnly, "read-only")
	if d := h.Destructive; d != nil && !h.ReadOnly { // it means nothing of a tool that only reads
		say(*d, "destructive")
		say(!*d, "not destructive")
	}
	say(h.Idempotent, "idempotent")
	if o := h.OpenWorld; o != nil {
		say(*o, "open world")
		say(!*o, "closed world")
	}
	return cmp.Or(strings.Join(words, ", "), "none")
}

// offered is what one server has.
func offered(ctx context.Context, s *chargehand.ToolServer, opt mcp.Options) ([]tool.Definition, error) {
	server, err := mcp.NewServer(s, "", opt)
	if err != nil {
		return nil, err
	}
	list, err := server.Tools(ctx)
	return list, errors.Join(err, server.Close())
}
