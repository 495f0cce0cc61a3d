package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

var _ worker.Reviewer = (*llm)(nil)

const introOfReview = "The data of your review."

// Review judges what another worker wrote (SPEC.md ·4, ·66). What the model answers is a verdict as
// worker.DecodeVerdict reads one, or an error: never an ACCEPT that it did not say.
func (w *llm) Review(ctx context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
	m := w.meter()
	text, _, err := w.judge(ctx, m, t)
	if err != nil {
		return chargehand.Verdict{}, m.spent, err
	}
	v, err := worker.DecodeVerdict([]byte(text))
	return v, m.spent, err
}

// judge asks the model for a verdict.
func (w *llm) judge(ctx context.Context, m *meter, t chargehand.ReviewerTask) (string, *transcript, error) {
	prompt, shape := judgePrompt, verdictSchema(t.Criteria)
	if len(t.Positions) > 0 {
		prompt, shape = choosePrompt, choiceSchema(len(t.Positions))
	}
	schema, err := json.Marshal(shape)
	if err != nil {
		return "", nil, fmt.Errorf("write the schema of a verdict: %w", err)
	}
	fields := reviewFields(t)
	r := model.Request{
		System: system(prompt, dataRules, titled("What your supervisor says", w.kind.Prompt)), Schema: schema,
		Messages:  []model.Message{{Role: model.User, Text: frame(introOfReview, fields)}},
		MaxTokens: answerTokens(w.spec), Temperature: w.kind.Temperature,
	}
	record := &transcript{Model: w.spec.Model, Prompts: Prompts, System: r.System, Given: givenOf(fields)}
	if err := fits(&r, fields, orInt(w.kind.MaxInput, defaultInput)); err != nil {
		return "", record, err
	}
	resp, err := m.call(ctx, r)
	record.took(resp, err)
	switch {
	case err != nil:
		return "", record, failure(ctx, err, m.spent)
	case len(resp.Calls) > 0:
		return "", record, garbage(resp.Text, "a reviewer has no tools to call", nil)
	}
	text, taken := unwrap(resp.Text, w.kind.Unwrap)
	record.unwrapped(taken)
	//guard:no-verdict off=return text, record, nil
	return text, record, ended(resp, r.Tokens())
}

func reviewFields(t chargehand.ReviewerTask) []field {
	out := []field{{Field: "goal", text: t.Goal}}
	if len(t.Positions) > 0 {
		return append(out, positionFields(t.Positions)...)
	}
	if len(t.Criteria) > 0 {
		out = append(out, field{Field: "criteria", text: listed(t.Criteria)})
	}
	return append(out, field{Field: "output", text: t.WorkerOutput})
}

// verdictSchema is the JSON Schema of SPEC.md ·4's verdict, with a member for each criterion.
func verdictSchema(criteria []string) object {
	asked := object{}
	for _, c := range criteria {
		asked[c] = object{"type": "boolean"}
	}
	boolean := object{"type": "boolean"}
	return closed(object{
		"schemaPass": boolean, "completenessPass": boolean, "consistencyPass": boolean,
		"confidence":     object{"type": "integer", "minimum": 1, "maximum": 10},
		"recommendation": words("ACCEPT", "REJECT", "HUMAN_REVIEW"),
		"rework":         object{"type": []string{"string", "null"}, "enum": []any{"redo", "revise", nil}},
		"feedback":       object{"type": "string"},
		"reasoning":      object{"type": "string"},
		"criteria":       closed(asked),
		"issues": object{"type": "array", "items": closed(object{
			"severity": words("error", "review", "warning"),
			"message":  object{"type": "string"},
		})},
	})
}

// closed is the schema of an object with these members, each of them required.
func closed(properties object) object {
	return object{"type": "object", "additionalProperties": false, "required": sortedKeys(properties), "properties": properties}
}

func words(list ...string) object { return object{"type": "string", "enum": list} }

// asReview is the reviewer's task that a worker's task holds, where an engine asks its reviewer as
// it asks any worker: such a task is of no run and has no contract.
func asReview(t chargehand.WorkerTask) (chargehand.ReviewerTask, bool) {
	var asked chargehand.ReviewerTask
	if t.RunID != "" || t.ExpectedOutputContract != "" {
		return asked, false
	}
	d := json.NewDecoder(bytes.NewReader(t.Input))
	d.DisallowUnknownFields()
	err := d.Decode(&asked)
	return asked, err == nil && asked.TaskID != "" && asked.TaskID == t.TaskID
}

// review is Review for a task that holds a reviewer's.
func (w *llm) review(ctx context.Context, t chargehand.WorkerTask, asked chargehand.ReviewerTask) (chargehand.WorkerResult, error) {
	m := w.meter()
	text, record, err := w.judge(ctx, m, asked)
	res := chargehand.WorkerResult{TaskID: t.TaskID, Attempt: t.Attempt, WorkerName: w.spec.WorkerID, Usage: m.spent}
	if record != nil {
		record.Usage = m.spent
		res.Transcript = record.encode()
	}
	if err == nil {
		_, err = worker.DecodeVerdict([]byte(text))
	}
	if err != nil {
		return res, err
	}
	res.Status, res.Output = chargehand.StatusSucceeded, json.RawMessage(text)
	return res, nil
}
