package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// askTime bounds how long servers are asked for their tools before a run begins.
const askTime = 5 * time.Second

// Grants finds the tools that a team grants and that their servers do not have, with what was probably
// meant. Which tools a server has is known only when it is asked, so this is part of a run's start. A
// server that cannot be asked now may be there later, and is no problem here.
func (a *Agents) Grants(ctx context.Context, t *chargehand.Team, dir string) []chargehand.Problem {
	list := grantsOf(t)
	if len(list) == 0 || a.opt.Tools != nil {
		return nil
	}
	belt, err := a.belt(t, dir)
	if err != nil {
		return nil // making the team's workers says so
	}
	names := make([]string, len(list))
	for i, g := range list {
		names[i] = g.tool
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	lacking := belt.Lacking(ctx, names)
	var problems []chargehand.Problem
	for _, g := range list {
		if has, ok := lacking[g.tool]; ok {
			problems = append(problems, g.problem(has))
		}
	}
	return problems
}

// A grant is one place of a team that names a tool of one of its servers.
type grant struct {
	path, tool string
}

// grantsOf is what a team's workers are granted of its own servers. A worker elsewhere may have tools
// of its own, by other names.
func grantsOf(t *chargehand.Team) []grant {
	servers := map[string]bool{}
	for i := range t.Tools {
		servers[t.Tools[i].Name] = true
	}
	var list []grant
	add := func(path, tool string) {
		if server, _, _ := strings.Cut(tool, "."); servers[server] {
			list = append(list, grant{path, tool})
		}
	}
	for i := range t.Workers {
		w := &t.Workers[i]
		for j, tool := range w.ToolGrants {
			add(fmt.Sprintf("$.workers[%d].toolGrants[%d]", i, j), tool)
		}
		if w.Kind == chargehand.KindMCP && w.MCP != nil {
			add(fmt.Sprintf("$.workers[%d].mcp.tool", i), w.MCP.Tool)
		}
	}
	return list
}

func (g grant) problem(has []string) chargehand.Problem {
	server, name, _ := strings.Cut(g.tool, ".")
	p := chargehand.Problem{Path: g.path, Message: fmt.Sprintf("the tool server `%s` has no tool `%s`", server, name)}
	own := make([]string, 0, len(has))
	for _, full := range has {
		own = append(own, excerpt.Line(strings.TrimPrefix(full, server+".")))
	}
	const few = 8
	switch near := chargehand.Near(name, own); {
	case near != "":
		p.Hint = "did you mean `" + server + "." + near + "`?"
	case len(own) == 0:
		p.Hint = "it has none"
	case len(own) <= few:
		p.Hint = "it has `" + strings.Join(own, "`, `") + "`"
	default:
		p.Hint = "see: chargehand tools list TEAM.yaml"
	}
	return p
}
