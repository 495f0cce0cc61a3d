package sim

import (
	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// tools is what some attempts' executors say of a tool whose server changes it now and then. One of
// them does not compare it with what the run goes by.
func (w *world) tools(l *supervise.Launch) *chargehand.ToolReport {
	d := w.dice(spot{what: "tools", run: l.Task.RunID, task: l.Task.TaskID, a: l.Task.Attempt})
	if !d.one(5) {
		return nil
	}
	const name = "files.read"
	digest := pick(d, "d1", "d1", "d2")
	r := &chargehand.ToolReport{}
	if d.one(3) {
		r.Denied = []chargehand.ToolDenial{{Tool: "files.pay", Cause: chargehand.DeniedGrant, Why: "there is no grant"}}
	}
	pinned := l.Task.ToolDigests[name]
	if pinned != "" && pinned != digest && !d.one(4) {
		r.Changed = []chargehand.ToolChange{{Tool: name, Pinned: pinned, Now: digest, Team: d.one(5)}}
		return r
	}
	r.Pins = []chargehand.ToolPin{{Tool: name, Digest: digest}}
	return r
}
