package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/pattern"
)

func TestZZ(t *testing.T) {
	all, err := load("../../../shared/data/cuad")
	if err != nil { t.Fatal(err) }
	only := os.Getenv("CAT")
	var out strings.Builder
	for _, from := range []int{0, 25} {
		cs := all[from:]
		docs := map[int]extractor{}
		ts, err := score(cs, func(i int) extractor { if docs[i] == nil { docs[i] = pattern.Read(cs[i].text) }; return docs[i] })
		if err != nil { t.Fatal(err) }
		f := newFigures(ts)
		fmt.Fprintf(&out, "## from %d\n", from+1)
		for _, l := range f.Categories {
			if only != "" && l.Category != only { continue }
			fmt.Fprintf(&out, "%-34s | q %3d s %3d | %s | F %.2f %.2f\n", l.Category, l.Quotes, l.Spans, l, l.Span.F1, l.Contract.F1)
		}
		fmt.Fprintf(&out, "macro %s F %.3f %.3f\n", f, f.MacroSpan.F1, f.MacroContract.F1)
		if from == 0 && only != "" { for _, m := range ts[only].misses { fmt.Fprintf(&out, "%s\n   ANN %s\n   QUO %s\n", m.File, m.Annotated, m.Quoted) } }
	}
	fmt.Print(out.String())
}
