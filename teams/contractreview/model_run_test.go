package contractreview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// TestRunWithModel has a model read the sample contract, over a provider's wire, alone and beside the
// functions. It says what the first reader says, without places, but for one lie.
func TestRunWithModel(t *testing.T) {
	doc := sample(t)
	for _, alone := range []bool{true, false} {
		t.Run(fmt.Sprintf("alone %v", alone), func(t *testing.T) {
			lied := false
			s, err := provider.Start(provider.Options{Answer: func(r provider.Request) provider.Reply {
				told := asModel(t, readers(t, doc, aspects(r)))
				if said := strings.Replace(string(told), "EUR 500,000", "EUR 5,000,000", 1); !lied && said != string(told) {
					lied, told = true, json.RawMessage(said)
				}
				return provider.Reply{Usage: &model.Usage{Input: 9_000, Output: 700}, Text: fmt.Sprintf(
					`{"status":"succeeded","output":%s,"summary":"","confidence":0.9,"blockers":[],"proposedActions":[]}`, told)}
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			env := func(name string) (string, bool) {
				v, ok := map[string]string{"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": s.URL + "/v1"}[name]
				return v, ok
			}
			e, err := local.Open(t.Context(), local.Options{Workers: Workers(), Agents: agent.New(agent.Options{
				Open: func(ref string) (model.Model, error) { return open.Model(ref, env, open.Options{}) },
			})})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			run, err := e.Start(t.Context(), chargehand.Order{
				Team:      WithModels(chargehand.Models{Tier2: "openai/gpt-5-mini"}, alone),
				Objective: Objective([]chargehand.Document{{Name: doc.Name, Text: doc.Text}}),
			})
			if err != nil {
				t.Fatal(err)
			}
			res, err := chargehand.Wait(t.Context(), e, run)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != chargehand.RunCompleted || len(res.Gaps) > 0 {
				t.Errorf("the run ended %s with gaps %v", res.Status, res.Gaps)
			}
			again := slices.ContainsFunc(res.Provenance, func(p chargehand.Provenance) bool {
				return p.Worker == modelReader && p.Attempt == 2
			})
			if !lied || !again {
				t.Errorf("a lie was told (%v) and tried again (%v)", lied, again)
			}
			if res.Cost.USD == 0 {
				t.Error("it cost nothing")
			}
		})
	}
}

// aspects are the categories that a request asks for.
func aspects(r provider.Request) []string {
	var out []string
	asked := r.Messages[len(r.Messages)-1].Text
	for _, c := range clause.Categories() {
		if strings.Contains(asked, "\n\""+c.Name+"\"\n") {
			out = append(out, c.Name)
		}
	}
	return out
}

// readers is what the first reader says of categories.
func readers(t *testing.T, doc chargehand.InputRef, categories []string) json.RawMessage {
	t.Helper()
	res, err := newPatternReader().Do(t.Context(), chargehand.WorkerTask{InputRefs: []chargehand.InputRef{doc}, RequiredAspects: categories})
	if err != nil {
		t.Error(err)
	}
	return res.Output
}
