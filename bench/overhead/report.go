package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

func (c *comparison) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(c)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tby\tms\t× durable\tµs a subtask\tCPU ms\t× durable\tp50 ms\tp95 ms\tKB a run\tfsyncs\tcommits\tRSS MB\tstart ms\tnoise\t")
	for i, r := range c.Rows {
		fmt.Fprintf(t, "%s\t%s\t%.1f\t%s\t%.0f\t%.1f\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.0f\t%s\t%.0f %%\t\n", c.cells[i], r.Peer, r.Wall,
			c.ratio(i, func(r row) float64 { return r.Wall }), r.PerSubtask, 1000*r.CPU, c.ratio(i, func(r row) float64 { return r.CPU }), figure(r.P50), figure(r.P95), figure(r.Disk), figure(r.Fsyncs), r.Commits, r.RSS, figure(r.Startup), 100*r.Noise)
	}
	for _, s := range c.Schedules {
		fmt.Fprintf(t, "W2 500\tno overhead, %s\t%.1f\t\t\t%.1f\t\t\t\t\t\t\t\t\n", s.Name, s.Total, s.P50)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nmedians of %d rounds, taken in turns; W2's µs a subtask are those beyond the lower bound of 280 ms\n\n", c.Rounds)
	for _, a := range c.Aims {
		if _, err := fmt.Fprintln(w, a); err != nil {
			return err
		}
	}
	return nil
}

// ratio is a figure of a row in terms of the durable floor's beside it.
func (c *comparison) ratio(i int, f func(row) float64) string {
	for j, other := range c.cells {
		if other.peer == "durable-floor" && other.workload == c.cells[i].workload && other.n == c.cells[i].n && i != j {
			return strconv.FormatFloat(f(c.Rows[i])/f(c.Rows[j]), 'f', 2, 64)
		}
	}
	return "–"
}

func figure(f *float64) string {
	if f == nil {
		return "–"
	}
	return strconv.FormatFloat(*f, 'f', 1, 64)
}
