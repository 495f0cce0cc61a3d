package gate

import (
	"regexp/syntax"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// What one call of a function may cost before it begins. CEL counts a call once it has returned, and
// these can take hours or all memory on texts that an output may well hold.
const (
	maxMade     = 4 << 20 // bytes of a text that is put together
	maxCompared = 2 << 20 // pairs of bytes or elements that are compared, or bytes that a pattern reads
)

// callSizes are the functions whose cost grows faster than their arguments: what a call costs, with
// its bound.
var callSizes = map[string]func(args []ref.Val) bool{
	"replace":         func(a []ref.Val) bool { return replaced(a) <= maxMade },
	"join":            func(a []ref.Val) bool { return joined(a) <= maxMade },
	"indexOf":         func(a []ref.Val) bool { return bytesOf(a, 0)*bytesOf(a, 1) <= maxCompared },
	"lastIndexOf":     func(a []ref.Val) bool { return bytesOf(a, 0)*bytesOf(a, 1) <= maxCompared },
	"matches":         func(a []ref.Val) bool { return matched(a) <= maxCompared },
	"sets.contains":   func(a []ref.Val) bool { return crossed(a) <= maxCompared },
	"sets.equivalent": func(a []ref.Val) bool { return crossed(a) <= maxCompared },
	"sets.intersects": func(a []ref.Val) bool { return crossed(a) <= maxCompared },
}

// guarded are program options that look at a call's arguments first, and count what CEL counts as one
// however large it is.
func guarded(env *cel.Env) []cel.ProgramOption {
	known := env.Functions()
	return []cel.ProgramOption{
		cel.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
			call, ok := i.(interpreter.InterpretableCall)
			if !ok || callSizes[call.Function()] == nil {
				return i, nil
			}
			bound, err := known[call.Function()].Bindings()
			if err != nil {
				return nil, err
			}
			return guard(call, bound), nil
		}),
		cel.CostTrackerOptions(
			cost.OverloadTracker("equals", deepCost), cost.OverloadTracker("not_equals", deepCost),
			cost.OverloadTracker("in_list", func(a []ref.Val, r ref.Val) *uint64 { return deepCost(a[1:], r) }),
			cost.OverloadTracker("sum_list", deepCost), cost.OverloadTracker("figure_string", figureCost),
			cost.OverloadTracker("matches", matchCost), cost.OverloadTracker("matches_string", matchCost),
		),
	}
}

// guard is a call that is cancelled where it would cost too much.
func guard(call interpreter.InterpretableCall, bound []*functions.Overload) interpreter.InterpretableV2 {
	within := callSizes[call.Function()]
	impl := func(args ...ref.Val) ref.Val {
		if !within(args) {
			panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "a call of " + call.Function() + " costs too much"})
		}
		return dispatch(call, bound, args)
	}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), impl)
}

// dispatch does what the call does of itself.
func dispatch(call interpreter.InterpretableCall, bound []*functions.Overload, args []ref.Val) ref.Val {
	for _, name := range []string{call.OverloadID(), call.Function()} {
		for _, o := range bound {
			switch {
			case o.Operator != name:
			case o.Unary != nil && len(args) == 1:
				return o.Unary(args[0])
			case o.Binary != nil && len(args) == 2:
				return o.Binary(args[0], args[1])
			case o.Function != nil:
				return o.Function(args...)
			}
		}
	}
	if r, ok := args[0].(traits.Receiver); ok {
		return r.Receive(call.Function(), call.OverloadID(), args[1:])
	}
	return types.MaybeNoSuchOverloadErr(args[0])
}

func textOf(args []ref.Val, i int) string {
	if i >= len(args) {
		return ""
	}
	s, _ := args[i].(types.String)
	return string(s)
}

func bytesOf(args []ref.Val, i int) int { return len(textOf(args, i)) }

// replaced is how long the result of replace is, about.
func replaced(args []ref.Val) int {
	s := textOf(args, 0)
	return len(s) + strings.Count(s, textOf(args, 1))*bytesOf(args, 2)
}

// joined is how long the result of join is, at least maxMade + 1 where it is longer.
func joined(args []ref.Val) int {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return 0
	}
	n := 0
	for it := list.Iterator(); it.HasNext() == types.True && n <= maxMade; {
		s, _ := it.Next().(types.String)
		n += len(s) + bytesOf(args, 1)
	}
	return n
}

// matched is how many bytes a regular expression reads, those of a large one counted more than once.
func matched(args []ref.Val) int {
	tree, err := syntax.Parse(textOf(args, 1), syntax.Perl)
	if err != nil {
		return 0
	}
	return bytesOf(args, 0) * (1 + size(tree)/plainProgram)
}

// crossed is how many values are compared where each of a list is held against each of another.
func crossed(args []ref.Val) int {
	a, isList := args[0].(traits.Lister)
	b, alsoList := args[len(args)-1].(traits.Lister)
	if !isList || !alsoList {
		return 0
	}
	n, _ := a.Size().(types.Int)
	m, _ := b.Size().(types.Int)
	return max(deep(a)*int(m), deep(b)*int(n))
}

// least is the cost of a call about single values.
var least uint64 = 1

// deepCost is how many values the arguments hold, in one another.
func deepCost(args []ref.Val, _ ref.Val) *uint64 {
	if single(args[0]) || len(args) > 1 && single(args[1]) {
		return &least
	}
	n := deep(args[0])
	if len(args) > 1 {
		n = min(n, deep(args[1]))
	}
	c := uint64(1 + n/2)
	return &c
}

func matchCost(args []ref.Val, _ ref.Val) *uint64 {
	c := uint64(1 + matched(args)/2)
	return &c
}

func figureCost(args []ref.Val, _ ref.Val) *uint64 {
	c := uint64(1 + bytesOf(args, 0)/4)
	return &c
}

// single reports whether v is no more than one value, or a short text.
func single(v ref.Val) bool {
	switch v := v.(type) {
	case types.String:
		return len(v) < stepBytes
	case types.Double, types.Int, types.Bool, types.Null:
		return true
	}
	return false
}

// deep counts the values in v, itself included, and its texts by length.
func deep(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return 1 + len(v)/stepBytes
	case types.Double, types.Int, types.Bool, types.Null:
		return 1
	}
	switch native := v.Value().(type) {
	case map[string]any, []any:
		return written(native)
	case []ref.Val:
		n := 1
		for _, e := range native {
			n += deep(e)
		}
		return n
	}
	if sized, ok := v.(traits.Sizer); ok {
		n, _ := sized.Size().(types.Int)
		return 1 + int(n)
	}
	return 1
}
