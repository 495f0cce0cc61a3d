package gate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// reporting is a team whose last step writes statements over items and plain outputs.
func reporting(t testing.TB, what chargehand.OnUnsupported) *Gate {
	t.Helper()
	g, problems := Compile(&chargehand.Team{Name: "t", Contracts: []chargehand.Contract{
		{Name: "c", Statements: &chargehand.StatementRule{Path: "/report", Unsupported: what}},
		{Name: "clauses", Items: &chargehand.ItemRule{Path: "/items", Key: "about"}},
	}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return g
}

// gathered is an aggregate: two subtasks agree on the cap, one found the law, one wrote prose.
var gathered = encoded(object{
	"consistentPoints": []object{{"key": "Cap", "value": "present: 500000", "subtasks": []string{"risk", "second"}}},
	"conflicts":        []object{}, "missingEvidence": []object{}, "requiresHumanReview": false,
	"outputs": []object{{"subtask": "prose", "worker": "pat", "attempt": 1, "output": object{"text": "Beta GmbH owes 42 percent by May 8, 2014."}}},
	"items": []object{
		{"about": "Cap", "present": true, "quote": "Liability is capped at USD 500,000", "start": 7, "end": 9, "answer": "USD 500,000", "subtask": "risk", "attempt": 2, "worker": "ann"},
		{"about": "Law", "present": true, "quote": "the laws of the State of California", "start": 31337, "end": 9, "answer": "California", "subtask": "law", "attempt": 1, "worker": "bob"},
		{"about": "Audit", "present": false, "answer": "No", "subtask": "risk", "attempt": 2, "worker": "ann"},
	},
})

func lastTask(id string) chargehand.WorkerTask {
	tk := asked(lease)
	tk.TaskID = id
	tk.InputRefs = append(tk.InputRefs, chargehand.InputRef{Hash: chargehand.Hash([]byte(gathered)), Name: "aggregate", From: "aggregate", Text: gathered})
	return tk
}

func stating(text string, evidence ...object) object {
	return object{"text": text, "evidence": evidence}
}

func TestStatements(t *testing.T) {
	risk := object{"subtask": "risk"}
	capped := with(risk, object{"key": "Cap"})
	quoted := func(words string) object {
		i := strings.Index(lease, words)
		return object{"quote": words, "document": chargehand.Hash([]byte(lease)), "start": i, "end": i + len(words)}
	}
	for _, tt := range []struct {
		name string
		give object
		why  string // in the finding; empty: it holds
	}{
		{"an amount of the item", stating("Liability is capped at USD 500,000.", capped), ""},
		{"of the whole result", stating("Liability is capped at USD 500,000.", risk), ""},
		{"of one who agrees", stating("Liability is capped at USD 500,000.", object{"subtask": "second", "key": "Cap"}), ""},
		{"with the attempt", stating("Liability is capped at USD 500,000.", with(capped, object{"attempt": 2})), ""},
		{"without figures", stating("Liability is capped.", capped), ""},
		{"an absence", stating("There is no right of audit.", object{"subtask": "risk", "key": "Audit"}), ""},
		{"of two", stating("California law governs; the cap is USD 500,000.", capped, object{"subtask": "law", "key": "Law"}), ""},
		{"of prose", stating("Beta GmbH owes 42 %, due on 2014-05-08.", object{"subtask": "prose"}), ""},
		{"quoting the document", stating("The term renews for 2 years at a time.", with(risk, quoted("renews for successive two (2) year periods"))), ""},
		{"quoting the result", stating("Liability is capped.", with(capped, object{"quote": "capped at USD"})), ""},

		{"another amount", stating("Liability is capped at USD 900,000.", capped), "says USD 900,000; what it rests on says USD 500,000"},
		{"a digit off", stating("Liability is capped at USD 500,001.", capped), "what it rests on says USD 500,000"},
		{"a date that is not there", stating("The cap holds until June 1, 2019.", capped), "June 1, 2019"},
		{"a name that is not there", stating("The cap protects Gamma Holdings.", capped), "names Gamma Holdings"},
		{"another item's fact", stating("The law of California governs.", capped), "names California"},
		{"an offset is no fact", stating("There are 31,337 clauses.", object{"subtask": "law"}), "31,337"},
		{"an attempt is no fact", stating("Liability is capped at 2 percent.", risk), "2 percent"},
		{"nothing in common", stating("Weather tomorrow looks pleasant.", capped), "no word in common"},
		{"no evidence", stating("Liability is capped at USD 500,000."), "does not say what it rests on"},
		{"no subtask", stating("Liability is capped.", object{"key": "Cap"}), "which subtask"},
		{"a subtask that is not there", stating("Liability is capped.", object{"subtask": "nobody"}), `no accepted result of a subtask "nobody"`},
		{"another attempt", stating("Liability is capped.", with(capped, object{"attempt": 1})), "is attempt 2, not 1"},
		{"a key that is not there", stating("Liability is capped.", with(risk, object{"key": "Tax"})), `nothing under "Tax"`},
		{"one bad of two", stating("Liability is capped.", capped, object{"subtask": "nobody"}), "nobody"},
		{"words that are not quoted right", stating("Liability is capped.", with(capped, object{"quote": "capped at EUR"})), "do not stand in the accepted result"},
		{"words at another place", stating("The term renews for 2 years.", with(risk, with(quoted("renews for successive two (2) year periods"), object{"start": 3}))), "do not stand at 3"},
		{"an unknown document", stating("Liability is capped.", with(risk, with(quoted("Liability"), object{"document": "sha256:0"}))), "not among the task's inputs"},
		{"a place without words", stating("Liability is capped.", with(risk, object{"start": 1, "end": 3})), "does not quote"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Submission{Contract: "c", Task: lastTask("_synthesis"), Result: chargehand.WorkerResult{Output: []byte(encoded(object{"report": []object{tt.give}}))}}
			v := reporting(t, "").Check(s)
			un, ok := reporting(t, "").Unsupported(s)
			if !ok {
				t.Error("no list of statements")
			}
			if tt.why == "" {
				if v.Recommendation != chargehand.Accept || v.Score != 1 || len(un) > 0 || v.Claims[0].Support != chargehand.Supported {
					t.Errorf("%s: %+v, %v", v.Recommendation, v.Issues, un)
				}
				return
			}
			if v.Recommendation != chargehand.Reject || v.Rework != chargehand.Revise || len(v.Issues) != 1 || v.Issues[0].Rule != "statement" || !strings.Contains(v.Issues[0].Message, tt.why) {
				t.Fatalf("%s: %+v", v.Recommendation, v.Issues)
			}
			if !strings.HasPrefix(v.Issues[0].Path, "/report/0") || v.Claims[0].Support != chargehand.Unsupported {
				t.Errorf("%+v", v)
			}
			if len(un) != 1 || un[0].Index != 0 || un[0].Why != v.Issues[0].Message {
				t.Errorf("%+v", un)
			}
			for _, what := range []chargehand.OnUnsupported{chargehand.MarkUnsupported, chargehand.RemoveUnsupported} {
				if v := reporting(t, what).Check(s); v.Recommendation != chargehand.Accept || v.Issues[0].Severity != chargehand.SeverityWarning || v.Score != 0 {
					t.Errorf("%s: %+v", what, v)
				}
			}
		})
	}
}

// Only the engine's last step has an aggregate: a subtask of that name speaks for itself alone.
func TestForgedAggregate(t *testing.T) {
	s := Submission{Contract: "c", Task: lastTask("summary"), Result: chargehand.WorkerResult{
		Output: []byte(encoded(object{"report": []object{stating("Liability is capped at USD 500,000.", object{"subtask": "risk"})}})),
	}}
	if v := reporting(t, "").Check(s); v.Recommendation == chargehand.Accept {
		t.Error("an output speaks for another subtask")
	}
	s.Result.Output = []byte(encoded(object{"report": []object{stating("Liability is capped at USD 500,000.", object{"subtask": "aggregate"})}}))
	if v := reporting(t, "").Check(s); v.Recommendation != chargehand.Accept {
		t.Errorf("%+v", v.Issues)
	}
}

// A dependency's output is material by the subtask's own name, its items by the contract that has such.
func TestStatementsOverDependencies(t *testing.T) {
	out := encoded(object{"items": []object{{"about": "Cap", "answer": "USD 500,000"}}})
	tk := asked(lease)
	tk.InputRefs = append(tk.InputRefs, chargehand.InputRef{Hash: chargehand.Hash([]byte(out)), Name: "risk", From: "risk", Text: out})
	for evidence, want := range map[string]chargehand.Recommendation{
		`{"subtask":"risk"}`: chargehand.Accept, `{"subtask":"risk","key":"Cap"}`: chargehand.Accept, `{"subtask":"risk","key":"Law"}`: chargehand.Reject,
	} {
		s := Submission{Contract: "c", Task: tk, Result: chargehand.WorkerResult{Output: []byte(`{"report":[{"text":"The cap is USD 500,000.","evidence":[` + evidence + `]}]}`)}}
		if v := reporting(t, "").Check(s); v.Recommendation != want {
			t.Errorf("%s: %+v", evidence, v.Issues)
		}
	}
}

func TestStatementForm(t *testing.T) {
	for give, path := range map[string]string{
		`{}`:                      "/report",
		`{"report":{}}`:           "/report",
		`{"report":["x"]}`:        "/report/0",
		`{"report":[{}]}`:         "/report/0/text",
		`{"report":[{"text":3}]}`: "/report/0/text",
		`{"report":[{"text":"a","evidence":"risk"}]}`:                        "/report/0/evidence",
		`{"report":[{"text":"a","evidence":["risk"]}]}`:                      "/report/0/evidence/0",
		`{"report":[{"text":"a","evidence":[{"subtask":7}]}]}`:               "/report/0/evidence/0/subtask",
		`{"report":[{"text":"a","evidence":[{"subtask":"a","start":"x"}]}]}`: "/report/0/evidence/0/start",
	} {
		v := reporting(t, "mark").Check(Submission{Contract: "c", Task: lastTask("_synthesis"), Result: chargehand.WorkerResult{Output: []byte(give)}})
		if v.SchemaPass || len(v.Issues) != 1 || v.Issues[0].Rule != "statements" || v.Issues[0].Path != path {
			t.Errorf("%s: %+v", give, v.Issues)
		}
	}
	un, ok := reporting(t, "").Unsupported(Submission{Contract: "c", Task: lastTask("_synthesis"), Result: chargehand.WorkerResult{
		Output: []byte(`{"report":["x",{"text":"Liability is capped.","evidence":[{"subtask":"risk"}]},{"text":"Liability is capped."}]}`),
	}})
	if !ok || len(un) != 2 || un[0].Index != 0 || un[1].Index != 2 || un[1].Text != "Liability is capped." {
		t.Errorf("%+v", un)
	}
	for _, none := range []string{`{"report":1}`, `[`, `{}`} {
		if _, ok := reporting(t, "").Unsupported(Submission{Contract: "c", Result: chargehand.WorkerResult{Output: []byte(none)}}); ok {
			t.Errorf("%s has a list of statements", none)
		}
	}
	_, problems := Compile(&chargehand.Team{Contracts: []chargehand.Contract{{Name: "c", Statements: &chargehand.StatementRule{Path: "/a/*", Unsupported: "drop"}}}})
	if len(problems) != 2 || problems[0].Path != "$.contracts[0].statements.path" || problems[1].Path != "$.contracts[0].statements.unsupported" {
		t.Errorf("%v", problems)
	}
}

// What a flood of statements over a large result costs is bounded.
func TestStatementFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	big := encoded(object{"text": strings.Repeat("Liability of Acme is capped at USD 500,000 and 17 days. ", 20_000)})
	tk := asked(lease)
	tk.InputRefs = append(tk.InputRefs, chargehand.InputRef{Hash: chargehand.Hash([]byte(big)), Name: "risk", From: "risk", Text: big})
	var list []object
	for i := range 20_000 {
		list = append(list, stating(fmt.Sprintf("Gamma %d Delta owes 99 days.", i), object{"subtask": "risk", "quote": "nowhere in the text"}))
	}
	out := encoded(object{"report": list})
	v := reporting(t, "").Check(Submission{Contract: "c", Task: tk, Result: chargehand.WorkerResult{Output: json.RawMessage(out)}})
	if v.Recommendation != chargehand.Reject {
		t.Errorf("%+v", v.Recommendation)
	}
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
