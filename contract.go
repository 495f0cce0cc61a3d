package chargehand

import "encoding/json"

// A Contract says what an output must be, so that the gate can check it without knowing the work
// (SPEC.md ·60–·65). The zero Contract accepts any JSON value.
type Contract struct {
	Name    string          `json:"name"`
	Version string          `json:"version,omitempty"` // empty means "1"
	Schema  json.RawMessage `json:"schema,omitempty"`  // JSON Schema 2020-12

	Items    *ItemRule `json:"items,omitempty"`    // the list that the output consists of, where it is one
	Grounded []string  `json:"grounded,omitempty"` // pointers ("/summary", "/rows/*/total") whose figures and names must stand in the input

	Calculations []Calculation `json:"calculations,omitempty"`
	Rules        []Rule        `json:"rules,omitempty"`
	Detectors    []Detector    `json:"detectors,omitempty"`
	Criteria     []string      `json:"criteria,omitempty"` // what a judge is asked
	MaxBytes     int           `json:"maxBytes,omitempty"` // of an output; zero means 4 MiB
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

	// Facts names the fields that two outputs must agree on for the same key. Empty means
	// present and answer.
	Facts []string `json:"facts,omitempty"`
}

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
