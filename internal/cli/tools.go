package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

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
		RunE: func(c *cobra.Command, given []string) error {
			ctx, stop := a.ctx(c)
			defer stop()
			return a.listTools(ctx, given[0], form)
		},
	}
	a.outputFlag(c, &form, "table", "json")
	return c
}

// A listedTool is a tool as a server offers it, and what the team says of it.
type listedTool struct {
	Server      string            `json:"server"`
	Name        string            `json:"name"`
	Effect      chargehand.Effect `json:"effect"`
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
			own := d.Name[len(s.Name)+1:]
			all = append(all, listedTool{s.Name, d.Name, cmp.Or(s.Tools[own].Effect, chargehand.EffectWrite), d.Digest(), d.Description})
		}
	}
	switch {
	case form == "json":
		err = a.writeJSON(map[string]any{"schema_version": 1, "tools": nonNil(all)})
	case len(all) > 0 || len(lost) == 0:
		err = a.writeTools(all)
	}
	return errors.Join(append(lost, err)...)
}

func (a *app) writeTools(all []listedTool) error {
	if len(all) == 0 {
		fmt.Fprintln(a.io.Err, "no server of this team offers a tool")
		return nil
	}
	t := term.Table{Head: []string{"TOOL", "EFFECT", "WHAT ITS SERVER SAYS OF IT"}, Width: a.screen(a.io.Out).Width}
	for _, d := range all {
		t.Add(d.Name, string(d.Effect), d.Description)
	}
	return t.Write(a.io.Out, a.style(a.io.Out))
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
