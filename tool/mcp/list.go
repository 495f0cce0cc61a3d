package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/tool"
)

// tools lists what the server has, from memory where that is fresh. The list is shared: nobody
// writes to it.
func (c *conn) tools(ctx context.Context) ([]tool.Definition, error) {
	select {
	case c.listing <- struct{}{}:
		defer func() { <-c.listing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if !c.stale.Load() && c.list != nil && time.Since(c.listed) < c.server.opt.Fresh {
		return c.list, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.opt.Patience, fmt.Errorf("its list of tools took longer than %s", c.server.opt.Patience))
	defer cancel()
	c.stale.Store(false) // what changes from here on is said anew
	list, err := c.pages(ctx)
	if err != nil {
		c.stale.Store(true)
		return nil, err
	}
	c.list, c.listed = list, time.Now()
	return list, nil
}

// pages reads the list to its end, or to where it is too much.
func (c *conn) pages(ctx context.Context) ([]tool.Definition, error) {
	list, size, opt := []tool.Definition{}, 0, &c.server.opt
	params, seen := &sdk.ListToolsParams{}, map[string]bool{}
	for pages := 1; ; pages++ {
		res, err := c.session.ListTools(ctx, params)
		if err != nil {
			return nil, because(ctx, err)
		}
		c.chatter.Store(0)
		for _, t := range res.Tools {
			d, err := c.definition(t)
			if err != nil {
				return nil, err
			}
			list, size = append(list, d), size+len(d.Name)+len(d.Description)+len(d.Schema)+len(d.Output)
		}
		switch {
		case len(list) > opt.MaxTools:
			return nil, fmt.Errorf("it lists more than %d tools: %d after %d pages", opt.MaxTools, len(list), pages)
		case size > opt.MaxBytes:
			return nil, fmt.Errorf("its list of tools has more than %d bytes: %d after %d pages", opt.MaxBytes, size, pages)
		case res.NextCursor == "":
			return list, nil
		case seen[res.NextCursor], pages > opt.MaxTools:
			return nil, errors.New("its list of tools has no end")
		}
		seen[res.NextCursor] = true
		params = &sdk.ListToolsParams{Cursor: res.NextCursor}
	}
}

func (c *conn) definition(t *sdk.Tool) (tool.Definition, error) {
	d := tool.Definition{Name: c.server.spec.Name + "." + t.Name, Description: c.known.Redact(t.Description)}
	if a := t.Annotations; a != nil {
		d.Hints = &tool.Hints{
			Title: c.known.Redact(a.Title), ReadOnly: a.ReadOnlyHint, Destructive: a.DestructiveHint, Idempotent: a.IdempotentHint, OpenWorld: a.OpenWorldHint,
		}
	}
	var err error
	if d.Schema, err = schema(t.InputSchema); err == nil {
		d.Output, err = schema(t.OutputSchema)
	}
	d.Schema, d.Output = c.known.RedactJSON(d.Schema), c.known.RedactJSON(d.Output)
	return d, err
}

func schema(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	return b, nil
}
