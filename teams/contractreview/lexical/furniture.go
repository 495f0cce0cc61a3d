package lexical

import "strings"

// furniture reports whether a line is no part of the contract's wording: a page number, a filing
// footer ("Source: X, INC., 10-K, 1/1/2010"), a rule of dashes.
func furniture(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > 160 {
		return false
	}
	return footer(line) || pageNumber(line) || rule(line)
}

// footer recognises "Source:" with a date at the end.
func footer(line string) bool {
	if !strings.HasPrefix(line, "Source: ") {
		return false
	}
	last := line[strings.LastIndexByte(line, ' ')+1:]
	return strings.Count(last, "/") == 2 && strings.Trim(last, "0123456789/") == ""
}

// pageNumber recognises "12", "- 12 -", "Page 3 of 9", "iv", "A-3".
func pageNumber(line string) bool {
	if len(line) > 20 {
		return false
	}
	s := strings.ToLower(strings.Trim(line, "-–— []"))
	if rest, ok := strings.CutPrefix(s, "page "); ok {
		return strings.Trim(rest, "0123456789 of/") == ""
	}
	if s != "" && len(s) <= 4 && strings.Trim(s, "0123456789") == "" {
		return true
	}
	if len(s) <= 4 && s != "" && strings.Trim(s, "ivx") == "" {
		return true
	}
	letter, digits, ok := strings.Cut(s, "-")
	return ok && len(letter) == 1 && len(digits) <= 2 && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// runners returns the short lines that stand alone between empty lines three times or more, figures
// apart: the running heads and feet of the pages.
func runners(text string) map[string]bool {
	count := map[string]int{}
	before, line := "", ""
	for next := range strings.SplitSeq(text+"\n", "\n") {
		next = strings.TrimSpace(next)
		if n := len(figureless(line)); n >= 3 && n <= 80 && before == "" && next == "" {
			count[figureless(line)]++
		}
		before, line = line, next
	}
	heads := map[string]bool{}
	for line, n := range count {
		heads[line] = n >= 3
	}
	return heads
}

// figureless drops digits and the space around a line.
func figureless(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, line))
}

func rule(line string) bool { return len(line) > 3 && strings.Trim(line, "-_=* ") == "" }
