package supervise

import (
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// tools are the definitions of tools that the run goes by: of each the one it used first, until a
// person lets another stand (RELIABILITY.md 31).
type tools struct {
	pins map[string]string // digest by the tool's name; for look-ups only
}

// allowed are the tools an attempt may use: those that the subtask says it needs, else all that the
// worker is granted. A worker without a grant for what is needed is not chosen.
func allowed(s *chargehand.Subtask, w *chargehand.WorkerSpec) []string {
	switch {
	case w.MCP != nil:
		return []string{w.MCP.Tool}
	case len(s.ToolGrants) > 0:
		return s.ToolGrants
	}
	return w.ToolGrants
}

// mostCalls is how many calls of tools an attempt may make; zero where it is granted none.
func mostCalls(s *chargehand.Subtask, w *chargehand.WorkerSpec) int {
	switch {
	case len(allowed(s, w)) == 0:
		return 0
	case w.LLM != nil && w.LLM.MaxTools > 0:
		return w.LLM.MaxTools
	}
	return chargehand.DefaultToolCalls
}

// pinned are the definitions that an attempt goes by: those of its tools, or its agent's card.
func pinned(s *chargehand.Subtask, w *chargehand.WorkerSpec) []string {
	if w.A2A != nil {
		return []string{chargehand.CardName(w.WorkerID)}
	}
	return allowed(s, w)
}

// of are the pins that the run has of the tools named.
func (t *tools) of(names []string) map[string]string {
	var out map[string]string
	for _, name := range names {
		if digest := t.pins[name]; digest != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = digest
		}
	}
	return out
}

const (
	maxPins  = 40 // in one record
	maxNoted = 12 // changes, and refused calls, of one attempt

	maxActions = 1_000 // of one attempt
)

// noteTools takes in what an attempt's executor of tools saw, refused and did. What the run does not
// go by yet is pinned; what differs from what it goes by is a change, whatever the executor made of
// it; what was done is not done again.
func (m *Machine) noteTools(now time.Time, ref chargehand.AttemptRef, r *chargehand.ToolReport, out *Output) {
	if r == nil {
		return
	}
	pins, changed := m.sorted(r)
	for ; len(pins) > 0; pins = pins[min(len(pins), maxPins):] {
		m.record(now, chargehand.ToolsUsed{AttemptRef: ref, Pins: first(pins, maxPins)}, out)
	}
	for done := clipAll(r.Done, maxActions, maxToken); len(done) > 0; done = done[min(len(done), maxPins):] {
		m.record(now, chargehand.ToolsUsed{AttemptRef: ref, Done: first(done, maxPins)}, out)
	}
	var denied []chargehand.ToolDenial
	for _, d := range first(r.Denied, maxNoted) {
		denied = append(denied, chargehand.ToolDenial{Tool: clip(d.Tool, maxName), Cause: d.Cause, Why: clip(d.Why, maxName)})
	}
	if changed != nil || denied != nil {
		m.record(now, chargehand.ToolsUsed{AttemptRef: ref, Changed: changed, Denied: denied}, out)
	}
}

// sorted parts a report into pins the run does not have yet, and changes of those it has.
func (m *Machine) sorted(r *chargehand.ToolReport) (pins []chargehand.ToolPin, changed []chargehand.ToolChange) {
	for _, c := range r.Changed {
		changed = append(changed, chargehand.ToolChange{
			Tool: clip(c.Tool, maxName), Pinned: clip(c.Pinned, maxToken), Now: clip(c.Now, maxToken), Team: c.Team,
		})
	}
	for _, p := range r.Pins {
		p = chargehand.ToolPin{Tool: clip(p.Tool, maxName), Digest: clip(p.Digest, maxToken)}
		switch have := m.tools.pins[p.Tool]; have {
		case "":
			pins = append(pins, p)
		case p.Digest:
		default:
			changed = append(changed, chargehand.ToolChange{Tool: p.Tool, Pinned: have, Now: p.Digest})
		}
	}
	return pins, first(changed, maxNoted)
}

// toolsChanged asks a person whether the run may go on with tools that are not what they were. What
// the team itself names, or what is gone, nobody can let stand.
func (m *Machine) toolsChanged(now time.Time, k *task, out *Output) {
	t := trouble{cause: chargehand.CauseBlocked, why: changes(k.attempt.changed)}
	fixed := func(c chargehand.ToolChange) bool { return c.Team || c.Now == "" }
	if slices.ContainsFunc(k.attempt.changed, fixed) || m.attemptsLeft(k, m.team.Worker(k.attempt.worker)) == 0 {
		m.recover(now, k, t, out)
		return
	}
	if m.run.abort != nil {
		return // the run is ending the task already
	}
	blocks, required := m.blockedBy(k)
	m.open(now, chargehand.Review{
		TaskID: k.spec.ID, Attempt: k.number, Subject: chargehand.SubjectTools, Cause: t.cause,
		Action:      "go on with " + k.spec.Name() + " and the tools as they are defined now",
		Description: k.spec.Name() + ": " + t.why, Risk: k.spec.RiskLevel, Changes: k.attempt.changed,
		RequestedBy: k.attempt.worker, Required: required || m.required(k), Blocks: blocks,
	}, out)
}

// changes is what a person reads of them.
func changes(list []chargehand.ToolChange) string {
	text := list[0].String()
	if n := len(list) - 1; n > 0 {
		text += ", and " + itoa(n) + " more"
	}
	return clip(text, maxText)
}

// listed is all of the changes, for a hash that a decision names; empty where there are none.
func listed(list []chargehand.ToolChange) string {
	var b strings.Builder
	for _, c := range list {
		b.WriteString("\n" + c.String())
	}
	return b.String()
}

// allowTools goes by the tools as they are now, and tries again.
func (m *Machine) allowTools(now time.Time, k *task, r *chargehand.Review, by string, out *Output) {
	f := chargehand.ToolsAllowed{AttemptRef: k.ref(), By: by}
	for _, c := range r.Changes {
		f.Pins = append(f.Pins, chargehand.ToolPin{Tool: c.Tool, Digest: c.Now})
	}
	m.record(now, f, out)
	m.record(now, chargehand.RetryPlanned{
		AttemptRef: k.nextRef(), Cause: r.Cause, Prefer: k.attempt.worker, Avoid: k.avoid, Correction: k.correction,
	}, out)
}

func (m *Machine) applyTools(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ToolsUsed:
		for _, p := range f.Pins {
			m.tools.pins[p.Tool] = p.Digest
		}
		if k := m.board.tasks[f.Subtask]; k != nil {
			k.actions = append(k.actions, f.Done...)
			if f.Changed != nil && k.state == chargehand.SubtaskRunning && k.number == f.Attempt { // else it is over, and may have a successor
				k.attempt.changed = f.Changed
			}
		}
	case chargehand.ToolsAllowed:
		for _, p := range f.Pins {
			m.tools.pins[p.Tool] = p.Digest
		}
	}
}
