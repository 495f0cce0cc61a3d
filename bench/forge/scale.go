package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
)

// A rate is how long a large journal takes.
type rate struct {
	Records   int64   `json:"records"`
	Runs      int     `json:"runs"`
	Making    float64 `json:"makingSeconds"` // by the engine
	Verifying float64 `json:"verifyingSeconds"`
	PerSecond float64 `json:"recordsPerSecond"`
	Megabytes float64 `json:"megabytes"`
}

// scale has the engine make a journal of o.verify records, and verifies it.
func scale(ctx context.Context, o options, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "forge-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var r rate
	began := time.Now()
	if err := fill(ctx, dir, int64(o.verify)); err != nil {
		return err
	}
	r.Making = time.Since(began).Seconds()
	if info, err := os.Stat(filepath.Join(dir, "journal.db")); err == nil {
		r.Megabytes = float64(info.Size()) / 1e6
	}
	began = time.Now()
	report, err := local.Audit(ctx, dir, local.AuditOptions{})
	if err != nil {
		return err
	}
	r.Verifying = time.Since(began).Seconds()
	r.Records, r.Runs = report.Records, report.Runs
	r.PerSecond = float64(r.Records) / r.Verifying
	if report.Verdict != audit.Intact || r.Records < int64(o.verify) {
		return fmt.Errorf("%d records, %s: %+v", r.Records, report.Verdict, report.Findings)
	}
	if o.json {
		return json.NewEncoder(out).Encode(r)
	}
	fmt.Fprintf(out, "%d records of %d runs (%.0f MB), made in %.1f s, verified in %.1f s: %.0f records/s\n",
		r.Records, r.Runs, r.Megabytes, r.Making, r.Verifying, r.PerSecond)
	return nil
}

// fill lets runs of a thousand subtasks go until there are enough records.
func fill(ctx context.Context, dir string, records int64) (err error) {
	e, err := local.Open(ctx, local.Options{Dir: dir, Workers: workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	l, err := local.LookAt(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for {
		var have int64
		extents, err := l.Extents(ctx)
		if err != nil {
			return err
		}
		for _, x := range extents {
			have += x.Records
		}
		if have >= records {
			return nil
		}
		o := order(0)
		o.Team.Planner.Template = &chargehand.Plan{}
		o.Team.Workers = o.Team.Workers[:1]
		o.Team.Workers[0].MaxConcurrentTasks = 100
		for i := range 1000 {
			o.Team.Planner.Template.Subtasks = append(o.Team.Planner.Template.Subtasks,
				chargehand.Subtask{ID: fmt.Sprintf("s%d", i), Goal: "read", Capability: "read"})
		}
		if err := oneRun(ctx, e, o); err != nil {
			return err
		}
	}
}
