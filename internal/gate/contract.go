package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// A contract is a chargehand.Contract made ready to be applied.
type contract struct {
	maxBytes     int
	schema       *schema
	items        *itemRule // nil: the output is not a list of findings
	statements   *statementRule
	grounded     []pattern
	calculations []*calculation
	rules        []*rule
	detectors    []detectorRule
	stops        []chargehand.Detector // of which a hit stops a worker while it writes
	shape        shape
}

// Compile prepares the contracts, input schemas and invariants of t. It reports every problem at
// once, with JSON paths into the team ($.contracts[2].rules[0].cel); the gate is nil if there is one.
func Compile(t *chargehand.Team) (*Gate, []chargehand.Problem) {
	env, err := newEnvironment()
	if err != nil {
		panic("gate: the rule language does not start: " + err.Error())
	}
	c := &compiler{env: env, policy: t.Policy.Detectors}
	g := &Gate{contracts: map[string]*contract{}, anonymous: &contract{maxBytes: defaultMax}, inputs: map[string]*schema{}}
	c.detectors(g.anonymous, c.policy, "$.policy.detectors")
	for _, d := range g.anonymous.detectors {
		if d.name == chargehand.DetectSecrets {
			g.anonymous.stops = append(g.anonymous.stops, d.name)
		}
	}
	for i := range t.Contracts {
		c.contractInto(g, &t.Contracts[i], fmt.Sprintf("$.contracts[%d]", i))
	}
	for i, w := range t.Workers {
		g.inputs[w.WorkerID] = c.schema(w.AcceptedInputSchema, fmt.Sprintf("$.workers[%d].acceptedInputSchema", i))
	}
	g.objective = c.schema(t.InputSchema, "$.inputSchema")
	for i, r := range t.Invariants {
		path := fmt.Sprintf("$.invariants[%d]", i)
		if r.Each != "" {
			c.problem(path+".each", "an invariant holds for the run as a whole and has no each")
		}
		g.invariants = append(g.invariants, c.rule(r, scopeInvariant, path))
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return g, nil
}

// A compiler collects problems on the way.
type compiler struct {
	env      *environment
	policy   []chargehand.DetectorRule // of the team, for every contract
	problems []chargehand.Problem
}

func (c *compiler) problem(path, format string, args ...any) {
	c.problems = append(c.problems, chargehand.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *compiler) contractInto(g *Gate, src *chargehand.Contract, path string) {
	out := &contract{maxBytes: src.MaxBytes, schema: c.schema(src.Schema, path+".schema"), shape: shapeOf(src.Schema)}
	if src.MaxBytes == 0 {
		out.maxBytes = defaultMax
	}
	if src.MaxBytes < 0 {
		c.problem(path+".maxBytes", "%d is no size: want the most bytes an output may have", src.MaxBytes)
	}
	if src.Name == "" {
		c.problem(path+".name", "a contract needs a name")
	} else if _, twice := g.contracts[src.Name]; twice {
		c.problem(path+".name", "there are two contracts called %q", src.Name)
	}
	if src.Items != nil {
		out.items = c.itemRule(src.Items, path+".items")
	}
	if src.Statements != nil {
		out.statements = c.statementRule(src.Statements, path+".statements")
	}
	for i, p := range src.Grounded {
		out.grounded = append(out.grounded, c.pattern(p, fmt.Sprintf("%s.grounded[%d]", path, i)))
	}
	c.checks(out, src, path)
	g.contracts[src.Name], g.contracts[src.ID()] = out, out
}

// checks compiles what a contract declares besides its form. IDs are unique in a contract.
func (c *compiler) checks(out *contract, src *chargehand.Contract, path string) {
	seen := map[string]bool{}
	unique := func(id, path string) {
		if seen[id] {
			c.problem(path, "there are two rules or calculations called %q in this contract", id)
		}
		seen[id] = true
	}
	for i, calc := range src.Calculations {
		at := fmt.Sprintf("%s.calculations[%d]", path, i)
		unique(calc.ID, at+".id")
		out.calculations = append(out.calculations, c.calculation(calc, at))
	}
	for i, r := range src.Rules {
		at := fmt.Sprintf("%s.rules[%d]", path, i)
		unique(r.ID, at+".id")
		scope := scopeOutput
		if r.Each != "" {
			scope = scopeItem
		}
		out.rules = append(out.rules, c.rule(r, scope, at))
	}
	c.detectors(out, src.Detectors, path+".detectors")
	c.detectors(out, c.policy, "")
	for _, d := range out.detectors {
		if slices.Contains(src.StopOn, d.name) || d.name == chargehand.DetectSecrets {
			out.stops = append(out.stops, d.name)
		}
	}
}

// detectors takes up detectors with their severities. The graver one counts where one is named twice,
// so a contract can tighten what the policy says, and loosen nothing. Problems of the policy's are
// told once, under their own path.
func (c *compiler) detectors(out *contract, list []chargehand.DetectorRule, path string) {
	for i, r := range list {
		known := detectors[r.Detector]
		severity := r.Severity
		if known != nil && severity == "" {
			severity = known.severity
		}
		problem := ""
		switch {
		case known == nil:
			problem = fmt.Sprintf("there is no detector %q: want %s", r.Detector, detectorNames())
		case gravity(severity) == 0:
			problem = fmt.Sprintf("%q is no severity: want error, review or warning", severity)
		case r.Detector == chargehand.DetectSecrets && severity != chargehand.SeverityError:
			problem = "a secret in an output is always an error"
		default:
			out.detect(r.Detector, severity)
		}
		if problem != "" && path != "" {
			c.problem(fmt.Sprintf("%s[%d]", path, i), "%s", problem)
		}
	}
}

// A detectorRule is a detector that is on, with what a hit does.
type detectorRule struct {
	name     chargehand.Detector
	severity chargehand.Severity
}

func (c *contract) detect(name chargehand.Detector, s chargehand.Severity) {
	for i := range c.detectors {
		if d := &c.detectors[i]; d.name == name {
			if gravity(s) > gravity(d.severity) {
				d.severity = s
			}
			return
		}
	}
	c.detectors = append(c.detectors, detectorRule{name, s})
}

// gravity orders severities; zero is none.
func gravity(s chargehand.Severity) int {
	return 1 + slices.Index([]chargehand.Severity{chargehand.SeverityWarning, chargehand.SeverityReview, chargehand.SeverityError}, s)
}

func (c *compiler) schema(raw json.RawMessage, path string) *schema {
	s, err := compileSchema(raw)
	if err != nil {
		c.problem(path, "%s", err)
	}
	return s
}

func (c *compiler) pattern(s, path string) pattern {
	p, err := parsePattern(s)
	if err != nil {
		c.problem(path, "%s", err)
	}
	return p
}

// plainPattern reads the pointer to one list.
func (c *compiler) plainPattern(s, path string) pattern {
	p := c.pattern(s, path)
	if slices.Contains(p, "*") {
		c.problem(path, "the path names one list and has no *")
	}
	return p
}

func (c *compiler) rule(src chargehand.Rule, scope scope, path string) *rule {
	out := &rule{id: src.ID, message: src.Message, severity: src.Severity}
	if src.ID == "" {
		c.problem(path+".id", "a rule needs an id")
	}
	if src.Message == "" {
		c.problem(path+".message", "a rule needs the sentence to show when it does not hold")
	}
	switch src.Severity {
	case "":
		out.severity = chargehand.SeverityError
	case chargehand.SeverityError, chargehand.SeverityReview, chargehand.SeverityWarning:
	default:
		c.problem(path+".severity", "%q is no severity: want error, review or warning", src.Severity)
	}
	if src.Each != "" {
		out.each, out.perItem = c.pattern(src.Each, path+".each"), true
	}
	var err error
	if out.program, err = c.env.compile(src.CEL, scope, wantTruth); err != nil {
		c.problem(path+".cel", "%s", err)
	}
	return out
}

func (c *compiler) calculation(src chargehand.Calculation, path string) *calculation {
	out := &calculation{id: src.ID, tolerance: src.Tolerance, path: c.pattern(src.Path, path+".path")}
	if src.ID == "" {
		c.problem(path+".id", "a calculation needs an id")
	}
	if src.Tolerance < 0 || math.IsNaN(src.Tolerance) || math.IsInf(src.Tolerance, 0) {
		c.problem(path+".tolerance", "a tolerance is a number from 0")
	}
	var err error
	if out.program, err = c.env.compile(src.Equals, scopeItem, wantNumber); err != nil {
		c.problem(path+".equals", "%s", err)
	}
	return out
}

func (c *compiler) itemRule(src *chargehand.ItemRule, path string) *itemRule {
	or := func(name, standard string) string {
		if name == "" {
			return standard
		}
		return name
	}
	out := &itemRule{
		key: or(src.Key, "key"), present: or(src.Present, "present"), quote: or(src.Quote, "quote"),
		start: or(src.Start, "start"), end: or(src.End, "end"), document: or(src.Document, "document"),
		answer: or(src.Answer, "answer"), search: or(src.Search, "search"),
		grounded: src.Grounded, facts: src.Facts,
	}
	out.searchPath = []string{out.search}
	out.path = c.plainPattern(src.Path, path+".path")
	out.triggers, out.cues = c.wording(src.Triggers, path+".triggers"), c.wording(src.Cues, path+".cues")
	for i, f := range slices.Concat(src.Grounded, src.Facts) {
		if strings.TrimSpace(f) == "" {
			c.problem(path, "the name of field %d of grounded and facts is empty", i+1)
		}
	}
	return out
}

// wording reads the words that are expected of passages about a key, by the same rules as the
// patterns of a search.
func (c *compiler) wording(src map[string][]string, path string) map[string][]*trigger {
	out := make(map[string][]*trigger, len(src))
	for _, key := range slices.Sorted(maps.Keys(src)) {
		if len(src[key]) == 0 || strings.TrimSpace(key) != key {
			c.problem(path, "the key %q needs at least one pattern, and no space around it", key)
		}
		for i, source := range src[key] {
			t, why := readTrigger(source)
			if why != "" {
				c.problem(fmt.Sprintf("%s[%q][%d]", path, key, i), "the pattern %s", why)
				continue
			}
			out[key] = append(out[key], t)
		}
	}
	return out
}
