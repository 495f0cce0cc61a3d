package pattern

import (
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A party is one side of the contract: its full name and the short one it is given. Either span
// may be empty.
type party struct{ name, short clause.Span }

// suffix are the forms of company that end a name.
const suffix = `Inc(?:orporated)?\b\.?|INC(?:ORPORATED)?\b\.?|LLC\b|L\.\s?L\.\s?C\.?|Ltd\b\.?|LTD\b\.?|Limited\b|LIMITED\b|Corp(?:oration)?\b\.?|CORP(?:ORATION)?\b\.?|` +
	`Company\b|COMPANY\b|Co\b\.?|CO\b\.?|L\.\s?P\.?|LP\b|LLP\b|L\.L\.P\.?|N\.\s?A\.?|S\.\s?A\.?(?:\s?S\.?)?|A\.G\.|AG\b|GmbH\b|GMBH\b|B\.\s?V\.?|N\.\s?V\.?|PLC\b|plc\b|P\.C\.|Pty\b\.?|S\.p\.A\.?|S\.r\.l\.?|A/S|AB\b|KK\b|Trust\b|University\b|Association\b`

var (
	between = regexp.MustCompile(`(?i)\b(?:between|among|amongst|(?:entered\s+into|made|executed)\s+by|parties(?:\s+to\s+this\s+agreement)?(?:\s+are)?\s*:)[\s,:]+`)
	closing = regexp.MustCompile(`WHEREAS|\bWhereas\b|WITNESSETH|W\s?I\s?T\s?N\s?E\s?S\s?S\s?E\s?T\s?H|RECITALS?\b|Recitals?\b|BACKGROUND|NOW,?\s+THEREFORE|Now,?\s+therefore|(?i:\bin\s+consideration\s+of\b)|(?i:table\s+of\s+contents)|(?i:\bagree\s+as\s+follows)|\n\s*(?:ARTICLE|Article|SECTION)\s|\s1\.0?\s+[A-Z]|\sI\.\s+[A-Z]|\n\s*1\s{2,}[A-Z]`)

	// again begins the preamble after a title page that names the parties too.
	again = regexp.MustCompile(`(?i:\bby\s+and\s+(?:between|among)\b|\bthis\s+(?:[a-z-]+\s+){0,5}agreement\b)`)

	// defined is a short name being given: (the "Company"), (hereinafter referred to as "X").
	defined = regexp.MustCompile(`\([^()"“”]{0,160}["“']+([^"”“]{1,60}?)[,.]?["”']+[^()]{0,160}\)|` +
		`(?i:hereinafter|herein|hereafter)[^"“().]{0,60}["“]([^"”“]{1,60}?)[,.]?["”]|` +
		`(?i:called|referred\s+to\s+as|known\s+as|\()(?:\s*the)?\s*['‘]([^'’]{1,60})['’]\)?|` +
		`\(([A-Z][A-Z0-9&. ]{1,14})\)`)

	company  = regexp.MustCompile(`[A-Z][\w&.'’/-]*(?:\s+(?:[A-Z0-9&][\w&.'’/-]*|of|the|de|-)){0,7}?,?\s+(?:` + suffix + `)`)
	opener   = regexp.MustCompile(`^(?:[\s,;:.*_-]|\((?i:\d|[ivx]+|[a-c])\)|(?i:and|by|between|among|on the (?:one|other) (?:hand|part)|the following parties|is|made|is made)\b|[(]?[12][.)]\s)+`)
	nameEnd  = regexp.MustCompile(`^(.{2,90}?)(?:\s*\(|\s*[;]|\s+-\s|,\s*(?:[Aa]n?\b|[Tt]he\b|with\b|having\b|whose\b|located\b|organized\b|incorporated\b|duly\b|acting\b|as\b|its\b|on behalf|and\s|\d|residing|which\b|by\b|in\b|at\b|doing\b|of\b|individual|collectively|hereinafter|herein\b)|\s+(?:[Aa]n?\s+[\w\s]{0,40}(?:corporation|company|partnership|individual|association|entity|trust|resident|person|limited)|located|having|with\s+(?:its|offices|an?)|whose|organized|incorporated|residing|of\s+\d|of\s+P|at\s+\d|is\b|existing|hereinafter|herein\b|\d+\s|acting|on\s+behalf|doing\s+business|d/b/a|c/o\s|through\s+its\s|P\.?O\.?\s)|,\s*$|$)`)
	tailForm = regexp.MustCompile(`^,?\s*(?:` + suffix + `)`)
)

// common are defined words that name no party.
var common = map[string]bool{
	"agreement": true, "effective date": true, "effectivedate": true, "party": true, "parties": true, "contract": true, "term": true,
	"territory": true, "products": true, "services": true, "this agreement": true, "initial term": true, "date": true, "software": true,
}

// parties reads the opening of the contract.
func (d *Document) parties() []party {
	head := d.text[:min(len(d.text), opening)]
	var best []party
	for _, m := range between.FindAllStringIndex(head, -1) {
		end := min(len(d.text), m[1]+3000)
		for _, stop := range []*regexp.Regexp{closing, again} {
			if c := stop.FindStringIndex(d.text[m[1]:end]); c != nil && c[0] > 0 {
				end = m[1] + c[0]
			}
		}
		if ps := d.partiesIn(m[1], end); score(ps) > score(best) {
			best = ps
		}
		if score(best) >= 4 {
			return best
		}
	}
	if score(best) < 2 { // a letter, or a form without the usual words
		best = d.partiesIn(0, len(head)/2)
	}
	return best
}

// score counts how much is known: two names and two short names make four.
func score(ps []party) int {
	n := 0
	for _, p := range ps {
		if p.name.End > 0 {
			n++
		}
		if p.short.End > 0 {
			n++
		}
	}
	return n
}

// apart is how far a party may stand from the one before it, in bytes.
const apart = 450

// partiesIn reads names and the short names given to them from text[start:end].
func (d *Document) partiesIn(start, end int) []party {
	var out []party
	from := start
	for _, m := range defined.FindAllStringSubmatchIndex(d.text[start:end], -1) {
		if len(out) >= 2 && start+m[0]-from > apart || len(out) == 6 {
			break
		}
		short := d.shortIn(start, m)
		word := strings.TrimPrefix(lowerASCII(strings.Join(strings.Fields(d.text[short.Start:short.End]), " ")), "the ")
		if common[word] {
			if len(out) >= 2 {
				break
			}
			continue
		}
		p := party{short: short, name: d.nameIn(from, start+m[0], len(out) > 0)}
		joint := len(out) > 0 && strings.Contains(d.lower[start+m[0]:start+m[1]], "collective")
		if from = start + m[1]; p.name.End > 0 || joint {
			out = append(out, p)
		}
	}
	if len(out) < 2 {
		out = append(out, d.companiesIn(from, min(end, from+apart), 2-len(out))...)
	}
	return out
}

// shortIn returns the short name of a match of defined, without its article.
func (d *Document) shortIn(start int, m []int) clause.Span {
	g := 2
	for m[g] < 0 {
		g += 2
	}
	s := trim(d.text, clause.Span{Start: start + m[g], End: start + m[g+1]})
	if rest := d.text[s.Start:s.End]; len(rest) > 4 && strings.EqualFold(rest[:4], "the ") {
		s.Start += 4
	}
	return s
}

// companiesIn returns up to n names that end in a form of company.
func (d *Document) companiesIn(start, end, n int) []party {
	var out []party
	for _, m := range company.FindAllStringIndex(d.text[start:max(start, end)], -1) {
		s := clause.Span{Start: start + m[0], End: start + m[1]}
		if !describes(d.text[s.Start:s.End]) && len(out) < n {
			out = append(out, party{name: s})
		}
	}
	return out
}

// form is what kind of company a party is.
var form = regexp.MustCompile(`^(?:corporation|company|limited|partnership|llc|inc)`)

// describes reports whether s describes a company rather than naming it: "A Texas Corporation".
func describes(s string) bool {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if strings.HasPrefix(s, "a ") || strings.HasPrefix(s, "an ") {
		return true
	}
	at := placeIn().FindStringIndex(s)
	return at != nil && at[0] == 0 && form.MatchString(strings.TrimSpace(s[at[1]:]))
}

// nameIn returns the name in text[start:end], before the place where it is shortened. It begins the
// text, or, once there is another party, may follow the last words about that one.
func (d *Document) nameIn(start, end int, another bool) clause.Span {
	s := d.nameAt(start, end)
	if s.End > 0 || !another {
		return s
	}
	for _, m := range slices.Backward(conjunction.FindAllStringIndex(d.text[start:end], -1)) {
		if s := d.nameAt(start+m[0], end); s.End > 0 && !describes(d.text[s.Start:s.End]) {
			return s
		}
	}
	if all := d.companiesIn(start, end, 9); len(all) > 0 {
		return all[len(all)-1].name
	}
	return clause.Span{}
}

var conjunction = regexp.MustCompile(`\b(?i:and|between)\b|\([1-9a-d]\)`)

// nameAt returns the name that text[start:end] begins with.
func (d *Document) nameAt(start, end int) clause.Span {
	for {
		n := len(opener.FindString(d.text[start:end]))
		if n == 0 {
			break
		}
		start += n
	}
	part := strings.ReplaceAll(d.text[start:end], "\n", " ")
	m := nameEnd.FindStringSubmatchIndex(part)
	if m == nil || !plausible(part[:m[3]]) {
		return clause.Span{}
	}
	s := clause.Span{Start: start, End: start + m[3]}
	s.End += len(tailForm.FindString(d.text[s.End:end]))
	if s = trim(d.text, s); describes(d.text[s.Start:s.End]) {
		return clause.Span{}
	}
	return s
}

// plausible reports whether s can be a name: few words, and it begins with a capital or a blank.
func plausible(s string) bool {
	first := s[0]
	starts := first >= 'A' && first <= 'Z' || first >= '0' && first <= '9' || first == '_' || first == '[' || first >= 0x80 || strings.HasPrefix(s, "the ")
	return starts && len(strings.Fields(s)) <= 11
}

// partyQuotes quotes each name, and each short name that is not part of a quoted name.
func partyQuotes(d *Document, _ []clause.Span) []clause.Quote {
	var out []clause.Quote
	ps := d.parties()
	for _, p := range ps {
		if p.name.End > 0 {
			out = append(out, clause.Quote{Span: p.name})
		}
	}
	names := len(out)
	for _, p := range ps {
		if p.short.End == 0 {
			continue
		}
		inName := slices.ContainsFunc(out[:names], func(q clause.Quote) bool {
			return strings.Contains(d.lower[q.Start:q.End], d.lower[p.short.Start:p.short.End])
		})
		if !inName {
			out = append(out, clause.Quote{Span: p.short})
		}
	}
	slices.SortFunc(out, func(a, b clause.Quote) int { return a.Start - b.Start })
	return slices.CompactFunc(out, func(next, kept clause.Quote) bool { return next.Start < kept.End })
}

// partyAnswer lists names with their short names: `Acme, Inc. ("Acme"); Beta LLC ("Beta")`.
func partyAnswer(d *Document, _ []clause.Quote) string {
	var out []string
	for _, p := range d.parties() {
		name := strings.Join(strings.Fields(d.text[p.name.Start:p.name.End]), " ")
		short := strings.Join(strings.Fields(d.text[p.short.Start:p.short.End]), " ")
		switch {
		case name != "" && short != "":
			out = append(out, name+` ("`+short+`")`)
		case name+short != "":
			out = append(out, name+short)
		}
	}
	return strings.Join(out, "; ")
}
