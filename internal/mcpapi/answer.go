package mcpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// An answer is how a run stands, with what it has to show.
type answer struct {
	Run        string                `json:"run_id"`
	State      string                `json:"state"`
	Stop       chargehand.StopReason `json:"stop_reason,omitempty"`
	Why        string                `json:"why,omitempty"`
	Next       string                `json:"next"`
	Output     json.RawMessage       `json:"output,omitempty"`
	Items      []chargehand.Item     `json:"items"`
	First      int                   `json:"first_item"`
	Count      int                   `json:"item_count"`
	Gaps       []chargehand.Gap      `json:"gaps"`
	Conflicts  []chargehand.Conflict `json:"conflicts"`
	Reviews    []question            `json:"reviews"`
	Omitted    []string              `json:"omitted,omitempty"`
	Subtasks   subtasks              `json:"subtasks"`
	Cost       cost                  `json:"cost"`
	ResultHash string                `json:"result_hash,omitempty"`
}

type subtasks struct {
	All      int `json:"all"`
	Accepted int `json:"accepted"`
}

type cost struct {
	USD    chargehand.Micros `json:"usd"`
	Tokens int64             `json:"tokens"`
}

// A question is a review that waits.
type question struct {
	Review   string    `json:"review_id"`
	About    string    `json:"about"`
	Risk     string    `json:"risk,omitempty"`
	Where    string    `json:"decide_at"`
	Deadline time.Time `json:"deadline,omitzero"`
	Auto     string    `json:"at_deadline,omitempty"` // what the policy decides then
}

// result is the answer as the protocol has it: as data, and as text for clients that read no data.
func (a *answer) result() (*mcp.CallToolResult, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	text := bytes.TrimSpace(b.Bytes())
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
		IsError: a.State == string(chargehand.RunFailed),
	}, nil
}

// tell makes the answer of a run as it was last seen, from an item on. A wait that was cut short is
// no failure.
func (d *desk) tell(ctx context.Context, v *chargehand.View, first int, cut error) (*answer, error) {
	if cut != nil && !errors.Is(cut, errPatience) && !errors.Is(cut, errLeaving) {
		return nil, cut
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.opt.Timeout)
	defer cancel()
	if v.RunID == "" {
		return nil, &chargehand.Error{Code: chargehand.CodeUnavailable, What: "the run cannot be read now", Next: "call again"}
	}
	a := &answer{
		Run: v.RunID, Stop: v.Stop, Why: v.Why, First: first, Cost: cost{v.Spent, v.Tokens}, ResultHash: v.ResultHash,
		Subtasks: subtasks{v.Subtasks, v.Accepted},
		Items:    []chargehand.Item{}, Gaps: []chargehand.Gap{}, Conflicts: []chargehand.Conflict{}, Reviews: d.questions(v),
	}
	a.stand(v, errors.Is(cut, errLeaving))
	res, err := d.engine.Result(ctx, v.RunID)
	if err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", v.RunID, err)
	}
	a.fill(res, d.opt.MaxAnswer)
	return a, nil
}

func (d *desk) questions(v *chargehand.View) []question {
	all := []question{}
	for i := range v.Reviews {
		if r := &v.Reviews[i]; r.Open() {
			all = append(all, question{
				Review: r.ID, About: excerpt.Of(r.Description, 2000), Risk: string(r.Risk), Where: d.opt.Where(*r),
				Deadline: r.Due().UTC(), Auto: string(r.Auto),
			})
		}
	}
	return all
}

// stand says how the run stands, and what to do.
func (a *answer) stand(v *chargehand.View, leaving bool) {
	switch {
	case v.State.Final():
		a.State, a.Next = string(v.State), "Use the result; gaps says what it does not cover."
		if v.State == chargehand.RunFailed || v.State == chargehand.RunCancelled {
			a.Next = "Nothing more comes of this run. See why and gaps; a new call starts another."
		}
	case v.State == chargehand.RunPaused || v.State == chargehand.RunHumanControl:
		a.State, a.Next = "paused", "An operator resumes it: chargehand runs resume "+v.RunID+". Then call wait_run."
	case len(a.Reviews) > 0:
		a.State, a.Next = "needs_human", "Tell the person where to decide (reviews). You cannot decide. Then call wait_run."
	default:
		a.State, a.Next = "running", "Call wait_run with this run_id."
	}
	if leaving && !v.State.Final() {
		a.Next = "The server is being restarted, and the run goes on then. " + a.Next
	}
}

// fill puts in what was found, as far as there is room.
func (a *answer) fill(res *chargehand.Result, room int) {
	a.Count = len(res.Items)
	if len(res.Output) > room {
		a.Omitted = append(a.Omitted, fmt.Sprintf("output: %d bytes; read it with: chargehand runs result %s -o json", len(res.Output), a.Run))
	} else {
		a.Output = res.Output
	}
	for left := room; a.First+len(a.Items) < len(res.Items); {
		it := res.Items[a.First+len(a.Items)]
		if left -= len(it.Fields) + 256; left < 0 && len(a.Items) > 0 {
			a.Omitted = append(a.Omitted, fmt.Sprintf("items: call get_run with first_item %d", a.First+len(a.Items)))
			break
		}
		a.Items = append(a.Items, it)
	}
	a.Gaps = most(a, res.Gaps, "gaps")
	a.Conflicts = most(a, res.Conflicts, "conflicts")
}

const mostListed = 500

func most[T any](a *answer, all []T, name string) []T {
	if len(all) > mostListed {
		a.Omitted = append(a.Omitted, fmt.Sprintf("%s: %d more; read them with: chargehand runs result %s -o json", name, len(all)-mostListed, a.Run))
		all = all[:mostListed]
	}
	return append([]T{}, all...)
}
