package supervise

import (
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// What one record may hold of texts that come from outside, in bytes of JSON. Together they keep
// every record below the journal's limit (SPEC.md ·3).
const (
	maxText    = 2_000 // free text: a correction, a reason, a comment
	maxSummary = 800
	maxClause  = 300 // one sentence
	maxQuote   = 120
	maxName    = 200 // a principal, or what was asked for
	maxToken   = 80  // an identifier, a hash, a path

	maxFindings = 8 // of a verdict; the rest is under its reference
	maxMissing  = 16
	maxBlockers = 8
	maxEvidence = 12
)

// clip cuts a text to what n bytes of JSON hold, at a rune's end, and mends what is not UTF-8.
func clip(s string, n int) string {
	size := 0
	for i, r := range s {
		if size += width(r); size > n {
			return strings.ToValidUTF8(s[:i], "\uFFFD") + "…"
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func clipAll(list []string, most, each int) []string {
	var out []string
	for _, s := range first(list, most) {
		out = append(out, clip(s, each))
	}
	return out
}

// width is how many bytes a rune takes in JSON.
func width(r rune) int {
	switch {
	case r == '"' || r == '\\':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return utf8.RuneLen(r)
}

// written is how many bytes a text takes in JSON, with its quotation marks.
func written(s string) int {
	n := 2
	for _, r := range s {
		n += width(r)
	}
	return n
}

func first[T any](list []T, n int) []T {
	if len(list) > n {
		return list[:n]
	}
	return list
}

// brief is a verdict as a record holds it.
func brief(v chargehand.Verdict) chargehand.Verdict {
	v.Claims, v.Reasoning, v.Feedback = nil, clip(v.Reasoning, maxSummary), clip(v.Feedback, maxText)
	v.Rework = chargehand.Rework(clip(string(v.Rework), maxToken))
	v.Validator, v.ValidatorVersion = clip(v.Validator, maxToken), clip(v.ValidatorVersion, maxToken)
	v.Missing = clipAll(v.Missing, maxMissing, maxToken)
	if !storable(v.Criteria) {
		v.Criteria = nil
	}
	var issues []chargehand.Finding
	for _, f := range first(v.Issues, maxFindings) {
		issues = append(issues, briefFinding(f))
	}
	v.Issues = issues
	return v
}

// storable reports whether criteria come back from a record as they are, and take little of it.
func storable(criteria map[string]bool) bool {
	size, mended := 0, false
	for name := range criteria {
		size += written(name) + len(":false,")
		mended = mended || !utf8.ValidString(name)
	}
	return size <= maxSummary && !mended
}

func briefFinding(f chargehand.Finding) chargehand.Finding {
	f.ID, f.Layer = clip(f.ID, maxToken/4), chargehand.Layer(clip(string(f.Layer), maxToken/4))
	f.Severity = chargehand.Severity(clip(string(f.Severity), maxToken/4))
	f.Rule, f.Path = clip(f.Rule, maxToken), clip(f.Path, maxToken)
	f.Message, f.Quote = clip(f.Message, maxClause), clip(f.Quote, maxQuote)
	if f.Source != nil {
		src := *f.Source
		src.Document, src.Quote = clip(src.Document, maxToken), clip(src.Quote, maxQuote)
		f.Source = &src
	}
	return f
}
