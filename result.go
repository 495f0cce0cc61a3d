package chargehand

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Result is what a run hands over (SPEC.md ·7). The engine writes gaps, conflicts and
// low-confidence items; no worker does.
type Result struct {
	RunID           string          `json:"runId"`
	Title           string          `json:"title,omitempty"`
	Status          RunState        `json:"status"`
	StopReason      StopReason      `json:"stopReason"`
	Output          json.RawMessage `json:"output,omitempty"` // the synthesis; absent where the team declares none
	Items           []Item          `json:"items"`
	Gaps            []Gap           `json:"gaps"`
	Conflicts       []Conflict      `json:"conflicts"`
	LowConfidence   []Note          `json:"lowConfidence"`
	MissingEvidence []Note          `json:"missingEvidence"`
	OpenQuestions   []Note          `json:"openQuestions"`
	Decisions       []Decision      `json:"decisions"`
	Cost            Cost            `json:"cost"`
	Audit           AuditSummary    `json:"audit"`
	Provenance      []Provenance    `json:"provenance"`
	ResultHash      string          `json:"resultHash"` // over output, items, gaps and conflicts
}

// An Item is one element of an accepted output, with who found it and what checked it. In JSON the
// worker's own fields come first, then subtask, attempt, worker and verdict.
type Item struct {
	Fields  json.RawMessage // a JSON object, as the worker wrote it
	Subtask string
	Attempt int
	Worker  string
	Verdict string // the subtask's state, or "conflict" where another accepted output disagrees

	ConfirmedBy []string // workers whose accepted outputs say the same
}

// MarshalJSON writes one flat object. A worker's own field of one of the last names is left out.
func (it Item) MarshalJSON() ([]byte, error) {
	by, err := json.Marshal(itemSource{it.Subtask, it.Attempt, it.Worker, it.Verdict, it.ConfirmedBy})
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	if out, err = appendFields(out, it.Fields); err != nil {
		return nil, err
	}
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(out, by[1:]...), nil
}

// UnmarshalJSON reads the flat object.
func (it *Item) UnmarshalJSON(b []byte) error {
	var by itemSource
	if err := json.Unmarshal(b, &by); err != nil {
		return err
	}
	fields, err := appendFields([]byte{'{'}, b)
	*it = Item{append(fields, '}'), by.Subtask, by.Attempt, by.Worker, by.Verdict, by.ConfirmedBy}
	return err
}

// appendFields appends the members of an object that are the worker's own, in their order.
func appendFields(dst, object []byte) ([]byte, error) {
	if len(bytes.TrimSpace(object)) == 0 {
		return dst, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return dst, fmt.Errorf("an item is not an object: %w", err)
	}
	for first := true; d.More(); {
		name, err := d.Token()
		if err != nil {
			return dst, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return dst, err
		}
		if contains(sourceFields, name.(string)) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		key, _ := json.Marshal(name)
		dst = append(append(append(dst, key...), ':'), value...)
	}
	return dst, nil
}

var sourceFields = []string{"subtask", "attempt", "worker", "verdict", "confirmedBy"}

type itemSource struct {
	Subtask string `json:"subtask"`
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker"`
	Verdict string `json:"verdict"`

	ConfirmedBy []string `json:"confirmedBy,omitempty"`
}

// A Gap is something the result does not cover, with its cause.
type Gap struct {
	Subtask string       `json:"subtask,omitempty"` // empty: the run as a whole
	Label   string       `json:"label,omitempty"`
	State   SubtaskState `json:"state,omitempty"`
	Cause   Cause        `json:"cause"`
	Why     string       `json:"why"` // one sentence
}

// A Conflict is two accepted outputs that disagree on the same key.
type Conflict struct {
	Key    string          `json:"key"`
	Why    string          `json:"why"` // one sentence
	Values []ConflictValue `json:"values"`
}

// A ConflictValue is one side of a conflict.
type ConflictValue struct {
	Subtask string `json:"subtask"`
	Worker  string `json:"worker"`
	Value   string `json:"value"`
	Quote   string `json:"quote,omitempty"`
}

// A Note is one remark about a subtask's part in the result.
type Note struct {
	Subtask string `json:"subtask,omitempty"`
	Key     string `json:"key,omitempty"`
	Text    string `json:"text"`
}

// Cost is what a run consumed.
type Cost struct {
	USD     Micros            `json:"usd"`
	Tokens  int64             `json:"tokens"`
	ByPhase map[string]Micros `json:"byPhase"` // planning, workers, checking, synthesis
	VsPlan  float64           `json:"vsPlan"`  // spent ÷ the plan's estimate; zero where there was none
}

// AuditSummary names the record a result rests on.
type AuditSummary struct {
	Records int64 `json:"records"`
}

// Provenance links a subtask's part of the result to the attempt it came from.
type Provenance struct {
	Subtask   string       `json:"subtask"`
	Attempt   int          `json:"attempt"`
	Worker    string       `json:"worker"`
	OutputRef string       `json:"outputRef"`
	State     SubtaskState `json:"state"`
	Score     float64      `json:"score"` // 0..1, what decided
	DecidedBy string       `json:"decidedBy,omitempty"`
}
