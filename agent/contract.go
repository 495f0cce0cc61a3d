package agent

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/ground"
)

// A demandList is sentences of a system prompt about one contract, by the names they have in
// prompt/contract.txt.
type demandList struct{ strings.Builder }

func (l *demandList) say(name string, args ...any) {
	fmt.Fprintf(l, "- "+sentences[name]+"\n", args...)
}

// demands is what a contract asks of an output besides its schema. All of it is the team's.
func demands(c *chargehand.Contract) string {
	if c == nil {
		return ""
	}
	var l demandList
	if c.Items != nil {
		l.items(c.Items)
	}
	if c.Statements != nil {
		l.statements(c.Statements)
	}
	for _, p := range c.Grounded {
		l.say("grounded", quote(p))
	}
	for _, k := range c.Calculations {
		l.say("calculation", quote(k.Path), k.Equals)
	}
	for i := range c.Rules {
		l.rule(&c.Rules[i])
	}
	for _, d := range c.Detectors {
		l.say(string(d.Detector))
	}
	return titled("What your output must be", l.String())
}

// items says what a list of findings is, and how quotes are bound to their source.
func (l *demandList) items(r *chargehand.ItemRule) {
	present := or(r.Present, "present")
	l.say("items", quote(r.Path), or(r.Key, "key"))
	l.say("quote", present, or(r.Quote, "quote"))
	l.say("place")
	l.say("answer", or(r.Answer, "answer"))
	l.say("absent", present, ground.Reason)
	for _, f := range r.Grounded {
		l.say("field", f)
	}
}

// statements says what links a statement to what it rests on (SPEC.md ·141).
func (l *demandList) statements(r *chargehand.StatementRule) {
	evidence := or(r.Evidence, "evidence")
	l.say("statements", quote(r.Path), or(r.Text, "text"), evidence)
	l.say("evidence", evidence)
	l.say("rests", evidence)
}

// rule says what must hold, and only then the message: that says what is wrong with an output, so as
// a demand it would ask for the very thing.
func (l *demandList) rule(r *chargehand.Rule) {
	condition, message := lineBreaks.ReplaceAllString(strings.TrimSpace(r.CEL), " "), strings.TrimSpace(r.Message)
	if r.Each != "" {
		l.say("each", quote(r.Each), condition, message)
		return
	}
	l.say("rule", condition, message)
}

// lineBreaks are those of an expression that is written over several lines.
var lineBreaks = regexp.MustCompile(`[ \t]*\r?\n[ \t]*`)

func quote(pointer string) string {
	if pointer == "" {
		return "the output"
	}
	return `"` + pointer + `"`
}

func or(s, standard string) string {
	if s == "" {
		return standard
	}
	return s
}
