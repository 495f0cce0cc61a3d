package mcpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// An order is what a team's tool takes.
type order struct {
	Goal      string          `json:"goal"`
	Documents []document      `json:"documents"`
	Input     json.RawMessage `json:"input"`
	Budget    json.RawMessage `json:"budget"` // dollars as a text or a number
	Title     string          `json:"title"`
	Key       string          `json:"key"`
	Wait      *int            `json:"wait_seconds"`
}

type document struct {
	Name      string `json:"name"`
	Text      string `json:"text"`
	MediaType string `json:"media_type"`
}

// start begins a run, or finds the one that the same key began, and waits for it.
func (d *desk) start(ctx context.Context, c call, team *chargehand.Team) (*answer, error) {
	var in order
	if err := c.arguments(&in); err != nil {
		return nil, err
	}
	o, err := d.order(team, &in)
	if err != nil {
		return nil, err
	}
	patient, stop, err := d.patience(ctx, in.Wait)
	if err != nil {
		return nil, err
	}
	defer stop()
	// A client that cancels at this very moment must not leave behind a run that nobody knows of.
	begin, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.opt.Timeout)
	defer cancel()
	run, err := d.engine.Start(begin, o)
	if e, ok := errors.AsType[*chargehand.Error](err); ok && e.Code == chargehand.CodeKeyTaken {
		return nil, refused("$.key", e.Why+": give each order a key of its own")
	}
	if err != nil {
		return nil, err
	}
	v, err := d.follow(patient, c, run, func(m chargehand.Moment) bool { return m.Waits })
	if ctx.Err() != nil && in.Key == "" {
		return nil, d.abandon(run)
	}
	return d.tell(ctx, v, 0, err)
}

func (d *desk) order(team *chargehand.Team, in *order) (chargehand.Order, error) {
	o := chargehand.Order{Team: *team, StartedBy: d.who.Name, Tenant: d.who.Tenant}
	o.Objective = chargehand.Objective{Title: in.Title, Goal: strings.TrimSpace(in.Goal)}
	if string(bytes.TrimSpace(in.Input)) != "null" {
		o.Objective.Input = in.Input
	}
	for i, doc := range in.Documents {
		if doc.Text == "" {
			return o, refused(fmt.Sprintf("$.documents[%d].text", i), "is empty")
		}
		o.Objective.Documents = append(o.Objective.Documents, chargehand.Document{Name: doc.Name, MediaType: doc.MediaType, Text: doc.Text})
	}
	if o.Objective.Goal == "" {
		o.Objective.Goal = team.Description
	}
	if o.Objective.Title == "" {
		o.Objective.Title = titleOf(team, o.Objective.Documents)
	}
	if in.Key != "" {
		if len(in.Key) > maxName {
			return o, refused("$.key", fmt.Sprintf("want at most %d bytes", maxName))
		}
		o.Key = "mcp:" + url.Values{"by": {d.who.Name}, "tenant": {d.who.Tenant}, "key": {in.Key}}.Encode()
	}
	var err error
	o.Budget.USD, err = budget(team, in.Budget)
	return o, err
}

func titleOf(team *chargehand.Team, docs []chargehand.Document) string {
	if len(docs) > 0 {
		return docs[0].Name
	}
	return team.Name
}

// budget is what a caller allows, which is never more than the team does.
func budget(team *chargehand.Team, raw json.RawMessage) (chargehand.Micros, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, nil
	}
	var usd chargehand.Micros
	err := usd.UnmarshalJSON(raw)
	switch {
	case err != nil || usd <= 0:
		return 0, refused("$.budget", "want dollars as a decimal above zero, such as 0.50")
	case team.Budget.USD > 0 && usd > team.Budget.USD:
		return 0, refused("$.budget", "the team may spend "+team.Budget.USD.String()+" at most")
	}
	return usd, nil
}

// abandon cancels a run whose caller has gone and has no key to find it by.
func (d *desk) abandon(run string) error {
	ctx, cancel := context.WithTimeout(context.Background(), d.opt.Timeout)
	defer cancel()
	err := d.engine.Control(ctx, run, chargehand.Control{Verb: chargehand.Cancel, By: d.who.Name, Reason: "the MCP client cancelled the call"})
	if err != nil && chargehand.CodeOf(err) != chargehand.CodeEnded {
		d.opt.Log.Error("cancel an abandoned run", "run", run, "error", err)
	}
	return &chargehand.Error{Code: chargehand.CodeUnavailable, What: "the call was cancelled", Why: "and " + run + " with it", Err: context.Canceled}
}

// follow waits for a run to end, or for done, and tells the client of its progress.
func (d *desk) follow(ctx context.Context, c call, run string, done func(chargehand.Moment) bool) (*chargehand.View, error) {
	p := d.progress(ctx, c)
	defer p.stop()
	v, err := chargehand.Follow(ctx, d.engine, run, func(m chargehand.Moment) bool {
		p.tell(m)
		return done(m)
	})
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errPatience) || errors.Is(cause, errLeaving)) {
		err = cause // which is no failure: the answer says how the run stands
		if v.RunID == "" {
			var unread error
			if v, unread = d.glance(context.WithoutCancel(ctx), run); unread != nil {
				err = unread
			}
		}
	}
	return v, err
}

// A reporter tells a client of a run's progress, at least once in a while.
type reporter struct {
	news chan string
	quit chan struct{}
	done chan struct{}
}

func (p *reporter) stop() { close(p.quit); <-p.done }

// tell replaces what has not been told yet: a slow client hears the latest.
func (p *reporter) tell(m chargehand.Moment) {
	text := headline(m)
	if text == "" {
		return
	}
	select {
	case <-p.news:
	default:
	}
	p.news <- text
}

func (d *desk) progress(ctx context.Context, c call) *reporter {
	p := &reporter{make(chan string, 1), make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(p.done)
		beat := time.NewTicker(d.opt.Heartbeat)
		defer beat.Stop()
		last := "The run goes on."
		for n := 1.0; ; n++ {
			select {
			case last = <-p.news:
			case <-beat.C:
			case <-p.quit:
				return
			}
			c.notify(ctx, n, last)
		}
	}()
	return p
}
