package gate

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// secretRows know credentials by the marks their issuers put on them.
var secretRows = []detectorRow{
	{what: "a private key", needs: []string{"private key"}, re: regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{what: "an AWS access key", needs: []string{"akia", "asia"}, whole: true, re: regexp.MustCompile(`(?:AKIA|ASIA)[0-9A-Z]{16}`)},
	{what: "a GitHub token", needs: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, whole: true, re: regexp.MustCompile(`(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})`)},
	{what: "a GitLab token", needs: []string{"glpat-"}, re: regexp.MustCompile(`glpat-[A-Za-z0-9_\-]{20,}`)},
	{what: "a Slack token", needs: []string{"xox"}, re: regexp.MustCompile(`xox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{what: "a Slack webhook", needs: []string{"hooks.slack.com"}, re: regexp.MustCompile(`hooks\.slack\.com/services/T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,}`)},
	{what: "a model provider's key", needs: []string{"sk-"}, re: regexp.MustCompile(`\bsk-(?:proj-|ant-|or-)?[A-Za-z0-9_\-]{20,}`)},
	{what: "a Stripe key", needs: []string{"k_live_", "k_test_"}, re: regexp.MustCompile(`\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{what: "a Google key", needs: []string{"aiza", "ya29."}, re: regexp.MustCompile(`AIza[0-9A-Za-z_\-]{35}|ya29\.[0-9A-Za-z_\-]{20,}`)},
	{what: "an npm token", needs: []string{"npm_"}, re: regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}`)},
	{what: "a signed web token", needs: []string{"eyj"}, re: regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}`)},
	{what: "credentials in an address", needs: []string{"://"}, re: regexp.MustCompile(`[a-z][a-z0-9+.\-]*://[^\s/:@"']{1,100}:[^\s/:@"']{3,100}@`)},
	{
		what: "a password or key", needs: []string{"passw", "secret", "token", "api_key", "apikey", "api-key", "pwd", "bearer"},
		re:   regexp.MustCompile(`(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|bearer)["']?\s{0,3}(?:[:=]\s{0,3}|\s)["']?[A-Za-z0-9+/_.\-~!@#$%^&*]{12,200}`),
		fits: func(m, _ string) bool { return looksRandom(m) },
	},
}

// looksRandom reports whether the last word of m mixes letters and digits as a key does and
// ordinary prose does not.
func looksRandom(m string) bool {
	words := strings.FieldsFunc(m, func(r rune) bool { return strings.ContainsRune(" \t\n:='\"", r) })
	last := words[len(words)-1]
	digits, upper, lower := 0, 0, 0
	for _, r := range last {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case 'A' <= r && r <= 'Z':
			upper++
		case 'a' <= r && r <= 'z':
			lower++
		}
	}
	return len(last) >= 12 && digits >= 2 && upper+lower >= 3
}

// urlRows know addresses that lead out.
var urlRows = []detectorRow{
	{
		what: "a link to an outside address", needs: []string{"://", `:\/\/`},
		re:   regexp.MustCompile(`(?i)\b(?:https?|ftps?|wss?|sftp|ssh|git|file|ldap|gopher|smb)(?:\+\w+)?:(?:\\?/){2}[^\s"'<>)\]}]+`),
		fits: func(m, _ string) bool { return external(m) },
	},
	{
		what: "a link to an outside address", needs: []string{"//"},
		re:   regexp.MustCompile(`(?i)(?:src|href|action|url|import|from)\s{0,3}[=(:]\s{0,3}["']?//[\pL\pN][^\s"'<>)]+`),
		fits: func(m, _ string) bool { return external("http:" + m[strings.Index(m, "//"):]) },
	},
	{
		what: "a link to an outside address", needs: []string{"www."},
		re:   regexp.MustCompile(`(?i)\bwww\.[\pL\pN-]+(?:\.[\pL\pN-]+)+`),
		fits: func(m, before string) bool { return !strings.HasSuffix(before, "/") && external("http://"+m) },
	},
	{what: "a link that carries data or code", needs: []string{"data:", "javascript:"}, re: regexp.MustCompile(`(?i)\b(?:javascript:\s{0,3}\S+|data:[a-z]+/[a-z0-9.+-]+[;,])`)},
}

// reserved are the ends of host names that lead nowhere outside (RFC 2606, RFC 6761, RFC 6762, RFC 8375).
var reserved = []string{"localhost", ".localhost", ".test", ".invalid", ".example", ".local", ".internal", ".home.arpa", "example.com", "example.org", "example.net"}

// external reports whether a link leads out of the machine and its network. What cannot be read is
// taken to.
func external(link string) bool {
	u, err := url.Parse(strings.ReplaceAll(link, `\/`, "/"))
	if err != nil {
		return true
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return !addr.IsLoopback() && !addr.IsPrivate() && !addr.IsLinkLocalUnicast() && !addr.IsUnspecified()
	}
	if u.Scheme == "file" && host == "" {
		return false
	}
	for _, end := range reserved {
		if host == end || strings.HasPrefix(end, ".") && strings.HasSuffix(host, end) || strings.HasSuffix(host, "."+end) {
			return false
		}
	}
	return true
}
