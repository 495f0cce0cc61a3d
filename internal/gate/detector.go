package gate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// A detector is a table of patterns and what a match of one means (SPEC.md ·62). It is a signal,
// no safeguard: whoever knows the table can write around it (RELIABILITY.md §1.2).
type detector struct {
	severity chargehand.Severity // where a team sets no other
	rows     []detectorRow
	quotes   bool // verbatim quotes of a source are looked at as well
}

// A detectorRow is one kind of thing a detector knows.
type detectorRow struct {
	what   string   // "an e-mail address"
	needs  []string // lower case; a text with none of them is not searched. Empty means any text
	digits int      // a text with fewer is not searched
	length int      // a text with fewer bytes is not searched
	re     *regexp.Regexp
	whole  bool                            // no letter or digit may touch the match
	fits   func(match, around string) bool // nil means that every match counts; around is the text before it
}

var detectors = map[chargehand.Detector]*detector{
	chargehand.DetectSecrets:      {severity: chargehand.SeverityError, rows: secretRows, quotes: true},
	chargehand.DetectInjection:    {severity: chargehand.SeverityReview, rows: injectionRows},
	chargehand.DetectPersonalData: {severity: chargehand.SeverityWarning, rows: personalRows},
	chargehand.DetectURLs:         {severity: chargehand.SeverityWarning, rows: urlRows},
}

func detectorNames() string {
	return "personal_data, secrets, external_urls or injection"
}

// Bounds of detection: how often one detector speaks up about one output, and how much text the
// regular expressions of all detectors read.
const (
	maxDetections = 50
	maxDetected   = 32 << 20 // bytes
)

// detect runs one detector over the texts of the output.
func (k *check) detect(rule detectorRule) {
	d, det, own := rule.name, detectors[rule.name], k.texts()
	n := 0
	told := map[string]int{} // what was found, and in which text last
	for i := range det.rows {
		row := &det.rows[i]
		if !row.worthwhile(own, det.quotes) {
			continue
		}
		for at, t := range own.list {
			if t.verbatim && !det.quotes || !row.possible(t) {
				continue
			}
			if k.detected += len(t.text); k.detected > maxDetected || k.effort.halted(len(t.text)) {
				k.giveUp(chargehand.LayerRules, "the detectors read at most "+grouped(maxDetected)+" bytes of one output")
				return
			}
			m, ok := row.first(t.text)
			if !ok || told[row.what] == at+1 {
				continue
			}
			told[row.what] = at + 1
			if n++; n > maxDetections {
				return
			}
			//guard:injection-label off=if d == chargehand.DetectInjection { f.Severity = chargehand.SeverityWarning }
			//guard:secret-in-output off=if d == chargehand.DetectSecrets { f.Severity = chargehand.SeverityWarning }
			f := k.find(chargehand.LayerRules, string(d), rule.severity, pathOfText(k.output, at))
			f.Message, f.Quote = fmt.Sprintf("The output contains what looks like %s (%s).", row.what, masked(m)), masked(m)
		}
	}
}

// worthwhile rules out most rows for the whole output at once.
func (r *detectorRow) worthwhile(own *outputTexts, quotes bool) bool {
	return len(r.needs) == 0 || slices.ContainsFunc(r.needs, func(need string) bool {
		return has(own.words, need) || quotes && has(own.quotes, need)
	})
}

func has(x *gramIndex, word string) bool {
	if len(word) < leastGram {
		return strings.Contains(x.text, word)
	}
	return x.has(word)
}

// possible rules out one text without a regular expression.
func (r *detectorRow) possible(t outputText) bool {
	if t.digits < r.digits || len(t.text) < r.length {
		return false
	}
	lower := strings.ToLower(t.text)
	return len(r.needs) == 0 || slices.ContainsFunc(r.needs, func(need string) bool { return strings.Contains(lower, need) })
}

// first is the first match that counts.
func (r *detectorRow) first(text string) (string, bool) {
	for _, m := range r.re.FindAllStringIndex(text, -1) {
		match := text[m[0]:m[1]]
		if r.whole && (touches(text, m[0], -1) || touches(text, m[1], 1)) {
			continue
		}
		if r.fits == nil || r.fits(match, text[:m[0]]) {
			return match, true
		}
	}
	return "", false
}

// touches reports whether a letter or digit stands right before (side -1) or after offset i.
func touches(s string, i, side int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	if side < 0 {
		r, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// masked shows the outer characters of what was found: enough to find it, too little to use it.
func masked(s string) string {
	rs := []rune(s)
	if len(rs) < 12 {
		return visible(string(rs[:len(rs)/3]), maxShown) + "…"
	}
	return visible(string(rs[:4]), 40) + "…" + visible(string(rs[len(rs)-2:]), 40)
}

// outputTexts are the texts of an output, its keys among them, as detectors see them.
type outputTexts struct {
	list   []outputText
	words  *gramIndex // of the worker's own, in lower case
	quotes *gramIndex // of the rest
}

type outputText struct {
	text     string
	digits   int
	verbatim bool // a quote that stands in its source: not the worker's own words
}

// texts reads the texts of the output, once.
func (k *check) texts() *outputTexts {
	if k.written != nil {
		return k.written
	}
	quotes := map[string]bool{}
	for _, it := range k.items {
		if it.verbatim {
			quotes[it.quote] = true
		}
	}
	own := &outputTexts{}
	var words, verbatim strings.Builder
	walkTexts(k.output, map[string]bool{}, func(s string) {
		t := outputText{text: s, digits: countDigits(s), verbatim: quotes[s]}
		into := &words
		if t.verbatim {
			into = &verbatim
		}
		if isHash(s) {
			t = outputText{}
		}
		into.WriteString(t.text)
		into.WriteByte('\n')
		own.list = append(own.list, t)
	})
	own.words, own.quotes = newGramIndex(strings.ToLower(words.String())), newGramIndex(strings.ToLower(verbatim.String()))
	k.written = own
	return own
}

// walkTexts visits every text, and every key once, in order.
func walkTexts(v any, keys map[string]bool, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			walkTexts(e, keys, visit)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if !keys[key] {
				keys[key] = true
				visit(key)
			}
			walkTexts(v[key], keys, visit)
		}
	}
}

// pathOfText is the path of the n-th text that walkTexts visits; of a key, the object that has it.
func pathOfText(output any, n int) []string {
	var found []string
	var find func(v any, path []string, keys map[string]bool) bool
	find = func(v any, path []string, keys map[string]bool) bool {
		switch v := v.(type) {
		case string:
			found = path
			n--
			return n >= 0
		case []any:
			for i, e := range v {
				if !find(e, append(path, strconv.Itoa(i)), keys) {
					return false
				}
			}
		case map[string]any:
			for _, key := range sortedKeys(v) {
				if !keys[key] {
					keys[key] = true
					if !find(key, path, keys) {
						return false
					}
				}
				if !find(v[key], append(path, key), keys) {
					return false
				}
			}
		}
		return true
	}
	find(output, nil, map[string]bool{})
	return slices.Clone(found)
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

// isHash reports whether s is a content hash.
func isHash(s string) bool {
	digest, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(digest) == 64 && strings.Trim(digest, "0123456789abcdef") == ""
}
