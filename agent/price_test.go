package agent_test

import (
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/worker"
)

// stepped costs twice as much for calls of more than 1,000 tokens of input.
var stepped = chargehand.ModelPrice{
	InputUSD: 2 * chargehand.USD, OutputUSD: 10 * chargehand.USD, CachedInputUSD: chargehand.USD,
	Steps: []chargehand.PriceStep{{Above: 1000, InputUSD: 4 * chargehand.USD, OutputUSD: 20 * chargehand.USD, CachedInputUSD: 2 * chargehand.USD}},
}

// Each call of an attempt is settled at the step that its own input reaches.
func TestSettleByStep(t *testing.T) {
	for _, tt := range []struct {
		name        string
		first, last model.Usage
		want        chargehand.Micros
	}{
		{"both at the step", model.Usage{Input: 1000, Output: 10}, model.Usage{Input: 1000, Output: 10}, 2 * 2100},
		{"together above it", model.Usage{Input: 600, Output: 10}, model.Usage{Input: 900, Output: 10}, 1300 + 1900},
		{"one above it", model.Usage{Input: 1000, Output: 10}, model.Usage{Input: 1001, Output: 10}, 2100 + 4204},
		{"above it with what is cached", model.Usage{Input: 1, Output: 1}, model.Usage{Input: 1001, CachedInput: 1000, Output: 10}, 12 + 2204},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, final := call("files_read", `{}`), last
			first.Usage, final.Usage = tt.first, tt.last
			opt := withTools(does(first, final), &bench{answer: "no"})
			opt.Price = func(string) (chargehand.ModelPrice, bool) { return stepped, true }
			r, err := make1(t, opt, granted).Do(t.Context(), task())
			if err != nil || r.Usage.USD != tt.want {
				t.Fatalf("it cost %s, want %s (%v)", r.Usage.USD, tt.want, err)
			}
		})
	}
}

// A call is covered at the dearest step, even where no count of its bytes reaches that.
func TestCoverAtTheDearest(t *testing.T) {
	far, line := stepped, &lineOf{}
	far.Steps = []chargehand.PriceStep{far.Steps[0]}
	far.Steps[0].Above = 1_000_000
	opt := options(says(fine))
	opt.Price = func(string) (chargehand.ModelPrice, bool) { return far, true }
	r, err := make1(t, opt, chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task())
	if err != nil {
		t.Fatal(err)
	}
	asked, most, base := line.covered[0], far.Most(), far.For(0)
	if asked.InputTokens > 1_000_000 || asked.USD != most.Of(asked.InputTokens, 0, 0, asked.OutputTokens) {
		t.Errorf("%+v is covered", asked)
	}
	if r.Usage.USD != base.Of(100, 0, 0, 20) {
		t.Errorf("it cost %s", r.Usage.USD)
	}
}

// A run's ledger has every call of its planner, workers, reviewer and last step at the step of the
// price that the usage which the provider reported reaches.
func TestLedgerByStep(t *testing.T) {
	c := leaseCast()
	uses := map[string]model.Usage{
		"planner": {Input: 1000, Output: 100},
		"reader":  {Input: 1001, Output: 100},
		"judge":   {Input: 999, Output: 10},
		"writer":  {Input: 1200, CachedInput: 1100, Output: 100},
	}
	s, err := provider.Start(provider.Options{Answer: func(q provider.Request) provider.Reply {
		r, err := c["test/"+q.Model].Complete(t.Context(), model.Request{Messages: []model.Message{{Text: q.System}}})
		if err != nil {
			return provider.Reply{Fault: provider.Fault{Status: 400, Message: err.Error()}}
		}
		use := uses[q.Model]
		return provider.Reply{Text: r.Text, Usage: &use}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": s.URL + "/v1"}[name]
		return v, ok
	}
	tm := leaseTeam()
	tm.Planner.LLM.Model = "openai/planner"
	for i := range tm.Workers {
		tm.Workers[i].Model = "openai/" + tm.Workers[i].Model[len("test/"):]
	}
	for name := range uses {
		p := stepped
		p.Model = "openai/" + name
		tm.Prices = append(tm.Prices, p)
	}
	res, records := superviseWith(t, agent.Options{
		Open:  func(ref string) (model.Model, error) { return open.Model(ref, env, open.Options{}) },
		Price: func(string) (chargehand.ModelPrice, bool) { return chargehand.ModelPrice{}, false },
	}, tm)
	if res.Status != chargehand.RunCompleted {
		t.Fatalf("%s (%s), gaps %+v", res.Status, res.StopReason, res.Gaps)
	}
	want := map[string]chargehand.Micros{
		"planning": 2000 + 1000, "workers": 4004 + 2000, "checking": 2 * (1998 + 100), "synthesis": 400 + 2200 + 2000,
	}
	sum := chargehand.Micros(0)
	for phase, usd := range want {
		if sum += usd; res.Cost.ByPhase[phase] != usd {
			t.Errorf("%s cost %s, want %s", phase, res.Cost.ByPhase[phase], usd)
		}
	}
	if res.Cost.USD != sum {
		t.Errorf("all of it cost %s, want %s", res.Cost.USD, sum)
	}
	if over := facts[chargehand.Overbilled](records); len(over) > 0 {
		t.Errorf("more was billed than reserved: %+v", over)
	}
}
