package main

// form is the gate's look at an output by itself.
var form = section{pkg: "internal/gate", tests: []string{"TestForm"}, guards: []guard{
	{
		name: "schema", protects: "an output that does not fit its contract's schema is rejected (·61)",
		file: "check.go", on: `for _, fault := range k.contract.schema.check(k.output) {`, off: `for _, fault := range k.contract.schema.check(k.output)[:0] {`,
		tests: []string{"TestForm", "TestSchemaSentences"},
	},
	{
		name: "output-size", protects: "an output above its contract's size is not read (row 18)",
		file: "check.go", on: `case len(raw) > k.contract.maxBytes:`, off: `case false:`,
	},
	{
		name: "no-output", protects: "no output is no accepted output (row 18)",
		file: "check.go", on: `case len(raw) == 0:`, off: `case false:`,
	},
	{
		name: "confidence-range", protects: "a confidence that is none is refused (row 25)",
		file: "check.go", on: `conf != nil && !(*conf >= 0 && *conf <= 1)`, off: `conf != nil && *conf != *conf`,
		tests: []string{"TestConfidence"},
	},
	{
		name: "key-twice", protects: "an output in which a key occurs twice is rejected (row 18)",
		file: "decode.go", on: `if _, twice := out[key]; twice {`, off: `if _, twice := out[key]; twice && at < 0 {`,
		tests: []string{"TestDecode"},
	},
	{
		name: "depth", protects: "an output nested beyond measure is rejected, at bounded cost (row 18)",
		file: "decode.go", on: `if len(d.path) >= maxDepth {`, off: `if len(d.path) < 0 {`,
		tests: []string{"TestDecodeBounds"},
	},
	{
		name: "utf-8", protects: "an output that is not UTF-8 is rejected (row 20)",
		file: "decode.go", on: `if i := invalidUTF8(d.data); i >= 0 {`, off: `if i := invalidUTF8(d.data); i >= len(d.data) {`,
		tests: []string{"TestDecode"},
	},
	{
		name: "one-value", protects: "nothing may follow the value (row 18)",
		file: "decode.go", on: `if d.pos < len(d.data) {
		d.path = nil`, off: `if d.pos < 0 {
		d.path = nil`,
		tests: []string{"TestDecode"},
	},
	{
		name: "rules", protects: "an output that breaks a rule of its contract is not accepted (·62)",
		file: "rule.go", on: `if err == nil && v == types.True {`, off: `if err == nil {`,
		tests: []string{"TestRules"},
	},
	{
		name: "rule-that-fails", protects: "a rule that cannot be applied does not hold (·62)",
		file: "rule.go", on: `if err == nil && v == types.True {`, off: `if err != nil || v == types.True {`,
		tests: []string{"TestRules"},
	},
	{
		name: "rule-cost", protects: "rules cost no more than they may (row 18)",
		file: "rule.go", on: `if k.cost > maxCostInAll {`, off: `if false {`,
		tests: []string{"TestRuleAllowance"},
	},
	{
		name: "secrets", protects: "an output that holds a secret is rejected (·62)",
		file: "detector.go", on: `chargehand.DetectSecrets:      {severity: chargehand.SeverityError,`, off: `chargehand.DetectSecrets:      {severity: chargehand.SeverityWarning,`,
		tests: []string{"TestDetectors"},
	},
	{
		name: "injection", protects: "an output that reads like an injected instruction goes to a person (·62, row 49)",
		file: "detector.go", on: `chargehand.DetectInjection:    {severity: chargehand.SeverityReview,`, off: `chargehand.DetectInjection:    {severity: chargehand.SeverityWarning,`,
		tests: []string{"TestDetectors"},
	},
	{
		name: "detectors", protects: "whatever a detector finds is told (·62)",
		file: "detector.go", on: `if !ok || told[row.what] == at+1 {`, off: `if ok || told[row.what] == at+1 {`,
		tests: []string{"TestDetectors", "TestDetectorTables"},
	},
	{
		name: "errors-reject", protects: "an output with an error is rejected (·60)",
		file: "verdict.go", on: `case k.severe(chargehand.SeverityError):`, off: `case false:`,
		tests: []string{"TestSeverities"},
	},
	{
		name: "score", protects: "an unsupported claim lowers the score (·65)",
		file: "verdict.go", on: `case chargehand.Unsupported, chargehand.Contradicted:
			checked++`, off: `case chargehand.Unsupported, chargehand.Contradicted:`,
		tests: []string{"TestScore"},
	},
	{
		name: "worker-input", protects: "an input that the worker does not accept is refused (·56)",
		file: "gate.go", on: `for _, fault := range s.check(v) {`, off: `for _, fault := range s.check(v)[:0] {`,
		tests: []string{"TestInputs"},
	},
}}

// sources are the gate's comparison of an output with what it rests on.
var sources = section{pkg: "internal/gate", tests: []string{"TestCheckItems"}, guards: []guard{
	{
		name: "caveats-bear", protects: "nothing rests on what a result says is missing or in doubt (·141)",
		file: "check.go", on: `k.sources.bear()`, off: `_ = k.sources`, tests: []string{"TestNothingRestsOnCaveats"},
	},
	{
		name: "aspects", protects: "an output that leaves out a required aspect is not accepted (·63)",
		file: "completeness.go", on: `if addressed(aspect) {`, off: `if addressed(aspect) || aspect != "" {`,
		tests: []string{"TestAspects"},
	},
	{
		name: "absence", protects: "\"absent\" is an answer only with a search that holds (·63)",
		file: "completeness.go", on: `if fault := k.searchFault(it); fault != nil {`, off: `if fault := k.searchFault(it); fault != nil && fault.clause == "" {`,
		tests: []string{"TestSearch"},
	},
	{
		name: "search-covers", protects: "a search read all of the document (·63)",
		file: "search.go", on: `fault = covers(s, src.text)`, off: `_ = covers`,
		tests: []string{"TestSearch"},
	},
	{
		name: "search-repeated", protects: "a search is done again here: what its patterns match it must have seen (·63)",
		file: "search.go", on: `fault = k.repeat(it, s, src)`, off: `_ = k`,
		tests: []string{"TestSearch"},
	},
	{
		name: "search-hit-reason", protects: "a hit that was passed over says why (·63)",
		file: "search.go", on: `case strings.TrimSpace(h.Why) == "":`, off: `case false:`,
		tests: []string{"TestSearch"},
	},
	{
		name: "search-expected", protects: "the words that the contract expects were looked for, whatever the worker looked for (·63)",
		file: "search.go", on: `for _, t := range k.contract.items.triggers[it.key] {`, off: `for _, t := range k.contract.items.triggers[it.key][:0] {`,
		tests: []string{"TestTriggersAndCues"},
	},
	{
		name: "one-answer", protects: "nothing is both present and absent (·63)",
		file: "completeness.go", on: `if !it.present && present[it.key] {`, off: `if false {`,
	},
	{
		name: "quote-offsets", protects: "a quote stands where it says it does (·64)",
		file: "quote.go", on: `it.source.text[it.start:it.end] == it.quote && whole`, off: `strings.Contains(it.source.text, it.quote) && whole`,
	},
	{
		name: "quote-verbatim", protects: "a quote is in its document to the character (·64)",
		file: "quote.go", on: `it.source.text[it.start:it.end] == it.quote && whole`, off: `it.end-it.start > 0 && whole`,
	},
	{
		name: "quote-document", protects: "a quote is compared with the document it names, and with no other (·64)",
		file: "source.go", on: `src := s.find(document)`, off: `src := s.all[len(s.all)-1]`,
		tests: []string{"TestDocuments"},
	},
	{
		name: "quote-figures", protects: "an amount, date or number in an answer stands in its quote (·64)",
		file: "consistency.go", on: `if _, ok := q.read().supports(c); !ok {`, off: `if _, ok := q.read().supports(c); !ok && text == "" {`,
		tests: []string{"TestAnswersThatDoNot"},
	},
	{
		name: "quote-names", protects: "so does a name (·64)",
		file: "consistency.go", on: `k.groundName(claim, q, field, n)`, off: `_ = n`,
		tests: []string{"TestAnswersThatDoNot"},
	},
	{
		name: "grounded-figures", protects: "a figure in a grounded text stands in an input (·64)",
		file: "consistency.go", on: `r, ok := g.supports(c)
		if ok {`, off: `r, ok := g.supports(c)
		if ok || !ok {`,
		tests: []string{"TestGroundedText"},
	},
	{
		name: "grounded-names", protects: "so does a name (·64)",
		file: "consistency.go", on: `if !heading(text, n) {`, off: `if false {`,
		tests: []string{"TestGroundedText"},
	},
	{
		name: "calculation", protects: "a figure that follows from others is computed again (·64)",
		file: "calculation.go", on: `if !agrees(stated, computed, digits, c.tolerance) {`, off: `if _ = digits; stated != stated {`,
		tests: []string{"TestCalculations"},
	},
	{
		name: "known-facts", protects: "nothing contradicts what is known (·64)",
		file: "known.go", on: `if !ok || k.agreesWith(it, known) {`, off: `if !ok || known != "" {`,
		tests: []string{"TestKnownFacts"},
	},
	{
		name: "expected-words", protects: "a quote holds one of the words that its subject cannot do without (·64)",
		file: "consistency.go", on: `if len(cues) == 0 {`, off: `if len(cues) >= 0 {`,
		tests: []string{"TestTriggersAndCues"},
	},
}}
