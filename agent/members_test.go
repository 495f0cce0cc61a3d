package agent

import (
	"testing"

	"github.com/chargehand/chargehand"
)

// What would not be the same when it is written anew is left for the gate to see.
func TestPlain(t *testing.T) {
	for give, want := range map[string]bool{
		`{"a":[1,2.50,1e400,"é <&>",{"b":null}]}`: true,
		`{"a":1,"a":2}`:        false,
		`{"a":{"b":1,"b":1}}`:  false,
		`{"a":"\ud800"}`:       false,
		"{\"a\":\"\xff\"}":     false,
		`{"a":"\ud83d\ude00"}`: true,
		`{"a":`:                false,
		``:                     false,
	} {
		if got := plain([]byte(give)); got != want {
			t.Errorf("%s: %t", give, got)
		}
	}
}

// An output in which a member occurs twice reaches the gate with both.
func TestTwinsStay(t *testing.T) {
	const output = `{"clauses":[{"key":"rent","quote":"EUR 900","quote":"EUR 950"}]}`
	w := &llm{team: &chargehand.Team{Contracts: []chargehand.Contract{{Name: "c", Items: &chargehand.ItemRule{Path: "/clauses"}}}}}
	task := chargehand.WorkerTask{ExpectedOutputContract: "c", InputRefs: []chargehand.InputRef{{Hash: "sha256:1", Text: "The rent is EUR 950."}}}
	var res chargehand.WorkerResult
	if err := w.fill(&res, &talk{}, `{"status":"succeeded","output":`+output+`}`, task); err != nil || string(res.Output) != output {
		t.Errorf("%s, %v", res.Output, err)
	}
}
