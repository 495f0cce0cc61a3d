package chargehand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Check is everything that is wrong with the team as data, in the order of its fields; nil where
// nothing is (SPEC.md ·203). It opens nothing and compiles neither schemas nor CEL. An objective
// that brings its own plan is checked by putting that plan in place of the planner's template.
func (t *Team) Check() []Problem {
	c := newCheck(t)
	c.title("$.name", t.Name)
	c.workers()
	c.models()
	c.tools()
	for i := range t.Contracts {
		c.contract(fmt.Sprintf("$.contracts[%d]", i), &t.Contracts[i], i)
	}
	c.policy()
	c.planner()
	c.synthesis()
	c.schema("$.inputSchema", t.InputSchema)
	c.rules("$.invariants", t.Invariants)
	c.routes()
	c.budget("$.budget", t.Budget)
	c.natural("$.deadline", int64(t.Deadline))
	return c.problems
}

// CheckPlan is everything that is wrong with a plan for this team (SPEC.md ·21). A capability that
// no worker declares is a problem; one whose workers may not serve the subtask is not: that is a
// gap of the run (·12). It takes time in proportion to subtasks and dependencies.
func (t *Team) CheckPlan(p *Plan) []Problem {
	c := newCheck(t)
	c.plan("$", p)
	return c.problems
}

// A check collects problems about one team.
type check struct {
	team         *Team
	limit        Micros // of one action; what costs more would need an approval
	workerIDs    names
	contracts    names
	capabilities names
	servers      names
	granted      names  // tools that some worker has
	base         string // of the paths that are being checked: those of ten thousand subtasks are not made in vain
	problems     []Problem
}

func newCheck(t *Team) *check {
	c := &check{team: t, limit: DefaultCostLimit}
	if t.Policy.CostLimit > 0 {
		c.limit = t.Policy.CostLimit
	}
	for i := range t.Workers {
		c.workerIDs.add(t.Workers[i].WorkerID, i)
		for _, capability := range t.Workers[i].Capabilities {
			c.capabilities.add(capability, i)
		}
		for _, tool := range t.Workers[i].ToolGrants {
			c.granted.add(tool, i)
		}
	}
	for i := range t.Contracts {
		c.contracts.add(t.Contracts[i].Name, i)
	}
	for i := range t.Tools {
		c.servers.add(t.Tools[i].Name, i)
	}
	return c
}

// names are declared words, each with the place of its first declaration.
type names struct {
	first map[string]int
	speller
}

func (n *names) add(word string, place int) {
	if n.first == nil {
		n.first = map[string]int{}
	}
	if _, ok := n.first[word]; ok || word == "" {
		return
	}
	n.first[word] = place
	n.known = append(n.known, word)
}

func (n *names) has(word string) bool {
	_, ok := n.first[word]
	return ok
}

func (c *check) problem(path, format string, args ...any) {
	c.add(path, fmt.Sprintf(format, args...), "")
}

func (c *check) add(path, message, hint string) {
	c.problems = append(c.problems, Problem{Path: c.base + path, Message: message, Hint: hint})
}

// refer checks that a name that is given is a declared one.
func (c *check) refer(path, noun, name string, known *names) bool {
	if name == "" || known.has(name) {
		return name != ""
	}
	c.add(path, fmt.Sprintf("there is no %s %s", noun, tick(name)), known.hint(name))
	return false
}

// someoneCan checks that a capability that is given is one a worker declares.
func (c *check) someoneCan(path, capability string) {
	if capability != "" && !c.capabilities.has(capability) {
		c.add(path, "no worker has the capability "+tick(capability), c.capabilities.hint(capability))
	}
}

// required reports whether a text is there, and says what it is for where it is not.
func (c *check) required(path, text, purpose string) bool {
	if strings.TrimSpace(text) != "" {
		return true
	}
	c.problem(path, "is missing: %s", purpose)
	return false
}

const maxTitle = 200 // characters of what is shown in one line

func (c *check) title(path, s string) {
	if c.required(path, s, "give it a name") {
		c.line(path, s)
	}
}

// line checks a text that is shown in one line.
func (c *check) line(path, s string) {
	if n := utf8.RuneCountInString(s); n > maxTitle {
		c.problem(path, "may have %d characters, it has %d", maxTitle, n)
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		c.problem(path, "must be one line without control characters")
	}
}

// identifier checks a name that others refer to: 1 to 63 letters, digits, dots, hyphens and
// underscores, the first a letter or digit.
func (c *check) identifier(path, s string) {
	if !sane(s) {
		c.add(path, tick(s)+" cannot be a name here",
			"use up to 63 letters, digits, `-`, `_` and `.`, beginning with a letter or digit")
	}
}

const maxName = 63 // bytes

func sane(s string) bool {
	for i := range len(s) {
		b := s[i]
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		case i > 0 && (b == '-' || b == '_' || b == '.'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// words checks a list of words: none blank, none twice.
func (c *check) words(path string, list []string) {
	seen := make(map[string]bool, len(list))
	for i, s := range list {
		switch {
		case strings.TrimSpace(s) == "":
			c.problem(fmt.Sprintf("%s[%d]", path, i), "is empty")
		case seen[s]:
			c.problem(fmt.Sprintf("%s[%d]", path, i), "%s is listed twice", tick(s))
		}
		seen[s] = true
	}
}

// choice checks a word that is one of a few, and reports whether it is; an empty one stands for
// the default.
func choice[T ~string](c *check, path string, v T, known ...T) bool {
	if v == "" || slices.Contains(known, v) {
		return true
	}
	all := make([]string, len(known))
	for i, k := range known {
		all[i] = string(k)
	}
	c.add(path, fmt.Sprintf("%s is none of %s", tick(string(v)), list(all)), didYouMean(string(v), all))
	return false
}

func (c *check) risk(path string, r Risk) {
	choice(c, path, r, RiskLow, RiskMedium, RiskHigh, RiskCritical)
}

func (c *check) natural(path string, n int64) {
	if n < 0 {
		c.problem(path, "must not be negative")
	}
}

func (c *check) money(path string, m Micros) {
	if m < 0 {
		c.problem(path, "must not be negative, it is $%s", m)
	}
}

func (c *check) budget(path string, b Budget) {
	c.money(path+".usd", b.USD)
	c.natural(path+".tokens", b.Tokens)
}

func (c *check) fraction(path string, f float64) {
	if !(f >= 0 && f <= 1) {
		c.problem(path, "must be between 0 and 1, it is %g", f)
	}
}

func (c *check) positive(path string, f float64) {
	if !(f >= 0) || math.IsInf(f, 0) {
		c.problem(path, "must be a number from 0, it is %g", f)
	}
}

const noApproval = "this version cannot ask for approval before an effect"

// affordable checks what one action may cost (SPEC.md ·94).
func (c *check) affordable(path string, m Micros) {
	c.money(path, m)
	if m > c.limit {
		c.add(path, fmt.Sprintf("$%s for one action is above the limit of $%s and needs an approval; %s", m, c.limit, noApproval),
			"lower it, or raise policy.singleActionLimit")
	}
}

// schema checks that a JSON Schema is one by form: an object, true or false.
func (c *check) schema(path string, raw json.RawMessage) {
	b := bytes.TrimSpace(raw)
	switch {
	case len(b) == 0:
	case !json.Valid(b):
		c.problem(path, "is not valid JSON")
	case b[0] != '{' && b[0] != 't' && b[0] != 'f':
		c.add(path, "must be a JSON Schema", "write the schema itself here: `type: object` and so on")
	}
}

// pointer checks a JSON pointer, in which * may stand for every element.
func (c *check) pointer(path, p string) {
	if p != "" && p[0] != '/' {
		c.add(path, tick(p)+" is no JSON pointer", "it begins with a slash: "+tick("/"+p))
	}
}

const shown = 80 // bytes of a bad value that a message repeats

// tick is a bad value as a message repeats it: cut, and with nothing in it that moves a terminal.
func tick(s string) string {
	cut := s
	if len(s) > shown {
		n := shown
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		cut = s[:n] + "…"
	}
	q := strconv.Quote(cut)
	return "`" + strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + "`"
}
