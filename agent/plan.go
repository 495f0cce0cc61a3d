package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// A planned subtask is what a model may say of one. There is no place for a worker's name, or for
// a budget.
type planned struct {
	ID              string                 `json:"id"`
	Label           string                 `json:"label"`
	Goal            string                 `json:"goal"`
	Capability      string                 `json:"capability"`
	TaskType        string                 `json:"taskType"`
	Deps            []string               `json:"deps"`
	Priority        int                    `json:"priority"`
	Criticality     chargehand.Criticality `json:"criticality"`
	Required        bool                   `json:"required"`
	Role            string                 `json:"role"`
	RiskLevel       chargehand.Risk        `json:"riskLevel"`
	Effect          chargehand.Effect      `json:"effect"`
	RequiredAspects []string               `json:"requiredAspects"`
	OutputContract  string                 `json:"outputContract"`
	ToolGrants      []string               `json:"toolGrants"`
	Replaces        []string               `json:"replaces,omitempty"`
}

// A planText is a plan as a model writes it.
type planText struct {
	Subtasks        []planned `json:"subtasks"`
	Rationale       string    `json:"rationale"`
	ComplexityScore float64   `json:"complexityScore"`
}

// readPlan reads a model's plan. What it says beyond the schema is refused and not dropped: above
// all the name of a worker (SPEC.md ·13).
func readPlan(text string) (chargehand.Plan, error) {
	var none chargehand.Plan
	parts, err := members([]byte(text))
	if err != nil {
		return none, garbage(text, "the plan does not have the form it must have", err)
	}
	if len(parts["subtasks"]) == 0 {
		return none, garbage(text, "the plan does not have the form it must have", errors.New("the plan has no `subtasks`"))
	}
	var subtasks []json.RawMessage
	if err := json.Unmarshal(parts["subtasks"], &subtasks); err != nil {
		return none, garbage(text, "the plan does not have the form it must have", errors.New("`subtasks` must be a list"))
	}
	for _, s := range subtasks {
		if fields, err := members(s); err != nil {
			return none, garbage(text, "a subtask of the plan does not have the form it must have", err)
		} else if _, names := fields["assignee"]; names {
			return none, garbage(text, "the plan names a worker", errors.New("a plan says which capability a subtask needs, and has no assignee"))
		}
	}
	var p planText
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return none, garbage(text, "the plan does not have the form it must have", excerpt.JSON(err))
	}
	out := chargehand.Plan{Rationale: p.Rationale, ComplexityScore: p.ComplexityScore}
	for _, s := range p.Subtasks {
		out.Subtasks = append(out.Subtasks, chargehand.Subtask{
			ID: s.ID, Label: s.Label, Goal: s.Goal, Capability: s.Capability, TaskType: s.TaskType, Deps: s.Deps,
			Priority: s.Priority, Criticality: s.Criticality, Required: s.Required, Role: s.Role, RiskLevel: s.RiskLevel,
			Effect: s.Effect, RequiredAspects: s.RequiredAspects, OutputContract: s.OutputContract, ToolGrants: s.ToolGrants,
			Replaces: s.Replaces,
		})
		out.AgentTypes = append(out.AgentTypes, or(s.Role, generalist))
	}
	return out, nil
}

// planSchema is the JSON Schema of a plan for a team: it offers the capabilities and contracts that
// there are, and no others. Only a plan that is made again has something to replace.
func planSchema(t *chargehand.Team, r registry, again bool) object {
	text, truth := object{"type": "string"}, object{"type": "boolean"}
	capabilities, contracts, tools := []string{}, []any{nil}, []string{}
	for _, a := range r.Capabilities {
		capabilities = append(capabilities, a.Capability)
		tools = union(tools, a.Tools)
	}
	for i := range t.Contracts {
		contracts = append(contracts, t.Contracts[i].Name)
	}
	subtask := object{
		"id": text, "label": text, "goal": text, "taskType": text,
		"capability":     words(capabilities...),
		"outputContract": object{"type": []string{"string", "null"}, "enum": contracts},
		"deps":           texts(), "requiredAspects": texts(),
		"priority": object{"type": "integer"}, "required": truth,
		"criticality": words("critical", "standard", "simple"),
		"riskLevel":   words("low", "medium", "high", "critical"),
		"role":        words(sortedRoles()...),
		"effect":      words("read", "write"), // no plan can have the others: they want an approval
	}
	if len(tools) > 0 {
		subtask["toolGrants"] = object{"type": "array", "items": words(tools...)}
	}
	if again {
		subtask["replaces"] = texts()
	}
	return closed(object{
		"subtasks":        object{"type": "array", "items": closed(subtask)},
		"rationale":       text,
		"complexityScore": object{"type": "number", "minimum": 0, "maximum": 1},
	})
}

// plainJSON is v as JSON, with <, > and & as they are.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
