package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"sync"
	"testing"
	"text/tabwriter"
)

var asJSON = flag.Bool("json", false, "print the figures as one object instead of a table")

// figures are what the tests counted, in the order in which they did.
var figures struct {
	sync.Mutex
	list []figure
}

// A figure is one number that a test came to.
type figure struct {
	Test   string  `json:"test"`
	What   string  `json:"what"`
	Number float64 `json:"number"`
}

// count notes a figure, for the table at the end.
func count[N int | int64 | float64](t *testing.T, what string, n N) {
	t.Helper()
	t.Logf("%s: %v", what, n)
	figures.Lock()
	defer figures.Unlock()
	figures.list = append(figures.list, figure{t.Name(), what, float64(n)})
}

// printFigures writes all figures.
func printFigures(w io.Writer, passed bool) error {
	figures.Lock()
	defer figures.Unlock()
	if *asJSON {
		return json.NewEncoder(w).Encode(map[string]any{"schema_version": 1, "passed": passed, "full": *full, "figures": figures.list})
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range figures.list {
		fmt.Fprintf(t, "%s\t%s\t%.10g\n", f.Test, f.What, f.Number)
	}
	return t.Flush()
}
