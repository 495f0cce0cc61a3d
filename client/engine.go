package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/chargehand/chargehand"
)

// Start implements chargehand.Supervisor.
func (c *Client) Start(ctx context.Context, o chargehand.Order) (string, error) {
	var started struct {
		RunID string `json:"runId"`
	}
	err := c.call(ctx, http.MethodPost, path("runs"), o, &started)
	return started.RunID, err
}

// Control implements chargehand.Supervisor.
func (c *Client) Control(ctx context.Context, run string, control chargehand.Control) error {
	return c.call(ctx, http.MethodPost, path("runs", run, "control"), control, nil)
}

// Fork implements chargehand.Supervisor.
func (c *Client) Fork(ctx context.Context, run string, f chargehand.Fork) (string, error) {
	var forked struct {
		RunID string `json:"runId"`
	}
	err := c.call(ctx, http.MethodPost, path("runs", run, "fork"), f, &forked)
	return forked.RunID, err
}

// Decide implements chargehand.Supervisor.
func (c *Client) Decide(ctx context.Context, d chargehand.Decision) (chargehand.Decision, error) {
	ask := struct {
		Approved    bool   `json:"approved"`
		Approver    string `json:"approver"`
		ContentHash string `json:"contentHash"`
		Nonce       string `json:"nonce"`
		Comment     string `json:"comment,omitempty"`
		SendBack    bool   `json:"sendBack,omitempty"`

		Plan    *chargehand.Plan      `json:"plan,omitempty"`
		Settled chargehand.Settlement `json:"settled,omitempty"`
		Output  json.RawMessage       `json:"output,omitempty"`
	}{d.Approved, d.Approver, d.ContentHash, d.Nonce, d.Comment, d.SendBack, d.Plan, d.Settled, d.Output}
	var decided chargehand.Decision
	err := c.call(ctx, http.MethodPost, path("reviews", d.ReviewID, "decisions"), ask, &decided)
	return decided, err
}

// Runs implements chargehand.Reader.
func (c *Client) Runs(ctx context.Context, f chargehand.Filter) ([]chargehand.RunSummary, error) {
	q := url.Values{}
	for _, s := range f.States {
		q.Add("state", string(s))
	}
	if f.NeedsHuman {
		q.Set("needs_human", "true")
	}
	if f.StartedBy != "" {
		q.Set("started_by", f.StartedBy)
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var found struct {
		Runs []chargehand.RunSummary `json:"runs"`
	}
	err := c.call(ctx, http.MethodGet, path("runs")+"?"+q.Encode(), nil, &found)
	return found.Runs, err
}

// Run implements chargehand.Reader.
func (c *Client) Run(ctx context.Context, run string) (*chargehand.View, error) {
	v := new(chargehand.View)
	if err := c.call(ctx, http.MethodGet, path("runs", run), nil, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Result implements chargehand.Reader.
func (c *Client) Result(ctx context.Context, run string) (*chargehand.Result, error) {
	r := new(chargehand.Result)
	if err := c.call(ctx, http.MethodGet, path("runs", run, "result"), nil, r); err != nil {
		return nil, err
	}
	return r, nil
}

// Reviews implements chargehand.Reader.
func (c *Client) Reviews(ctx context.Context) ([]chargehand.Review, error) {
	var found struct {
		Reviews []chargehand.Review `json:"reviews"`
	}
	err := c.call(ctx, http.MethodGet, path("reviews"), nil, &found)
	return found.Reviews, err
}

// Fleet implements chargehand.Reader.
func (c *Client) Fleet(ctx context.Context) ([]chargehand.WorkerStatus, error) {
	var found struct {
		Workers []chargehand.WorkerStatus `json:"workers"`
	}
	err := c.call(ctx, http.MethodGet, path("fleet"), nil, &found)
	return found.Workers, err
}
