package contractreview

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/ground"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

func TestTeamsWithModelsAreSound(t *testing.T) {
	for _, alone := range []bool{false, true} {
		team := WithModels(chargehand.Models{Tier2: "openai/some-model"}, alone)
		compiled(t, team)
		read := map[string]int{}
		for _, s := range team.Planner.Template.Subtasks {
			if s.Capability == capModel {
				for _, a := range s.RequiredAspects {
					read[a]++
				}
			}
			if alone && (s.Capability == capPattern || s.Capability == capLexical) {
				t.Errorf("%s is read by a function although the model reads alone", s.ID)
			}
		}
		for _, c := range clause.Categories() {
			if read[c.Name] != 1 {
				t.Errorf("alone %v: the model reads %s %d times", alone, c.Name, read[c.Name])
			}
		}
	}
}

// TestPromptNamesEveryCategory wants the prompt to say what each category is.
func TestPromptNamesEveryCategory(t *testing.T) {
	for _, c := range clause.Categories() {
		if !strings.Contains(readerPrompt, "\n- "+c.Name+": ") {
			t.Errorf("the prompt does not explain %s", c.Name)
		}
	}
}

// TestWhatModelsSayIsFilledIn takes from the readers' answers what a model cannot say, and has it
// filled in again: the gate accepts them as it did before, and refuses the one word that is changed.
func TestWhatModelsSayIsFilledIn(t *testing.T) {
	b := newBench(t)
	c := clausesContract()
	doc := sample(t)
	for _, s := range b.team.Planner.Template.Subtasks {
		if s.OutputContract != contractClauses {
			continue
		}
		out, _ := b.do(t, s, doc)
		told := asModel(t, out)
		if f := ground.Fill(&c, []chargehand.InputRef{doc}, told); f.Missing > 0 {
			t.Errorf("%s: %d quotes are not found", s.ID, f.Missing)
		} else {
			accepted(t, s.ID, b.check(s, f.Output, doc))
		}
		lie := strings.Replace(string(told), `"present":true,"quote":"`, `"present":true,"quote":"Never `, 1)
		if lie == string(told) {
			continue
		}
		f := ground.Fill(&c, []chargehand.InputRef{doc}, json.RawMessage(lie))
		if v := b.check(s, f.Output, doc); v.Recommendation != chargehand.Reject || f.Missing != 1 {
			t.Errorf("%s: a quote that is not there is answered by %s", s.ID, v.Recommendation)
		}
	}
}

func (b *bench) check(s chargehand.Subtask, out json.RawMessage, refs ...chargehand.InputRef) chargehand.Verdict {
	return b.gate.Check(gate.Submission{
		Contract: s.OutputContract, Task: taskOf(s, refs...),
		Result: chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: out},
	})
}

// asModel is a reader's answer as a model would give it: without places and searches.
func asModel(t *testing.T, out json.RawMessage) json.RawMessage {
	t.Helper()
	var v struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	for _, it := range v.Items {
		for _, gone := range []string{"start", "end", "document", "search"} {
			delete(it, gone)
		}
		if it["present"] == false {
			it[ground.Reason] = "They are about something else."
		} else {
			it["quote"] = strings.Join(strings.Fields(it["quote"].(string)), " ")
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
