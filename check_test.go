package chargehand

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sound is a small team without a problem.
func sound() *Team {
	return &Team{
		Name: "letters",
		Workers: []WorkerSpec{
			{WorkerID: "reader", Capabilities: []string{"read"}, OutputContracts: []string{"facts"}},
			{WorkerID: "writer", Capabilities: []string{"write", "read"}},
		},
		Contracts: []Contract{{Name: "facts", Schema: json.RawMessage(`{"type":"object"}`)}},
		Planner: Planner{Template: &Plan{Subtasks: []Subtask{
			{ID: "a", Goal: "Read it.", Capability: "read", OutputContract: "facts"},
			{ID: "b", Goal: "Write it.", Capability: "write", Deps: []string{"a"}},
		}}},
		Synthesis: &Synthesis{Capability: "write"},
		Routes:    []Route{{Capability: "read", Strategy: RouteStatic, Workers: []string{"reader", "writer"}}},
	}
}

func first(t *Team) *WorkerSpec { return &t.Workers[0] }
func step(t *Team) *Subtask     { return &t.Planner.Template.Subtasks[1] }

func again(t *Team) *Subtask { return &t.Planner.Template.Subtasks[2] }

// seconded has a subtask at risk high read twice in a team without a reviewer.
func seconded(change func(*Team)) func(*Team) {
	return func(t *Team) {
		t.Policy.Reviewer, t.Contracts[0].Items = NoReviewer, &ItemRule{Path: "/items"}
		first(t).MaxRiskLevel = RiskHigh
		t.Workers = append(t.Workers, WorkerSpec{WorkerID: "checker", Capabilities: []string{"check"}})
		s := &t.Planner.Template.Subtasks[0]
		s.RiskLevel, s.RequiredAspects = RiskHigh, []string{"rent", "notice"}
		t.Planner.Template.Subtasks = append(t.Planner.Template.Subtasks, Subtask{
			ID: "c", Goal: "Read it again.", Capability: "check", OutputContract: "facts", RequiredAspects: []string{"notice", "rent", "term"},
		})
		if change != nil {
			change(t)
		}
	}
}

const lone = "$.planner.template.subtasks[0].riskLevel: is high, and the team does without a reviewer (name one in `policy.reviewer`, " +
	"or plan a second reading: a subtask for another capability, with the same contract of items and the same aspects)"

func TestSoundTeamHasNoProblem(t *testing.T) {
	if got := sound().Check(); got != nil {
		t.Errorf("problems of a sound team: %v", got)
	}
	if got := sound().CheckPlan(sound().Planner.Template); got != nil {
		t.Errorf("problems of a sound plan: %v", got)
	}
}

//guard:auto-approval
//guard:gated-effects
func TestCheck(t *testing.T) {
	long := strings.Repeat("x", 4_001)
	cases := []struct {
		name   string
		change func(*Team)
		want   string // the problems, without the brackets of hints, one a line
	}{
		{"no name", func(t *Team) { t.Name = " " }, "$.name: is missing: give it a name"},
		{"name of two lines", func(t *Team) { t.Name = "a\nb" }, "$.name: must be one line without control characters"},
		{
			"no worker", func(t *Team) { t.Workers, t.Planner, t.Synthesis, t.Routes = nil, Planner{Func: "f"}, nil, nil },
			"$.workers: there is no worker: a team needs at least one",
		},
		{
			"workerId missing", func(t *Team) { t.Workers = append(t.Workers, WorkerSpec{Capabilities: []string{"x"}}) },
			"$.workers[2].workerId: is missing: it is the worker's one name",
		},
		{
			"workerId syntax", func(t *Team) { t.Workers[1].WorkerID = "Writer"; t.Routes = nil },
			"$.workers[1].workerId: `Writer` cannot be a worker's name (use up to 63 small letters, digits, `-`, `_` and `.`, beginning with a letter or digit)",
		},
		{
			"workerId twice", func(t *Team) { t.Workers[1].WorkerID = "reader"; t.Routes = nil },
			"$.workers[1].workerId: `reader` is also the name of $.workers[0]",
		},
		{"version", func(t *Team) { first(t).Version = "2 beta" }, "$.workers[0].version: `2 beta` cannot be a version (use letters, digits, `-`, `_` and `.`, such as `2.3`)"},
		{
			"no capabilities", func(t *Team) { t.Workers = append(t.Workers, WorkerSpec{WorkerID: "idle"}) },
			"$.workers[2].capabilities: is missing: say what the worker can do",
		},
		{
			"capability twice", func(t *Team) { first(t).Capabilities = []string{"read", "", "read"} },
			"$.workers[0].capabilities[1]: is empty\n$.workers[0].capabilities[2]: `read` is listed twice",
		},
		{
			"unknown contract", func(t *Team) { first(t).OutputContracts = []string{"fact"} },
			"$.workers[0].outputContracts[0]: there is no contract `fact` (did you mean `facts`?)",
		},
		{
			"input schema", func(t *Team) { first(t).AcceptedInputSchema = json.RawMessage(`"facts"`) },
			"$.workers[0].acceptedInputSchema: must be a JSON Schema (write the schema itself here: `type: object` and so on)",
		},
		{"tier", func(t *Team) { first(t).Tier = 4 }, "$.workers[0].tier: must be 1, 2 or 3, or 0 for every tier; it is 4"},
		{"negative numbers", func(t *Team) {
			w := first(t)
			w.AverageLatencyMS, w.CostPerCallEstimateUSD, w.MaxConcurrentTasks, w.FailurePolicy.MaxAttempts = -1, -1, -1, -1
		}, "$.workers[0].averageLatencyMs: must not be negative\n$.workers[0].costPerCallEstimateUSD: must not be negative, it is $-0.000001\n" +
			"$.workers[0].maxConcurrentTasks: must not be negative\n$.workers[0].failurePolicy.maxAttempts: must not be negative"},
		{
			"dear worker", func(t *Team) { first(t).CostPerCallEstimateUSD = 2 * USD },
			"$.workers[0].costPerCallEstimateUSD: $2.00 for one action is above the limit of $1.00 and needs an approval; this version cannot ask for approval before an effect (lower it, or raise policy.singleActionLimit)",
		},
		{"dear worker under a higher limit", func(t *Team) { first(t).CostPerCallEstimateUSD, t.Policy.CostLimit = 2*USD, 2*USD }, ""},
		{
			"risk", func(t *Team) { first(t).MaxRiskLevel = "hgih" },
			"$.workers[0].maxRiskLevel: `hgih` is none of `low`, `medium`, `high` and `critical` (did you mean `high`?)",
		},
		{
			"health endpoint", func(t *Team) { first(t).HealthEndpoint = "file:///etc/passwd" },
			"$.workers[0].healthEndpoint: `file:///etc/passwd` is no address to call (such as `https://host/path`)",
		},
		{"max below min", func(t *Team) { first(t).Min, first(t).Max = 3, 2 }, "$.workers[0].max: must be at least min, which is 3; it is 2"},
		{"max alone", func(t *Team) { first(t).Max = 2 }, ""},
		{"spawn", func(t *Team) {
			first(t).Spawn = &Spawn{IdleTimeout: Duration(2 * time.Minute), EstimateUSD: -1, CostPerCallEstimate: 3 * USD}
		}, "$.workers[0].spawn.max: must be at least 1: it is how many dynamic workers there may be\n" +
			"$.workers[0].spawn.idleTimeout: must be at most 60s, it is 2m\n" +
			"$.workers[0].spawn.estimateUSD: must not be negative, it is $-0.000001\n" +
			"$.workers[0].spawn.costPerCallEstimate: $3.00 for one action is above the limit of $1.00 and needs an approval; this version cannot ask for approval before an effect (lower it, or raise policy.singleActionLimit)"},
		{"spawn at most", func(t *Team) { first(t).Spawn = &Spawn{Max: 1, IdleTimeout: Duration(time.Minute)} }, ""},
		{
			"fallback unknown", func(t *Team) { first(t).FailurePolicy.FallbackWorker = "writre" },
			"$.workers[0].failurePolicy.fallbackWorker: there is no worker `writre` (did you mean `writer`?)",
		},
		{
			"fallback to itself", func(t *Team) { first(t).FailurePolicy.FallbackWorker = "reader" },
			"$.workers[0].failurePolicy.fallbackWorker: is the worker itself",
		},
		{"useless fallback", func(t *Team) {
			t.Workers = append(t.Workers, WorkerSpec{WorkerID: "idle", Capabilities: []string{"x"}})
			first(t).FailurePolicy.FallbackWorker = "idle"
		}, "$.workers[0].failurePolicy.fallbackWorker: `idle` has none of the capabilities of this worker"},
		{"kind", func(t *Team) { first(t).Kind, first(t).Exec = "exce", &ExecKind{} }, "$.workers[0].kind: `exce` is none of `func`, `exec`, `http`, `llm`, `mcp` and `a2a` (did you mean `exec`?)"},
		{
			"exec without command", func(t *Team) { first(t).Kind = KindExec },
			"$.workers[0].exec.command: is missing: say which program to start (such as `command: [./extract.sh]`)",
		},
		{
			"exec under func", func(t *Team) { first(t).Exec = &ExecKind{Command: []string{"x"}} },
			"$.workers[0].exec: is for workers of kind `exec`, this one is of kind `func` (write `kind: exec`, or delete it)",
		},
		{"http under exec", func(t *Team) {
			first(t).Kind, first(t).Exec, first(t).HTTP = KindExec, &ExecKind{Command: []string{"x"}}, &HTTPKind{URL: "http://h"}
		}, "$.workers[0].http: is for workers of kind `http`, this one is of kind `exec` (write `kind: http`, or delete it)"},
		{"environment", func(t *Team) {
			first(t).Kind, first(t).Exec = KindExec, &ExecKind{Command: []string{"x", "\x00"}, Env: map[string]string{"A=B": "", "OK": "1"}}
		}, "$.workers[0].exec.command[1]: must not hold a NUL\n$.workers[0].exec.env: `A=B` cannot be set in an environment"},
		{"http without url", func(t *Team) { first(t).Kind = KindHTTP }, "$.workers[0].http.url: is missing: say where the task is posted to"},
		{"http url", func(t *Team) {
			first(t).Kind, first(t).HTTP = KindHTTP, &HTTPKind{URL: "localhost:80", Headers: map[string]string{"a b": "", "X": "1\r\n"}}
		}, "$.workers[0].http.url: `localhost:80` is no address to call (such as `https://host/path`)\n" +
			"$.workers[0].http.headers: `X` cannot be sent as a header\n$.workers[0].http.headers: `a b` cannot be sent as a header"},

		{
			"contract name", func(t *Team) {
				t.Contracts = append(t.Contracts, Contract{}, Contract{Name: "a@b"}, Contract{Name: "facts"})
			},
			"$.contracts[1].name: is missing: give it a name\n" +
				"$.contracts[2].name: `a@b` cannot be a name here (use up to 63 letters, digits, `-`, `_` and `.`, beginning with a letter or digit)\n" +
				"$.contracts[3].name: `facts` is also the name of $.contracts[0]",
		},
		{"contract schema", func(t *Team) { t.Contracts[0].Schema = json.RawMessage(`{`) }, "$.contracts[0].schema: is not valid JSON"},
		{"contract parts", func(t *Team) {
			k := &t.Contracts[0]
			k.Items, k.Grounded, k.MaxBytes, k.Detectors = &ItemRule{Path: "rows"}, []string{"summary"}, -1, Detect("secret")
			k.StopOn = []Detector{DetectURLs}
			k.Calculations = []Calculation{{ID: "sum", Path: "/sum", Tolerance: math.NaN()}}
			k.Rules = []Rule{{ID: "r", CEL: "true", Message: "m", Severity: "fatal"}, {ID: "r"}}
		}, "$.contracts[0].items.path: `rows` is no JSON pointer (it begins with a slash: `/rows`)\n" +
			"$.contracts[0].grounded[0]: `summary` is no JSON pointer (it begins with a slash: `/summary`)\n" +
			"$.contracts[0].calculations[0].equals: is missing: say in CEL what the figure must be\n" +
			"$.contracts[0].calculations[0].tolerance: must be a number from 0, it is NaN\n" +
			"$.contracts[0].rules[0].severity: `fatal` is none of `error`, `review` and `warning`\n" +
			"$.contracts[0].rules[1].id: `r` is also the id of number 1 in the list\n" +
			"$.contracts[0].rules[1].cel: is missing: say in CEL what must hold\n" +
			"$.contracts[0].rules[1].message: is missing: say what to show when the rule does not hold\n" +
			"$.contracts[0].detectors[0]: `secret` is none of `personal_data`, `secrets`, `external_urls` and `injection` (did you mean `secrets`?)\n" +
			"$.contracts[0].stopOn[0]: `external_urls` is none of the contract's detectors (add it to `detectors`)\n" +
			"$.contracts[0].maxBytes: must not be negative"},

		{"detectors", func(t *Team) {
			t.Policy.Detectors = []DetectorRule{{DetectPersonalData, SeverityError}, {"personaldata", ""}, {DetectInjection, "off"}, {DetectSecrets, SeverityWarning}, {}}
			t.Contracts[0].Detectors = []DetectorRule{{DetectURLs, "reviews"}, {DetectSecrets, SeverityError}}
			t.Contracts[0].StopOn = []Detector{DetectPersonalData}
		}, "$.contracts[0].detectors[0].severity: `reviews` is none of `error`, `review` and `warning` (did you mean `review`?)\n" +
			"$.policy.detectors[1]: `personaldata` is none of `personal_data`, `secrets`, `external_urls` and `injection` (did you mean `personal_data`?)\n" +
			"$.policy.detectors[2].severity: `off` is none of `error`, `review` and `warning`\n" +
			"$.policy.detectors[3].severity: a secret in an output is always an error (delete the line)\n" +
			"$.policy.detectors[4]: names no detector (write its name, such as `secrets`)"},

		{"policy words", func(t *Team) {
			t.Policy = Policy{OnSubtaskError: "skp", Profile: "x", AutoDecision: "maybe", WhenOnlyWaits: "go", Conflicts: "ask", Queue: "fifo"}
		}, "$.policy.onSubtaskError: `skp` is none of `skip`, `fail` and `retry` (did you mean `skip`?)\n" +
			"$.policy.profile: `x` is none of `default`, `data_analysis` and `critical`\n" +
			"$.policy.autoDecision: `maybe` is none of `reject` and `approve`\n" +
			"$.policy.whenOnlyReviewsRemain: `go` is none of `wait` and `partial`\n" +
			"$.policy.conflicts: `ask` is none of `record` and `review`\n" +
			"$.policy.queue: `fifo` is none of `priority`, `fair`, `oldest` and `deadline`"},
		{"onSubtaskError retry", func(t *Team) { t.Policy.OnSubtaskError = "retry" }, ""},
		{"policy numbers", func(t *Team) {
			t.Policy = Policy{RunConcurrency: -1, Attempts: -1, FailureRatio: new(1.5), ReviewTimeout: -1, CostLimit: -1, Reviewer: "judge"}
		}, "$.policy.runConcurrency: must not be negative\n" +
			"$.policy.attempts: must not be negative\n" +
			"$.policy.failureRatio: must be between 0 and 1, it is 1.5\n" +
			"$.policy.reviewTimeout: must not be negative\n" +
			"$.policy.reviewer: there is no worker `judge` (there is `reader` and `writer`)\n" +
			"$.policy.singleActionLimit: must not be negative, it is $-0.000001"},
		{"failure ratio", func(t *Team) { t.Policy.FailureRatio = new(math.NaN()) }, "$.policy.failureRatio: must be between 0 and 1, it is NaN"},
		{
			"automatic approval", func(t *Team) {
				t.Policy.AutoDecision, first(t).MaxRiskLevel, step(t).RiskLevel = AutoApprove, RiskHigh, RiskMedium
			},
			"$.policy.autoDecision: `approve` is only for risk low, and the worker `reader` may take risk high (write `reject`, or lower the worker's maxRiskLevel)\n" +
				"$.planner.template.subtasks[1].riskLevel: is medium, and the policy approves by itself, which is only for risk low (write `autoDecision: reject` in the policy)",
		},
		{"secrets in the open", func(t *Team) {
			first(t).Kind, first(t).HTTP = KindHTTP, &HTTPKind{URL: "https://ana:pw@host/", Headers: map[string]string{"x-api-key": "k", "X-Team": "ours"}}
			t.Tools = []ToolServer{{Name: "s", Command: []string{"c"}, Env: map[string]string{"DB_PASSWORD": "p", "MY_TOKEN": "$MY_TOKEN", "MODE": "m"}}}
		}, "$.workers[0].http.url: has a password in it, and a team is recorded as it stands (send it in a header, from a variable of the environment)\n" +
			"$.workers[0].http.headers.x-api-key: is written out, and a team is recorded as it stands (name a variable of the environment, such as `$TOKEN`)\n" +
			"$.tools[0].env.DB_PASSWORD: is written out, and a team is recorded as it stands (name a variable of the environment, such as `$TOKEN`)"},
		{"without a reviewer", func(t *Team) { t.Policy.Reviewer = NoReviewer }, ""},
		{
			"without a reviewer at risk high", func(t *Team) { t.Policy.Reviewer, step(t).RiskLevel = NoReviewer, RiskHigh },
			"$.planner.template.subtasks[1].riskLevel: is high, and the team does without a reviewer (name one in `policy.reviewer`, " +
				"or plan a second reading: a subtask for another capability, with the same contract of items and the same aspects)",
		},
		{"a second reading of another worker", seconded(nil), ""},
		{"a second reading of fewer aspects", seconded(func(t *Team) { again(t).RequiredAspects = []string{"rent"} }), lone},
		{"a second reading by the same worker", seconded(func(t *Team) { t.Workers[1].Capabilities = []string{"write", "read", "check"} }), lone},
		{"a second reading that sees the first", seconded(func(t *Team) { again(t).Deps = []string{"a"} }), lone},
		{"a second reading that nothing compares", seconded(func(t *Team) { t.Contracts[0].Items = nil }), lone},
		{
			"a reviewer of its own work at risk high",
			func(t *Team) {
				t.Policy.Reviewer, step(t).RiskLevel, step(t).Capability = "reader", RiskCritical, "look"
				first(t).Capabilities = []string{"read", "look"}
			},
			"$.planner.template.subtasks[1].riskLevel: is critical, and only the reviewer `reader` can do it, who would judge its own work " +
				"(name another reviewer, or give another worker the capability `look`)",
		},
		{"a reviewer of others' work", func(t *Team) { t.Policy.Reviewer, step(t).RiskLevel = "reader", RiskCritical }, ""},
		{"automatic approval at risk low", func(t *Team) { t.Policy.AutoDecision, first(t).MaxRiskLevel = AutoApprove, RiskLow }, ""},

		{"no planner", func(t *Team) { t.Planner = Planner{} }, "$.planner: is missing: declare a template, name a function that plans, or an llm"},
		{"two planners", func(t *Team) { t.Planner.Func = "f" }, "$.planner: has more than one of template, func and llm: keep one"},
		{
			"debate", func(t *Team) { t.Policy.Debate = Debate{Rounds: 4, Adjudicate: "dice"} },
			"$.policy.debate.rounds: is 4: want 1 to 3\n$.policy.debate.adjudicate: `dice` is none of `person`, `rules` and `judge`",
		},
		{
			"debate with no judge", func(t *Team) { t.Policy.Debate.Adjudicate = AdjudicateByJudge },
			"$.policy.debate.adjudicate: `judge` needs a reviewer (name one in `policy.reviewer`)",
		},
		{
			"debate of a write", func(t *Team) { step(t).Debate, step(t).Effect = true, EffectWrite },
			"$.planner.template.subtasks[1].debate: is only for what reads: a second worker would do it again",
		},
		{"advice for a template", func(t *Team) { t.Planner.Advice = true }, "$.planner.advice: needs a func or an llm: a template is not made"},
		{"advice at risk high", func(t *Team) {
			t.Planner, first(t).MaxRiskLevel = Planner{Func: "f", Advice: true}, RiskHigh
		}, "$.planner.advice: is only for risk below high, and the worker `reader` may take risk high (leave it out, or lower the worker's maxRiskLevel)"},
		{"advice at risk medium", func(t *Team) {
			t.Planner, first(t).MaxRiskLevel = Planner{Func: "f", Advice: true}, RiskMedium
		}, ""},
		{"replan without func", func(t *Team) { t.Planner.Replan = true }, "$.planner.replan: needs a func or an llm: a template has no second plan"},
		{
			"synthesis", func(t *Team) {
				t.Synthesis = &Synthesis{Capability: "wrote", OutputContract: "x", TimeoutMS: -1, Goal: long}
			},
			"$.synthesis.capability: no worker has the capability `wrote` (did you mean `write`?)\n" +
				"$.synthesis.goal: may have 4000 bytes, it has 4001\n" +
				"$.synthesis.outputContract: there is no contract `x` (there is `facts`)\n" +
				"$.synthesis.timeoutMs: must not be negative",
		},
		{"invariants", func(t *Team) { t.Invariants = []Rule{{CEL: "true", Message: "m"}} }, "$.invariants[0].id: is missing: findings name it"},
		{"routes", func(t *Team) {
			t.Routes = []Route{
				{Capability: "red", Strategy: "static"},
				{Capability: "read"},
				{Capability: "read", Strategy: "load-aware", Workers: []string{"reader"}},
				{Capability: "write", Strategy: "static", Workers: []string{"reader", "rider"}},
			}
		}, "$.routes[0].capability: no worker has the capability `red` (did you mean `read`?)\n" +
			"$.routes[0].workers: is missing: a static route names its workers, in order of preference\n" +
			"$.routes[1].strategy: is missing: `static`, `capability` or `load-aware`\n" +
			"$.routes[2].capability: `read` has a route already, $.routes[1]\n" +
			"$.routes[2].workers: is only for static routes\n" +
			"$.routes[3].workers[0]: `reader` does not have the capability `write`\n" +
			"$.routes[3].workers[1]: there is no worker `rider` (did you mean `reader`?)"},
		{
			"budget and deadline", func(t *Team) { t.Budget, t.Deadline = Budget{USD: -1, Tokens: -1}, -1 },
			"$.budget.usd: must not be negative, it is $-0.000001\n$.budget.tokens: must not be negative\n$.deadline: must not be negative",
		},

		{"plan is empty", func(t *Team) { t.Planner.Template = &Plan{} }, "$.planner.template.subtasks: there is no subtask: a plan needs at least one"},
		{
			"subtask without anything", func(t *Team) { *step(t) = Subtask{} },
			"$.planner.template.subtasks[1].id: is missing: others depend on it by this name\n" +
				"$.planner.template.subtasks[1].goal: is missing: say what is to be done\n" +
				"$.planner.template.subtasks[1].capability: is missing: say what a worker must be able to do",
		},
		{
			"subtask ids", func(t *Team) { step(t).ID, t.Planner.Template.Subtasks[0].ID = "_s", "_s"; step(t).Deps = nil },
			"$.planner.template.subtasks[0].id: `_s` cannot be a name here (use up to 63 letters, digits, `-`, `_` and `.`, beginning with a letter or digit)\n" +
				"$.planner.template.subtasks[1].id: `_s` cannot be a name here (use up to 63 letters, digits, `-`, `_` and `.`, beginning with a letter or digit)\n" +
				"$.planner.template.subtasks[1].id: `_s` is also the id of subtask number 1",
		},
		{
			"long texts", func(t *Team) { step(t).Label, step(t).Goal = strings.Repeat("ö", 201), long },
			"$.planner.template.subtasks[1].label: may have 200 characters, it has 201\n$.planner.template.subtasks[1].goal: may have 4000 bytes, it has 4001",
		},
		{"texts of full length", func(t *Team) { step(t).Label, step(t).Goal = strings.Repeat("ö", 200), long[1:] }, ""},
		{
			"effects", func(t *Team) {
				step(t).Effect, step(t).RequiresApproval, step(t).Action = EffectPayment, true, "publishReport"
			},
			"$.planner.template.subtasks[1].effect: `payment` needs an approval; this version cannot ask for approval before an effect\n" +
				"$.planner.template.subtasks[1].requiresApproval: asks for an approval; this version cannot ask for approval before an effect\n" +
				"$.planner.template.subtasks[1].action: `publishReport` is a sensitive action (publish) and needs an approval; this version cannot ask for approval before an effect",
		},
		{"harmless effect and action", func(t *Team) { step(t).Effect, step(t).Action = EffectWrite, "store_payload" }, ""},
		{
			"words of a subtask", func(t *Team) { step(t).Effect, step(t).Criticality, step(t).RiskLevel = "wriet", "urgent", "none" },
			"$.planner.template.subtasks[1].criticality: `urgent` is none of `critical`, `standard` and `simple`\n" +
				"$.planner.template.subtasks[1].riskLevel: `none` is none of `low`, `medium`, `high` and `critical`\n" +
				"$.planner.template.subtasks[1].effect: `wriet` is none of `read`, `write`, `irreversible`, `external_comm` and `payment` (did you mean `write`?)",
		},
		{
			"no time for anybody", func(t *Team) { step(t).TimeoutMS = 20_000; pace(t, step(t), 30_000, 25_000) },
			"$.planner.template.subtasks[1].timeoutMs: allows 20s, and no worker that can do it is that fast: `spare` takes 25s on average (allow more, or correct the worker's `averageLatencyMs`)",
		},
		{"time for one of them", func(t *Team) { step(t).TimeoutMS = 20_000; pace(t, step(t), 30_000, 20_000) }, ""},
		{"time for one whose pace is not known", func(t *Team) { step(t).TimeoutMS = 20_000; pace(t, step(t), 30_000, 0) }, ""},
		{
			"no time for the one who is named", func(t *Team) {
				step(t).TimeoutMS = 20_000
				pace(t, step(t), 30_000, 20_000)
				step(t).Assignee = "writer"
			},
			"$.planner.template.subtasks[1].timeoutMs: allows 20s, and no worker that can do it is that fast: `writer` takes 30s on average (allow more, or correct the worker's `averageLatencyMs`)",
		},
		{
			"subtask limits", func(t *Team) { step(t).TimeoutMS, step(t).Budget = -1, Budget{USD: USD + 1, Tokens: -1} },
			"$.planner.template.subtasks[1].timeoutMs: must not be negative\n" +
				"$.planner.template.subtasks[1].budget.usd: $1.000001 for one action is above the limit of $1.00 and needs an approval; this version cannot ask for approval before an effect (lower it, or raise policy.singleActionLimit)\n" +
				"$.planner.template.subtasks[1].budget.tokens: must not be negative",
		},
		{"references of a subtask", func(t *Team) {
			s := step(t)
			s.OutputContract, s.Assignee, s.Compensation, s.Input = "Facts", "reader", "unwrite", json.RawMessage(`nope`)
		}, "$.planner.template.subtasks[1].input: is not valid JSON\n" +
			"$.planner.template.subtasks[1].outputContract: there is no contract `Facts` (did you mean `facts`?)\n" +
			"$.planner.template.subtasks[1].assignee: `reader` does not have the capability `write`\n" +
			"$.planner.template.subtasks[1].compensation: no worker has the capability `unwrite` (did you mean `write`?)"},
		{"capable but not eligible is a gap", func(t *Team) { step(t).RiskLevel = RiskMedium }, ""},
		{"a tool that only a worker without the capability has is a gap", func(t *Team) {
			t.Workers[0].ToolGrants, step(t).ToolGrants = []string{"shell"}, []string{"shell"}
		}, ""},
		{"a tool that no worker has", func(t *Team) {
			t.Workers[0].ToolGrants, step(t).ToolGrants = []string{"files.read"}, []string{"files.raed", "files.read"}
		}, "$.planner.template.subtasks[1].toolGrants[0]: no worker is granted the tool `files.raed` (did you mean `files.read`?)"},
		{
			"deps", func(t *Team) { step(t).Deps = []string{"b", "a", "a", "aa", ""} },
			"$.planner.template.subtasks[1].deps[0]: the subtask depends on itself\n" +
				"$.planner.template.subtasks[1].deps[2]: `a` is listed twice\n" +
				"$.planner.template.subtasks[1].deps[3]: there is no subtask `aa` (there is `a` and `b`)\n" +
				"$.planner.template.subtasks[1].deps[4]: is empty",
		},
		{
			"cycle", func(t *Team) { t.Planner.Template.Subtasks[0].Deps = []string{"b"} },
			"$.planner.template.subtasks[1].deps[0]: subtasks wait for each other: `a` → `b` → `a`",
		},
		{
			"plan figures", func(t *Team) { t.Planner.Template.Version, t.Planner.Template.ComplexityScore = -1, 2 },
			"$.planner.template.version: must not be negative\n$.planner.template.complexityScore: must be between 0 and 1, it is 2",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			team := sound()
			c.change(team)
			if diff := cmp.Diff(c.want, lines(team.Check())); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func lines(ps []Problem) string {
	all := make([]string, len(ps))
	for i, p := range ps {
		all[i] = p.String()
	}
	return strings.Join(all, "\n")
}

// A name in a file can hold anything; a message must not move the cursor or turn the line round.
func TestMessagesAreSafeToPrint(t *testing.T) {
	team := sound()
	step(team).Capability = "re\x1b[2J\u202ead" + strings.Repeat("é", 100)
	got := lines(team.Check())
	if strings.ContainsAny(got, "\x1b\u202e") || len(got) > 300 {
		t.Errorf("message: %q", got)
	}
}

func TestPlanOfManySubtasks(t *testing.T) {
	team := sound()
	plan := func(n int) *Plan {
		p := &Plan{}
		for i := range n {
			s := Subtask{ID: fmt.Sprint("s", i), Goal: "g", Capability: "read"}
			for d := 1; d <= 3 && d <= i; d++ {
				s.Deps = append(s.Deps, fmt.Sprint("s", i-d))
			}
			p.Subtasks = append(p.Subtasks, s)
		}
		return p
	}
	if got := team.CheckPlan(plan(MaxPlanSize)); got != nil {
		t.Errorf("problems of a large plan: %v", got)
	}
	if got, want := lines(team.CheckPlan(plan(MaxPlanSize+1))), "$.subtasks: may have 10000 subtasks, it has 10001"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ring := plan(MaxPlanSize)
	ring.Subtasks[0].Deps = []string{"s9999"}
	got := team.CheckPlan(ring)
	if len(got) == 0 || len(got) > maxCycles || !strings.Contains(got[0].Message, " more → ") {
		t.Errorf("problems of a ring: %v", got)
	}
}

func TestMoreAgentTypesThanSubtasks(t *testing.T) {
	team := sound()
	p := team.Planner.Template
	p.AgentTypes = []string{"researcher", "writer"}
	if got := team.Check(); got != nil {
		t.Errorf("problems of as many agent types as subtasks: %v", got)
	}
	p.AgentTypes = append(p.AgentTypes, "analyst", "analyst")
	want := "$.planner.template.agentTypes: has 2 more than there are subtasks: each is the role of the subtask in its place"
	if got := lines(team.Check()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A reviewer may judge what is at any risk where the policy approves by itself, and where plans are
// advised, as long as it does not do such work itself.
func TestReviewerAtRisk(t *testing.T) {
	team := func(mode func(*Team), can ...string) *Team {
		t := sound()
		t.Workers = append(t.Workers, WorkerSpec{WorkerID: "judge", Capabilities: can, MaxRiskLevel: RiskCritical})
		t.Policy.Reviewer = "judge"
		mode(t)
		return t
	}
	advised := func(t *Team) { t.Planner = Planner{Func: "f", Advice: true} }
	approves := func(t *Team) { t.Policy.AutoDecision = AutoApprove }
	own := func(t *Team) {
		approves(t)
		t.Planner.Template.Subtasks[1].Capability = "judging"
	}
	last := func(t *Team) {
		approves(t)
		t.Synthesis.Capability = "judging"
	}
	const refused = "$.policy.autoDecision: `approve` is only for risk low, and the worker `judge` may take risk critical"
	for _, c := range []struct {
		name string
		team *Team
		want string
	}{
		{"advice", team(advised, "judging"), ""},
		{"advice to one that reads too, below high", team(advised, "judging", "read"), ""},
		{"approval", team(approves, "judging"), ""},
		{"approval beside one that reads too", team(approves, "judging", "read"), refused},
		{"approval beside one that has a subtask", team(own, "judging"), refused},
		{"approval beside one that writes the result", team(last, "judging"), refused},
	} {
		if got := lines(c.team.Check()); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Every cycle has its own problem, wherever the walk begins.
func TestCyclesApart(t *testing.T) {
	p := &Plan{}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		p.Subtasks = append(p.Subtasks, Subtask{ID: id, Goal: "g", Capability: "read"})
	}
	p.Subtasks[0].Deps = []string{"b", "e"}
	p.Subtasks[1].Deps = []string{"a"}
	p.Subtasks[2].Deps = []string{"d"}
	p.Subtasks[3].Deps = []string{"c"}
	want := "$.subtasks[1].deps[0]: subtasks wait for each other: `a` → `b` → `a`\n" +
		"$.subtasks[3].deps[0]: subtasks wait for each other: `c` → `d` → `c`"
	if diff := cmp.Diff(want, lines(sound().CheckPlan(p))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestNoPlan(t *testing.T) {
	if got, want := lines(sound().CheckPlan(nil)), "$.subtasks: there is no subtask: a plan needs at least one"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func BenchmarkCheckPlan(b *testing.B) {
	team, p, bad := sound(), &Plan{}, &Plan{}
	for i := range MaxPlanSize {
		s := Subtask{ID: fmt.Sprint("subtask-", i), Goal: "g", Capability: "read"}
		if i > 2 {
			s.Deps = []string{p.Subtasks[i-1].ID, p.Subtasks[i-2].ID}
		}
		p.Subtasks = append(p.Subtasks, s)
		s.Deps = []string{fmt.Sprint("sabtask-", i), fmt.Sprint("nothing-", i)}
		bad.Subtasks = append(bad.Subtasks, s)
	}
	for name, plan := range map[string]*Plan{"sound": p, "every dependency unknown": bad} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				team.CheckPlan(plan)
			}
		})
	}
}

// pace has two workers do the subtask, with these average latencies in milliseconds.
func pace(t *Team, s *Subtask, first, second int) {
	for i := range t.Workers {
		if t.Workers[i].Can(s.Capability) {
			t.Workers[i].AverageLatencyMS = first
			spare := t.Workers[i]
			spare.WorkerID, spare.AverageLatencyMS = "spare", second
			t.Workers = append(t.Workers, spare)
			return
		}
	}
}
