// Package gate decides, without a model, whether an output may be used (SPEC.md §4.5). It does no
// I/O, reads no clock and keeps no state between calls: the same submission has the same verdict
// everywhere.
//
// Compile turns a team's contracts into a Gate; Check runs one output through the layers, cheap
// first:
//
//	schema        one sound JSON value, of the contract's JSON Schema, its items well formed
//	rules         the contract's CEL rules and detectors
//	completeness  every required aspect answered; every "absent" backed by a search, run again here
//	consistency   quotes verbatim at their offsets, figures and names grounded, calculations redone,
//	              known facts respected
//	confidence    the share of checkable claims that are supported
//
// An output that fails the first layer is not looked at further. Everything in an output is
// untrusted: it is compared, counted and escaped, and what it may cost is bounded.
package gate

import (
	"github.com/chargehand/chargehand"
)

// Validator and ValidatorVersion sign every verdict. The version changes whenever the same
// submission may have another verdict.
const (
	Validator        = "gate"
	ValidatorVersion = "3"
)

// A Gate holds the compiled contracts, input schemas and invariants of one team. What it decides
// never changes, and it may be used from many goroutines.
type Gate struct {
	contracts  map[string]*contract // by name, and by name@version
	anonymous  *contract
	inputs     map[string]*schema // by workerId; nil accepts anything
	objective  *schema
	invariants []*rule
	patterns   memo // of search records
}

// A Submission is one output with all that the gate may know about it.
type Submission struct {
	Contract string                  // its name; empty means the anonymous one, which accepts any JSON value
	Task     chargehand.WorkerTask   // what was asked. InputRefs have their Text: quotes are compared with it
	Result   chargehand.WorkerResult // what came
	Facts    map[string]string       // known to be true: item key to answer

	// CutOff says why the output ends before its end, where it is known to: such an output is
	// rejected for that, whatever its JSON is. Empty means that it is whole.
	CutOff string

	// NoResult says why the output is no answer to the task, where it is none although it may be sound
	// JSON: such an output is rejected for that. Empty means that it is one.
	NoResult string

	// Unwanted reports that nobody waits for the verdict any more. The check asks now and then, on its
	// own goroutine, and stops; its verdict is the zero Verdict then. Nil means that it is wanted.
	Unwanted func() bool

	// AllowPartial turns missing aspects into warnings, where a worker's failure policy takes
	// partial results.
	AllowPartial bool
}

// Check runs every layer over one result. The verdict always says which findings led to it.
func (g *Gate) Check(s Submission) chargehand.Verdict {
	k := g.begin(&s)
	v := k.layers()
	k.end()
	return v
}

// layers takes a submission through the layers.
func (k *check) layers() chargehand.Verdict {
	if k.form() {
		k.rules()
		k.completeness()
		k.consistency()
	}
	return k.verdict()
}

// CheckInput compares a task's input with what the worker accepts (SPEC.md ·56). No findings means
// that it fits.
func (g *Gate) CheckInput(worker string, input []byte) []chargehand.Finding {
	s, known := g.inputs[worker]
	if !known {
		f := chargehand.Finding{Layer: chargehand.LayerSchema, Rule: "input", Severity: chargehand.SeverityError}
		f.ID, f.Message = "f1", "The team has no worker called "+quoted(worker)+"."
		return []chargehand.Finding{f}
	}
	return checkInput(s, input)
}

// CheckObjective compares a run's input with the team's input schema (SPEC.md ·56).
func (g *Gate) CheckObjective(input []byte) []chargehand.Finding {
	return checkInput(g.objective, input)
}

func checkInput(s *schema, input []byte) []chargehand.Finding {
	var fs findings
	if len(input) == 0 {
		input = []byte("null")
	}
	d := decoder{data: input, copy: string(input)}
	v, bad := d.whole()
	if bad != nil {
		fs.add(chargehand.LayerSchema, "input", chargehand.SeverityError).Message =
			"The input is not sound JSON: " + bad.message + "."
		return fs.list
	}
	faults, enough := s.check(v, d.values)
	if !enough { // an input goes to no person: it is refused, and the finding names the budget
		fs.add(chargehand.LayerSchema, budgetRule, chargehand.SeverityError).Message = gaveUp(chargehand.LayerSchema, schemaBudget(d.values))
	}
	for _, fault := range faults {
		f := fs.add(chargehand.LayerSchema, "input", chargehand.SeverityError)
		f.Path, f.Message = pointerOf(fault.path), fault.sentence("The input")
	}
	return fs.list
}

// contract is the one that a submission names.
func (g *Gate) contract(name string) (*contract, bool) {
	if name == "" {
		return g.anonymous, true
	}
	c, ok := g.contracts[name]
	return c, ok
}
