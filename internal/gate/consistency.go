package gate

import (
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
)

// consistency compares what the output says with its sources, its own figures and what is known
// (SPEC.md ·64).
func (k *check) consistency() {
	for _, it := range k.items {
		if it.present && !k.exhausted(nil) {
			k.ground(it)
		}
	}
	for _, p := range k.contract.grounded {
		for _, at := range p.places(k.output) {
			if !k.exhausted(nil) {
				k.groundText(at)
			}
		}
	}
	k.statements()
	k.calculations()
	k.knownFacts()
}

// exhausted gives the layer up once more was looked up than it may be. A claim that was looked at last
// stays open.
func (k *check) exhausted(claim *chargehand.Claim) bool {
	if k.effort.lookups <= maxLookups && !k.effort.halted(1) {
		return false
	}
	if claim != nil {
		claim.Support = chargehand.NotChecked
	}
	k.giveUp(chargehand.LayerConsistency, "its figures and names take more than "+grouped(maxLookups)+" comparisons with the sources")
	return true
}

// ground settles the claim that a present item makes: its quote stands where it says, and its
// answer says nothing that the quote does not.
func (k *check) ground(it *item) {
	claim := k.claim(claimText(it), it.path)
	it.claim = claim
	claim.Support = chargehand.Supported
	if !it.verbatim {
		claim.Support = chargehand.Unsupported
		k.quoteFault(it)
		return
	}
	claim.Source = it.source.passage(it.start, it.end)
	k.cued(claim, it)
	q := &quoteGrounds{it: it, grounds: grounds{slab: &k.slab, effort: &k.effort}}
	k.groundField(claim, q, k.contract.items.answer)
	for _, field := range k.contract.items.grounded {
		k.groundField(claim, q, field)
	}
}

// cued looks for one of the words that a passage about the item's key cannot do without.
func (k *check) cued(claim *chargehand.Claim, it *item) {
	cues := k.contract.items.cues[it.key]
	if len(cues) == 0 {
		return
	}
	for _, t := range cues {
		re, err := t.whole()
		if !k.search(len(it.quote) * t.weight) {
			k.giveUp(chargehand.LayerConsistency, searchBudget())
			claim.Support = chargehand.NotChecked
			return
		}
		if err == nil && re.MatchString(it.quote) {
			return
		}
	}
	weaken(claim, chargehand.Unsupported)
	f := k.contradict("cue", it.at(k.contract.items.quote))
	f.Message = fmt.Sprintf("The quote under %s holds none of the words that a passage about it cannot do without.", it.name())
	f.Quote, f.Source = visible(it.quote, maxShown), it.source.passage(it.start, it.end)
}

func claimText(it *item) string {
	if it.answer == "" {
		return it.key
	}
	return it.key + ": " + it.answer
}

// quoteGrounds are the grounds of one quote, which is read when the first claim asks for it.
type quoteGrounds struct {
	grounds
	it *item
}

func (q *quoteGrounds) read() *grounds {
	if len(q.texts) == 0 {
		q.add(q.it.quote, q.it.source)
	}
	return &q.grounds
}

// groundField compares one field of an item with its quote.
func (k *check) groundField(claim *chargehand.Claim, q *quoteGrounds, field string) {
	text := wordsOf(q.it.fields[field])
	if text == "" || verdicts[strings.ToLower(strings.TrimSpace(text))] || text == q.it.quote {
		return
	}
	fs := k.slab.read(text)
	checked := false
	for i := range fs.list {
		c := &fs.list[i]
		if c.bare || c.part {
			continue
		}
		checked = true
		if k.exhausted(claim) {
			return
		}
		//guard:figures
		if _, ok := q.read().supports(c); !ok {
			k.ungrounded(claim, q, field, text[c.start:c.end], c)
		}
	}
	for _, n := range fs.names() {
		checked = true
		k.groundName(claim, q, field, n)
	}
	if !checked {
		k.groundWords(claim, q, field, fs)
	}
}

// ungrounded adds the finding about a figure that is not in the item's quote.
func (k *check) ungrounded(claim *chargehand.Claim, q *quoteGrounds, field, said string, c *figure) {
	g := q.read()
	if k.exhausted(claim) {
		return
	}
	f := k.contradict(c.kind.rule(), q.it.at(field))
	f.Quote = visible(said, maxShown)
	if r := g.rival(c, false); r != nil {
		claim.Support = chargehand.Contradicted
		f.Message = fmt.Sprintf("Output says %s; the quoted passage says %s.", visible(said, 60), g.wordsOf(*r))
		f.Source = g.passageOf(*r, q.it.start)
		return
	}
	weaken(claim, chargehand.Unsupported)
	f.Message = fmt.Sprintf("Output says %s; the quoted passage says nothing of the kind.", visible(said, 60))
	f.Source = q.it.source.passage(q.it.start, q.it.end)
}

// rank orders grades of support.
var rank = map[chargehand.Support]int{chargehand.Supported: 3, chargehand.Partly: 2, chargehand.Unsupported: 1, chargehand.Contradicted: 0}

// weaken lowers a claim's support, never raises it.
func weaken(claim *chargehand.Claim, s chargehand.Support) {
	if rank[s] < rank[claim.Support] {
		claim.Support = s
	}
}

func (k *check) groundName(claim *chargehand.Claim, q *quoteGrounds, field string, n name) {
	severity, support := chargehand.SeverityError, chargehand.Unsupported
	message := "Output names %s; the quoted passage does not."
	switch q.read().stands(n) {
	case stands:
		return
	case scattered:
		severity, support = chargehand.SeverityWarning, chargehand.Partly
		message = "Output names %s; the quoted passage has these words, but not together."
	}
	if k.exhausted(claim) {
		return
	}
	weaken(claim, support)
	f := k.find(chargehand.LayerConsistency, "name", severity, q.it.at(field))
	f.Message, f.Quote = fmt.Sprintf(message, visible(n.text, 60)), visible(n.text, maxShown)
	f.Source = q.it.source.passage(q.it.start, q.it.end)
}

// groundWords looks at an answer without figures and names: it should share a word with its quote.
func (k *check) groundWords(claim *chargehand.Claim, q *quoteGrounds, field string, fs *figures) {
	content := false
	for _, l := range fs.words() {
		if l.kind != lexWord || len(l.lower) < 3 || openers[l.lower] || verdicts[l.lower] {
			continue
		}
		content = true
		if q.read().holds(l.lower) || q.read().shares(l.lower) {
			return
		}
	}
	if !content || k.exhausted(claim) {
		return
	}
	weaken(claim, chargehand.Unsupported)
	f := k.find(chargehand.LayerConsistency, "answer", chargehand.SeverityWarning, q.it.at(field))
	f.Message = fmt.Sprintf("The answer %s has no word in common with the quoted passage.", quoted(fs.text))
	f.Source = q.it.source.passage(q.it.start, q.it.end)
}

// shares reports whether a word of the grounds begins like w: "renewal" and "renewed".
func (g *grounds) shares(w string) bool {
	return len(w) > 4 && g.runs(" "+boundTo(w, 5))
}

func boundTo(w string, n int) string { return w[:boundary(w, min(n, len(w)))] }

// groundText compares the figures and names of one text, or one number, with all inputs.
func (k *check) groundText(at place) {
	text := wordsOf(at.value)
	if text == "" {
		return
	}
	g := k.inputGrounds()
	fs := k.slab.read(text)
	for i := range fs.list {
		c := &fs.list[i]
		if c.bare || c.part {
			continue
		}
		if k.exhausted(nil) {
			return
		}
		claim := k.claim(around(text, c.start, c.end), at.path)
		claim.Support = chargehand.Supported
		r, ok := g.supports(c)
		if ok {
			claim.Source = g.passageOf(r, 0)
			continue
		}
		k.unfounded(claim, at, text[c.start:c.end], c)
	}
	for _, n := range fs.names() {
		if k.exhausted(nil) {
			return
		}
		if !heading(text, n) {
			k.foundName(at, n)
		}
	}
}

// unfounded adds the finding about a figure that no input has.
func (k *check) unfounded(claim *chargehand.Claim, at place, said string, c *figure) {
	g := k.inputGrounds()
	if k.exhausted(claim) {
		return
	}
	f := k.contradict(c.kind.rule(), at.path)
	f.Quote = visible(said, maxShown)
	claim.Support = chargehand.Unsupported
	f.Message = fmt.Sprintf("Output says %s; nothing in the input says so.", visible(said, 60))
	if r := g.rival(c, true); r != nil {
		claim.Support, claim.Source = chargehand.Contradicted, g.passageOf(*r, 0)
		f.Message = fmt.Sprintf("Output says %s; the input says %s.", visible(said, 60), g.wordsOf(*r))
		f.Source = claim.Source
	}
}

func (k *check) foundName(at place, n name) {
	standing := k.inputGrounds().stands(n)
	if standing != stands && k.exhausted(nil) {
		return
	}
	if n.weak {
		if standing == missing && len(n.text) > 3 {
			k.find(chargehand.LayerConsistency, "name", chargehand.SeverityWarning, at.path).Message = fmt.Sprintf("Output says %s, a word that no input has.", quoted(n.text))
		}
		return
	}
	claim := k.claim(n.text, at.path)
	claim.Support = chargehand.Supported
	severity, message := chargehand.SeverityError, "Output names %s; nothing in the input does."
	switch standing {
	case stands:
		return
	case scattered:
		claim.Support, severity = chargehand.Partly, chargehand.SeverityWarning
		message = "Output names %s; the input has these words, but not together."
	default:
		claim.Support = chargehand.Unsupported
	}
	f := k.find(chargehand.LayerConsistency, "name", severity, at.path)
	f.Message, f.Quote = fmt.Sprintf(message, visible(n.text, 60)), visible(n.text, maxShown)
}

// longestHeading is how many bytes a line may have on either side of a name and still be a heading.
const longestHeading = 200

// heading reports whether n stands in a line that titles what follows.
func heading(text string, n name) bool {
	before := text[max(0, n.start-longestHeading):n.start]
	after := text[n.start:min(len(text), n.start+longestHeading)]
	i, j := strings.LastIndexByte(before, '\n'), strings.IndexByte(after, '\n')
	if i < 0 && len(before) == longestHeading || j < 0 && len(after) == longestHeading {
		return false
	}
	if j < 0 {
		j = len(after)
	}
	line := strings.TrimSpace(before[i+1:] + after[:j])
	return strings.HasPrefix(line, "#") || strings.HasSuffix(line, ":")
}

// around is a figure with the words beside it, for a claim.
func around(text string, start, end int) string {
	from := boundary(text, max(0, start-40))
	to := boundary(text, min(len(text), end+40))
	return strings.TrimSpace(text[from:to])
}
