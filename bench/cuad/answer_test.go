package main

import "testing"

func TestSameAnswer(t *testing.T) {
	for _, tt := range []struct {
		category, truth, given string
		want                   bool
	}{
		{"Agreement Date", "8/9/99", "08/09/1999", true},
		{"Agreement Date", "[]/[]/2004", "[]/[]/2004", true},
		{"Expiration Date", "perpetual", "Perpetual", true},
		{"Agreement Date", "8/9/99", "09/08/1999", false},
		{"Agreement Date", "8/9/99", "", false},
		{"Governing Law", "New York", "new york", true},
		{"Governing Law", "New York", "New Jersey", false},
		{"Parties", `Alder, Inc. ("Alder"); Birch`, `Birch ("B"); Alder Inc ("A")`, true},
		{"Parties", `Alder, Inc. ("Alder"); Birch`, `Alder, Inc.; Alder; Birch`, true},
		{"Parties", `Alder, Inc. ("Alder"); Birch`, `Alder, Inc. ("Alder")`, false},
		{"Parties", `Alder, Inc. ("Alder"); Birch`, `Alder, Inc.; Birch; Cedar`, false},
		{"Renewal Term", "0.5 year", "0.5 year", true},
		{"Warranty Duration", "Yes", "12 months", true},
		{"Warranty Duration", "Yes", "", false},
		{"Insurance", "Yes", "Yes", true},
	} {
		if got := sameAnswer(tt.category, tt.truth, tt.given); got != tt.want {
			t.Errorf("%s: %q and %q the same is %v, want %v", tt.category, tt.truth, tt.given, got, tt.want)
		}
	}
}

func TestJoined(t *testing.T) {
	for _, tt := range []struct {
		category string
		answers  []string
		want     string
	}{
		{"Insurance", nil, ""},
		{"Parties", []string{"Alder", "Birch"}, "Alder; Birch"},
		{"Expiration Date", []string{"until it ends", "05/01/2003"}, "05/01/2003"},
		{"Expiration Date", []string{"until it ends", "5 years"}, "until it ends"},
		{"Renewal Term", []string{"shall renew", "successive 1 year"}, "successive 1 year"},
		{"Governing Law", []string{"Yes", "Ohio"}, "Ohio"},
	} {
		if got := joined(tt.category, tt.answers); got != tt.want {
			t.Errorf("%s: %q joined is %q, want %q", tt.category, tt.answers, got, tt.want)
		}
	}
}
