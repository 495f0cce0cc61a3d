package chargehand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
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
func (it Item) MarshalJSON() ([]byte, error) { return it.AppendJSON(nil) }

// AppendJSON appends the flat object to dst, the worker's own fields as they were written.
func (it Item) AppendJSON(dst []byte) ([]byte, error) {
	out := append(room(dst, len(it.Fields)+256), '{')
	if own := bytes.TrimSpace(it.Fields); len(own) > 2 && own[0] == '{' && !namesSource(own) {
		out = append(out, own[1:len(own)-1]...)
	} else {
		var err error
		if out, err = appendFields(out, own); err != nil {
			return dst, err
		}
	}
	if len(out) > len(dst)+1 {
		out = append(out, ',')
	}
	return it.appendSource(out), nil
}

// appendSource appends what is not the worker's own, and the last bracket.
func (it *Item) appendSource(dst []byte) []byte {
	dst = appendName(append(dst, `"subtask":`...), it.Subtask)
	dst = strconv.AppendInt(append(dst, `,"attempt":`...), int64(it.Attempt), 10)
	dst = appendName(append(dst, `,"worker":`...), it.Worker)
	dst = appendName(append(dst, `,"verdict":`...), it.Verdict)
	for i, worker := range it.ConfirmedBy {
		if i == 0 {
			dst = append(dst, `,"confirmedBy":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendName(dst, worker)
	}
	if len(it.ConfirmedBy) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendName appends a string as json.Marshal writes it, HTML escaped.
func appendName(dst []byte, name string) []byte {
	if plainText(name) && !strings.ContainsAny(name, "<>&") {
		return append(append(append(dst, '"'), name...), '"')
	}
	b, _ := json.Marshal(name) // any string can be written
	return append(dst, b...)
}

// UnmarshalJSON reads the flat object.
func (it *Item) UnmarshalJSON(b []byte) error {
	if it.split(b) {
		return nil
	}
	var by itemSource
	if err := json.Unmarshal(b, &by); err != nil {
		return err
	}
	fields, err := appendFields([]byte{'{'}, b)
	*it = Item{append(fields, '}'), by.Subtask, by.Attempt, by.Worker, by.Verdict, by.ConfirmedBy}
	return err
}

// split reads an object that has its source last, as MarshalJSON writes it. In valid JSON the name
// with its quotation marks and colon is a key: within a string the marks are escaped.
func (it *Item) split(b []byte) bool {
	at := bytes.LastIndex(b, []byte(`"subtask":`))
	if at < 1 || namesSource(b[:at]) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(append([]byte{'{'}, b[at:]...)))
	d.DisallowUnknownFields()
	var by itemSource
	if d.Decode(&by) != nil {
		return false
	}
	own := bytes.TrimRight(bytes.TrimSpace(b[:at]), ",")
	*it = Item{append(bytes.Clone(own), '}'), by.Subtask, by.Attempt, by.Worker, by.Verdict, by.ConfirmedBy}
	return true
}

// namesSource reports whether one of an item's last names may be among the worker's own.
func namesSource(object []byte) bool {
	if bytes.Contains(object, []byte(`\u`)) {
		return true // a name may be spelt with escapes
	}
	for {
		mark := bytes.IndexByte(object, '"')
		if mark < 0 {
			return false
		}
		object = object[mark+1:]
		for _, name := range sourceFields {
			n := len(name)
			if len(object) > n && object[0] == name[0] && object[n] == '"' && string(object[:n]) == name {
				return true
			}
		}
	}
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

// A Gap is something the result does not cover, with its cause. A subtask that is accepted is a gap
// too where its output is known to be incomplete.
type Gap struct {
	Subtask string       `json:"subtask,omitempty"` // empty: the run as a whole
	Label   string       `json:"label,omitempty"`
	State   SubtaskState `json:"state,omitempty"`
	Cause   Cause        `json:"cause"`
	Why     string       `json:"why"`
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

	ConfirmedBy []string `json:"confirmedBy,omitempty"` // workers that said the same in a debate
}

// A Note is one remark about a subtask's part in the result.
type Note struct {
	Subtask  string    `json:"subtask,omitempty"`
	Key      string    `json:"key,omitempty"`
	Text     string    `json:"text"`
	Override *Override `json:"override,omitempty"` // the output was accepted against the checks; nil: it was not
}

// An Override says who accepted an output that the checks did not accept.
type Override struct {
	By          string    `json:"by"`                    // the principal, or the policy's name
	ByPolicy    bool      `json:"byPolicy,omitempty"`    // no person decided
	ByRequester bool      `json:"byRequester,omitempty"` // the person had started the run
	At          time.Time `json:"at"`
	Reason      string    `json:"reason,omitempty"` // as the decision gives it
	Against     string    `json:"against"`          // why the checks did not accept the output
	Findings    []Finding `json:"findings,omitempty"`
}

// Cost is what a run consumed.
type Cost struct {
	USD     Micros            `json:"usd"`
	Tokens  int64             `json:"tokens"`
	ByPhase map[string]Micros `json:"byPhase"` // planning, workers, checking, synthesis
	VsPlan  float64           `json:"vsPlan"`  // spent ÷ the plan's estimate; zero where there was none

	Overbilled *Overbill `json:"overbilled,omitempty"` // nil means that every bill kept to what was reserved for it
}

// An Overbill is how much calls were billed above what was reserved for them.
type Overbill struct {
	Calls  int    `json:"calls"`
	USD    Micros `json:"usd"`
	Tokens int64  `json:"tokens,omitempty"`
}

// AuditSummary names the record a result rests on.
type AuditSummary struct {
	Records  int64  `json:"records"`            // of the run
	TreeSize int64  `json:"treeSize,omitempty"` // leaves of the journal's tree when the result was written, theirs among them
	RootHash string `json:"rootHash,omitempty"` // of those leaves (RFC 6962), base64
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

	// Unreviewed says that the gate alone accepted it: the team does without a reviewer, or the
	// reviewer did the work itself, and neither a person nor a second worker in a debate confirmed it. In
	// a team without a reviewer a second reading counts as well, if that was accepted.
	Unreviewed bool `json:"unreviewed,omitempty"`
}
