package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/model"
)

// A cast is several models: who answers is decided by the name a team gives.
type cast map[string]model.Model

func (c cast) options() agent.Options {
	return agent.Options{
		Open: func(ref string) (model.Model, error) {
			m := c[ref]
			if m == nil {
				return nil, errors.New("no such model")
			}
			return m, nil
		},
		Price: func(ref string) (chargehand.ModelPrice, bool) { return flat, c[ref] != nil },
	}
}

const lease = "LEASE between Acme Corp. and Beta GmbH.\nThe rent is EUR 900 a month.\nNotice is three months.\n"

func leaseTeam() chargehand.Team {
	llm := func(id, model string, capability ...string) chargehand.WorkerSpec {
		return chargehand.WorkerSpec{WorkerID: id, Kind: chargehand.KindLLM, Model: model, Capabilities: capability, MaxRiskLevel: chargehand.RiskMedium}
	}
	reader := llm("reader", "test/reader", "extract")
	reader.LLM = &chargehand.LLMKind{Prompt: "Read leases."}
	reader.OutputContracts = []string{"clauses"}
	return chargehand.Team{
		Name:    "lease",
		Workers: []chargehand.WorkerSpec{reader, llm("checker", "test/judge", "review"), llm("author", "test/writer", "report")},
		Contracts: []chargehand.Contract{
			{
				Name: "clauses", Items: &chargehand.ItemRule{Path: "/clauses"}, Criteria: []string{"Is each clause about the lease?"},
				Schema: json.RawMessage(`{"type":"object","required":["clauses"],"properties":{"clauses":{"type":"array","items":{"type":"object","required":["key"]}}}}`),
			},
			{Name: "report", Statements: &chargehand.StatementRule{Path: "/statements", Unsupported: chargehand.RemoveUnsupported}},
		},
		Policy:    chargehand.Policy{Reviewer: "checker"},
		Planner:   chargehand.Planner{LLM: &chargehand.LLMPlanner{Model: "test/planner"}},
		Synthesis: &chargehand.Synthesis{Capability: "report", OutputContract: "report"},
		Budget:    chargehand.Budget{USD: 5 * chargehand.USD},
	}
}

const leasePlan = `{"subtasks":[{"id":"rent","label":"Rent","goal":"Find rent and notice","capability":"extract","taskType":"","deps":[],"priority":0,"criticality":"standard","required":true,"role":"researcher","riskLevel":"low","effect":"read","requiredAspects":["rent","notice"],"outputContract":"clauses"}],"rationale":"one reading is enough","complexityScore":0.2}`

// clauses is an answer with quotes that the model did not count.
func clauses(rent string) string {
	return `{"status":"succeeded","output":{"clauses":[{"key":"rent","quote":"The rent is EUR 900 a month.","start":0,"end":0,"answer":"` + rent +
		`"},{"key":"notice","quote":"Notice is three months.","start":0,"end":0,"answer":"3 months"}]},"summary":"Two clauses.","confidence":0.9,"blockers":[],"proposedActions":[]}`
}

const report = `{"status":"succeeded","output":{"title":"Lease","statements":[` +
	`{"text":"The rent is EUR 900 a month.","evidence":[{"subtask":"rent","attempt":1,"key":"rent"}]},` +
	`{"text":"Notice takes three months.","evidence":[{"subtask":"rent","key":"notice"}]},` +
	`{"text":"The landlord is Gamma Holdings.","evidence":[{"subtask":"rent"}]},` +
	`{"text":"All is well."}]},"summary":"","confidence":1,"blockers":[],"proposedActions":[]}`

func leaseCast() cast {
	return cast{
		"test/planner": says(leasePlan), "test/reader": says(clauses("EUR 900")), "test/writer": says(report),
		"test/judge": says(strings.ReplaceAll(accepts, "Is it short?", "Is each clause about the lease?")),
	}
}

func supervise(t *testing.T, c cast, tm chargehand.Team) (chargehand.Result, []chargehand.Record) {
	t.Helper()
	return superviseWith(t, c.options(), tm)
}

func superviseWith(t *testing.T, opt agent.Options, tm chargehand.Team) (chargehand.Result, []chargehand.Record) {
	t.Helper()
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Agents: agent.New(opt)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run, err := e.Start(ctx, chargehand.Order{Team: tm, Objective: chargehand.Objective{
		Goal: "Review the lease", Documents: []chargehand.Document{{Name: "lease.txt", Text: lease}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var records []chargehand.Record
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	res, err := e.Result(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	return *res, records
}

func facts[F chargehand.Fact](records []chargehand.Record) []F {
	var out []F
	for _, r := range records {
		if f, ok := r.Fact.(F); ok {
			out = append(out, f)
		}
	}
	return out
}

// What a model wrote that is no plan, and a plan that the checks refuse, go back to it.
func TestRefusedPlansGoBack(t *testing.T) {
	for _, first := range []string{
		"First I would read the lease.",
		strings.Replace(leasePlan, `"capability":"extract"`, `"capability":"fly"`, 1),
	} {
		c := leaseCast()
		planner := says(first, leasePlan)
		c["test/planner"] = planner
		res, records := supervise(t, c, leaseTeam())
		if res.Status != chargehand.RunCompleted || len(planner.asked) != 2 {
			t.Fatalf("%s (%s) after %d plans", res.Status, res.StopReason, len(planner.asked))
		}
		again := text(planner.asked[1])
		gist := strings.TrimSuffix(strings.TrimPrefix(first, `{"subtasks":[`), `}`) // the fields' order is not the model's
		gist, _, _ = strings.Cut(gist, `,"requiredAspects"`)
		if !strings.Contains(again, `"field":"last plan"`) || !strings.Contains(again, gist) || !strings.Contains(again, `"field":"errors"`) {
			t.Errorf("the second time the planner is told %s", again)
		}
		if strings.Contains(text(planner.asked[0]), "last plan") {
			t.Error("there is a last plan before the first")
		}
		refused, asked := facts[chargehand.PlanRefused](records), facts[chargehand.PlanAsked](records)
		if len(refused) != 1 || refused[0].Draft.Ref == "" || asked[1].Draft != refused[0].Draft || len(chargehand.Contents(refused[0])) != 1 {
			t.Errorf("the journal says %+v and %+v", refused, asked)
		}
	}
}

// A model that plans again after a failure is told the goal, what was accepted and why the rest was not.
// Once its replacement is accepted nothing is missing, and it is not asked again (SPEC.md ·23).
func TestReplacementEndsTheMatter(t *testing.T) {
	tm := leaseTeam()
	tm.Planner.Replan, tm.Policy.Attempts, tm.Synthesis = true, 1, nil
	whole := 1.0
	tm.Policy.FailureRatio, tm.Policy.ReviewTimeout, tm.Policy.WhenOnlyWaits = &whole, chargehand.Duration(time.Millisecond), chargehand.WaitForPeople
	two := strings.Replace(leasePlan, `"required":true`, `"required":false`, 1)
	two = strings.Replace(two, `"subtasks":[`, `"subtasks":[`+strings.NewReplacer(`"id":"rent","label":"Rent"`, `"id":"end","label":"End"`, `["rent","notice"]`, `["notice"]`, `"required":true`, `"required":false`).
		Replace(strings.TrimSuffix(strings.TrimPrefix(leasePlan, `{"subtasks":[`), `],"rationale":"one reading is enough","complexityScore":0.2}`))+`,`, 1)
	again := strings.NewReplacer(`"id":"rent"`, `"id":"p2-rent"`, `"outputContract"`, `"replaces":["rent"],"outputContract"`, `"required":true`, `"required":false`).Replace(leasePlan)
	c := leaseCast()
	planner := says(two, again, again)
	c["test/planner"], c["test/reader"] = planner, &script{answers: []func(model.Request) (model.Response, error){func(r model.Request) (model.Response, error) {
		if answer := clauses("EUR 900"); strings.Contains(text(r), "p2-rent") || strings.Contains(r.Key, "p2-rent") || strings.Contains(r.Key, "end") {
			return model.Response{Text: answer, Stop: model.StopEnd, Usage: model.Usage{Input: 100, Output: 20}}, nil
		}
		return model.Response{Text: clauses("EUR 901"), Stop: model.StopEnd, Usage: model.Usage{Input: 100, Output: 20}}, nil
	}}}
	res, records := supervise(t, c, tm)
	if res.Status != chargehand.RunCompleted || len(res.Gaps) > 0 || len(res.MissingEvidence) > 0 || len(planner.asked) != 2 {
		t.Fatalf("%s (%s) after %d plans, gaps %+v", res.Status, res.StopReason, len(planner.asked), res.Gaps)
	}
	var v chargehand.View
	for _, r := range records {
		v.Apply(r)
	}
	if v.Subtasks != 2 || v.Accepted != 2 || v.Replaced != 1 || v.Gaps != 0 || v.Failures != 0 {
		t.Errorf("the run is shown as %+v", v.RunSummary)
	}
	told := text(planner.asked[1])
	for _, want := range []string{
		`"field":"objective"`, "Review the lease", `"field":"gaps"`, "rent (Rent): ", "EUR 901", `"field":"not done"`, `"goal":"Find rent and notice"`,
		`{"field":"accepted","name":"End","from":"end","hash":"sha256:`, `"answer":"3 months"`,
	} {
		if !strings.Contains(told, want) {
			t.Errorf("the planner is not told %s: %s", want, told)
		}
	}
	if replaced := facts[chargehand.SubtasksReplaced](records); len(replaced) != 1 || replaced[0].Subtasks[0] != "rent" || replaced[0].By[0] != "p2-rent" {
		t.Errorf("the journal says %+v", replaced)
	}
}

// A run in which models plan, work, review and write, through the real engine.
func TestRunOfModels(t *testing.T) {
	c := leaseCast()
	res, records := supervise(t, c, leaseTeam())
	if res.Status != chargehand.RunCompleted || len(res.Items) != 2 {
		t.Fatalf("%s (%s), %d items, gaps %+v", res.Status, res.StopReason, len(res.Items), res.Gaps)
	}
	var out struct {
		Title      string
		Statements []struct{ Text, Unsupported string }
	}
	if err := json.Unmarshal(res.Output, &out); err != nil || len(out.Statements) != 2 || out.Title != "Lease" {
		t.Errorf("%s, %v", res.Output, err)
	}
	missing := fmt.Sprint(res.MissingEvidence)
	if len(res.MissingEvidence) != 2 || !strings.Contains(missing, "Gamma Holdings") || !strings.Contains(missing, "All is well.") || !strings.Contains(missing, "left out") {
		t.Errorf("the result does not name what was left out: %+v", res.MissingEvidence)
	}
	if strings.Contains(string(res.Output), "Gamma") {
		t.Error("an unsupported statement stands in the result")
	}
	plan := facts[chargehand.PlanAdopted](records)
	if len(plan) != 1 || plan[0].Source != "llm" || plan[0].Usage.InputTokens != 100 || plan[0].Rationale == "" {
		t.Errorf("%+v", plan)
	}
	if j := facts[chargehand.Judged](records); len(j) != 2 || j[0].Usage.USD == 0 || j[0].Verdict.Confidence != 8 {
		t.Errorf("%+v", j)
	}
	call := price.Of(100, 0, 0, 20)
	if res.Cost.USD != 5*call || res.Cost.ByPhase["planning"] != call || res.Cost.ByPhase["checking"] != 2*call || res.Cost.ByPhase["synthesis"] != call {
		t.Errorf("%+v, a call costs %s", res.Cost, call)
	}
	if asked := c["test/writer"].(*script).asked; len(asked) != 1 || !strings.Contains(text(asked[0]), `"field":"accepted results"`) || !strings.Contains(text(asked[0]), `"attempt":1`) {
		t.Errorf("the writer is not shown what was accepted: %+v", asked)
	}
	if d := facts[chargehand.RunStarted](records); len(d) != 1 {
		t.Errorf("%+v", d)
	}
}

// What the gate refuses goes back to the model with the findings, as data.
func TestRunCorrects(t *testing.T) {
	c := leaseCast()
	c["test/reader"] = says("I found the rent.", clauses("EUR 950"), clauses("EUR 900"))
	tm := leaseTeam()
	tm.Policy.Attempts = 4
	res, records := supervise(t, c, tm)
	asked := c["test/reader"].(*script).asked
	if len(asked) < 2 {
		t.Fatalf("asked %d times: %+v", len(asked), res)
	}
	if !strings.Contains(text(asked[1]), `"field":"feedback"`) || asked[1].System != asked[0].System {
		t.Errorf("the second attempt is not told what was wrong:\n%s", text(asked[1]))
	}
	checked := facts[chargehand.OutputChecked](records)
	if checked[0].Verdict.SchemaPass || !strings.Contains(fmt.Sprint(checked[0].Verdict.Issues), "monitor: The output is no JSON") {
		t.Errorf("%+v", checked[0])
	}
	if !strings.Contains(fmt.Sprint(checked[1].Verdict.Issues), "950") {
		t.Errorf("%+v", checked[1].Verdict)
	}
}

func TestRunMarksStatements(t *testing.T) {
	c := leaseCast()
	tm := leaseTeam()
	tm.Contracts[1].Statements.Unsupported = chargehand.MarkUnsupported
	res, _ := supervise(t, c, tm)
	if !strings.Contains(string(res.Output), `{"evidence":[{"subtask":"rent"}],"text":"The landlord is Gamma Holdings.","unsupported":"The statement names Gamma Holdings; what it rests on does not."}`) ||
		!strings.Contains(string(res.Output), `{"text":"All is well.","unsupported":"The statement does not say what it rests on."}`) || len(res.MissingEvidence) != 2 {
		t.Errorf("%s\n%+v", res.Output, res.MissingEvidence)
	}
}

func TestRunRejectsStatements(t *testing.T) {
	c := leaseCast()
	good := strings.Replace(report, `,{"text":"The landlord is Gamma Holdings.","evidence":[{"subtask":"rent"}]},{"text":"All is well."}`, "", 1)
	c["test/writer"] = says(report, good)
	tm := leaseTeam()
	tm.Contracts[1].Statements.Unsupported = ""
	res, _ := supervise(t, c, tm)
	if res.Status != chargehand.RunCompleted || strings.Contains(string(res.Output), "Gamma") || len(res.MissingEvidence) > 0 {
		t.Errorf("%s: %s %+v", res.Status, res.Output, res.MissingEvidence)
	}
	asked := c["test/writer"].(*script).asked
	if len(asked) != 2 || !strings.Contains(text(asked[1]), "Gamma Holdings; what it rests on does not") {
		t.Errorf("asked %d times", len(asked))
	}
}

// A plan that is none goes back once with its errors; one that names a worker is none.
func TestRunRefusesPlans(t *testing.T) {
	c := leaseCast()
	c["test/planner"] = says(strings.Replace(leasePlan, `"id":"rent"`, `"id":"rent","assignee":"reader"`, 1), leasePlan)
	res, records := supervise(t, c, leaseTeam())
	if res.Status != chargehand.RunCompleted {
		t.Errorf("%+v", res)
	}
	refused := facts[chargehand.PlanRefused](records)
	if len(refused) != 1 || !strings.Contains(refused[0].Errors[0], "names a worker") || refused[0].Usage.USD == 0 {
		t.Errorf("%+v", refused)
	}
	if asked := c["test/planner"].(*script).asked; len(asked) != 2 || !strings.Contains(text(asked[1]), `"field":"errors"`) {
		t.Errorf("asked %d times", len(asked))
	}
}

// A judge that talks nonsense is asked once more, and is then a reviewer's error, never an ACCEPT.
func TestRunWithBrokenJudge(t *testing.T) {
	c := leaseCast()
	c["test/judge"] = says("Looks good to me, ACCEPT!")
	tm := leaseTeam()
	tm.Policy.WhenOnlyWaits, tm.Synthesis = chargehand.ReturnPartial, nil
	res, records := supervise(t, c, tm)
	if res.Status == chargehand.RunCompleted || len(facts[chargehand.Judged](records)) > 0 || len(facts[chargehand.JudgeFailed](records)) != 2 {
		t.Errorf("%s, %+v", res.Status, facts[chargehand.JudgeFailed](records))
	}
}

// A model without a key or a price is refused before anything is recorded.
func TestRunRefusesUnknownModels(t *testing.T) {
	c := leaseCast()
	delete(c, "test/judge")
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Agents: agent.New(c.options())})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = e.Start(t.Context(), chargehand.Order{Team: leaseTeam(), Objective: chargehand.Objective{Goal: "g"}})
	if p, ok := errors.AsType[*chargehand.Error](err); !ok || p.Code != chargehand.CodeInvalid || len(p.Problems) != 1 || p.Problems[0].Path != "$.workers[1].model" {
		t.Errorf("%v", err)
	}
}

// older is the maker of a program with other built-in prompts.
type older struct{ *agent.Agents }

func (o older) Complete(t *chargehand.Team) (*chargehand.Team, []chargehand.Problem) {
	out, problems := o.Agents.Complete(t)
	out.Prompts = "sha256:older"
	return out, problems
}

func (o older) Drift(*chargehand.Team) []string { return nil }

// A run that began with other built-in prompts does not go on with these (SPEC.md ·161).
func TestRunDrifts(t *testing.T) {
	c := leaseCast()
	begun := make(chan struct{})
	c["test/planner"] = model.Func(func(ctx context.Context, _ model.Request) (model.Response, error) {
		close(begun)
		<-ctx.Done()
		return model.Response{}, ctx.Err()
	})
	dir, agents := t.TempDir(), agent.New(c.options())
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Agents: older{agents}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := e.Start(t.Context(), chargehand.Order{Team: leaseTeam(), Objective: chargehand.Objective{Goal: "g"}})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		c["test/planner"] = says(leasePlan)
		e, err = local.Open(t.Context(), local.Options{Dir: dir, Agents: agents, Force: force})
		if err != nil {
			t.Fatal(err)
		}
		err = e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Pause, By: "olu"})
		if drifted := chargehand.CodeOf(err) == chargehand.CodeDrift; drifted == force {
			t.Errorf("forced %t: %v", force, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The writer of a result is told what is missing and what is in doubt, as data. What it makes of that is held to the rules like
// all that it writes, and the result names both whatever it says.
func TestWriterSeesTheGaps(t *testing.T) {
	c := leaseCast()
	c["test/reader"] = says(strings.Replace(clauses("EUR 900"), `"confidence":0.9`, `"confidence":0.65`, 1))
	c["test/writer"] = says(strings.Replace(report, `{"text":"All is well."}`,
		`{"text":"Deposit was not done.","evidence":[{"subtask":"deposit"}]},{"text":"Notice takes three months; the deposit is not known.","evidence":[{"subtask":"rent","key":"notice"}]}`, 1))
	tm := leaseTeam()
	all := 1.0
	tm.Policy.FailureRatio, tm.Policy.Reviewer = &all, ""
	for i := range tm.Workers {
		tm.Workers[i].MaxRiskLevel = chargehand.RiskLow // so that the deposit is a gap
	}
	tm.Planner = chargehand.Planner{Template: &chargehand.Plan{Subtasks: []chargehand.Subtask{
		{ID: "rent", Goal: "Find rent and notice", Capability: "extract", OutputContract: "clauses", RequiredAspects: []string{"rent", "notice"}},
		{ID: "deposit", Label: "Deposit", Goal: "Find the deposit", Capability: "extract", OutputContract: "clauses", RiskLevel: chargehand.RiskMedium},
	}}}
	res, _ := supervise(t, c, tm)
	asked := c["test/writer"].(*script).asked
	if len(asked) != 1 || len(res.Gaps) != 1 || len(res.LowConfidence) == 0 {
		t.Fatalf("the writer was asked %d times, gaps %+v, in doubt %+v", len(asked), res.Gaps, res.LowConfidence)
	}
	_, data, _ := strings.Cut(text(asked[0]), `begin {"field":"accepted results"`)
	_, data, _ = strings.Cut(data, "===\n")
	data, _, _ = strings.Cut(data, "\n=== data-")
	var told struct {
		Gaps struct {
			Count int
			First []chargehand.Gap
		}
		LowConfidence struct {
			Count int
			First []chargehand.Note
		}
	}
	if err := json.Unmarshal([]byte(data), &told); err != nil {
		t.Fatalf("%v: %s", err, text(asked[0]))
	}
	if told.Gaps.Count != 1 || told.Gaps.First[0] != res.Gaps[0] || told.LowConfidence.Count != 1 || told.LowConfidence.First[0] != res.LowConfidence[0] {
		t.Errorf("the writer is told %+v", told)
	}
	if strings.Contains(asked[0].System, "Deposit") || !strings.Contains(asked[0].System, `"gaps"`) {
		t.Errorf("the system prompt is %s", asked[0].System)
	}
	if out := string(res.Output); strings.Contains(out, "Deposit was not done") || !strings.Contains(out, "the deposit is not known") {
		t.Errorf("%s", out)
	}
}

// An answer that was cut off is rejected for that, and not for what the lost rest makes of its JSON: the
// finding and the next try's feedback name the limit. Even an answer that is whole is not taken then.
func TestCutOff(t *testing.T) {
	for name, text := range map[string]string{"in the middle": clauses("EUR 900")[:150], "at its end": clauses("EUR 900")} {
		t.Run(name, func(t *testing.T) {
			c, asked := leaseCast(), []model.Request{}
			c["test/reader"] = model.Func(func(_ context.Context, r model.Request) (model.Response, error) {
				if asked = append(asked, r); len(asked) == 1 {
					return model.Response{Text: text, Stop: model.StopLength}, nil
				}
				return model.Response{Text: clauses("EUR 900"), Stop: model.StopEnd}, nil
			})
			_, records := supervise(t, c, leaseTeam())
			checked := facts[chargehand.OutputChecked](records)
			const want = "The answer is not whole: it was cut off at maxTokens (4096) and has to be shorter, or llm.maxTokens larger."
			if v := checked[0].Verdict; v.Recommendation != chargehand.Reject || len(v.Issues) != 1 || v.Issues[0].Message != want {
				t.Errorf("the verdict on it: %+v", v)
			}
			if len(asked) != 2 || !strings.Contains(asked[1].Messages[0].Text, want) {
				t.Errorf("%d calls, the last with %s", len(asked), asked[len(asked)-1].Messages[0].Text)
			}
		})
	}
}
