// Package clause is the vocabulary of contract review: the 41 categories of the CUAD
// annotation scheme, and what an extractor reports about one of them.
//
// The extractors (packages pattern and lexical) share this vocabulary and nothing else, so that
// their errors stay independent.
package clause

// A Category is one question asked of a contract. Name is spelled as in CUAD's
// category_descriptions.csv.
type Category struct {
	Name   string
	Group  string // the section of the review the category is reported under
	Answer Form   // what the normalised answer looks like
	Risk   bool   // whether the category decides risk and is read by two independent extractors
}

// A Form is the shape of a normalised answer.
type Form string

// The answer forms of CUAD.
const (
	YesNo    Form = "yes_no"   // "Yes" or "No"
	Name     Form = "name"     // a title, or names of parties separated by "; "
	Date     Form = "date"     // mm/dd/yyyy, with [] for a part left blank, or "Perpetual"
	Duration Form = "duration" // "30 days", "successive 1 year"
	Place    Form = "place"    // a state, province or country
)

// A Span is a half-open range of UTF-8 byte offsets into the document as given.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Quote is a passage that answers a category.
type Quote struct {
	Span
	Confidence float64 // 0..1, the extractor's own; it never raises an outcome
}

// A Found is one extractor's answer for one category. Quotes are in document order and do not
// overlap; none means absent, and then Search says how that was established.
type Found struct {
	Category string
	Quotes   []Quote
	Answer   string // normalised per Category.Answer; "No" or "" when absent
	Search   Search
}

// A Search is the record that makes an "absent" checkable: every pattern, run over every span,
// matches only inside the listed hits. Anyone can run it again.
type Search struct {
	Spans    []Span   `json:"spans"`    // what was read; together all of the document
	Patterns []string `json:"patterns"` // RE2, as Go's regexp takes them; the category's trigger words
	Hits     []Hit    `json:"hits"`     // every match of a pattern lies in one of these; each holds a match
}

// A Hit is a passage that a pattern matched and the extractor nevertheless passed over.
type Hit struct {
	Span
	Why string `json:"why"` // one sentence a lawyer can read
}
