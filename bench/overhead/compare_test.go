package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestAims weighs rows that were made up: those of an engine four times as slow as the floor.
func TestAims(t *testing.T) {
	c := &comparison{Rounds: 1, Schedules: []scheduleRow{{"first come", 280, 300}}}
	for _, group := range groups {
		for _, cell := range group {
			r := row{Peer: cell.peer, N: cell.n, Wall: 100, CPU: float64(cell.n) / 1e4, RSS: 90, Straight: 8}
			f := func(v float64) *float64 { return &v }
			r.Ratio, r.P50, r.Disk, r.Fsyncs = f(1.05), f(210), f(249), f(12)
			if cell.peer == "chargehand" {
				r.Wall = 400
			}
			c.cells, c.Rows = append(c.cells, cell), append(c.Rows, r)
		}
	}
	c.Aims = c.weigh()
	missed := []string{"durable floors", "beside eino", "LangGraph.js", "total by that"}
	for _, a := range c.Aims {
		want := true
		for _, m := range missed {
			want = want && !strings.Contains(a.Name, m)
		}
		if a.Met != want {
			t.Errorf("met %v: %s", a.Met, a)
		}
	}
	var people, machine bytes.Buffer
	if err := c.print(&people, false); err != nil {
		t.Fatal(err)
	}
	if err := c.print(&machine, true); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(machine.Bytes()) || strings.Count(people.String(), "\n") < len(c.Rows)+len(c.Aims) {
		t.Error("the tables are not whole")
	}
}

func TestMiddleIsTheMedian(t *testing.T) {
	one, two := 3.0, 9.0
	got := middle([]row{{Wall: 5, Fsyncs: &two}, {Wall: 1, Fsyncs: &one}, {Wall: 3, Fsyncs: &one}})
	if got.Wall != 3 || *got.Fsyncs != 3 {
		t.Errorf("median %v, fsyncs %v", got.Wall, *got.Fsyncs)
	}
}
