package chargehand

import "testing"

func TestNear(t *testing.T) {
	known := []string{"capabilities", "clause-findings", "clause-summary", "tier", "id", "deps", "high", "timeoutMs"}
	for word, want := range map[string]string{
		"capabilites":     "capabilities",    // a letter missing
		"capabiliites":    "capabilities",    // two swapped, in effect
		"cpaabilities":    "capabilities",    // two swapped
		"capabilitiess":   "capabilities",    // one too many
		"clause-finding":  "clause-findings", // a beginning
		"clauseFindings":  "clause-findings", // joined otherwise
		"clause_summary":  "clause-summary",
		"clause":          "clause-findings", // the first among equals
		"timeout_ms":      "timeoutMs",
		"TIER":            "tier",
		"teir":            "tier",
		"dep":             "deps",
		"hihg":            "high",
		"xy":              "", // two slips in a word of two letters is another word
		"budget":          "",
		"":                "",
		"capability":      "capabilities", // a shared beginning
		"capabilitiesXYZ": "capabilities",
	} {
		if got := Near(word, known); got != want {
			t.Errorf("Near(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xbc", 1}, {"abcd", "badc", 2}, {"abc", "cab", 2}, {"abcdef", "abc", 3}} {
		if got := slips(c.a, c.b); got != c.want {
			t.Errorf("slips(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := slips(c.b, c.a); got != c.want {
			t.Errorf("slips(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
