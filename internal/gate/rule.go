package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"

	"github.com/chargehand/chargehand"
)

// What an expression may cost, in CEL's units: one evaluation, and all those of one submission.
const (
	maxCost      = 1_000_000
	maxCostInAll = 10_000_000
	evalCost     = 10     // of beginning one evaluation
	maxSource    = 10_000 // characters of one expression
)

// A rule is a compiled chargehand.Rule.
type rule struct {
	id, message string
	severity    chargehand.Severity
	perItem     bool
	each        pattern
	program     cel.Program
}

// A scope says which names an expression may use.
type scope int

const (
	scopeOutput    scope = iota // output, task, facts
	scopeItem                   // and item
	scopeInvariant              // facts of all accepted outputs, by key
)

// A want says what an expression must come to.
type want int

const (
	wantTruth want = iota
	wantNumber
)

// An environment compiles expressions, one cel.Env for each scope.
type environment [scopeInvariant + 1]*cel.Env

func newEnvironment() (*environment, error) {
	base, err := cel.NewEnv(
		cel.CustomTypeAdapter(numbers{types.DefaultTypeAdapter}),
		ext.Strings(), ext.Math(), ext.Sets(),
		cel.ParserExpressionSizeLimit(maxSource), cel.ParserRecursionLimit(100), cel.RegexProgramSizeLimit(2_000),
		cel.Function("sum", cel.Overload("sum_list", []*cel.Type{cel.ListType(cel.DynType)}, cel.DoubleType, cel.UnaryBinding(sum))),
		cel.Function("figure", cel.Overload("figure_string", []*cel.Type{cel.StringType}, cel.DoubleType, cel.UnaryBinding(figureIn))),
	)
	if err != nil {
		return nil, fmt.Errorf("declare functions: %w", err)
	}
	object := cel.MapType(cel.StringType, cel.DynType)
	output := []cel.EnvOption{
		cel.Variable("output", cel.DynType), cel.Variable("task", object),
		cel.Variable("facts", cel.MapType(cel.StringType, cel.StringType)),
	}
	var env environment
	for scope, vars := range map[scope][]cel.EnvOption{
		scopeOutput:    output,
		scopeItem:      append(slices.Clip(output), cel.Variable("item", cel.DynType)),
		scopeInvariant: {cel.Variable("facts", cel.MapType(cel.StringType, cel.ListType(cel.MapType(cel.StringType, cel.StringType))))},
	} {
		if env[scope], err = base.Extend(vars...); err != nil {
			return nil, fmt.Errorf("declare names: %w", err)
		}
	}
	return &env, nil
}

// compile checks an expression and what it comes to.
func (e *environment) compile(source string, s scope, w want) (cel.Program, error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("the expression is empty")
	}
	tree, issues := e[s].Compile(source)
	if issues.Err() != nil {
		return nil, celError(issues)
	}
	fits := []*cel.Type{cel.BoolType}
	if w == wantNumber {
		fits = []*cel.Type{cel.DoubleType, cel.IntType, cel.UintType}
	}
	got := tree.OutputType()
	if !got.IsExactType(cel.DynType) && !slices.ContainsFunc(fits, got.IsExactType) {
		return nil, fmt.Errorf("the expression comes to %s, not to %s", got, []string{"true or false", "a number"}[w])
	}
	return e[s].Program(tree, append(guarded(e[s]), cel.CostLimit(maxCost))...)
}

// celError is the compiler's report in one line.
func celError(issues *cel.Issues) error {
	var all []string
	for _, e := range issues.Errors() {
		all = append(all, fmt.Sprintf("%d:%d: %s", e.Location.Line(), e.Location.Column()+1, e.Message))
	}
	return errors.New(strings.Join(all, "; "))
}

// numbers hands every JSON number to CEL as a double, so that arithmetic never mixes types.
type numbers struct{ types.Adapter }

func (a numbers) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return types.NewErr("%s is out of range", v)
		}
		return types.Double(f)
	case map[string]any:
		return types.NewStringInterfaceMap(a, v)
	case []any:
		return types.NewDynamicList(a, v)
	case nil:
		return types.NullValue
	}
	return a.Adapter.NativeToValue(v)
}

// sum adds the numbers of a list.
func sum(v ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	total := 0.0
	for it := list.Iterator(); it.HasNext() == types.True; {
		f, ok := float(it.Next())
		if !ok {
			return types.NewErr("sum wants numbers")
		}
		total += f
	}
	return types.Double(total)
}

// figureIn is the one figure that a text states, with its sign: a minus or brackets.
func figureIn(v ref.Val) ref.Val {
	s, ok := v.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	f, _, ok := statedFigure(string(s))
	if !ok {
		return types.NewErr("%s is not one figure", quoted(string(s)))
	}
	return types.Double(f)
}

func float(v ref.Val) (float64, bool) {
	switch v := v.(type) {
	case types.Double:
		return float64(v), !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case types.Int:
		return float64(v), true
	case types.Uint:
		return float64(v), true
	}
	return 0, false
}

// rules runs the contract's expressions and detectors.
func (k *check) rules() {
	for _, r := range k.contract.rules {
		if k.gaveUp[chargehand.LayerRules] {
			break
		}
		if !r.perItem {
			k.apply(r, k.output, nil)
			continue
		}
		for _, list := range r.each.places(k.output) {
			elements, ok := list.value.([]any)
			if !ok {
				f := k.find(chargehand.LayerRules, r.id, r.severity, list.path)
				f.Message = "The rule " + quoted(r.id) + " holds for each element of a list, and there is no list here."
				continue
			}
			for i, e := range elements {
				k.apply(r, e, func() []string { return append(slices.Clip(list.path), strconv.Itoa(i)) })
			}
		}
	}
	for _, d := range k.contract.detectors {
		k.detect(d)
	}
}

// apply evaluates one rule about one item, of which at tells the path; nil: the whole output. What
// cannot be evaluated does not hold.
func (k *check) apply(r *rule, item any, at func() []string) {
	v, err := k.evaluate(r.program, item)
	if err == nil && v == types.True || k.tooCostly(chargehand.LayerRules, "the rule "+quoted(r.id), err) {
		return
	}
	var path []string
	if at != nil {
		path = at()
	}
	f := k.find(chargehand.LayerRules, r.id, r.severity, path)
	f.Message = r.message
	if err == nil && v != types.False {
		err = errors.New("it comes to neither true nor false")
	}
	if err != nil {
		f.Message = fmt.Sprintf("The rule %s could not be applied: %s. It says: %s", quoted(r.id), visible(err.Error(), maxShown), r.message)
	}
}

var errCost = errors.New("the expressions of this contract cost too much on this output")

// costly reports whether an expression was given up because of what it costs.
func costly(err error) bool {
	cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err)
	return errors.Is(err, errCost) || ok && cancelled.Cause == interpreter.CostLimitExceeded
}

// tooCostly gives up a layer when an expression exceeds its cost.
func (k *check) tooCostly(l chargehand.Layer, what string, err error) bool {
	if !costly(err) {
		return false
	}
	k.giveUp(l, fmt.Sprintf("%s takes more than %s steps, or all expressions together more than %s", what, grouped(maxCost), grouped(maxCostInAll)))
	return true
}

// evaluate runs a program within what is left of the submission's allowance.
func (k *check) evaluate(p cel.Program, item any) (ref.Val, error) {
	if k.cost > maxCostInAll || k.effort.halted(0) {
		return nil, errCost
	}
	k.names = scopeNames{k, item}
	v, details, err := p.Eval(&k.names)
	cost := uint64(maxCost)
	if actual := details.ActualCost(); actual != nil {
		cost = *actual + evalCost
	}
	k.cost += cost
	k.effort.since += int(cost)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// scopeNames are what an expression about one item may call things by.
type scopeNames struct {
	check *check
	item  any
}

// ResolveName implements cel.Activation.
func (n *scopeNames) ResolveName(name string) (any, bool) {
	switch name {
	case "output":
		return n.check.output, true
	case "item":
		return n.item, true
	case "facts":
		return n.check.sub.Facts, true
	case "task":
		return n.check.taskValue(), true
	}
	return nil, false
}

// Parent implements cel.Activation.
func (n *scopeNames) Parent() cel.Activation { return nil }

// taskValue is the task as rules see it. Texts of inputs are left out.
func (k *check) taskValue() any {
	if k.task != nil {
		return k.task
	}
	t := k.sub.Task
	input, bad := decode(t.Input)
	if bad != nil {
		input = nil
	}
	refs := make([]any, len(t.InputRefs))
	for i, r := range t.InputRefs {
		refs[i] = map[string]any{"hash": r.Hash, "name": r.Name, "from": r.From, "mediaType": r.MediaType, "size": float64(r.Size)}
	}
	k.task = map[string]any{
		"taskId": t.TaskID, "attempt": float64(t.Attempt), "objective": t.Objective, "goal": t.Goal, "role": t.Role,
		"input": input, "inputRefs": refs, "requiredAspects": t.RequiredAspects, "allowedTools": t.AllowedTools,
	}
	return k.task
}
