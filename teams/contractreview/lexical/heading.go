package lexical

import "strings"

// outline marks the headings among the sentences and tells every other sentence what it stands
// under. A heading numbered 7 or set in capitals is major; 7.2, (b) and unnumbered ones are minor.
func outline(ss []sentence) []sentence {
	var major, minor []word
	for i := range ss {
		s := &ss[i]
		number, rest := numbered(s.words)
		switch {
		case heading(s.words) || label(number, rest):
			s.title = true
			if big(number, rest) {
				major, minor = rest, nil
			} else {
				minor = rest
			}
		case number != "" && !strings.Contains(number, ".") && number[0] >= '0' && number[0] <= '9':
			major, minor = nil, nil
		}
		s.major, s.minor = major, minor
	}
	return ss
}

// label reports a numbered heading in lower case, such as "2.4 No exclusivity."
func label(number string, rest []word) bool {
	if number == "" || len(rest) > 5 || !rest[0].capital() {
		return false
	}
	for _, w := range rest {
		if verbs[w.lower] {
			return false
		}
	}
	return true
}

var verbs = lowers("shall will may must is are was has have can agrees grants applies does not")

func big(number string, rest []word) bool {
	if number == "" || strings.Contains(number, ".") {
		return number == "" && allUpper(rest)
	}
	return number[0] >= '0' && number[0] <= '9' || allUpper(rest)
}

func allUpper(ws []word) bool {
	for _, w := range ws {
		if !w.upper() && len(w.raw) > 1 && !w.number() {
			return false
		}
	}
	return true
}

// numbered takes the number of a list item or section off the front.
func numbered(ws []word) (number string, rest []word) {
	for n := 2; n >= 1; n-- {
		if len(ws) > n && enumerator(ws, 0, n) && closed(ws[n].lead) {
			return ws[n-1].raw, ws[n:]
		}
	}
	if len(ws) > 1 && ws[0].number() && mark(ws[0]) {
		return ws[0].raw, ws[1:]
	}
	return "", ws
}

func closed(g gap) bool { return g.stop || g.shut || g.dash || g.colon || g.lines > 0 }

// heading reports a run of at most eight words that are capitalised or join capitalised words.
func heading(ws []word) bool {
	_, rest := numbered(ws)
	if len(rest) == 0 || len(rest) > 8 {
		return false
	}
	names := 0
	for i, w := range rest {
		switch {
		case i > 0 && (w.lead.comma && len(rest) < 3 || w.lead.quote):
			return false
		case w.number():
		case w.capital():
			names++
		case !joiners[w.lower]:
			return false
		}
	}
	return names > 0
}

var joiners = lowers("of and to for the by on or in no with from upon a an without under")

func lowers(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
