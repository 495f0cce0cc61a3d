package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// A statementRule is a chargehand.StatementRule with every field name filled in.
type statementRule struct {
	path           pattern
	text, evidence string
	severity       chargehand.Severity // of a statement that does not hold
}

func (c *compiler) statementRule(src *chargehand.StatementRule, path string) *statementRule {
	out := &statementRule{text: src.Text, evidence: src.Evidence, severity: chargehand.SeverityError}
	if out.text == "" {
		out.text = "text"
	}
	if out.evidence == "" {
		out.evidence = "evidence"
	}
	out.path = c.plainPattern(src.Path, path+".path")
	switch src.Unsupported {
	case "", chargehand.RejectUnsupported:
	case chargehand.MarkUnsupported, chargehand.RemoveUnsupported:
		out.severity = chargehand.SeverityWarning
	default:
		c.problem(path+".unsupported", "%q is none of reject, mark, remove", src.Unsupported)
	}
	return out
}

// A statement is one sentence of an output with what it says it rests on (SPEC.md ·141).
type statement struct {
	path     []string
	text     string
	evidence []evidence
}

// An evidence is one thing that a statement names.
type evidence struct {
	path       []string
	subtask    string
	attempt    int // zero: not said
	key        string
	quote      string
	document   string
	start, end int
	located    bool // start and end were given
}

// read lists the statements of an output, or what is wrong with their form.
func (r *statementRule) read(output any) ([]*statement, []fault) {
	v, ok := lookup(output, r.path)
	list, isList := v.([]any)
	if !ok || !isList {
		return nil, []fault{{r.path, "must be the list of statements"}}
	}
	var out []*statement
	var faults []fault
	for i := range list {
		s, wrong := r.one(list, i)
		out, faults = append(out, s), append(faults, wrong...)
	}
	return out, faults
}

// one is an element of the list as a statement, with what is wrong with its form.
func (r *statementRule) one(list []any, i int) (*statement, []fault) {
	s := &statement{path: place{path: r.path}.child(strconv.Itoa(i), list[i]).path}
	fields, ok := list[i].(map[string]any)
	if !ok {
		return s, []fault{{s.path, "must be an object; it is " + literal(list[i])}}
	}
	rd := fieldReader{it: &item{path: s.path, fields: fields}}
	if s.text = rd.text(r.text); strings.TrimSpace(s.text) == "" && len(rd.faults) == 0 {
		rd.fault(r.text, "must say something")
	}
	return s, append(rd.faults, s.readEvidence(fields[r.evidence], r.evidence)...)
}

func (s *statement) readEvidence(v any, field string) []fault {
	at := place{path: s.path}.child(field, v).path
	list, ok := v.([]any)
	if !ok && v != nil {
		return []fault{{at, "must be a list; it is " + literal(v)}}
	}
	var faults []fault
	for i, v := range list {
		e := evidence{path: place{path: at}.child(strconv.Itoa(i), v).path}
		fields, ok := v.(map[string]any)
		if !ok {
			faults = append(faults, fault{e.path, "must be an object; it is " + literal(v)})
			continue
		}
		rd := fieldReader{it: &item{path: e.path, fields: fields}}
		e.subtask, e.key, e.quote, e.document = rd.text("subtask"), rd.text("key"), rd.text("quote"), rd.text("document")
		e.attempt, _ = rd.offset("attempt")
		start, hasStart := rd.offset("start")
		end, hasEnd := rd.offset("end")
		e.start, e.end, e.located = start, end, hasStart && hasEnd
		faults = append(faults, rd.faults...)
		s.evidence = append(s.evidence, e)
	}
	return faults
}

// statements settles for each statement whether what it names bears it.
func (k *check) statements() {
	if len(k.said) == 0 {
		return
	}
	m := k.material()
	for _, s := range k.said {
		claim := k.claim(s.text, s.path)
		claim.Support = chargehand.Supported
		why, path := k.bears(m, s)
		if k.exhausted(claim) {
			return
		}
		if why == "" {
			continue
		}
		claim.Support = chargehand.Unsupported
		f := k.find(chargehand.LayerConsistency, "statement", k.contract.statements.severity, path)
		f.Message, f.Quote = why, visible(s.text, maxShown)
	}
}

// bears says why a statement does not hold, and where; empty if it does.
func (k *check) bears(m *material, s *statement) (string, []string) {
	if len(s.evidence) == 0 {
		return "The statement does not say what it rests on.", s.path
	}
	var all []*grounds
	for i := range s.evidence {
		gs, why := k.named(m, &s.evidence[i])
		if why != "" {
			return why, s.evidence[i].path
		}
		all = append(all, gs...)
	}
	return borne(all, k.slab.read(s.text)), s.path
}

// borne says what of a text none of the grounds has; empty if they have it all between them.
func borne(all []*grounds, fs *figures) string {
	checked := false
	for i := range fs.list {
		c := &fs.list[i]
		if c.bare || c.part {
			continue
		}
		checked = true
		if !slices.ContainsFunc(all, func(g *grounds) bool { _, ok := g.supports(c); return ok }) {
			return unborne(all, c, visible(fs.text[c.start:c.end], 60))
		}
	}
	for _, n := range fs.names() {
		if n.weak {
			continue
		}
		checked = true
		if !slices.ContainsFunc(all, func(g *grounds) bool { return g.stands(n) != missing }) {
			return fmt.Sprintf("The statement names %s; what it rests on does not.", visible(n.text, 60))
		}
	}
	if !checked && !slices.ContainsFunc(all, func(g *grounds) bool { return sharesWord(g, fs) }) {
		return "The statement has no word in common with what it rests on."
	}
	return ""
}

func unborne(all []*grounds, c *figure, said string) string {
	for _, g := range all {
		if r := g.rival(c, true); r != nil {
			return fmt.Sprintf("The statement says %s; what it rests on says %s.", said, g.wordsOf(*r))
		}
	}
	return fmt.Sprintf("The statement says %s; what it rests on says nothing of the kind.", said)
}

// sharesWord reports whether one of a text's words, if it has any that mean something, stands in
// the grounds.
func sharesWord(g *grounds, fs *figures) bool {
	content := false
	for _, l := range fs.words() {
		if l.kind != lexWord || len(l.lower) < 3 || openers[l.lower] || verdicts[l.lower] {
			continue
		}
		content = true
		if g.holds(l.lower) || g.shares(l.lower) {
			return true
		}
	}
	return !content
}

// An Unsupported is a statement of an output that what it names does not bear.
type Unsupported struct {
	Index int // in the list
	Text  string
	Why   string // one sentence
}

// Unsupported lists the statements of an output that do not hold, whatever the contract does about
// them, in order. The output may be one that the gate refused: what has not the form of a statement
// does not hold. False means that there is no list of statements at all.
func (g *Gate) Unsupported(s Submission) ([]Unsupported, bool) {
	k := g.begin(&s)
	defer k.end()
	c, known := g.contract(s.Contract)
	if k.contract = c; !known || c.statements == nil || !k.parse() {
		return nil, false
	}
	v, _ := lookup(k.output, c.statements.path)
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	m := k.material()
	var out []Unsupported
	for i := range list {
		said, faults := c.statements.one(list, i)
		if len(faults) > 0 {
			out = append(out, Unsupported{i, said.text, faults[0].sentence("The output")})
		} else if why, _ := k.bears(m, said); why != "" {
			out = append(out, Unsupported{i, said.text, why})
		}
	}
	return out, true
}
