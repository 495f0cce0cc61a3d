package gate

import (
	"net/netip"
	"regexp"
	"strings"
)

// personalRows know what identifies a person. Names and addresses are not among it: they need a
// model, and a contract review is full of them.
var personalRows = []detectorRow{
	{
		what: "an e-mail address", needs: []string{"@"},
		re: regexp.MustCompile(`[\pL\pN._%+\-]{1,64}@[\pL\pN\-]{1,63}(?:\.[\pL\pN\-]{1,63})+`),
	},
	{
		what: "an IBAN", digits: 10, whole: true,
		re:   regexp.MustCompile(`[A-Za-z]{2}\d{2}(?:[A-Za-z0-9]{11,30}|(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,3})?)`),
		fits: func(m, _ string) bool { return validIBAN(m) },
	},
	{
		what: "a payment card number", digits: 12, whole: true,
		re:   regexp.MustCompile(`\d(?:[ -]?\d){11,18}`),
		fits: func(m, _ string) bool { return validCard(m) },
	},
	{
		what: "a US social security number", digits: 9, whole: true,
		re:   regexp.MustCompile(`\d{3}[- ]\d{2}[- ]\d{4}`),
		fits: func(m, _ string) bool { return validSSN(m) },
	},
	{
		what: "a telephone number", digits: 7, whole: true,
		re:   regexp.MustCompile(`(?:\+|\()?\d(?:[ \t().\-/]{0,3}\d){5,15}(?:\s?(?:x|ext\.?)\s?\d{1,6})?`),
		fits: validPhone,
	},
	{
		what: "an internet address", digits: 4, whole: true,
		re:   regexp.MustCompile(`\d{1,3}(?:\.\d{1,3}){3}`),
		fits: validIP,
	},
	{
		what: "an internet address", needs: []string{":"}, digits: 2, whole: true,
		re:   regexp.MustCompile(`[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){3,7}`),
		fits: validIP,
	},
	{
		what: "a passport number", needs: []string{"passport"}, digits: 6, whole: true,
		re:   regexp.MustCompile(`[A-Z]{0,3}\d{6,9}`),
		fits: func(_, before string) bool { return lately(before, "passport") },
	},
	{
		what: "a driving licence number", needs: []string{"licen"}, digits: 6, whole: true,
		re: regexp.MustCompile(`[A-Z]{0,2}\d[\d-]{5,13}\d`),
		fits: func(_, before string) bool {
			return lately(before, "driver") || lately(before, "driving")
		},
	},
}

// lately reports whether word stands in the last 60 bytes.
func lately(before, word string) bool {
	return strings.Contains(strings.ToLower(before[max(0, len(before)-60):]), word)
}

func digitsOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// validIBAN checks the length and the check digits (ISO 13616: the rearranged number is 1 modulo 97).
func validIBAN(s string) bool {
	s = strings.ToUpper(strings.ReplaceAll(s, " ", ""))
	for len(s) > 34 || len(s) >= 15 && !mod97(s) {
		s = s[:len(s)-1] // a word may follow the number
	}
	return len(s) >= 15
}

func mod97(s string) bool {
	n := 0
	for _, r := range s[4:] + s[:4] {
		switch {
		case '0' <= r && r <= '9':
			n = (n*10 + int(r-'0')) % 97
		case 'A' <= r && r <= 'Z':
			n = (n*100 + int(r-'A') + 10) % 97
		default:
			return false
		}
	}
	return n == 1
}

// cardPrefixes are the first digits of payment card numbers (ISO/IEC 7812 issuers in use).
var cardPrefixes = regexp.MustCompile(`^(?:4|5[0-8]|6[0-9]|2[2-7]|3[0-9]|1800|2131|2014|2149)`)

// validCard checks issuer, grouping and check digit (Luhn).
func validCard(s string) bool {
	d := digitsOnly(s)
	first := strings.IndexAny(s, " -")
	if !cardPrefixes.MatchString(d) || strings.Trim(d, d[:1]) == "" || first >= 0 && first != 4 {
		return false
	}
	sum := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// validSSN leaves out the areas, groups and serials that are never issued.
func validSSN(s string) bool {
	d := digitsOnly(s)
	return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000"
}

var (
	dateLike = regexp.MustCompile(`^\(?(?:(?:19|20)\d\d[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d)(?:\s+\d{1,2})?$`)
	phoneCue = regexp.MustCompile(`(?i)(?:phone|tel|mobile|cell|fax|call|dial|ring|text|contact|whatsapp|number is|number:|reach)`)
)

// validPhone wants the form of a telephone number: a plus sign, brackets, separators, or a cue
// before a plain run of digits.
func validPhone(m, before string) bool {
	number := m
	if i := strings.IndexAny(strings.ToLower(m), "xe"); i > 0 {
		number = m[:i]
	}
	d := digitsOnly(number)
	if len(d) < 7 || len(d) > 15 || dateLike.MatchString(m) || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "$") || strings.HasSuffix(before, ",") {
		return false
	}
	if validSSNForm(m) || validCard(m) && len(d) >= 12 || validIP(number, "") || lately(before, "licen") {
		return false
	}
	separators := len(strings.FieldsFunc(number, func(r rune) bool { return '0' <= r && r <= '9' }))
	cue := phoneCue.MatchString(before[max(0, len(before)-40):])
	switch {
	case m[0] == '+' || strings.HasSuffix(before, "+"):
		return true
	case m[0] == '(' || strings.Contains(number, "("):
		return len(d) >= 8
	case separators >= 2:
		return len(d) >= 8 && evenGroups(number)
	}
	return cue || separators == 1 && (len(d) == 10 || d[0] == '0' && len(d) >= 9)
}

func validSSNForm(m string) bool {
	return len(m) == 11 && (m[3] == '-' || m[3] == ' ') && m[6] == m[3] && len(digitsOnly(m)) == 9
}

// evenGroups reports whether the digits stand in groups of two to five, as those of a telephone
// number do.
func evenGroups(s string) bool {
	for _, g := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(g) > 6 || len(g) < 1 {
			return false
		}
	}
	return true
}

// validIP leaves out what is no address, and version numbers ("version 1.2.3.4").
func validIP(m, before string) bool {
	addr, err := netip.ParseAddr(m)
	if err != nil || addr.IsUnspecified() || addr.IsLoopback() {
		return false
	}
	return !lately(before[max(0, len(before)-12):], "version") && !lately(before[max(0, len(before)-12):], "section")
}
