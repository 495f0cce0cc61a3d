package gate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chargehand/chargehand"
)

// A bomb is a contract and an output that together would cost far more than either looks like.
type bomb struct {
	name     string
	contract chargehand.Contract
	doc      string
	output   any
	layer    chargehand.Layer // that gives up; empty: the cost is bounded and the output accepted
}

// nested is an answer so deep, each level of a kind, the innermost of another.
func nested(n int, kind, last string) string {
	return strings.Repeat(`{"kind":"`+kind+`","child":`, n) + `{"kind":"` + last + `"}` + strings.Repeat("}", n)
}

const recursiveChoice = `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[
	{"type":"object","required":["kind"],"properties":{"kind":{"const":"a"},"child":{"$ref":"#/$defs/n"}}},
	{"type":"object","required":["kind"],"properties":{"kind":{"const":"b"},"child":{"$ref":"#/$defs/n"}}}]}}}`

// doubled is a schema in which n parts each hold the next one twice.
func doubled(n int) string {
	defs := []string{}
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{"minProperties":0}}}`, strings.Join(defs, ","), n)
}

const dynamicTree = `{"$id":"urn:tree","$dynamicAnchor":"t","type":"object","properties":{"kind":{"const":"a"}},
	"anyOf":[{"properties":{"child":{"$dynamicRef":"#t"}}},{"properties":{"child":{"$dynamicRef":"#t"}}}],"unevaluatedProperties":false}`

// brackets are lists in one another that all have the same elements in the same order.
func brackets(n int) string {
	list := []string{}
	for i := range n {
		s := ""
		for bit := range 12 {
			if i>>bit&1 == 1 {
				s += "[],["
			} else {
				s += "["
			}
		}
		list = append(list, s+strings.Repeat("]", 12))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func sevens(n int) string { return "[" + strings.Repeat("7,", n-1) + "7]" }

func bombs() []bomb {
	shaped := func(schema string) chargehand.Contract { return chargehand.Contract{Schema: json.RawMessage(schema)} }
	ruled := func(cel, each string) chargehand.Contract {
		return chargehand.Contract{Rules: []chargehand.Rule{{ID: "r", CEL: cel, Each: each, Message: "No.", Severity: chargehand.SeverityWarning}}}
	}
	listed := chargehand.Contract{Items: &chargehand.ItemRule{}}
	text := func(n int, of string) string { return strings.Repeat(of, n) }
	doc := text(30_000, "the lease ")
	absent := object{
		"key": "k", "present": false, "search": object{
			"patterns": []string{"lease"}, "spans": []object{{"start": 0, "end": len(doc)}}, "hits": []object{{"start": 0, "end": len(doc), "why": "all of it"}},
		},
	}
	var days strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&days, "%d days. ", 10_000+i)
	}
	figures := days.String()
	var wordy []object
	for range 3_000 {
		wordy = append(wordy, object{"key": "k", "present": true, "quote": doc, "start": 0, "end": len(doc), "answer": "Zzzzzzz Qqqqqqq"})
	}
	return []bomb{
		{"recursive anyOf", shaped(recursiveChoice), "", nested(30, "b", "c"), chargehand.LayerSchema},
		{"doubled allOf", shaped(doubled(40)), "", `{}`, chargehand.LayerSchema},
		{"doubled allOf of a text", shaped(strings.Replace(doubled(40), `"minProperties":0`, `"maxLength":9`, 1)), "", `"short"`, chargehand.LayerSchema},
		{"a circle of references", shaped(`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`), "", `{}`, chargehand.LayerSchema},
		{"recursive dynamicRef", shaped(dynamicTree), "", nested(40, "a", "a"), chargehand.LayerSchema},
		{
			"list that is read twice, inside not", shaped(`{"not":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"},"contains":{"$ref":"#/$defs/n"}}}}`),
			"", strings.Repeat("[", 60) + "1" + strings.Repeat("]", 60), chargehand.LayerSchema,
		},
		{"uniqueItems with values that hash alike", shaped(`{"uniqueItems":true}`), "", brackets(4_000), ""},
		{"uniqueItems again and again", shaped(`{"uniqueItems":true,"allOf":[` + text(60, `{"uniqueItems":true},`) + `{"uniqueItems":true}]}`), "", brackets(4_000), chargehand.LayerSchema},
		{"large pattern", shaped(`{"pattern":"(x{1,400})(y|z){2,400}$"}`), "", `"` + text(400_000, "x") + `"`, chargehand.LayerSchema},
		{"large pattern for keys", shaped(`{"patternProperties":{"(x{1,400})(y|z){2,400}$":{}}}`), "", `{"` + text(400_000, "x") + `":1}`, chargehand.LayerSchema},
		{"long enum", shaped(`{"items":{"enum":[` + text(20_000, `"a",`) + `7]}}`), "", sevens(2_000), chargehand.LayerSchema},

		{"nested comprehensions", ruled(`output.all(a, output.all(b, output.all(c, output.all(d, a + b + c + d >= 0.0))))`, ""), "", sevens(300), chargehand.LayerRules},
		{"a dear rule for each of many", ruled(`!output.exists(x, x > item)`, "/"), "", object{"": json.RawMessage(sevens(3_000))}, ""},
		{"equal lists, again and again", ruled(`output.n.all(x, output.a == output.b)`, ""), "", object{"n": json.RawMessage(sevens(2_000)), "a": json.RawMessage(sevens(5_000)), "b": json.RawMessage(sevens(5_000))}, chargehand.LayerRules},
		{"replace that grows", ruled(`output.a.replace("x", output.b) != ""`, ""), "", object{"a": text(1_000_000, "x"), "b": text(1_000_000, "y")}, chargehand.LayerRules},
		{"join that grows", ruled(`output.n.map(x, output.a).join(output.a) != ""`, ""), "", object{"n": json.RawMessage(sevens(2_000)), "a": text(1_000_000, "x")}, chargehand.LayerRules},
		{"indexOf that goes back", ruled(`output.a.indexOf(output.b) < 0`, ""), "", object{"a": text(1_000_000, "x"), "b": text(500_000, "x") + "y"}, chargehand.LayerRules},
		{"matches of the output's own pattern", ruled(`output.a.matches(output.b)`, ""), "", object{"a": text(1_000_000, "x"), "b": "(x*){3}(x{1,400})+y"}, chargehand.LayerRules},
		{"sets of many", ruled(`sets.contains(output, output)`, ""), "", sevens(100_000), chargehand.LayerRules},
		{
			"a dear calculation",
			chargehand.Contract{Calculations: []chargehand.Calculation{{ID: "c", Path: "/t", Equals: `sum(output.n.map(a, sum(output.n.map(b, a * b))))`}}},
			"",
			object{"t": 1, "n": json.RawMessage(sevens(2_000))},
			chargehand.LayerConsistency,
		},
		{"more text than detectors read", chargehand.Contract{MaxBytes: 64 << 20, Detectors: chargehand.Detect(chargehand.DetectSecrets)}, "", `"` + text(2_800_000, "private key ") + `"`, chargehand.LayerRules},

		{"searches that match everywhere", listed, doc, many(absent, 500), chargehand.LayerCompleteness},
		{"names nowhere in long quotes", chargehand.Contract{Items: &chargehand.ItemRule{}, MaxBytes: 1 << 30}, doc, wordy[:40], ""},
		{"figures against figures", chargehand.Contract{Grounded: []string{"/s"}}, strings.ReplaceAll(figures, "days", "months"), object{"s": figures}, chargehand.LayerConsistency},
	}
}

func many(of object, n int) []object {
	out := make([]object, n)
	for i := range out {
		out[i] = of
	}
	return out
}

// TestBombs: whatever a contract and an output would cost, the layer that cannot afford it stops within
// its budget and says so. It accepts nothing, and it finds no fault with the worker.
//
//guard:gate-budget
func TestBombs(t *testing.T) {
	for _, b := range bombs() {
		t.Run(b.name, func(t *testing.T) {
			s := submit(asked(b.doc), b.output)
			k := gateOf(t, b.contract).begin(&s)
			v := k.layers()
			sound(t, v)
			withinBudget(t, k)
			if b.layer == "" {
				if v.Recommendation == chargehand.HumanReview {
					t.Errorf("a person is asked: %v", v.Issues)
				}
				return
			}
			f := v.Issues[len(v.Issues)-1]
			if faults := len(v.Issues) > 1; !faults && (v.Recommendation != chargehand.HumanReview || v.Rework != "") || faults && v.Recommendation != chargehand.Reject {
				t.Fatalf("%s, rework %q: %+v", v.Recommendation, v.Rework, v.Issues)
			}
			want := "The gate's " + string(b.layer) + " layer gave up: "
			if f.Layer != b.layer || f.Rule != budgetRule || f.Severity != chargehand.SeverityReview || !strings.HasPrefix(f.Message, want) {
				t.Errorf("finding %+v", f)
			}
			if v.SchemaPass != (b.layer != chargehand.LayerSchema) {
				t.Errorf("schemaPass %v", v.SchemaPass)
			}
		})
	}
}

// withinBudget holds what was counted to what may be: beyond a bound lies one step, not a second bound.
func withinBudget(t *testing.T, k *check) {
	t.Helper()
	for what, n := range map[string][2]int{
		"expressions": {int(k.cost), maxCostInAll + 2*maxCost}, "searches": {k.searched, 2 * maxSearched},
		"lookups": {k.effort.lookups, 2 * maxLookups}, "explanations": {k.effort.scanned, 2 * maxScanned}, "detectors": {k.detected, 2 * maxDetected},
	} {
		if n[0] > n[1] {
			t.Errorf("%s took %d, more than %d", what, n[0], n[1])
		}
	}
}

// tally counts how often the validator comes by.
type tally struct{ n *int }

func (t tally) Validate(*jsonschema.ValidatorContext, any) { *t.n++ }

// TestStepsBoundTheValidator: the steps that are counted before the validator runs are at least those
// that it takes.
func TestStepsBoundTheValidator(t *testing.T) {
	for depth := range 12 {
		s, err := compileSchema(json.RawMessage(recursiveChoice))
		if err != nil {
			t.Fatal(err)
		}
		taken := 0
		choice := s.compiled.Ref
		for _, part := range append(choice.AnyOf, s.compiled, choice) {
			part.Extensions = append(part.Extensions, tally{&taken})
		}
		v, _ := decode([]byte(nested(depth, "b", "c")))
		steps := (&stepCounter{left: 1 << 30, nodes: s.nodes, known: map[stepKey]int{}}).steps(s.root, v, 0, 0)
		if err := s.compiled.Validate(v); err == nil {
			t.Fatal("the answer fits")
		}
		if taken < 1<<depth || steps < taken {
			t.Errorf("%d deep: %d steps are counted, the validator takes %d", depth, steps, taken)
		}
	}
}

// TestOneWayIsTaken: a schema that goes on in one of two ways at each level costs what its value is long.
func TestOneWayIsTaken(t *testing.T) {
	g := gateOf(t, chargehand.Contract{Schema: json.RawMessage(`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["kind"],
		"properties":{"kind":{"enum":["a","b"]}},"if":{"properties":{"kind":{"const":"a"}}},
		"then":{"properties":{"child":{"$ref":"#/$defs/n"}}},"else":{"properties":{"child":{"$ref":"#/$defs/n"}}}}}}`)})
	for last, want := range map[string]chargehand.Recommendation{"a": chargehand.Accept, "c": chargehand.Reject} {
		if v := g.Check(submit(chargehand.WorkerTask{}, nested(90, "b", last))); v.Recommendation != want {
			t.Errorf("ends in %s: %s %v", last, v.Recommendation, v.Issues)
		}
	}
}

// TestInputBombs: an input that cannot be compared with what a worker accepts is refused, and the
// finding names the layer.
func TestInputBombs(t *testing.T) {
	g, problems := Compile(&chargehand.Team{InputSchema: json.RawMessage(recursiveChoice), Workers: []chargehand.WorkerSpec{{WorkerID: "w", AcceptedInputSchema: json.RawMessage(recursiveChoice)}}})
	if problems != nil {
		t.Fatal(problems)
	}
	for _, found := range [][]chargehand.Finding{g.CheckInput("w", []byte(nested(30, "b", "c"))), g.CheckObjective([]byte(nested(30, "b", "c")))} {
		if len(found) != 1 || found[0].Rule != budgetRule || found[0].Severity != chargehand.SeverityError || !strings.HasPrefix(found[0].Message, "The gate's schema layer gave up: ") {
			t.Errorf("%+v", found)
		}
	}
}

// TestLargePatternsAreRefused: a pattern that no text is worth is refused with the contract.
func TestLargePatternsAreRefused(t *testing.T) {
	for _, schema := range []string{`{"pattern":"a{1000}b{1000}c{1000}"}`, `{"patternProperties":{"a{1000}b{1000}c{1000}":{}}}`} {
		if _, err := compileSchema(json.RawMessage(schema)); err == nil || !strings.Contains(err.Error(), "is too large") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}
