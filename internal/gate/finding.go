package gate

import (
	"fmt"
	"strconv"

	"github.com/chargehand/chargehand"
)

// Bounds of a verdict. What is left out is counted in a last finding.
const (
	maxFindings = 500 // of one layer
	maxClaims   = 2_000
)

// findings is a list that numbers itself and stops growing at its bound.
type findings struct {
	list    []chargehand.Finding
	inLayer map[chargehand.Layer]int
	spare   chargehand.Finding // takes what is written to a finding beyond the bound
}

// add appends a finding and returns it to be completed, before the next is added.
func (fs *findings) add(l chargehand.Layer, rule string, s chargehand.Severity) *chargehand.Finding {
	if fs.inLayer == nil {
		fs.inLayer = map[chargehand.Layer]int{}
	}
	fs.inLayer[l]++
	f := chargehand.Finding{ID: "f" + strconv.Itoa(len(fs.list)+1), Layer: l, Rule: rule, Severity: s}
	switch n := fs.inLayer[l]; {
	case n > maxFindings:
		fs.spare = f
		return &fs.spare
	case n == maxFindings:
		f.Rule, f.Severity = "limit", chargehand.SeverityError
		f.Message = fmt.Sprintf("There are more than %d findings; the rest is left out.", maxFindings-1)
		fs.list = append(fs.list, f)
		return &fs.spare
	}
	fs.list = append(fs.list, f)
	return &fs.list[len(fs.list)-1]
}

// pass reports whether no finding of l is an error.
func (fs *findings) pass(l chargehand.Layer) bool {
	for _, f := range fs.list {
		if f.Layer == l && f.Severity == chargehand.SeverityError {
			return false
		}
	}
	return true
}

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

// verdict closes the check.
func (k *check) verdict() chargehand.Verdict {
	v := chargehand.Verdict{
		SchemaPass:       k.formed,
		CompletenessPass: k.formed && k.findings.pass(chargehand.LayerCompleteness),
		ConsistencyPass:  k.formed && k.findings.pass(chargehand.LayerConsistency),
		Issues:           k.findings.list,
		Recommendation:   chargehand.Accept,
		Validator:        Validator, ValidatorVersion: ValidatorVersion,
	}
	v.Score, v.Reasoning = k.score()
	switch {
	case k.severe(chargehand.SeverityError) && !k.formed:
		v.Recommendation, v.Rework = chargehand.Reject, chargehand.Redo
	case k.severe(chargehand.SeverityError):
		v.Recommendation, v.Rework = chargehand.Reject, chargehand.Revise
	case k.severe(chargehand.SeverityReview):
		v.Recommendation = chargehand.HumanReview
	}
	if v.Recommendation != chargehand.Accept {
		v.Feedback = feedback(v)
	}
	for _, c := range k.claims {
		v.Claims = append(v.Claims, *c)
	}
	return v
}

func (k *check) severe(s chargehand.Severity) bool {
	for _, f := range k.findings.list {
		if f.Severity == s {
			return true
		}
	}
	return false
}

// score is the share of checkable claims that are supported, half for those that partly are
// (SPEC.md ·65). An output that could not be read supports nothing.
func (k *check) score() (float64, string) {
	if !k.formed {
		return 0, "The output does not have the form it must have; nothing else was checked."
	}
	checked, good := 0, 0.0
	for _, c := range k.claims {
		switch c.Support {
		case chargehand.Supported:
			good++
			checked++
		case chargehand.Partly:
			good += 0.5
			checked++
		case chargehand.Unsupported, chargehand.Contradicted:
			checked++
		}
	}
	if checked == 0 {
		return 1, "The output makes no claim that could be checked."
	}
	return good / float64(checked), fmt.Sprintf("%s of %s can be checked and hold.", plainFloat(good), counted(checked, "claim"))
}
