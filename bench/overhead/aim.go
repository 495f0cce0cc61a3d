package main

import (
	"fmt"
	"math"
)

// An aim is a figure and the bound it is meant to keep.
type aim struct {
	Name   string   `json:"name"`
	Is     *float64 `json:"is"` // nil: not measured
	AtMost float64  `json:"atMost"`
	Unit   string   `json:"unit,omitempty"`
	Met    bool     `json:"met"`
}

// eino and LangGraph.js on the machine of the published figures, in durable floors of the same
// machine: 84 us and 575 us a subtask beside 38 and 37.
const (
	einoFloors      = 84.0 / 38
	langGraphFloors = 575.0 / 37
)

// weigh compares the rows with what is aimed at. Times are ratios to what was measured beside them.
func (c *comparison) weigh() []aim {
	var list []aim
	add := func(name string, is *float64, most float64, unit string) {
		list = append(list, aim{name, is, most, unit, is != nil && *is <= most})
	}
	floors := func(workload string, n int) *float64 {
		r := c.find("chargehand", workload, "", n).Wall / c.find("durable-floor", workload, "", n).Wall
		return &r
	}
	add("W1 N=100, durable floors", floors("W1", 100), 1.7, "")
	add("W1 N=100, beside eino, which stores nothing", floors("W1", 100), round(einoFloors, 2), "")
	add("W1 N=1,000, durable floors", floors("W1", 1000), 2, "")
	add("W3-strict N=100, durable floors", floors("W3-strict", 100), 1.7, "")
	add("W3-strict N=100, a ninth of LangGraph.js", floors("W3-strict", 100), round(langGraphFloors/9, 2), "")

	small, large := c.find("chargehand", "W1", "", 100), c.find("chargehand", "W1", "", mostSubtasks)
	exponent := math.Log(large.CPU/small.CPU) / math.Log(float64(large.N)/float64(small.N))
	add("growth of CPU from N=100 to N=10,000, exponent", &exponent, 1.10, "")
	add("N=10,000, resident", &large.RSS, 180, "MB")

	pool := c.find("chargehand", "W2", "", 500)
	add("W2, times the lower bound", pool.Ratio, 1.10, "")
	oldest, fifo := c.find("chargehand", "W2", "oldest", 500), c.Schedules[0]
	p50, total := *oldest.P50/fifo.P50, oldest.Wall/fifo.Total
	add("W2 oldest run first, p50 by that of first come without overhead", &p50, 0.80, "")
	add("W2 oldest run first, total by that of first come without overhead", &total, 1.15, "")

	add("W1 N=100, on disk", small.Disk, 250, "KB")
	add("W1 N=100, fsyncs", small.Fsyncs, 12, "")
	waits := float64(small.Straight)
	add("commits on the longest path", &waits, mostWaits, "")
	return list
}

// String is the aim as a line for people.
func (a aim) String() string {
	word, is := "missed", "not measured"
	if a.Met {
		word = "met"
	}
	if a.Is != nil {
		is = fmt.Sprintf("%.2f", *a.Is)
	}
	return fmt.Sprintf("%-66s %12s  aim %6.2f %-2s  %s", a.Name, is, a.AtMost, a.Unit, word)
}
