package contractreview

import (
	"strings"
	"unicode"

	"github.com/chargehand/chargehand"
)

// contractWords are everyday words of English contracts and licences.
var contractWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`
		agree agreed agreement agreements amendment annex appendix arbitration assign assignment breach buyer clause clauses
		conditions confidential confidentiality consent consideration contract contractor contracts copyright covenant covenants
		customer damages deliverables distributor effective employee employer entitled exhibit fee fees franchisee governed
		governing grant granted grants hereby herein hereof hereto hereunder indemnify indemnity insurance invoice
		jurisdiction landlord law laws lender lessee lessor liabilities liability liable licence licences license licensed licensee
		licenses licensor notice notwithstanding obligation obligations parties party payment permission provisions purchaser
		remedies remedy renewal representations restriction rights schedule section seller services shall supplier tenant term terminate
		termination terms thereof undertakes vendor warrants warranties warranty whereas
	`) {
		words[w] = true
	}
	return words
}()

// fewestWords is how many different contract words a contract has at least; a single clause, one for
// each clauseWords words begun. Some thirty stand in the shortest licence in wide use.
const (
	fewestWords = 3
	clauseWords = 40
)

// unlike is what a report says of a text that is no contract.
const unlike = "This does not look like a contract: it has hardly any of the words that contracts have. No risk is rated."

// looksLikeContract reports whether texts, together, have enough of a contract's words.
func looksLikeContract(texts ...string) bool {
	seen, words := map[string]bool{}, 0
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			words++
			if word = strings.ToLower(word); contractWords[word] {
				seen[word] = true
			}
			if len(seen) == fewestWords {
				return true
			}
		}
	}
	return len(seen) > 0 && len(seen) >= 1+words/clauseWords
}

// Check refuses documents that cannot be reviewed: they do not look like a contract. The error is
// of code invalid and names the first of them.
func Check(docs []chargehand.Document) error {
	var texts []string
	for _, d := range docs {
		texts = append(texts, d.Text)
	}
	if len(docs) == 0 || looksLikeContract(texts...) {
		return nil
	}
	return &chargehand.Error{
		Code: chargehand.CodeInvalid, What: docs[0].Name + " cannot be reviewed", Why: "this does not look like a contract",
		Next: "give the contract's text, in English: it has hardly any of the words that contracts have, such as agreement, party and shall",
	}
}

// contractLike reports whether the documents look like a contract.
func (c *composer) contractLike() bool {
	var texts []string
	for _, t := range c.texts {
		texts = append(texts, t)
	}
	return looksLikeContract(texts...)
}
