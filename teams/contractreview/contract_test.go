package contractreview

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

func TestSchemaKnowsTheCategories(t *testing.T) {
	var s struct {
		Properties struct {
			Items struct {
				Items struct {
					Properties struct{ Category struct{ Enum []string } }
				}
			}
		}
	}
	if err := json.Unmarshal(clausesSchema, &s); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range clause.Categories() {
		want = append(want, c.Name)
	}
	if got := s.Properties.Items.Items.Properties.Category.Enum; !slices.Equal(got, want) {
		t.Errorf("the schema knows %v", got)
	}
}

func TestPlanAsksForEveryCategory(t *testing.T) {
	first, second := map[string]int{}, map[string]int{}
	for _, s := range plan().Subtasks {
		for _, name := range s.RequiredAspects {
			if s.Capability == capPattern {
				first[name]++
			} else {
				second[name]++
			}
		}
	}
	for _, c := range clause.Categories() {
		if first[c.Name] != 1 {
			t.Errorf("%s is read %d times", c.Name, first[c.Name])
		}
		if want := map[bool]int{true: 1}[c.Risk]; second[c.Name] != want {
			t.Errorf("%s is read a second time %d times, want %d", c.Name, second[c.Name], want)
		}
	}
}

// TestFalseOutputsAreRefused alters good outputs of the readers and the segmenter.
func TestFalseOutputsAreRefused(t *testing.T) {
	for _, tt := range []struct{ subtask, rule, old, new string }{
		{"law", "quote", "governed by the laws of Germany", "governed by the laws of Sweden"},
		{"law", "name", `"answer":"Germany"`, `"answer":"Sweden"`},
		{"law", "answered", `"answer":"Germany"`, `"answer":""`},
		{"law", "answered", `"answer":"No"`, `"answer":"Yes"`},
		{"law", "asked", `"category":"Third Party Beneficiary"`, `"category":"Insurance"`},
		{"law", "schema", `"confidence":0.`, `"confidence":7.`},
		{"law", "search", `"spans":[{"start":0`, `"spans":[{"start":900`},
		{"identity", "date", `"answer":"03/14/2025"`, `"answer":"14/03/2025"`},
		{"identity", "date", `"answer":"03/14/2025"`, `"answer":"03/15/2025"`},
		{"term", "duration", `"answer":"180 days"`, `"answer":"18 days"`},
		{"outline", "whole", `"start":0,`, `"start":1,`},
		{"outline", "whole", `"size":`, `"size":1`},
		{"outline", "apart", `"end":`, `"end":9`},
	} {
		b := newBench(t)
		i := slices.IndexFunc(b.team.Planner.Template.Subtasks, func(s chargehand.Subtask) bool { return s.ID == tt.subtask })
		s := b.team.Planner.Template.Subtasks[i]
		task := taskOf(s, sample(t))
		res, err := b.workers[b.able(s.Capability)].Do(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(res.Output), tt.old) {
			t.Errorf("%s, %s: there is no %s in %.600s", tt.subtask, tt.rule, tt.old, res.Output)
			continue
		}
		res.Output = json.RawMessage(strings.Replace(string(res.Output), tt.old, tt.new, 1))
		v := b.gate.Check(gate.Submission{Contract: s.OutputContract, Task: task, Result: res})
		if v.Recommendation != chargehand.Reject || !slices.ContainsFunc(v.Issues, func(f chargehand.Finding) bool { return f.Rule == tt.rule }) {
			t.Errorf("%s, %s to %s: %s, %v", tt.subtask, tt.old, tt.new, v.Recommendation, v.Issues)
		}
	}
}

func TestInvariants(t *testing.T) {
	g := compiled(t, Team())
	fact := func(v string) []gate.Fact { return []gate.Fact{{Subtask: "s", Worker: "w", Value: v}} }
	for _, tt := range []struct {
		effective, expiration string
		holds                 bool
	}{
		{"present: 2025-04-01", "present: 2028-03-31", true},
		{"present: 2028-03-31", "present: 2028-03-31", false},
		{"present: 2029-01-01", "present: 2028-03-31", false},
		{"present: 2029-??-??", "present: 2028-03-31", true},
		{"present: 2028-03-31", "present: 5 years", true},
		{"absent", "present: 2028-03-31", true},
	} {
		got := g.Invariants(map[string][]gate.Fact{"Effective Date": fact(tt.effective), "Expiration Date": fact(tt.expiration)})
		if (len(got) == 0) != tt.holds {
			t.Errorf("%s to %s: %v", tt.effective, tt.expiration, got)
		}
	}
	if got := g.Invariants(map[string][]gate.Fact{"Effective Date": fact("present: 2025-04-01")}); len(got) > 0 {
		t.Errorf("without an end: %v", got)
	}
}
