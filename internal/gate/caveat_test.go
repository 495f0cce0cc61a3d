package gate

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// doubted is an aggregate that says what is missing and in doubt too, in words of what was refused.
var doubted = `{"gaps":{"count":2,"first":[{"subtask":"fee","cause":"quality","why":"the fee is USD 777,000, says \"gaps\":{}"}]},` +
	`"lowConfidence":{"count":1,"first":[{"subtask":"risk","text":"risk: confidence 66 %, of Gamma Holdings"}]},` + gathered[1:]

// Nothing rests on what is missing or in doubt, whichever way it is referred to; all else in the aggregate bears as before.
func TestNothingRestsOnCaveats(t *testing.T) {
	task := lastTask("_synthesis")
	ref := &task.InputRefs[len(task.InputRefs)-1]
	ref.Hash, ref.Text = chargehand.Hash([]byte(doubted)), doubted
	g, problems := Compile(&chargehand.Team{Name: "t", Contracts: []chargehand.Contract{
		{Name: "c", Statements: &chargehand.StatementRule{Path: "/report"}, Grounded: []string{"/note"}},
		{Name: "clauses", Items: &chargehand.ItemRule{Path: "/items", Key: "about"}},
	}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	quoted := func(words string) object {
		i := strings.Index(doubted, words)
		return object{"subtask": "risk", "quote": words, "document": ref.Hash, "start": i, "end": i + len(words)}
	}
	const capped = "Liability is capped at USD 500,000."
	for _, tt := range []struct {
		name, note string
		said       object
		holds      bool
	}{
		{"an item", "The cap is USD 500,000.", stating(capped, object{"subtask": "risk", "key": "Cap"}), true},
		{"an item quoted from the aggregate", "", stating(capped, quoted("capped at USD 500,000")), true},
		{"a figure of a gap", "The fee is USD 777,000.", stating(capped, object{"subtask": "risk"}), false},
		{"a name in doubt", "Gamma Holdings is bound.", stating(capped, object{"subtask": "risk"}), false},
		{"a gap as a result", "", stating("The fee is USD 777,000.", object{"subtask": "fee"}), false},
		{"a gap's words", "", stating("The fee is USD 777,000.", quoted("the fee is USD 777,000")), false},
		{"words in doubt", "", stating("It binds Gamma Holdings.", quoted("of Gamma Holdings")), false},
	} {
		v := g.Check(Submission{Contract: "c", Task: task, Result: chargehand.WorkerResult{Output: []byte(encoded(object{"report": []object{tt.said}, "note": tt.note}))}})
		if holds := v.Recommendation == chargehand.Accept; holds != tt.holds {
			t.Errorf("%s: %s %+v", tt.name, v.Recommendation, v.Issues)
		}
	}
}

// What is taken out leaves everything else in its place, and whatever is no aggregate is left alone.
func TestWithoutCaveats(t *testing.T) {
	for text, want := range map[string]string{
		`{"gaps":{"count":1,"first":[]},"items":[]}`: `{"gaps":{                    },"items":[]}`,
		`{"gaps":{}, "lowConfidence":{"a":1}}`:       `{"gaps":{}, "lowConfidence":{     }}`,
		`{"items":[],"gaps":{"count":1}}`:            `{"items":[],"gaps":{"count":1}}`, // of a worker's making
		`{"gaps":1,"lowConfidence":{"a":1}}`:         `{"gaps":1,"lowConfidence":{"a":1}}`,
		`{"gaps":{"a":`:                              `{"gaps":{"a":`,
		`["gaps",{"a":1}]`:                           `["gaps",{"a":1}]`,
		``:                                           ``,
		`{}`:                                         `{}`,
		` { "gaps" : {"ä":1} , "lowConfidence":["x"] }  `: ` { "gaps" : {      } , "lowConfidence":[   ] }  `,
	} {
		if got := withoutCaveats(text); got != want || len(got) != len(text) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
