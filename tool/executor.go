package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// An Executor lets the calls of one attempt through, or not. What it lets through is granted by
// name, within the number of calls, fits the tool's schema, does no more to the world than the
// subtask may, and goes by a definition that has not changed since the run first saw it. Calls may
// come from several goroutines.
type Executor struct {
	belt    *Belt
	run     string
	subtask string
	effect  chargehand.Effect
	most    int      // calls
	before  []string // digests of what earlier attempts did

	tools map[string]*granted // by full name and by alias
	list  []*granted          // by full name

	mu      sync.Mutex
	calls   int      // let through; 0 <= calls <= most
	actions []string // digests of what this attempt did
	unknown error
	changed []chargehand.ToolChange
	denied  []chargehand.ToolDenial
	done    map[string]*doing // calls that do something to the world, by key
	closed  bool
}

// Definitions are the tools that can be called, for a model to see. Their names are safe for every
// provider: letters, digits, "_" and "-". The words in them are untrusted, and said to be so.
func (x *Executor) Definitions() []Definition {
	var out []Definition
	for _, g := range x.list {
		if g.why == "" {
			out = append(out, g.shown())
		}
	}
	return out
}

// Call does what a model wishes: the tool of that name, as Definitions or the team names it, with
// arguments as the model wrote them. The text is for the model: what the tool said, which is
// untrusted, or why there is nothing. Failed reports that it is no answer in the model's favour.
func (x *Executor) Call(ctx context.Context, name, arguments string) (text string, failed bool) {
	a, err := x.Answer(ctx, name, arguments)
	switch _, denied := errors.AsType[*DeniedError](err); {
	case denied:
		return "Not done: " + err.Error(), true
	case err != nil:
		return clean(err.Error()), true
	case a.Text == "" && len(a.Structured) > 0:
		return clean(string(a.Structured)), a.Failed
	}
	return a.Text, a.Failed
}

// A DeniedError is a call that was not let through.
type DeniedError chargehand.ToolDenial

// Error is why.
func (e *DeniedError) Error() string { return e.Why }

// Answer is Call for a program: the answer whole. An error means that there is none, a *DeniedError
// that the call was not let through.
func (x *Executor) Answer(ctx context.Context, name, arguments string) (Answer, error) {
	g, args, err := x.admit(ctx, name, arguments)
	if err != nil {
		return Answer{}, err
	}
	if g.Effect.Reads() {
		a, err := x.send(ctx, g, args, x.key(ActionDigest(g.Name, args)))
		return x.vouched(g, a), err
	}
	return x.once(ctx, g, args)
}

// admit decides whether a call is let through, and counts it if so.
func (x *Executor) admit(ctx context.Context, name, arguments string) (*granted, json.RawMessage, error) {
	//guard:tool-grant off=if g == nil && len(x.list) > 0 { g = x.list[0] }
	g := x.tools[name]
	if g == nil {
		return nil, nil, x.deny(name, chargehand.DeniedGrant, fmt.Sprintf("there is no grant for a tool called %s", quoted(name)))
	}
	if g.why != "" {
		return nil, nil, x.deny(g.Name, g.cause, g.Name+" cannot be called: "+g.why)
	}
	if err := x.unchanged(ctx, g); err != nil {
		return nil, nil, err
	}
	args, err := g.fit(arguments)
	if err != nil {
		return nil, nil, x.deny(g.Name, chargehand.DeniedArguments, "the arguments do not fit "+g.Name+": "+err.Error())
	}
	if why := x.take(); why != "" {
		return nil, nil, x.deny(g.Name, chargehand.DeniedCalls, why)
	}
	return g, args, nil
}

// unchanged asks what the tool is defined as now.
func (x *Executor) unchanged(ctx context.Context, g *granted) error {
	d, why, err := x.belt.definition(ctx, g.Name)
	if err != nil {
		return err
	}
	now := ""
	if d != nil {
		now = d.Digest()
	}
	if now == g.digest {
		return nil
	}
	if why == "" {
		why = fmt.Sprintf("its definition has changed from %s to %s", g.digest, now)
	}
	x.change(chargehand.ToolChange{Tool: g.Name, Pinned: g.digest, Now: now, Team: x.belt.declared(g.Name) != ""})
	return x.deny(g.Name, chargehand.DeniedDefinition, g.Name+" cannot be called: "+why)
}

// fit reads arguments that fit the tool's schema. None at all count as an empty object.
func (g *granted) fit(arguments string) (json.RawMessage, error) {
	const most = 256 << 10
	if len(arguments) > most {
		return nil, fmt.Errorf("they have %d bytes, the most is %d", len(arguments), most)
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	v, err := sound([]byte(arguments))
	if err != nil {
		return nil, fmt.Errorf("they are not sound JSON: %w", err)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, errors.New("they are not an object")
	}
	return json.RawMessage(arguments), g.arguments.check(v)
}

// take counts one call more, or says why there is none.
func (x *Executor) take() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return "the attempt is over"
	case x.unknown != nil:
		return "the attempt ends here: " + x.unknown.Error()
	//guard:tool-calls off=x.calls > x.most
	case x.calls >= x.most:
		return fmt.Sprintf("the attempt has made all of its %d calls", x.most)
	}
	x.calls++
	return ""
}

const maxDenied = 50 // that are kept of an attempt

// Deny notes a call that whoever talks to the model has refused already.
func (x *Executor) Deny(name string, cause chargehand.Denied, why string) {
	_ = x.deny(name, cause, clean(why))
}

func (x *Executor) deny(name string, cause chargehand.Denied, why string) error {
	name = excerpt.Head(clean(name), 100)
	d := chargehand.ToolDenial{Tool: name, Cause: cause, Why: why}
	x.mu.Lock()
	if len(x.denied) < maxDenied {
		x.denied = append(x.denied, d)
	}
	x.mu.Unlock()
	known := "none of those granted" // the name is a model's words, which belong into no log
	if g := x.tools[name]; g != nil {
		known = g.Name
	}
	x.belt.opt.Log.Warn("a call of a tool was not let through", "run", x.run, "subtask", x.subtask, "tool", known, "cause", string(cause))
	return (*DeniedError)(&d)
}

func (x *Executor) change(c chargehand.ToolChange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.ContainsFunc(x.changed, func(have chargehand.ToolChange) bool { return have.Tool == c.Tool }) {
		x.changed = append(x.changed, c)
	}
}

// A BlockedError is that tools are not what they were: a person is to be asked.
type BlockedError struct{ Changed []chargehand.ToolChange }

// Error is the first of the blockers.
func (e *BlockedError) Error() string { return e.Blockers()[0] }

// Blockers are what the attempt's result states.
func (e *BlockedError) Blockers() []string {
	var out []string
	for _, c := range e.Changed {
		out = append(out, c.String())
	}
	return out
}

// Err is why the attempt must not go on; nil while it may. An *UnknownError means that a call may
// have taken effect, or not, which ends the attempt as a crash after work began. A *BlockedError
// means that the attempt reports itself blocked.
func (x *Executor) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.unknown != nil:
		return x.unknown
	case len(x.changed) > 0:
		return &BlockedError{slices.Clone(x.changed)}
	}
	return nil
}

// Calls is how many calls were let through.
func (x *Executor) Calls() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.calls
}

// Report is what the attempt's result says of its tools; nil if there is nothing to say.
func (x *Executor) Report() *chargehand.ToolReport {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := &chargehand.ToolReport{Changed: slices.Clone(x.changed), Denied: slices.Clone(x.denied), Done: slices.Clone(x.actions)}
	for _, g := range x.list {
		if g.digest != "" && !slices.ContainsFunc(x.changed, func(c chargehand.ToolChange) bool { return c.Tool == g.Name }) {
			r.Pins = append(r.Pins, chargehand.ToolPin{Tool: g.Name, Digest: g.digest})
		}
	}
	if r.Pins == nil && r.Changed == nil && r.Denied == nil && r.Done == nil {
		return nil
	}
	return r
}

// Close ends the attempt: nothing more is let through. It is safe to call twice, and its error is
// always nil.
func (x *Executor) Close() error {
	x.mu.Lock()
	was := x.closed
	x.closed = true
	x.mu.Unlock()
	if !was {
		x.belt.pins.release(x.run)
	}
	return nil
}
