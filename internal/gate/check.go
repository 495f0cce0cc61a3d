package gate

import (
	"fmt"
	"strconv"

	"github.com/chargehand/chargehand"
)

// A check is one submission on its way through the layers.
type check struct {
	gate     *Gate
	sub      Submission
	contract *contract
	sources  sources
	output   any
	items    []*item

	findings findings
	claims   []*chargehand.Claim
	formed   bool // the first layer was passed
	cost     uint64
	detected int          // bytes of the output read by detectors
	scanned  int          // bytes of sources read to explain what is wrong
	searched int          // bytes of sources read to repeat searches
	written  *outputTexts // nil until asked for
	searches map[searchKey]*matches
	inputs   *grounds // of Contract.Grounded; nil until asked for
}

func (g *Gate) begin(s Submission) *check {
	return &check{gate: g, sub: s, sources: newSources(s.Task.InputRefs)}
}

// find adds a finding about the value at path.
func (k *check) find(l chargehand.Layer, rule string, s chargehand.Severity, path []string) *chargehand.Finding {
	f := k.findings.add(l, rule, s)
	f.Path = pointerOf(path)
	return f
}

// contradict adds an error of the consistency layer.
func (k *check) contradict(rule string, path []string) *chargehand.Finding {
	return k.find(chargehand.LayerConsistency, rule, chargehand.SeverityError, path)
}

// claim adds a statement whose support is yet to be told.
func (k *check) claim(text string, path []string) *chargehand.Claim {
	c := &chargehand.Claim{Text: visible(text, maxShown), Path: pointerOf(path), Support: chargehand.NotChecked}
	if len(k.claims) < maxClaims {
		c.ID = "c" + strconv.Itoa(len(k.claims)+1)
		k.claims = append(k.claims, c)
	}
	return c
}

// form is the first layer: one sound JSON value that fits the schema, with items to work on.
func (k *check) form() bool {
	c, known := k.gate.contract(k.sub.Contract)
	if !known {
		k.find(chargehand.LayerSchema, "contract", chargehand.SeverityError, nil).Message =
			"The team has no contract called " + quoted(k.sub.Contract) + "."
		return false
	}
	k.contract = c
	if conf := k.sub.Result.Confidence; conf != nil && !(*conf >= 0 && *conf <= 1) {
		k.find(chargehand.LayerSchema, "confidence", chargehand.SeverityError, nil).Message =
			"The worker's confidence must be from 0 to 1; it is " + plainFloat(*conf) + "."
	}
	if k.parse() {
		k.fit()
	}
	k.formed = k.findings.pass(chargehand.LayerSchema)
	return k.formed
}

func (k *check) parse() bool {
	raw := k.sub.Result.Output
	message := ""
	switch {
	case len(raw) == 0:
		message = "There is no output."
	case len(raw) > k.contract.maxBytes:
		message = fmt.Sprintf("The output has %s bytes; at most %s are allowed.", grouped(len(raw)), grouped(k.contract.maxBytes))
	}
	if message != "" {
		k.find(chargehand.LayerSchema, "json", chargehand.SeverityError, nil).Message = message
		return false
	}
	v, bad := decode(raw)
	if bad != nil {
		f := k.find(chargehand.LayerSchema, "json", chargehand.SeverityError, nil)
		f.Path, f.Message = bad.pointer, bad.sentence()
		return false
	}
	k.output = v
	return true
}

func (k *check) fit() {
	for _, fault := range k.contract.schema.check(k.output) {
		k.find(chargehand.LayerSchema, "schema", chargehand.SeverityError, fault.path).Message = fault.sentence("The output")
	}
	if k.contract.items == nil || !k.findings.pass(chargehand.LayerSchema) {
		return
	}
	items, faults := k.contract.items.read(k.output)
	k.items = items
	k.compareQuotes()
	for _, fault := range faults {
		k.find(chargehand.LayerSchema, "items", chargehand.SeverityError, fault.path).Message = fault.sentence("The output")
	}
}
