package gate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

// TestMemoIsBounded fills a memo many times over: its size stays within the bound, and what it
// answers is what reading the pattern anew answers.
func TestMemoIsBounded(t *testing.T) {
	var m memo
	for i := range 20_000 {
		source := fmt.Sprintf(`(?i)\bassign%d\w{0,40}`, i)
		if i%7 == 0 {
			source = fmt.Sprintf(`assign%d(`, i)
		}
		if _, why := m.trigger(source); (why == "") != (i%7 != 0) {
			t.Fatalf("%s: %q", source, why)
		}
		if m.size > keptPatterns {
			t.Fatalf("%d kept after %d patterns", m.size, i)
		}
	}
	if len(m.known) < 100 {
		t.Errorf("only %d patterns are kept", len(m.known))
	}
}

// TestChecksShareNothing runs different submissions through one gate at once, over and over: each
// gets the verdict that it gets alone.
func TestChecksShareNothing(t *testing.T) {
	contract := smallContract()
	contract.Grounded = []string{"/text"}
	contract.Rules = append(contract.Rules, chargehand.Rule{ID: "goal", CEL: `task.goal != "nothing"`, Message: "There is a goal."})
	g := gateOf(t, contract)
	good := small()
	good.Result.Output = []byte(strings.Replace(string(good.Result.Output), `"text":"`, `"text":"It costs USD 12,500. `, 1))
	quote, answer, absent, goal, source := good, good, good, good, good
	goal.Task.Goal = "nothing"
	source.Task.InputRefs = asked(strings.Replace(good.Task.InputRefs[0].Text, "12,500", "13,500", 1)).InputRefs
	quote.Result.Output = []byte(strings.Replace(string(good.Result.Output), "The fee", "The fie", 1))
	answer.Result.Output = []byte(strings.Replace(string(good.Result.Output), `"answer":"USD 12,500"`, `"answer":"USD 12,600"`, 1))
	absent.Result.Output = []byte(`{"text":"x","items":[{"key":"fee","quote":"","present":false,"search":{"spans":[{"start":0,"end":2000}],"patterns":["(?i)fee"]}}]}`)
	subs := []Submission{good, quote, answer, absent, goal, source}
	var want []chargehand.Verdict
	for _, s := range subs {
		v := gateOf(t, contract).Check(s)
		if accepted := v.Recommendation == chargehand.Accept; accepted != (len(want) == 0) {
			t.Fatalf("submission %d: %s, %v", len(want), v.Recommendation, v.Issues)
		}
		want = append(want, v)
	}
	if last := want[len(want)-1]; !slices.Contains(about(last.Issues), "consistency amount error /text") {
		t.Fatalf("the text is not compared with its own source: %v", about(last.Issues))
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 200 {
				n := (worker + i) % len(subs)
				if diff := cmp.Diff(want[n], g.Check(subs[n])); diff != "" {
					t.Errorf("submission %d: %s", n, diff)
					return
				}
			}
		})
	}
	wg.Wait()
}
