package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// absences are answers that say no more than that what was asked for is not there.
var absences = []any{
	nil, "not found", "Not Found.", "absent", "ABSENT", "n/a", "N/A", "n.a.", "N.A", "none", "None.", "(none)", "-", "—", "…", "?", "//", "null", "nil", "unknown",
	"not applicable", "Not-applicable", "not_specified", "not stated", "Not stated in the document.", "no information", "No such clause", "no governing law clause found",
	"No law clause was found in this agreement.", "The contract does not mention it.", "It is not mentioned anywhere in the text", "The agreement is silent",
	"This contract doesn’t specify the law.", "I could not find any governing law provision in the document", "cannot be determined", "unable to locate", "does not exist",
	"nothing found", "no mention of it", "missing", "unspecified", "NOT\u200b FOUND", "ｎｏｔ　ｆｏｕｎｄ", "n o n e", "not  \n found", "tbd", "No data available.", "no results",
	"nicht vorhanden", "Nicht gefunden", "keine Angabe", "Keine", "k.A.", "entfällt", "nicht anwendbar", "im Vertrag nicht geregelt",
	"non trouvé", "aucun", "Non applicable", "néant", "pas mentionné", "sans objet", "no encontrado", "No aplica", "ninguno", "no consta", "non trovato", "assente",
	"não encontrado", "nenhum", "niet gevonden", "n.v.t.", "geen", "nie znaleziono", "brak", "не найдено", "отсутствует", "无", "未找到", "なし", "該当なし", "없음", "해당 없음",
	[]any{"not found"},
	[]any{nil, "n/a"},
	object{"value": "not found"},
	object{"value": "none", "confidence": 0.9},
	object{"present": false, "note": "looked twice"},
	object{"found": false},
	object{"answer": nil, "verified": true},
	object{"text": []any{"n/a"}},
	object{"amount": nil, "currency": "n/a"},
}

// answersOf are answers, though they hold such words.
var answersOf = []any{
	"California", "no limit", "unlimited", "none of the parties may assign this lease", "None of the above applies to sublicences", "no", "yes", false, true, json.Number("0"),
	"There is no cap on liability.", "not before 2026", "No assignment without consent", "absent consent, assignment is void", "void", "either party", "The law of the State of Nevada",
	"missing parts are replaced within 30 days", "30", "Not later than 30 days after notice is given", "unknown vessels are insured by Acme", "null and void after five years",
	"not transferable", "Non-exclusive", "perpetual", "silence counts as consent", "void where prohibited", "A", "C-", "+", "No. 7", "not covered",
	strings.Repeat("not found ", 60),
	[]any{"not found", "but see section 7"},
	object{"value": "USD 5", "note": "none"},
	object{"amount": json.Number("5"), "note": "none"},
	object{"present": true},
}

// TestAbsentInAnyWording: an answer that says that a thing is not there is one only with a search that
// the gate can run again, whatever its words (SPEC.md ·63).
//
//guard:absence-search
func TestAbsentInAnyWording(t *testing.T) {
	g := gateOf(t, chargehand.Contract{})
	for _, answer := range absences {
		v := g.Check(submit(asked(lease, "governing law"), object{"governing law": answer}))
		if v.Recommendation != chargehand.Reject || v.CompletenessPass || v.Score > 0 && answer != nil {
			t.Errorf("%q passes: %s, score %v", answer, v.Recommendation, v.Score)
		}
		v = g.Check(submit(asked(lease, "governing law"), object{"governing law": answer, "searches": object{"governing law": searched(lease, "(?i)zebra", "(?i)arbitrat")}}))
		if v.Recommendation != chargehand.Accept || v.Score != 1 || len(v.Claims) != 1 || v.Missing != nil {
			t.Errorf("%q with its search: %s, score %v: %v", answer, v.Recommendation, v.Score, v.Issues)
		}
	}
	for _, answer := range answersOf {
		if v := g.Check(submit(asked(lease, "governing law"), object{"governing law": answer})); v.Recommendation != chargehand.Accept || v.Score != 1 {
			t.Errorf("%q is taken for an absence: %v", answer, v.Issues)
		}
	}
}

// TestSearchesOfAspects: a record beside the answers is held to the document like that of an item.
func TestSearchesOfAspects(t *testing.T) {
	g := gateOf(t, chargehand.Contract{})
	record := func(change object) object { return with(searched(lease, "(?i)zebra"), change) }
	for _, tt := range []struct {
		name   string
		record any
		want   string
		path   string
	}{
		{"sound", record(nil), "", ""},
		{"none", nil, `"law" is said to be absent, but its search does not show it: there is no search record ("searches").`, "/law"},
		{"words", "searched it all", `the record must be an object`, "/searches/law"},
		{"the word is there", searched(lease[:10], "(?i)california"), `the document was not read at`, "/searches/law/spans"},
		{"a match without a hit", object{"spans": []object{{"start": 0, "end": len(lease)}}, "patterns": []string{"California"}}, `which no hit accounts for`, "/searches/law/patterns/0"},
		{"another document", record(object{"document": "sha256:0"}), `is not among the task's inputs`, "/searches/law"},
	} {
		v := g.Check(submit(asked(lease, "law"), object{"law": "not found", "searches": object{"law": tt.record}}))
		if tt.want == "" {
			if v.Recommendation != chargehand.Accept {
				t.Errorf("%s: %v", tt.name, v.Issues)
			}
			continue
		}
		if len(v.Issues) != 1 || !strings.Contains(v.Issues[0].Message, tt.want) || v.Issues[0].Path != tt.path || v.Issues[0].Rule != "search" || v.Score != 0 {
			t.Errorf("%s: score %v, %+v", tt.name, v.Score, v.Issues)
		}
	}
	if v := g.Check(submit(asked(""), object{"law": "none"})); v.Recommendation != chargehand.Accept {
		t.Errorf("nothing was asked for: %v", v.Issues)
	}
}

// TestPresentAndNotThere: an item that is present cannot answer that it is not.
func TestPresentAndNotThere(t *testing.T) {
	g := gateOf(t, chargehand.Contract{Items: &chargehand.ItemRule{}})
	for answer, refused := range map[string]bool{"not found": true, "absent": true, "No governing law is stated.": true, "California": false, "None": false, "n/a": false, "No": false, "": false} {
		v := g.Check(submit(asked(lease, "Governing Law"), []object{with(law, object{"answer": answer})}))
		if (v.Recommendation == chargehand.Reject) != refused || refused && v.Issues[0].Rule != "search" {
			t.Errorf("%q: %s %v", answer, v.Recommendation, v.Issues)
		}
	}
}
