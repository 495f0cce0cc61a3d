package route

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

func worker(id string, tier int) chargehand.WorkerSpec {
	return chargehand.WorkerSpec{WorkerID: id, Tier: tier, Capabilities: []string{"extract"}}
}

func micros(m chargehand.Micros) *chargehand.Micros { return &m }

// written is a choice in words: the eligible with their ranks, and why the others are not.
func written(c Choice) []string {
	var out []string
	for _, x := range c.Eligible {
		out = append(out, fmt.Sprintf("%s@%d", x.Worker, x.Rank))
	}
	for _, x := range c.Excluded {
		out = append(out, x.Worker+": "+x.ExcludedBecause)
	}
	return out
}

// TestOrder is who is asked first: the wanted tier, then better ones, then worse, and within a rank
// the order of the team. A preferred worker goes before all.
func TestOrder(t *testing.T) {
	team := &chargehand.Team{Workers: []chargehand.WorkerSpec{
		worker("cheap", 3), worker("any", 0), worker("good", 2), worker("best", 1),
		{WorkerID: "other", Capabilities: []string{"write"}},
	}}
	for _, c := range []struct {
		name string
		q    Question
		want string
	}{
		{"any tier", Question{}, "cheap@0 any@0 good@0 best@0"},
		{"tier 2", Question{Tier: 2}, "any@0 good@0 best@1 cheap@2"},
		{"tier 1", Question{Tier: 1}, "any@0 best@0 cheap@1 good@1"},
		{"tier 3", Question{Tier: 3}, "cheap@0 any@0 good@1 best@1"},
		{"preferred", Question{Tier: 3, Prefer: "best"}, "best@0 cheap@1 any@1 good@2"},
		{"preferred is not there", Question{Tier: 3, Prefer: "nobody"}, "cheap@0 any@0 good@1 best@1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.q.Subtask = &chargehand.Subtask{Capability: "extract"}
			if d := cmp.Diff(c.want, strings.Join(written(Select(team, c.q)), " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestStatic: a declared order is kept, whatever the tiers; workers that are not named do not
// serve (SPEC.md ·30).
func TestStatic(t *testing.T) {
	team := &chargehand.Team{
		Workers: []chargehand.WorkerSpec{worker("cheap", 3), worker("good", 2), worker("best", 1)},
		Routes:  []chargehand.Route{{Capability: "extract", Strategy: chargehand.RouteStatic, Workers: []string{"best", "gone", "cheap"}}},
	}
	s := &chargehand.Subtask{Capability: "extract"}
	c := Select(team, Question{Subtask: s, Tier: 3})
	if d := cmp.Diff([]string{"best@0", "cheap@0"}, written(c)); d != "" || c.Strategy != chargehand.RouteStatic {
		t.Errorf("by %s: %s", c.Strategy, d)
	}
	if d := cmp.Diff([]string{"cheap@0", "best@1"}, written(Select(team, Question{Subtask: s, Prefer: "cheap"}))); d != "" {
		t.Error("preferred:", d)
	}
}

// TestExclusion is every reason why a capable worker may not serve (SPEC.md ·11, ·12): none of
// them is made up for by being idle or cheap.
//
//guard:tenant-worker
//guard:risk-ceiling
func TestExclusion(t *testing.T) {
	w := worker("a", 0)
	w.MaxRiskLevel, w.ToolGrants, w.TaskTypes, w.AverageLatencyMS = chargehand.RiskMedium, []string{"read"}, []string{"clause"}, 2_000
	w.OutputContracts, w.Tenants, w.CostPerCallEstimateUSD = []string{"facts"}, []string{"acme"}, 10_000
	team := &chargehand.Team{Workers: []chargehand.WorkerSpec{w}}
	for _, c := range []struct {
		name string
		s    chargehand.Subtask
		q    Question
		want string
	}{
		{"fits", chargehand.Subtask{
			RiskLevel: chargehand.RiskMedium, ToolGrants: []string{"read"}, TaskType: "clause", OutputContract: "facts",
			TimeoutMS: 2_000, Assignee: "a",
		}, Question{Tenant: "acme", Avoid: []string{"b"}, Afford: micros(10_000)}, "a@0"},
		{"assignee", chargehand.Subtask{Assignee: "b"}, Question{Tenant: "acme"}, "a: the subtask is assigned to b"},
		{"risk", chargehand.Subtask{RiskLevel: chargehand.RiskHigh}, Question{Tenant: "acme"}, "a: may take risk medium at most, the subtask is high"},
		{"tenant", chargehand.Subtask{}, Question{Tenant: "other"}, "a: is not enabled for the tenant"},
		{"task type", chargehand.Subtask{TaskType: "table"}, Question{Tenant: "acme"}, "a: does not take tasks of type table"},
		{"tool", chargehand.Subtask{ToolGrants: []string{"read", "send"}}, Question{Tenant: "acme"}, "a: has no grant for the tool send"},
		{"contract", chargehand.Subtask{OutputContract: "memo"}, Question{Tenant: "acme"}, "a: does not promise the contract memo"},
		{"latency", chargehand.Subtask{TimeoutMS: 1_999}, Question{Tenant: "acme"}, "a: takes 2s on average, the subtask allows 1.999s"},
		{"avoided", chargehand.Subtask{}, Question{Tenant: "acme", Avoid: []string{"a"}}, "a: had its chance"},
		{"too dear", chargehand.Subtask{}, Question{Tenant: "acme", Afford: micros(9_999)}, "a: may cost $0.01, the budget leaves $0.009999"},
		{"own budget", chargehand.Subtask{Budget: chargehand.Budget{USD: 9_000}}, Question{Tenant: "acme", Afford: micros(9_999)}, "a@0"},
		{"capability", chargehand.Subtask{Capability: "write"}, Question{Tenant: "acme"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.s.Capability == "" {
				c.s.Capability = "extract"
			}
			c.q.Subtask = &c.s
			if d := cmp.Diff(c.want, strings.Join(written(Select(team, c.q)), " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRiskUnknownToWorker: a worker that declares no risk takes low risk only.
func TestRiskUnknownToWorker(t *testing.T) {
	team := &chargehand.Team{Workers: []chargehand.WorkerSpec{worker("a", 0)}}
	got := written(Select(team, Question{Subtask: &chargehand.Subtask{Capability: "extract", RiskLevel: chargehand.RiskMedium}}))
	if d := cmp.Diff([]string{"a: may take risk low at most, the subtask is medium"}, got); d != "" {
		t.Error(d)
	}
}

// TestTimeout is max(2 × average latency, 1 s), a minute where no latency is declared, unless the subtask says otherwise (SPEC.md ·85).
func TestTimeout(t *testing.T) {
	for _, c := range []struct {
		latency, timeout int
		want             time.Duration
	}{
		{0, 0, time.Minute},
		{400, 0, time.Second},
		{501, 0, 1_002 * time.Millisecond},
		{60_000, 0, 2 * time.Minute},
		{60_000, 5, 5 * time.Millisecond},
	} {
		w := chargehand.WorkerSpec{AverageLatencyMS: c.latency}
		if got := Timeout(&w, &chargehand.Subtask{TimeoutMS: c.timeout}); got != c.want {
			t.Errorf("latency %d ms, timeout %d ms: %s, want %s", c.latency, c.timeout, got, c.want)
		}
	}
}

// TestReviewerOfItsOwnWork: the reviewer does what is of less than high risk, as any worker.
func TestReviewerOfItsOwnWork(t *testing.T) {
	w := chargehand.WorkerSpec{WorkerID: "r", Capabilities: []string{"x"}, MaxRiskLevel: chargehand.RiskCritical}
	team := &chargehand.Team{Policy: chargehand.Policy{Reviewer: "r"}}
	for risk, want := range map[chargehand.Risk]string{
		chargehand.RiskMedium: "", chargehand.RiskHigh: "is the reviewer, and would judge its own work at risk high",
	} {
		s := chargehand.Subtask{Capability: "x", RiskLevel: risk}
		if got := exclusion(team, &w, Question{Subtask: &s}); got != want {
			t.Errorf("at risk %s: %q", risk, got)
		}
	}
}

// TestTimeoutUndeclared: a worker of unknown latency has a minute, and is not kept from a subtask that
// leaves less; what it declares counts.
func TestTimeoutUndeclared(t *testing.T) {
	for _, kind := range []chargehand.WorkerKind{chargehand.KindFunc, chargehand.KindExec, chargehand.KindLLM} {
		w := chargehand.WorkerSpec{WorkerID: "m", Capabilities: []string{"x"}, Kind: kind}
		s := chargehand.Subtask{Capability: "x", TimeoutMS: 20_000}
		if got := exclusion(&chargehand.Team{}, &w, Question{Subtask: &s}); got != "" || Timeout(&w, &s) != 20*time.Second {
			t.Errorf("%s: %q, %s", kind, got, Timeout(&w, &s))
		}
		w.AverageLatencyMS = 30_000
		if got := exclusion(&chargehand.Team{}, &w, Question{Subtask: &s}); got == "" {
			t.Errorf("%s says that it takes longer, and may do it", kind)
		}
	}
}
