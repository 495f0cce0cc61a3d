package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// sameAnswer compares two normalised answers, whatever way either writes a date or a name.
func sameAnswer(category, truth, given string) bool {
	c, _ := clause.Lookup(category)
	switch {
	case c.Answer == clause.Date:
		return sameDate(truth, given)
	case category == parties:
		return sameParties(truth, given)
	case category == "Warranty Duration":
		return truth == given || strings.EqualFold(truth, "yes") && given != "" // the truth has only Yes
	}
	return letters(truth) == letters(given)
}

const parties = "Parties"

var (
	dateForm   = regexp.MustCompile(`(?i)^(?:[\d\[\]]+/[\d\[\]]+/[\d\[\]]+|perpetual)$`)
	lengthForm = regexp.MustCompile(`^(?:successive )?[\d.]+ [a-z]+$`)
)

// inForm reports whether an answer is normalised as its category asks, and not only a passage.
func inForm(category, answer string) bool {
	switch c, _ := clause.Lookup(category); c.Answer {
	case clause.Date:
		return dateForm.MatchString(answer)
	case clause.Duration:
		return lengthForm.MatchString(answer)
	case clause.Place:
		return answer != "Yes"
	}
	return true
}

var notLetter = regexp.MustCompile(`[^a-z0-9.]+`)

// letters drops case, punctuation and spacing.
func letters(s string) string {
	return strings.Trim(notLetter.ReplaceAllString(strings.ToLower(s), " "), " .")
}

// sameParties reports whether given names every party of the truth, and nobody else. A short name
// of the truth may be given as well.
func sameParties(truth, given string) bool {
	allowed := append(names(truth, true), names(truth, false)...)
	said := append(names(given, true), names(given, false)...)
	within := func(some, all []string) bool {
		return !slices.ContainsFunc(some, func(n string) bool { return !slices.Contains(all, n) })
	}
	return within(names(truth, false), said) && within(names(given, false), allowed)
}

// names lists the names in an answer such as `Acme, Inc. ("Acme"); Beta LLC`, or the short ones.
func names(answer string, short bool) []string {
	var out []string
	for part := range strings.SplitSeq(answer, ";") {
		name, rest, _ := strings.Cut(part, "(")
		if short {
			name = rest
		}
		if n := strings.TrimPrefix(strings.ReplaceAll(letters(name), ".", ""), "the "); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// sameDate compares dates written m/d/yy or mm/dd/yyyy.
func sameDate(a, b string) bool {
	return strings.EqualFold(a, b) || slices.Equal(parts(a), parts(b))
}

func parts(date string) []string {
	out := strings.Split(date, "/")
	for i, p := range out {
		n, err := strconv.Atoi(p)
		switch {
		case err != nil:
			continue
		case i == 2 && n < 50:
			n += 2000
		case i == 2 && n < 100:
			n += 1900
		}
		out[i] = strconv.Itoa(n)
	}
	return out
}

// excerpt returns the text of s on one line, shortened.
func excerpt(text string, s clause.Span) string {
	line := strings.Join(strings.Fields(text[s.Start:min(s.End, len(text))]), " ")
	const longest = 240
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "..."
	}
	return line
}
