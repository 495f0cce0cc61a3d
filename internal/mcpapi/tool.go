package mcpapi

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// The tools beside the teams'.
const (
	getRun    = "get_run"
	waitRun   = "wait_run"
	cancelRun = "cancel_run"
)

// An object is JSON Schema, or a part of it.
type object map[string]any

// teamTool is how a team looks as a tool.
func teamTool(t *chargehand.Team) *mcp.Tool {
	closed, open := false, true
	return &mcp.Tool{
		Name: toolName(t.Name), Title: t.Name, Description: describe(t),
		InputSchema: orderSchema(t), OutputSchema: answerSchema(t),
		Annotations: &mcp.ToolAnnotations{Title: t.Name, DestructiveHint: &closed, OpenWorldHint: &open},
	}
}

func describe(t *chargehand.Team) string {
	about := t.Description
	if about == "" {
		about = "The supervised team " + t.Name + "."
	}
	return about + "\n\nStarts a supervised run and answers with its result: the output, the items found, and what is not covered. " +
		"Progress is told while it goes on. Where state is running or needs_human, go on with " + waitRun + " and the run_id."
}

// runTool is a tool about a run.
func runTool(name, about string, reads bool) *mcp.Tool {
	closed := false
	properties := object{
		"run_id": object{"type": "string", "minLength": 1, "maxLength": maxName, "description": "The run, as the team's tool answered it."},
	}
	switch name {
	case getRun:
		properties["first_item"] = object{"type": "integer", "minimum": 0, "description": "Which item to begin with, where not all fitted into an answer. Default 0."}
	case waitRun:
		properties["wait_seconds"] = waitSchema
	case cancelRun:
		properties["reason"] = object{"type": "string", "minLength": 1, "maxLength": 2000, "description": "Why, for the record."}
	}
	required := []string{"run_id"}
	if name == cancelRun {
		required = append(required, "reason")
	}
	return &mcp.Tool{
		Name: name, Description: about, OutputSchema: answerSchema(nil),
		InputSchema: object{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads, IdempotentHint: true, DestructiveHint: &closed, OpenWorldHint: &closed},
	}
}

const (
	maxName = 200
	maxWait = 3600 // seconds
)

var waitSchema = object{
	"type": "integer", "minimum": 0, "maximum": maxWait,
	"description": "How long to wait for the run, in seconds, before answering how it stands. The run goes on all the same.",
}

// orderSchema is what a team's tool takes.
func orderSchema(t *chargehand.Team) object {
	return object{
		"type": "object", "additionalProperties": false,
		"properties": object{
			"goal": object{"type": "string", "description": "What the team should do. Default: what the team is for."},
			"documents": object{
				"type": "array", "description": "The sources to work on; quotes are checked against them.",
				"items": object{
					"type": "object", "required": []string{"name", "text"}, "additionalProperties": false,
					"properties": object{
						"name":       object{"type": "string", "minLength": 1, "maxLength": maxName},
						"text":       object{"type": "string", "minLength": 1, "description": "The whole text."},
						"media_type": object{"type": "string", "maxLength": maxName, "description": "Default text/plain."},
					},
				},
			},
			"input":        embedded(t.InputSchema, "Further input, as the team wants it."),
			"budget":       budgetSchema(t),
			"title":        object{"type": "string", "maxLength": maxName, "description": "How the run is called in lists."},
			"key":          object{"type": "string", "minLength": 1, "maxLength": maxName, "description": "Idempotency key. The same key names the same run, and a run with a key goes on when the call is cancelled: call again with it."},
			"wait_seconds": waitSchema,
		},
	}
}

func budgetSchema(t *chargehand.Team) object {
	about := "The most the run may spend, in US dollars, such as 0.50."
	if t.Budget.USD > 0 {
		about += " At most, and by default, " + t.Budget.USD.String() + "."
	}
	return object{"description": about, "anyOf": []object{
		{"type": "string", "pattern": `^\d{1,9}(\.\d{1,6})?$`},
		{"type": "number", "exclusiveMinimum": 0},
	}}
}

// embedded is a team's schema as a part of another. One that refers to places in itself would
// refer to nothing there, and is described.
func embedded(schema json.RawMessage, about string) object {
	refers := bytes.Contains(schema, []byte(`Ref"`)) || bytes.Contains(schema, []byte(`"$ref"`))
	var s object
	if len(schema) == 0 || refers || json.Unmarshal(schema, &s) != nil || s == nil {
		if refers {
			about += " Its JSON Schema: " + excerpt.Of(string(schema), 4096)
		}
		return object{"description": about}
	}
	delete(s, "$schema")
	delete(s, "$id")
	if _, described := s["description"]; !described {
		s["description"] = about
	}
	return s
}

// answerSchema is what all tools answer. A person may have accepted an output that breaks its
// contract, so the contract's schema is told and not demanded.
func answerSchema(t *chargehand.Team) object {
	output := object{"description": "What the team made of it; absent where it makes nothing but items."}
	if t != nil && t.Synthesis != nil {
		for i := range t.Contracts {
			if c := &t.Contracts[i]; c.Name == t.Synthesis.OutputContract && len(c.Schema) > 0 {
				output["description"] = "As the contract " + c.Name + " has it: " + excerpt.Of(string(c.Schema), 4096)
			}
		}
	}
	list := func(about string) object {
		return object{"type": "array", "items": object{"type": "object"}, "description": about}
	}
	return object{
		"type": "object", "required": []string{"run_id", "state", "next"},
		"properties": object{
			"run_id":      object{"type": "string"},
			"state":       object{"type": "string", "enum": states, "description": "needs_human: nothing goes on until a person decides. partial: see gaps."},
			"stop_reason": object{"type": "string"},
			"why":         object{"type": "string"},
			"next":        object{"type": "string", "description": "What to do now."},
			"output":      output,
			"items":       list("What was found and passed the checks, from first_item on."),
			"first_item":  object{"type": "integer"},
			"item_count":  object{"type": "integer", "description": "Of all items. More than are here: get_run with first_item."},
			"gaps":        list("What the result does not cover, with the cause."),
			"conflicts":   list("Accepted results that contradict each other."),
			"reviews":     list("What waits for a person, and where it is decided."),
			"omitted":     object{"type": "array", "items": object{"type": "string"}, "description": "What was too large for this answer, and where it is."},
			"subtasks":    object{"type": "object", "properties": object{"all": object{"type": "integer"}, "accepted": object{"type": "integer"}}},
			"cost":        object{"type": "object", "properties": object{"usd": object{"type": "string"}, "tokens": object{"type": "integer"}}},
			"result_hash": object{"type": "string"},
		},
	}
}

var states = []string{"running", "needs_human", "paused", "completed", "partial", "failed", "cancelled"}
