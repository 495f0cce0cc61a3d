package gate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// A check is one submission on its way through the layers.
type check struct {
	gate     *Gate
	sub      Submission
	contract *contract
	sources  sources
	output   any
	elements []json.RawMessage // of the list of items, as written
	items    []*item
	said     []*statement

	findings findings
	claims   []*chargehand.Claim
	missing  []string // required aspects that nothing addresses
	formed   bool     // the first layer was passed
	values   int      // of the output
	gaveUp   map[chargehand.Layer]bool
	cost     uint64
	detected int // bytes of the output read by detectors
	effort   effort
	searched int          // bytes of sources read to repeat searches
	written  *outputTexts // nil until asked for
	searches map[searchKey]*matches
	inputs   *grounds       // of Contract.Grounded; nil until asked for
	task     map[string]any // as rules see it; nil until asked for
	names    scopeNames     // of the rule being applied
	slab     slab
	list     itemList
	path     []string // room for the decoder's
}

// checks are those that are over: what they hold is empty, and their room is used again.
var checks = sync.Pool{New: func() any { return new(check) }}

func (g *Gate) begin(s *Submission) *check {
	k := checks.Get().(*check)
	k.gate = g
	k.sub = *s // alone, or it is copied twice
	k.effort = effort{unwanted: s.Unwanted, since: askEvery}
	k.sources.fill(s.Task.InputRefs)
	if s.Task.TaskID == lastStep {
		k.sources.bear()
	}
	return k
}

// end forgets the submission. Nothing that a verdict or an Item holds is used again.
func (k *check) end() {
	k.slab.empty()
	k.list.empty()
	k.sources.empty()
	slab, list, sources, path := k.slab, k.list, k.sources, emptied(k.path)
	*k = check{} // in place: a check is too large for a goroutine's first stack
	k.slab, k.list, k.sources, k.path = slab, list, sources, path
	checks.Put(k)
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
	k.formed = k.passed(chargehand.LayerSchema)
	return k.formed
}

func (k *check) parse() bool {
	raw := k.sub.Result.Output
	message := ""
	switch {
	case k.sub.CutOff != "":
		message = sentenceOf(k.sub.CutOff)
	case len(raw) == 0:
		message = "There is no output."
	case len(raw) > k.contract.maxBytes:
		message = fmt.Sprintf("The output has %s bytes; at most %s are allowed.", grouped(len(raw)), grouped(k.contract.maxBytes))
	}
	if message != "" {
		k.find(chargehand.LayerSchema, "json", chargehand.SeverityError, nil).Message = message
		return false
	}
	v, bad := k.decode(raw)
	if bad != nil {
		f := k.find(chargehand.LayerSchema, "json", chargehand.SeverityError, nil)
		f.Path, f.Message = bad.pointer, bad.sentence()
		return false
	}
	if k.sub.NoResult != "" {
		k.find(chargehand.LayerSchema, "json", chargehand.SeverityError, nil).Message = sentenceOf(k.sub.NoResult)
		return false
	}
	k.output = v
	return true
}

// sentenceOf makes a clause a sentence.
func sentenceOf(clause string) string {
	r, n := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(r)) + clause[n:] + "."
}

// decode reads the output, and keeps the elements of its list of items as they were written.
func (k *check) decode(raw []byte) (any, *decodeError) {
	d := decoder{data: raw, copy: string(raw), path: k.path}
	if items := k.contract.items; items != nil {
		d.wanted, d.wants = items.path, true
	}
	v, bad := d.whole()
	k.elements, k.path, k.values = d.elements, d.path[:cap(d.path)], d.values
	return v, bad
}

func (k *check) fit() {
	faults, enough := k.contract.schema.check(k.output, k.values)
	if !enough {
		k.giveUp(chargehand.LayerSchema, schemaBudget(k.values))
		return
	}
	//guard:schema
	for _, fault := range faults {
		k.find(chargehand.LayerSchema, "schema", chargehand.SeverityError, fault.path).Message = fault.sentence("The output")
	}
	if !k.findings.pass(chargehand.LayerSchema) {
		return
	}
	if k.contract.statements != nil {
		var faults []fault
		k.said, faults = k.contract.statements.read(k.output)
		for _, fault := range faults {
			k.find(chargehand.LayerSchema, "statements", chargehand.SeverityError, fault.path).Message = fault.sentence("The output")
		}
	}
	if k.contract.items == nil {
		return
	}
	items, faults := k.contract.items.read(k.output, &k.list)
	k.items = items
	k.compareQuotes()
	for _, fault := range faults {
		k.find(chargehand.LayerSchema, "items", chargehand.SeverityError, fault.path).Message = fault.sentence("The output")
	}
}
