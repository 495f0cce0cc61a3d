package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"

	"github.com/chargehand/chargehand"
)

// What an expression may cost, in CEL's units: one evaluation, and all those of one submission.
const (
	maxCost      = 1_000_000
	maxCostInAll = 10_000_000
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
	return e[s].Program(tree, cel.CostLimit(maxCost))
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
		if !r.perItem {
			k.apply(r, place{value: k.output, item: k.output})
			continue
		}
		for _, list := range r.each.places(k.output) {
			elements, ok := list.value.([]any)
			if !ok {
				f := k.find(chargehand.LayerRules, r.id, r.severity, list.path)
				f.Message = "The rule " + quoted(r.id) + " holds for each element of a list, and there is no list here."
				continue
			}
			for _, at := range (pattern{"*"}).places(elements) {
				at.path = slices.Concat(list.path, at.path)
				k.apply(r, at)
			}
		}
	}
	for _, d := range k.contract.detectors {
		k.detect(d)
	}
}

// apply evaluates one rule at one place. What cannot be evaluated does not hold.
func (k *check) apply(r *rule, at place) {
	v, err := k.evaluate(r.program, at.item)
	if err == nil && v == types.True {
		return
	}
	f := k.find(chargehand.LayerRules, r.id, r.severity, at.path)
	f.Message = r.message
	if err == nil && v != types.False {
		err = errors.New("it comes to neither true nor false")
	}
	if err != nil {
		f.Message = fmt.Sprintf("The rule %s could not be applied: %s. It says: %s", quoted(r.id), visible(err.Error(), maxShown), r.message)
	}
}

var errCost = errors.New("the rules of this contract cost too much on this output")

// evaluate runs a program within what is left of the submission's allowance.
func (k *check) evaluate(p cel.Program, item any) (ref.Val, error) {
	if k.cost > maxCostInAll {
		return nil, errCost
	}
	v, details, err := p.Eval(map[string]any{
		"output": k.output, "item": item, "facts": k.sub.Facts, "task": k.taskValue,
	})
	if cost := details.ActualCost(); cost != nil {
		k.cost += *cost
	} else {
		k.cost += maxCost
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// taskValue is the task as rules see it. Texts of inputs are left out.
func (k *check) taskValue() any {
	t := k.sub.Task
	input, bad := decode(t.Input)
	if bad != nil {
		input = nil
	}
	refs := make([]any, len(t.InputRefs))
	for i, r := range t.InputRefs {
		refs[i] = map[string]any{"hash": r.Hash, "name": r.Name, "from": r.From, "mediaType": r.MediaType, "size": float64(r.Size)}
	}
	return map[string]any{
		"taskId": t.TaskID, "attempt": float64(t.Attempt), "objective": t.Objective, "goal": t.Goal, "role": t.Role,
		"input": input, "inputRefs": refs, "requiredAspects": t.RequiredAspects, "allowedTools": t.AllowedTools,
	}
}
