package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// A report is all figures.
type report struct {
	Fill   filled  `json:"fill"`
	Wake   woken   `json:"wake"`
	Disk   float64 `json:"diskPerRun_KB"`
	Resume resumed `json:"resume"`
}

// Bounds of what is aimed at.
const (
	mostRSS    = 300.0 // MB, with all runs waiting
	mostDecide = 50.0  // ms
	mostFirst  = 1000.0
)

func (r report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	lines := []struct {
		what     string
		is       float64
		unit, of string
	}{
		{fmt.Sprintf("%d runs brought to a review", r.Fill.Runs), r.Fill.PerSec, "runs/s", ""},
		{"resident in the process that opens them, peak", r.Wake.RSS, "MB", within(r.Wake.RSS, mostRSS)},
		{"to open", r.Wake.Open, "ms", ""},
		{"from a decision to its record, median", r.Wake.Decide, "ms", within(r.Wake.Decide, mostDecide)},
		{"the slowest", r.Wake.DecideAt, "ms", within(r.Wake.DecideAt, mostDecide)},
		{"from a decision to the run's end, median", r.Wake.End, "ms", ""},
		{"on disk, a run", r.Disk, "KB", ""},
		{fmt.Sprintf("%d runs under way when killed: first called again", r.Resume.Runs), r.Resume.First, "ms", within(r.Resume.First, mostFirst)},
		{"engine open", r.Resume.Open, "ms", ""},
		{"all called again", r.Resume.All, "ms", ""},
		{"resident, peak", r.Resume.RSS, "MB", ""},
	}
	if r.Fill.Short {
		fmt.Fprintln(w, "fewer runs than asked for: the disk must keep 20 GB free")
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(w, "%-56s %10.1f %-7s %s\n", l.what, l.is, l.unit, l.of); err != nil {
			return err
		}
	}
	return nil
}

func within(is, most float64) string {
	if is <= most {
		return fmt.Sprintf("aim %.0f: met", most)
	}
	return fmt.Sprintf("aim %.0f: missed", most)
}
