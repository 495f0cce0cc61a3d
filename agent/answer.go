package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// An answer is what a model says of its task: the output, and what it has to say about it.
type answer struct {
	Status          chargehand.ResultStatus `json:"status"`
	Output          json.RawMessage         `json:"output"`
	Summary         string                  `json:"summary"`
	Confidence      *float64                `json:"confidence"`
	Blockers        []string                `json:"blockers"`
	ProposedActions []string                `json:"proposedActions"`
}

// readAnswer reads a model's answer. What does not have its form is an error, and nothing in it is
// mended: not the fence around it, not a missing bracket.
func readAnswer(text string) (answer, error) {
	var a answer
	parts, err := members([]byte(text))
	if err != nil {
		return a, err
	}
	if _, ok := parts["output"]; !ok {
		return a, errors.New(`it has no member "output"`)
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, excerpt.JSON(err)
	}
	switch a.Status {
	case chargehand.StatusSucceeded, chargehand.StatusPartial, chargehand.StatusBlocked:
	default:
		return a, fmt.Errorf("the status %q is none of succeeded, partial, blocked", excerpt.Of(string(a.Status), 40))
	}
	if bytes.Equal(a.Output, []byte("null")) {
		a.Output = nil
	}
	if a.Output == nil && a.Status != chargehand.StatusBlocked {
		return a, fmt.Errorf("it says %s and has no output", a.Status)
	}
	return a, nil
}
