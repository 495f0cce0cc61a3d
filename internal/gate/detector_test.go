package gate

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

// finds reports which rows of a detector match a text.
func finds(d chargehand.Detector, text string) []string {
	var out []string
	for i := range detectors[d].rows {
		row := &detectors[d].rows[i]
		t := outputText{text: text, digits: countDigits(text)}
		if !row.possible(t) {
			continue
		}
		if _, ok := row.first(text); ok {
			out = append(out, row.what)
		}
	}
	return out
}

// TestPersonalData measures the detector on a public set of labelled texts, entity by entity, and
// holds floors a little under what it reaches.
func TestPersonalData(t *testing.T) {
	var texts []struct {
		Text  string `json:"full_text"`
		Spans []struct {
			Type  string `json:"entity_type"`
			Value string `json:"entity_value"`
		} `json:"spans"`
	}
	decodeData(t, &texts, "presidio-pii", "data", "synth_dataset_v2.json")
	kinds := map[string]string{
		"EMAIL_ADDRESS": "an e-mail address", "IBAN_CODE": "an IBAN", "CREDIT_CARD": "a payment card number",
		"US_SSN": "a US social security number", "PHONE_NUMBER": "a telephone number", "IP_ADDRESS": "an internet address",
		"US_DRIVER_LICENSE": "a driving licence number",
	}
	floors := map[string]float64{"EMAIL_ADDRESS": 1, "IBAN_CODE": 0.95, "CREDIT_CARD": 0.95, "US_SSN": 1, "PHONE_NUMBER": 0.9, "IP_ADDRESS": 1, "US_DRIVER_LICENSE": 1}
	all, found := map[string]int{}, map[string]int{}
	right, wrong := 0, 0
	for _, text := range texts {
		has := map[string]bool{}
		for _, s := range text.Spans {
			has[kinds[s.Type]] = true
		}
		got := map[string]bool{}
		for _, what := range finds(chargehand.DetectPersonalData, text.Text) {
			got[what] = true
			if has[what] {
				right++
			} else {
				wrong++
				t.Logf("%s where there is none: %s", what, text.Text)
			}
		}
		for kind, what := range kinds {
			if has[what] {
				all[kind]++
				if got[what] {
					found[kind]++
				} else {
					t.Logf("missed %s: %s", what, text.Text)
				}
			}
		}
	}
	for kind, floor := range floors {
		recall := float64(found[kind]) / float64(all[kind])
		t.Logf("%-13s recall %.3f (%d of %d)", kind, recall, found[kind], all[kind])
		if recall < floor {
			t.Errorf("%s: recall %.3f, want at least %.2f", kind, recall, floor)
		}
	}
	precision := float64(right) / float64(right+wrong)
	t.Logf("precision %.3f (%d of %d)", precision, right, right+wrong)
	if precision < 0.97 {
		t.Errorf("precision %.3f, want at least 0.97", precision)
	}
}

// TestInjection measures the detector on two public sets of attacks, and on ordinary texts.
func TestInjection(t *testing.T) {
	var attacks []struct {
		Input   string `json:"user_input"`
		Variant string `json:"injection_variant"`
	}
	decodeData(t, &attacks, "cyberseceval-prompt-injection", "prompt_injection.json")
	hit, missed := 0, map[string]int{}
	for _, a := range attacks {
		if len(finds(chargehand.DetectInjection, a.Input)) > 0 {
			hit++
		} else {
			missed[a.Variant]++
		}
	}
	t.Logf("cyberseceval: %d of %d; missed %v", hit, len(attacks), missed)
	if rate := float64(hit) / float64(len(attacks)); rate < 0.5 {
		t.Errorf("cyberseceval: %.2f found, want at least 0.50", rate)
	}
	tools, caught := lines(t, "asb-attack-tools", "all_attack_tools.jsonl", "Attacker Instruction"), 0
	for _, s := range tools {
		if len(finds(chargehand.DetectInjection, s)) > 0 {
			caught++
		}
	}
	t.Logf("asb: %d of %d", caught, len(tools))
	if rate := float64(caught) / float64(len(tools)); rate < 0.005 {
		t.Errorf("asb: %.3f found, want at least 0.005", rate)
	}
	ordinary := sentences(t)
	false1 := 0
	for _, s := range ordinary {
		if what := finds(chargehand.DetectInjection, s); len(what) > 0 {
			false1++
			t.Logf("%v in: %.200s", what, s)
		}
	}
	t.Logf("ordinary sentences: %d of %d", false1, len(ordinary))
	if rate := float64(false1) / float64(len(ordinary)); rate > 0.001 {
		t.Errorf("%.4f of ordinary sentences found, want at most 0.001", rate)
	}
}

// lines reads one field of a file of JSON lines.
func lines(t testing.TB, folder, file, field string) []string {
	var out []string
	for line := range strings.Lines(string(readData(t, folder, file))) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m[field].(string))
	}
	return out
}

// sentences are the sentences of forty contracts and the texts of a set of ordinary tools.
func sentences(t testing.TB) []string {
	contracts, text := cuad(t)
	out := lines(t, "asb-attack-tools", "all_normal_tools.jsonl", "Description")
	end := regexp.MustCompile(`[.;]\s+`)
	for _, c := range contracts {
		out = append(out, end.Split(text(c.File), -1)...)
	}
	return out
}

// TestDetectorSeverities: a team says what a hit does, for one contract or for all of them, and the
// graver word counts.
func TestDetectorSeverities(t *testing.T) {
	const mail = `"write to jo@corp.de"`
	rule := func(s chargehand.Severity) []chargehand.DetectorRule {
		return []chargehand.DetectorRule{{Detector: chargehand.DetectPersonalData, Severity: s}}
	}
	for _, tt := range []struct {
		name             string
		policy, contract []chargehand.DetectorRule
		want             chargehand.Recommendation
	}{
		{"off", nil, nil, chargehand.Accept},
		{"its own", nil, rule(""), chargehand.Accept},
		{"raised", nil, rule(chargehand.SeverityError), chargehand.Reject},
		{"asked about", nil, rule(chargehand.SeverityReview), chargehand.HumanReview},
		{"by the policy", rule(chargehand.SeverityError), nil, chargehand.Reject},
		{"the contract is graver", rule(chargehand.SeverityWarning), rule(chargehand.SeverityError), chargehand.Reject},
		{"the policy is graver", rule(chargehand.SeverityReview), rule(chargehand.SeverityWarning), chargehand.HumanReview},
		{"the policy loosens nothing", rule(chargehand.SeverityWarning), rule(chargehand.SeverityReview), chargehand.HumanReview},
	} {
		g, problems := Compile(&chargehand.Team{
			Policy: chargehand.Policy{Detectors: tt.policy}, Contracts: []chargehand.Contract{{Name: "c", Detectors: tt.contract}},
		})
		if problems != nil {
			t.Fatal(problems)
		}
		v := g.Check(submit(chargehand.WorkerTask{}, mail))
		if v.Recommendation != tt.want || (len(v.Issues) == 1) != (tt.policy != nil || tt.contract != nil) {
			t.Errorf("%s: %s %v", tt.name, v.Recommendation, v.Issues)
		}
		s := submit(chargehand.WorkerTask{}, mail)
		s.Contract = ""
		if v := g.Check(s); (len(v.Issues) == 1) != (tt.policy != nil) {
			t.Errorf("%s, without a contract: %v", tt.name, v.Issues)
		}
	}
}

// TestPolicyStopsSecrets: what the policy looks for stops a worker while it writes, also without a
// contract.
func TestPolicyStopsSecrets(t *testing.T) {
	g, problems := Compile(&chargehand.Team{Policy: chargehand.Policy{Detectors: chargehand.Detect(chargehand.DetectSecrets)}, Contracts: []chargehand.Contract{{Name: "c"}}})
	if problems != nil {
		t.Fatal(problems)
	}
	for _, contract := range []string{"c", ""} {
		if f := g.Monitor(contract, false).Read(`{"a":"AKIAABCDEFGHIJKLMNOP ` + strings.Repeat("and more ", 60)); f == nil {
			t.Errorf("contract %q: it goes on", contract)
		}
	}
}

// TestDetectorForms: both JSON forms are read, and come back as they were.
func TestDetectorForms(t *testing.T) {
	const list = `["secrets",{"detector":"personal_data","severity":"error"}]`
	var rules []chargehand.DetectorRule
	if err := json.Unmarshal([]byte(list), &rules); err != nil {
		t.Fatal(err)
	}
	if back, err := json.Marshal(rules); err != nil || string(back) != list || rules[1].Severity != chargehand.SeverityError {
		t.Errorf("%s came back as %s (%v)", list, back, err)
	}
	for _, bad := range []string{`7`, `[]`, `{"detector":7}`} {
		if err := json.Unmarshal([]byte(bad), &rules[0]); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// TestDetectorProblems: each is told once, where it stands.
func TestDetectorProblems(t *testing.T) {
	_, problems := Compile(&chargehand.Team{
		Policy: chargehand.Policy{Detectors: []chargehand.DetectorRule{{Detector: chargehand.DetectSecrets, Severity: chargehand.SeverityReview}, {Detector: "pii"}}},
		Contracts: []chargehand.Contract{
			{Name: "a", Detectors: []chargehand.DetectorRule{{Detector: chargehand.DetectURLs, Severity: "off"}}}, {Name: "b"},
		},
	})
	var got []string
	for _, p := range problems {
		got = append(got, p.Path+": "+p.Message)
	}
	want := []string{
		"$.policy.detectors[0]: a secret in an output is always an error",
		`$.policy.detectors[1]: there is no detector "pii": want personal_data, secrets, external_urls or injection`,
		`$.contracts[0].detectors[0]: "off" is no severity: want error, review or warning`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
