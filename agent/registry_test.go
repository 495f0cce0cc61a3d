package agent

import "testing"

// TestNamesOfWorkers: a planner is not told who works, and is told what a word only resembles.
func TestNamesOfWorkers(t *testing.T) {
	for text, want := range map[string]bool{
		"extracts clauses":           false,
		"pre-extracted text":         false,
		"helps extract with dates":   true,
		"helps extract.":             true,
		"extracts what extract left": true,
		"extract":                    true,
		"über_extract":               false,
		"":                           false,
	} {
		if got := holdsName(text, "extract"); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	if holdsName("anything", "") {
		t.Error("no name stands everywhere")
	}
}
