package pattern

// identityReaders answer what stands in the opening of a contract. Their quotes are parts of
// sentences, so each has an extractor of its own; the triggers are what it needs to begin.
func identityReaders() map[string]reader {
	return map[string]reader{
		"Document Name": {
			triggers: triggersOf(`\b(agreement|contract|lease|addendum|amendment|undertaking|letter of intent|statement of work|terms and conditions)\b`),
			quotes:   titleQuotes, answer: first, trust: 0.74,
			why: "The word stands in running text, not in a title.",
		},
		"Parties": {
			triggers: triggersOf(`\b(between|among|amongst)\b`, `\bparties( to this agreement)?( are)?:`),
			quotes:   partyQuotes, answer: partyAnswer, trust: 0.86,
			why: "No names follow the word here.",
		},
		"Agreement Date": {
			triggers: triggersOf(dateTriggers...),
			quotes:   agreementQuotes, answer: dateAnswer, trust: 0.9,
			why: "The passage holds a date, but not one on which the contract was made.",
		},
		"Effective Date": {
			triggers: triggersOf(append(dateTriggers, `\beffective date\b`)...),
			quotes:   effectiveQuotes, answer: dateAnswer, trust: 0.78,
			why: "The passage holds a date, but not one on which the contract takes effect.",
		},
	}
}

var dateTriggers = []string{
	`\b(january|february|march|april|may|june|july|august|september|october|november|december)[ 0-9a-z,]{1,12}\b(19|20)\d\d\b`,
	`\b\d{1,2}[/-]\d{1,2}[/-](19|20)?\d\d\b`,
	`\bday of\b`,
	`[_\]] ?, (19|20)\d\d\b`,
}

func triggersOf(phrases ...string) []trigger {
	var out []trigger
	for _, p := range phrases {
		out = append(out, newTrigger(p))
	}
	return out
}
