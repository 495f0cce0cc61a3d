package agent

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// Every demand that a contract can make is said, with the contract's own names in place.
func TestDemands(t *testing.T) {
	got := demands(&chargehand.Contract{
		Items:        &chargehand.ItemRule{Path: "/list", Key: "about", Present: "there", Quote: "words", Answer: "says", Grounded: []string{"amount"}},
		Statements:   &chargehand.StatementRule{Path: "/said", Text: "sentence", Evidence: "rests"},
		Grounded:     []string{"", "/summary"},
		Calculations: []chargehand.Calculation{{Path: "/total", Equals: "output.a + output.b"}},
		Rules: []chargehand.Rule{
			{CEL: "size(output.summary) < 200 &&\n\t\ttrue", Message: "The summary is more than 100% of what it may be."},
			{Each: "/list", CEL: "item.about != ''", Message: "It is about nothing."},
		},
		Detectors: chargehand.Detect(chargehand.DetectPersonalData, chargehand.DetectSecrets, chargehand.DetectURLs, chargehand.DetectInjection),
	})
	for _, want := range []string{
		`"/list"`, `"about"`, `"there" true`, `"words"`, `"says"`, `"amount"`, `"/said"`, `"sentence"`, `"rests"`, "name at the output stands", `"/summary"`,
		"must equal output.a + output.b",
		"must hold, in CEL over your \"output\" and your \"task\": `size(output.summary) < 200 && true`. Where it does not, you are told what is wrong: \"The summary is more than 100% of what it may be.\"",
		"must hold for each \"item\" of the list at \"/list\", in CEL: `item.about != ''`. Where it does not, you are told what is wrong: \"It is about nothing.\"",
		"no passwords", "no personal data", "other sites", "instructions to its reader",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %s", want)
		}
	}
	if strings.Contains(got, "%!") || strings.Count(got, "\n- ") != 18 {
		t.Errorf("%d demands:\n%s", strings.Count(got, "\n- "), got)
	}
	if demands(nil) != "" || demands(&chargehand.Contract{}) != "" {
		t.Error("a contract that demands nothing is spoken of")
	}
}
