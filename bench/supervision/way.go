package main

import (
	"context"
	"errors"
	"time"

	"github.com/chargehand/chargehand"
)

// A way is how the work is done.
type way struct {
	name       string
	sections   int // of the document
	supervised bool
	reviewer   string // model; empty means none
}

// A row is what one way of doing the work came to.
type row struct {
	Way      string `json:"way"`
	Reviewer string `json:"reviewer,omitempty"`
	Bytes    int    `json:"documentBytes"`

	Calls   int   `json:"calls"` // of models
	Reviews int   `json:"reviews"`
	Input   int64 `json:"inputTokens"`
	Output  int64 `json:"outputTokens"`

	Billed   chargehand.Micros            `json:"billedUSD"`           // by the provider
	ByPhase  map[string]chargehand.Micros `json:"byPhaseUSD"`          // as billed
	Ledger   map[string]chargehand.Micros `json:"ledgerUSD,omitempty"` // by phase, as the run's ledger has it
	Share    float64                      `json:"reviewShare"`         // of what the workers cost
	Wrong    int                          `json:"misquotesHandedOver"`
	WallMS   int64                        `json:"wallMs"`
	Attempts int                          `json:"attempts,omitempty"`
}

// perform does the work once.
func (w *way) perform(ctx context.Context, o options) (r *row, err error) {
	m := newModels(o.work, o.review)
	s, err := m.start()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	text := document(max(w.sections, o.subtasks))
	r = &row{Way: w.name, Reviewer: w.reviewer, Bytes: len(text)}
	began := time.Now()
	var outputs [][]byte
	if w.supervised {
		var plan []chargehand.Subtask
		for n := range o.subtasks {
			plan = append(plan, subtask(n))
		}
		d, err := supervised(ctx, s, teamOf(w.reviewer, atOnce), text, plan)
		if err != nil {
			return nil, err
		}
		outputs, r.Ledger, r.Attempts = d.outputs, d.result.Cost.ByPhase, started(d.records)
	} else if outputs, err = plain(ctx, reach(s), o.subtasks, text); err != nil {
		return nil, err
	}
	r.WallMS = time.Since(began).Milliseconds()
	for _, body := range outputs {
		bad, err := misquoted(body, text)
		if err != nil {
			return nil, err
		}
		if bad {
			r.Wrong++
		}
	}
	r.take(m)
	return r, nil
}

func started(records []chargehand.Record) (n int) {
	for _, r := range records {
		if _, ok := r.Fact.(chargehand.AttemptStarted); ok {
			n++
		}
	}
	return n
}

// take adds up what the provider billed.
func (r *row) take(m *models) {
	r.ByPhase = map[string]chargehand.Micros{}
	for phase, u := range m.bill {
		r.Input, r.Output, r.Billed = r.Input+u.InputTokens, r.Output+u.OutputTokens, r.Billed+u.USD
		r.ByPhase[phase] = u.USD
	}
	r.Calls, r.Reviews = m.calls[forWork]+m.calls[forReview], m.calls[forReview]
	if r.ByPhase[forWork] > 0 {
		r.Share = float64(r.ByPhase[forReview]) / float64(r.ByPhase[forWork])
	}
}
