package mcpapi

import (
	"context"
	"fmt"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// An inquiry is what the tools about a run take, each its own part.
type inquiry struct {
	Run   string `json:"run_id"`
	First int    `json:"first_item"`
	Wait  *int   `json:"wait_seconds"`
	Why   string `json:"reason"`
}

// inquire reads what a tool about a run was asked, and finds the run. One that another caller
// began, or that does not go by this very id, is not there.
func (d *desk) inquire(ctx context.Context, c call) (inquiry, *chargehand.View, error) {
	var q inquiry
	if err := c.arguments(&q); err != nil {
		return q, nil, err
	}
	v, err := d.engine.Run(ctx, q.Run)
	if err == nil && v.RunID == q.Run && v.StartedBy == d.who.Name && v.Tenant == d.who.Tenant {
		return q, v, nil
	}
	if err != nil && chargehand.CodeOf(err) != chargehand.CodeNotFound && chargehand.CodeOf(err) != chargehand.CodeInvalid {
		return q, nil, err
	}
	return q, nil, &chargehand.Error{
		Code: chargehand.CodeNotFound, What: fmt.Sprintf("you have no run %q", excerpt.Of(q.Run, maxName)),
		Next: "use the run_id that a team's tool answered",
	}
}

func (d *desk) get(ctx context.Context, c call) (*answer, error) {
	q, v, err := d.inquire(ctx, c)
	if err != nil {
		return nil, err
	}
	if q.First < 0 {
		return nil, refused("$.first_item", "want a number from 0")
	}
	v, err = d.glance(ctx, v.RunID)
	return d.tell(ctx, v, q.First, err)
}

// glance is how a run stands now, as a Moment would tell it.
func (d *desk) glance(ctx context.Context, run string) (*chargehand.View, error) {
	return chargehand.Follow(ctx, d.engine, run, func(chargehand.Moment) bool { return true })
}

// wait waits for a run's end, or for the next question to people: what waits already is waited for.
func (d *desk) wait(ctx context.Context, c call) (*answer, error) {
	q, v, err := d.inquire(ctx, c)
	if err != nil {
		return nil, err
	}
	patient, stop, err := d.patience(ctx, q.Wait)
	if err != nil {
		return nil, err
	}
	defer stop()
	known := open(v)
	v, err = d.follow(patient, c, v.RunID, func(m chargehand.Moment) bool {
		return m.Waits && !maps.Equal(known, open(m.View))
	})
	return d.tell(ctx, v, 0, err)
}

// open are the reviews that wait.
func open(v *chargehand.View) map[string]bool {
	ids := map[string]bool{}
	for i := range v.Reviews {
		if v.Reviews[i].Open() {
			ids[v.Reviews[i].ID] = true
		}
	}
	return ids
}

func (d *desk) cancel(ctx context.Context, c call) (*answer, error) {
	q, v, err := d.inquire(ctx, c)
	if err != nil {
		return nil, err
	}
	if q.Why == "" {
		return nil, refused("$.reason", "is missing: say why, for the record")
	}
	if err := d.engine.Control(ctx, v.RunID, chargehand.Control{Verb: chargehand.Cancel, By: d.who.Name, Reason: q.Why}); err != nil {
		return nil, err
	}
	seconds := int(d.opt.Timeout.Seconds())
	patient, stop, err := d.patience(ctx, &seconds)
	if err != nil {
		return nil, err
	}
	defer stop()
	v, err = d.follow(patient, c, v.RunID, func(chargehand.Moment) bool { return false })
	return d.tell(ctx, v, 0, err)
}

// notify tells of progress if the client asked for it. One that cannot be told will see the answer.
func (c call) notify(ctx context.Context, n float64, text string) {
	token := c.Params.GetProgressToken()
	if token == nil || c.Session == nil {
		return
	}
	_ = c.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: text})
}

// headline is what a moment means to whoever waits; empty: nothing.
func headline(m chargehand.Moment) string {
	text := ""
	for _, r := range m.News {
		switch f := r.Fact.(type) {
		case chargehand.RunStarted:
			text = "The run " + r.Run + " has begun."
		case chargehand.PlanAdopted:
			text = fmt.Sprintf("Planned: %d subtasks.", f.Subtasks)
		case chargehand.RetryPlanned:
			text = fmt.Sprintf("Subtask %s is done again. %d of %d accepted.", f.Subtask, m.Accepted, m.Subtasks)
		case chargehand.SubtaskEnded:
			text = fmt.Sprintf("%d of %d subtasks accepted.", m.Accepted, m.Subtasks)
		case chargehand.ReviewOpened:
			text = "A person is asked: review " + f.Review.ID + "."
		case chargehand.ReviewDecided:
			text = "Review " + f.Decision.ReviewID + " is decided."
		case chargehand.BudgetLow:
			text = "Four fifths of the budget are spent."
		}
	}
	return text
}
