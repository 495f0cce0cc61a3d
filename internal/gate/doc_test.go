package gate

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/chargehand/chargehand"
)

var block = regexp.MustCompile("(?s)```(\\w+ \\w+)[^\n]*\n(.*?)```")

// TestGuide compiles every example of the guide for team authors, and checks its output.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/contracts.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, m := range block.FindAllStringSubmatch(string(guide), -1) {
		blocks[m[1]] = m[2]
	}
	var c chargehand.Contract
	fromYAML(t, blocks["yaml contract"], &c)
	var more chargehand.Contract
	fromYAML(t, "name: more\ncalculations:\n"+indented(blocks["yaml calculations"]), &more)
	words := chargehand.Contract{Name: "words"}
	fromYAML(t, blocks["yaml wording"], &words)
	fromYAML(t, "calculations:\n"+indented(blocks["yaml cells"]), &words)
	team := chargehand.Team{Name: "t", Contracts: []chargehand.Contract{c, more, words}}
	fromYAML(t, blocks["yaml invariants"], &team.Invariants)
	g, problems := Compile(&team)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if len(c.Rules) == 0 || len(c.Calculations) == 0 || len(more.Calculations) == 0 || len(words.Items.Cues) == 0 || len(words.Calculations) == 0 || len(team.Invariants) == 0 {
		t.Errorf("the guide lacks an example: %v", team)
	}
	s := submit(asked(blocks["text document"], "Governing Law", "Rent", "Change of Control"), blocks["json output"])
	s.Contract = c.Name
	if v := g.Check(s); v.Recommendation != chargehand.Accept || v.Score != 1 || len(v.Claims) < 5 || len(v.Issues) > 0 {
		t.Errorf("%s, score %v, %d claims: %v", v.Recommendation, v.Score, len(v.Claims), v.Issues)
	}
	var strict chargehand.Team
	fromYAML(t, blocks["yaml detectors"], &strict)
	if _, problems := Compile(&strict); problems != nil || len(strict.Policy.Detectors) != 2 || strict.Contracts[0].Detectors[1].Severity != chargehand.SeverityReview {
		t.Errorf("%+v: %v", strict, problems)
	}
	s = submit(asked(blocks["text document"], "law", "penalty"), blocks["json searches"])
	s.Contract = ""
	if v := g.Check(s); v.Recommendation != chargehand.Accept || v.Score != 1 || len(v.Claims) != 1 {
		t.Errorf("%s, score %v, %d claims: %v", v.Recommendation, v.Score, len(v.Claims), v.Issues)
	}
}

func indented(s string) string { return "  " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ") }

// fromYAML reads an example by its JSON names and refuses those that are unknown.
func fromYAML(t *testing.T, source string, into any) {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, source)
	}
}
