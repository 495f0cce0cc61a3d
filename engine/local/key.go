package local

import (
	"context"
	"fmt"
	"slices"

	"github.com/chargehand/chargehand"
)

// A knownError says that the key of an order has started a run already.
type knownError struct{ run string }

func (e *knownError) Error() string { return "the key has started run " + e.run }

// startedAs is a *knownError if the key has started a run already.
func (e *Engine) startedAs(ctx context.Context, o *opening) error {
	//guard:start-key off=true
	if o.key == "" {
		return nil
	}
	run, err := e.store.byKey(ctx, o.key)
	if err != nil || run == "" {
		return err
	}
	return &knownError{run}
}

// sameOrder is an error where the run that a key began is of another order: whoever gives a key
// twice would take the answer to one question for that to another.
func (e *Engine) sameOrder(ctx context.Context, run string, k *kit, o *chargehand.Order) error {
	v, err := e.Run(ctx, run)
	if err != nil {
		return err
	}
	team, err := e.store.team(ctx, run)
	switch {
	case err != nil:
		return err
	case v.Tenant != o.Tenant:
		return taken(o, "it is another tenant's")
	case team != k.digest:
		return taken(o, "it began run "+run+" with another team")
	case !sameObjective(&v.Objective, &o.Objective):
		return taken(o, "it began run "+run+" with another goal, input or documents")
	}
	return nil
}

func taken(o *chargehand.Order, why string) error {
	return &chargehand.Error{
		Code: chargehand.CodeKeyTaken, What: fmt.Sprintf("the key %q is taken", o.Key), Why: why, Next: "give each order a key of its own",
	}
}

// sameObjective compares what two runs were asked for; a title is no part of that.
func sameObjective(a, b *chargehand.Objective) bool {
	document := func(x, y chargehand.Document) bool { return x.Name == y.Name && x.Hash == y.Hash }
	return a.Goal == b.Goal && a.PlanRef == b.PlanRef && sameJSON(a.Input, b.Input) && slices.EqualFunc(a.Documents, b.Documents, document)
}
