package main

import (
	"encoding/json"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
)

const workedSchema = `{
 "type":"object","additionalProperties":false,"required":["cells","steps","answer","scale","factor"],
 "properties":{
  "cells":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["key","quote","start","end"],
   "properties":{"key":{"type":"string","minLength":1},"quote":{"type":"string","minLength":1},"start":{"type":"integer"},"end":{"type":"integer"},
    "column":{"type":"integer","minimum":0},"value":{"type":"number"}}}},
  "steps":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["id","op","a","b","value"],
   "properties":{"id":{"type":"integer","minimum":0},"op":{"enum":["+","-","*","/","neg"]},"a":{"$ref":"#/$defs/operand"},"b":{"$ref":"#/$defs/operand"},"value":{"type":"number"}}}},
  "answer":{"type":"number"},"scale":{"enum":["","percent","thousand","million","billion"]},"factor":{"enum":[1,100]}},
 "$defs":{"operand":{"type":"object","additionalProperties":false,"minProperties":1,"maxProperties":1,
  "properties":{"cell":{"type":"integer","minimum":0},"step":{"type":"integer","minimum":0},"constant":{"type":"number"}}}}}`

// operandOf is the CEL for what an operand of a step stands for.
func operandOf(name string) string {
	const cel = `(has(item.X.cell) ? output.cells[int(item.X.cell)].value : has(item.X.step) ? output.steps[int(item.X.step)].value : item.X.constant)`
	return strings.ReplaceAll(cel, "X", name)
}

// cellOf is the CEL for the cell that a citation means: one column of a row, or a number in the text.
func cellOf(name string) string {
	return strings.ReplaceAll(`(has(X.column) ? X.quote.split(' | ')[int(X.column)] : X.quote)`, "X", name)
}

// workedContract is how a team holds an answer that was worked out to its source: each value is the
// figure in the cell that is cited, with its sign; each step and the answer are computed again.
func workedContract() chargehand.Contract {
	a, b := operandOf("a"), operandOf("b")
	apply := `item.op == '+' ? A + B : item.op == '-' ? A - B : item.op == '*' ? A * B : item.op == '/' ? A / B : -A`
	return chargehand.Contract{
		Name: "worked", Schema: json.RawMessage(workedSchema),
		Items: &chargehand.ItemRule{Path: "/cells", Answer: "value"},
		Calculations: []chargehand.Calculation{
			{ID: "cell", Path: "/cells/*/value", Equals: `figure(` + cellOf("item") + `)`, Tolerance: 1e-9},
			{ID: "step", Path: "/steps/*/value", Equals: strings.NewReplacer("A", a, "B", b).Replace(apply), Tolerance: 1e-9},
			{ID: "answer", Path: "/answer", Equals: `output.steps[size(output.steps) - 1].value * output.factor`},
		},
		Rules: []chargehand.Rule{
			{
				ID: "order", Each: "/steps", Message: "A step rests on cells and on earlier steps only.",
				CEL: `output.steps[int(item.id)] == item && (!has(item.a.step) || item.a.step < item.id) && (!has(item.b.step) || item.b.step < item.id)`,
			},
			{
				ID: "constants", Each: "/steps", Message: "A constant is 100, or a count from 1 to 12.",
				CEL: `[item.a, item.b].all(x, !has(x.constant) || x.constant in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 100.0])`,
			},
			{
				ID: "row", Each: "/cells", Message: "A cell of a table is quoted with its row, and the row is one that was asked for.",
				CEL: `!has(item.column) || item.key in task.requiredAspects && item.quote.startsWith(item.key)`,
			},
			{
				ID: "scale", Message: "A scale is stated by the source.",
				CEL: `output.scale in ['', 'percent'] || output.cells.exists(c, c.key == 'scale' && c.quote.lowerAscii().contains(output.scale))`,
			},
			{
				ID: "percent", Message: "A quotient is turned into percent, and nothing else is.",
				CEL: `(output.factor == 100.0) == (output.scale == 'percent' && !output.cells.exists(c, ` + cellOf("c") + `.contains('%')))`,
			},
		},
	}
}

func newSumGate() *gate.Gate {
	g, problems := gate.Compile(&chargehand.Team{Name: "t", Contracts: []chargehand.Contract{workedContract()}})
	if len(problems) > 0 {
		panic(problems[0].Path + ": " + problems[0].Message)
	}
	return g
}
