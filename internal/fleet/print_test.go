package fleet

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// outputLines is the short form of an output in the scripts, its wake left out.
func outputLines(out Output) string {
	var b strings.Builder
	for _, r := range out.Records {
		fmt.Fprintf(&b, "%d. %s\n", r.Seq, factLine(r.Fact))
	}
	for _, g := range out.Grants {
		fmt.Fprintf(&b, "grant %s on %s, epoch %d, load %d/%d, %d queued\n", attempt(g.Run, g.AttemptRef), g.Instance,
			g.Epoch, g.Load.Active, g.Load.Slots, g.Load.Queued)
	}
	for _, n := range out.Notices {
		fmt.Fprintf(&b, "tell %s %s\n", n.Run, words(n.What, n.Worker, n.Subtask, n.Why))
	}
	for _, h := range out.Orphans {
		fmt.Fprintf(&b, "orphan %d %s\n", h.Epoch, attempt(h.Run, h.AttemptRef))
	}
	for _, e := range out.Effects {
		b.WriteString(effectLine(e) + "\n")
	}
	if out.Refusal != nil {
		fmt.Fprintf(&b, "refused %s: %s: %s\n", out.Refusal.Code, out.Refusal.What, out.Refusal.Why)
	}
	return b.String()
}

func factLine(f chargehand.Fact) string {
	switch f := f.(type) {
	case chargehand.WorkersRegistered:
		return "registered " + specLine(f.Workers)
	case chargehand.LeaseGranted:
		return words("leased", f.Epoch, f.Instance, "to", attempt(f.Run, f.AttemptRef), when(f.Tenant != "", "of "+f.Tenant),
			when(f.Probe, "as probe"))
	case chargehand.LeaseFreed:
		return words("freed", f.Epoch, f.Outcome)
	case chargehand.BreakerMoved:
		return words("breaker of", f.Worker, f.State, when(!f.Until.IsZero(), "until "+moment(f.Until)), "("+f.Why+")")
	case chargehand.ClockStepped:
		return fmt.Sprintf("clock off by %s, it says %s", time.Duration(f.OffMS)*time.Millisecond, moment(f.Wall))
	case chargehand.HealthChanged:
		return words("health of", f.Worker, f.Healthy, f.Why)
	case chargehand.InstanceSpawned:
		return words("up", f.Instance, when(f.Dynamic, "dynamic"))
	case chargehand.SpawnAsked:
		return words("spawn asked", f.Instance, "try", f.Try, "for", attempt(f.Run, f.AttemptRef), "at", "$"+f.EstimateUSD.String())
	case chargehand.SpawnFailed:
		return words("spawn failed", f.Instance, f.Why)
	case chargehand.InstanceRetired:
		return words("retired", f.Instance)
	case chargehand.WorkerDrained:
		return words("drained", f.Worker, f.Drained, "by", f.By, f.Reason)
	case chargehand.Alerted:
		return words("ALERT", f.What, f.Worker, when(f.Run != "", f.Run+"/"+f.Subtask), f.Why)
	}
	b, _ := json.Marshal(f)
	return fmt.Sprintf("%T %s", f, b)
}

func specLine(ws []chargehand.FleetWorker) string {
	var list []string
	for _, w := range ws {
		s := fmt.Sprintf("%s %dx%d..%d", w.Worker, w.Slots, w.Min, w.Max)
		if w.LatencyMS > 0 {
			s += fmt.Sprintf(" %dms", w.LatencyMS)
		}
		if w.Spawn != nil {
			s += fmt.Sprintf(" +%d", w.Spawn.Max)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func effectLine(e Effect) string {
	switch e := e.(type) {
	case Probe:
		return "do probe " + e.Worker + " at " + e.Address
	case Spawn:
		return "do spawn " + e.Instance
	case Retire:
		return "do retire " + e.Instance
	}
	return fmt.Sprintf("%T", e)
}

func attempt(run string, a chargehand.AttemptRef) string {
	return fmt.Sprintf("%s/%s/%d", run, a.Subtask, a.Attempt)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Sub(epoch0).String()
}

// words joins what is not empty.
func words(parts ...any) string {
	var list []string
	for _, p := range parts {
		if s := fmt.Sprint(p); s != "" {
			list = append(list, s)
		}
	}
	return strings.Join(list, " ")
}

func when(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}
