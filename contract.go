package chargehand

import (
	"bytes"
	"encoding/json"
)

// A Contract says what an output must be, so that the gate can check it without knowing the work
// (SPEC.md ·60–·65). The zero Contract accepts any JSON value.
type Contract struct {
	Name    string          `json:"name"`
	Version string          `json:"version,omitempty"` // empty means "1"
	Schema  json.RawMessage `json:"schema,omitempty"`  // JSON Schema 2020-12

	Items    *ItemRule `json:"items,omitempty"`    // the list that the output consists of, where it is one
	Grounded []string  `json:"grounded,omitempty"` // pointers ("/summary", "/rows/*/total") whose figures and names must stand in the input

	Statements *StatementRule `json:"statements,omitempty"` // the list of sentences that the output consists of, where each says what it rests on

	Calculations []Calculation  `json:"calculations,omitempty"`
	Rules        []Rule         `json:"rules,omitempty"`
	Detectors    []DetectorRule `json:"detectors,omitempty"` // besides those of Policy.Detectors
	Criteria     []string       `json:"criteria,omitempty"`  // what a judge is asked
	MaxBytes     int            `json:"maxBytes,omitempty"`  // of an output; zero means 4 MiB
	StopOn       []Detector     `json:"stopOn,omitempty"`    // of Detectors, those that stop a worker while it writes; secrets always does
}

// An ItemRule names the list in an output whose elements are findings about a source: each has a
// key, and a verbatim quote or the record of a search that found none. The field names are those
// of the elements; empty means the name in brackets.
type ItemRule struct {
	Path     string `json:"path"`               // JSON pointer to the list; "" is the output itself
	Key      string `json:"key,omitempty"`      // what the item is about (key)
	Present  string `json:"present,omitempty"`  // true or false (present)
	Quote    string `json:"quote,omitempty"`    // verbatim words (quote)
	Start    string `json:"start,omitempty"`    // byte offset of the quote (start)
	End      string `json:"end,omitempty"`      // byte offset after the quote (end)
	Document string `json:"document,omitempty"` // content hash of the source (document); absent, the only document
	Answer   string `json:"answer,omitempty"`   // normalised answer, grounded in the quote (answer)
	Search   string `json:"search,omitempty"`   // the search record of an absent item (search)

	// Grounded names fields whose figures, dates and names must stand in the item's own quote,
	// besides Answer. An answer may also be "Yes" or "No".
	Grounded []string `json:"grounded,omitempty"`

	// Triggers are, by key, words that may speak of the key, as RE2 patterns: an absence accounts
	// for every match of all of them, whether or not its search names them.
	Triggers map[string][]string `json:"triggers,omitempty"`

	// Cues are, by key, words that a passage about the key cannot do without, as RE2 patterns: each
	// quote under the key holds a match of one of them.
	Cues map[string][]string `json:"cues,omitempty"`

	// Facts names the fields that two outputs must agree on for the same key. Empty means
	// present and answer.
	Facts []string `json:"facts,omitempty"`
}

// A StatementRule names the list in an output whose elements are statements over accepted results:
// each says which of them it rests on, and says nothing that is not there (SPEC.md ·141). The field
// names are those of the elements; empty means the name in brackets.
//
// A statement's evidence is a list of objects with "subtask", the id of an accepted result among the
// task's inputs; "attempt", where it is known; "key", which of its items; and "quote" with
// "document", "start" and "end", verbatim words of a source. The last five may be left out: a
// statement then rests on the whole of the result.
type StatementRule struct {
	Path     string `json:"path"`               // JSON pointer to the list
	Text     string `json:"text,omitempty"`     // the statement, in words (text)
	Evidence string `json:"evidence,omitempty"` // what it rests on (evidence)

	// Unsupported is what becomes of a statement that does not hold. Empty means reject.
	Unsupported OnUnsupported `json:"unsupported,omitempty"`
}

// OnUnsupported says what becomes of a statement that its evidence does not bear. Where an output
// gets into a result all the same, because a person took it, such a statement is marked in it.
type OnUnsupported string

// The choices: the output goes back, or the statement is marked in the result, or left out of it and named.
const (
	RejectUnsupported OnUnsupported = "reject"
	MarkUnsupported   OnUnsupported = "mark"
	RemoveUnsupported OnUnsupported = "remove"
)

// A Calculation is a figure in the output that must follow from other figures.
type Calculation struct {
	ID        string  `json:"id"`
	Path      string  `json:"path"`                // JSON pointer to the result, * for each element of a list
	Equals    string  `json:"equals"`              // CEL over output and item: what it must be
	Tolerance float64 `json:"tolerance,omitempty"` // absolute; zero means exact to the digits stated
}

// A Rule is a CEL expression that must hold.
type Rule struct {
	ID       string   `json:"id"`
	Each     string   `json:"each,omitempty"` // JSON pointer to a list: the rule holds for each item of it
	CEL      string   `json:"cel"`            // over output, item, task and facts; true means fine
	Message  string   `json:"message"`        // the sentence to show when it does not hold
	Severity Severity `json:"severity,omitempty"`
}

// A Detector is a built-in rule that looks for what should not be in an output.
type Detector string

// The detectors.
const (
	DetectPersonalData Detector = "personal_data"
	DetectSecrets      Detector = "secrets"
	DetectURLs         Detector = "external_urls"
	DetectInjection    Detector = "injection"
)

// A DetectorRule turns a detector on. In JSON it is the detector's name alone, or an object with
// "detector" and "severity".
type DetectorRule struct {
	Detector Detector `json:"detector"`

	// Severity is what a hit does to the verdict. Empty means the detector's own: error for secrets,
	// review for injection, warning for the others. Secrets are always an error. Where a contract and
	// the policy name the same detector, the graver severity counts.
	Severity Severity `json:"severity,omitempty"`
}

// Detect is a list of detectors with their own severities.
func Detect(names ...Detector) []DetectorRule {
	var list []DetectorRule
	for _, d := range names {
		list = append(list, DetectorRule{Detector: d})
	}
	return list
}

// plainRule is a DetectorRule without its own JSON form.
type plainRule DetectorRule

// MarshalJSON writes the name alone where there is no severity.
func (r DetectorRule) MarshalJSON() ([]byte, error) {
	if r.Severity == "" {
		return json.Marshal(r.Detector)
	}
	return json.Marshal(plainRule(r))
}

// UnmarshalJSON reads both forms.
func (r *DetectorRule) UnmarshalJSON(b []byte) error {
	*r = DetectorRule{}
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return json.Unmarshal(b, (*plainRule)(r))
	}
	return json.Unmarshal(b, &r.Detector)
}

// A Search is the record behind an "absent": every pattern, run over every span of the document,
// matches only inside the listed hits. The gate runs it again.
type Search struct {
	Spans    []SearchSpan `json:"spans"`
	Patterns []string     `json:"patterns"` // RE2
	Hits     []SearchHit  `json:"hits,omitempty"`
}

// A SearchSpan is a half-open range of byte offsets that was read.
type SearchSpan struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A SearchHit is a passage that a pattern matched and that was passed over, with the reason.
type SearchHit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Why   string `json:"why"`
}

// ID is "contract@version".
func (c *Contract) ID() string {
	if c.Version == "" {
		return c.Name + "@1"
	}
	return c.Name + "@" + c.Version
}
