package local

import (
	"slices"

	"github.com/chargehand/chargehand"
)

// plainTools is what an executor of tools reports, its texts fit for a record: names of tools that a
// model wished for are a model's words.
func plainTools(r *chargehand.ToolReport) *chargehand.ToolReport {
	if r == nil {
		return nil
	}
	out := &chargehand.ToolReport{Pins: slices.Clone(r.Pins), Changed: slices.Clone(r.Changed), Denied: slices.Clone(r.Denied), Done: slices.Clone(r.Done)}
	for i := range out.Pins {
		out.Pins[i].Tool = plain(out.Pins[i].Tool)
	}
	for i := range out.Changed {
		out.Changed[i].Tool = plain(out.Changed[i].Tool)
	}
	for i := range out.Denied {
		out.Denied[i].Tool, out.Denied[i].Why = plain(out.Denied[i].Tool), plain(out.Denied[i].Why)
	}
	return out
}
