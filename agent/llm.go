package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/ground"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/worker"
)

// An llm is a worker that is a language model (SPEC.md ·2, ·3). As a reviewer it is one too: see
// judge.go.
type llm struct {
	agents *Agents
	team   *chargehand.Team
	spec   *chargehand.WorkerSpec
	dir    string
	belt   *tool.Belt // nil where it has no grants, or Options.Tools are its tools
	kind   chargehand.LLMKind
	meter  func() *meter
}

func (a *Agents) llm(t *chargehand.Team, spec *chargehand.WorkerSpec, dir string) (*llm, error) {
	w := &llm{agents: a, team: t, spec: spec, dir: dir}
	if spec.LLM != nil {
		w.kind = *spec.LLM
	}
	ref := or(spec.Model, t.Models.Of(spec.Tier))
	if ref == "" {
		return nil, errors.New("it names no model, and the team none for its tier")
	}
	var err error
	if len(spec.ToolGrants) > 0 && a.opt.Tools == nil {
		if w.belt, err = a.belt(t, dir); err != nil {
			return nil, err
		}
	}
	if w.meter, err = a.metered(t, ref); err != nil {
		return nil, err
	}
	return w, nil
}

// Do works on one task. What the model answers is handed on as it is: an answer that is none is an
// Error of kind Garbage with its words, for the gate to say what is wrong with it.
func (w *llm) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	if asked, ok := asReview(t); ok {
		return w.review(ctx, t, asked)
	}
	talk, err := w.begin(ctx, t)
	if err != nil {
		return chargehand.WorkerResult{}, unsent(ctx, err)
	}
	text, err := talk.run(ctx)
	if closed := talk.close(); err == nil {
		err = closed
	}
	res := chargehand.WorkerResult{
		TaskID: t.TaskID, Attempt: t.Attempt, WorkerName: w.spec.WorkerID, Usage: talk.used(),
	}
	if talk.tools != nil {
		res.Tools = talk.tools.Report()
	}
	blocked, isBlocked := errors.AsType[blockedError](err)
	switch {
	case err == nil:
		err = w.fill(&res, talk, text, t)
	case isBlocked:
		res.Status, res.Blockers, err = chargehand.StatusBlocked, blocked.Blockers(), nil
	}
	if err != nil {
		res.Summary = excerpt.Of(err.Error(), maxReason)
	}
	if err == nil || talk.meter.tried {
		talk.record.Usage = res.Usage
		res.Transcript = talk.record.encode()
	}
	return res, err
}

const maxReason = 400 // bytes

// A blockedError is why an attempt must not go on before a person has seen to it.
type blockedError interface {
	error
	Blockers() []string
}

// fill puts the model's answer into a result.
func (w *llm) fill(res *chargehand.WorkerResult, talk *talk, text string, t chargehand.WorkerTask) error {
	inner, taken := unwrap(text, w.kind.Unwrap)
	talk.record.unwrapped(taken)
	a, err := readAnswer(inner)
	if err != nil {
		return garbage(text, "the answer does not have the form it must have", hinted(inner, err))
	}
	if c := w.contract(t); c != nil && c.Items != nil && plain(a.Output) {
		filled := ground.Fill(c, documents(t.InputRefs), a.Output)
		a.Output, talk.record.Spaced, talk.record.Missing = filled.Output, filled.Spaced, filled.Missing
	}
	res.Status, res.Output, res.Summary = a.Status, a.Output, a.Summary
	res.Confidence, res.Blockers, res.ProposedActions = a.Confidence, a.Blockers, a.ProposedActions
	return nil
}

// garbage is the error of an answer that is no result, with its words as evidence.
func garbage(text, message string, err error) *worker.Error {
	const evidence = 256 << 10
	return &worker.Error{Kind: worker.Garbage, Message: message, Err: err, Raw: []byte(excerpt.Head(text, evidence))}
}

// refused is the error of a task that the model was not asked.
func refused(format string, args ...any) *worker.Error {
	return &worker.Error{Kind: worker.Refused, Message: fmt.Sprintf(format, args...), NotBegun: true}
}

// unsent is the error of an attempt in which the model was not asked.
func unsent(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*worker.Error](err); ok && e.NotBegun || ctx.Err() != nil {
		return err
	}
	return &worker.Error{Kind: worker.Refused, Message: "the model was not asked", Err: err, NotBegun: true}
}

// documents are the sources that quotes are bound to.
func documents(refs []chargehand.InputRef) []chargehand.InputRef {
	return slices.DeleteFunc(slices.Clone(refs), func(r chargehand.InputRef) bool { return r.From != "" })
}

func (w *llm) contract(t chargehand.WorkerTask) *chargehand.Contract {
	name, _, _ := strings.Cut(t.ExpectedOutputContract, "@")
	return w.team.Contract(name)
}

// system is the system prompt of a task: the engine's words, the team's, and nothing of the run but
// which role and which contract.
func (w *llm) system(t chargehand.WorkerTask, tools bool) string {
	offered := ""
	if tools {
		offered = toolsPrompt
	}
	debated := ""
	if slices.ContainsFunc(t.InputRefs, func(r chargehand.InputRef) bool { return r.From == chargehand.FromDebate }) {
		debated = titled("A second opinion", debatePrompt)
	}
	return system(workerPrompt, dataRules, offered, debated,
		titled("Your role", roleOf(t.Role)), titled("What your supervisor says", w.kind.Prompt), demands(w.contract(t)))
}

// aggregate is where the last step's input comes from: the accepted outputs of all subtasks.
const aggregate = "aggregate"

// taskFields are what a task brings, as data: sources first, so that prompts of one document begin alike.
func taskFields(t chargehand.WorkerTask) []field {
	var out []field
	for _, ref := range t.InputRefs {
		f := field{Field: "document", Name: ref.Name, Hash: ref.Hash, text: ref.Text}
		switch ref.From {
		case "":
		case aggregate:
			f.Field, f.Name = "accepted results", ""
		case chargehand.FromDebate:
			f.Field, f.Name = ref.Name, ""
		default:
			f.Field, f.Name, f.From = "output", "", ref.From
		}
		out = append(out, f)
	}
	add := func(name, text string) {
		if text != "" {
			out = append(out, field{Field: name, text: text})
		}
	}
	add("objective", t.Objective)
	add("goal", t.Goal)
	add("input", string(t.Input))
	add("aspects", listed(t.RequiredAspects))
	add("when to stop", listed(t.EscalationConditions))
	for _, h := range t.Hints {
		add("hint", h)
	}
	if t.LastOutput != nil {
		add("your last output", t.LastOutput.Text)
	}
	add("feedback", t.Feedback)
	return out
}

// listed is a list as JSON, one per line; empty where there is none.
func listed(list []string) string {
	var b strings.Builder
	for _, s := range list {
		line, _ := json.Marshal(s)
		b.Write(append(line, '\n'))
	}
	return b.String()
}
