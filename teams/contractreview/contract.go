package contractreview

import (
	_ "embed"

	"github.com/chargehand/chargehand"
)

// Names of the team's contracts.
const (
	contractClauses  = "clauses"
	contractSegments = "segments"
	contractReport   = "report"
)

var (
	//go:embed schema/clauses.json
	clausesSchema []byte

	//go:embed schema/segments.json
	segmentsSchema []byte

	//go:embed schema/report.json
	reportSchema []byte
)

func contracts() []chargehand.Contract {
	return []chargehand.Contract{clausesContract(), segmentsContract(), reportContract()}
}

// clausesContract holds both readers to quotes and searches that can be checked. Two readings of a
// category agree when both find it, or neither, and their answers are the same: "Yes" for nearly
// all, a place for the governing law.
func clausesContract() chargehand.Contract {
	return chargehand.Contract{
		Name: contractClauses, Schema: clausesSchema, MaxBytes: 8 << 20,
		Items: &chargehand.ItemRule{Path: "/items", Key: "category", Triggers: triggers(), Cues: cues()},
		Rules: []chargehand.Rule{
			{
				ID: "asked", Each: "/items", Message: "The item is about a category that was not asked for.",
				CEL: `size(task.requiredAspects) == 0 || item.category in task.requiredAspects`,
			},
			{
				ID: "answered", Each: "/items", Message: "A clause that is present has an answer; one that is absent is answered No, or not at all.",
				CEL: `item.present ? item.answer.trim() != '' && item.answer != 'No' : item.answer in ['No', '']`,
			},
			{
				ID: "date", Each: "/items", Message: "A date in figures is written mm/dd/yyyy, with [] for a part that was left blank.",
				CEL: `!item.category.endsWith(' Date') || !item.answer.matches('^[0-9\\[\\]]{1,4}/') ||
					item.answer.matches('^(0[1-9]|1[0-2]|\\[\\])/(0[1-9]|[12][0-9]|3[01]|\\[\\])/([0-9]{4}|\\[\\])$')`,
			},
		},
		Detectors: chargehand.Detect(chargehand.DetectSecrets, chargehand.DetectInjection),
		Criteria: []string{
			"Each quote is a passage that answers the category it stands under.",
			"No passage that answers a category is left out.",
			"The answer follows from the quote alone.",
		},
	}
}

// segmentsContract has no items: an outline is no finding, and the sections of a contract would
// drown those in the result. What the report takes from it is grounded there.
func segmentsContract() chargehand.Contract {
	return chargehand.Contract{
		Name: contractSegments, Schema: segmentsSchema, MaxBytes: 8 << 20,
		Rules: []chargehand.Rule{
			{
				ID: "whole", Each: "/documents", Message: "The sections cover a document of the task from its first byte to its last.",
				CEL: `item.sections[0].start == 0.0 && item.sections[size(item.sections) - 1].end == item.size &&
					task.inputRefs.exists(r, r.hash == item.document && r.size == item.size)`,
			},
			{
				ID: "apart", Each: "/documents", Message: "Sections neither overlap nor leave anything out.",
				CEL: `item.sections.all(s, s.start <= s.end) && sum(item.sections.map(s, s.end - s.start)) == item.size`,
			},
			{
				ID: "heading", Each: "/documents", Message: "A heading is part of its section.",
				CEL: `item.sections.all(s, double(size(s.heading)) <= s.end - s.start)`,
			},
		},
		Detectors: chargehand.Detect(chargehand.DetectSecrets),
	}
}

// reportContract holds the report to its sources: every passage it rests on is quoted verbatim, and
// no statement stands without one. Its prose repeats contracts, whose everyday words ("without the
// Customer's consent") would set off the detector for injected orders; the items behind it have
// been through that.
func reportContract() chargehand.Contract {
	return chargehand.Contract{
		Name: contractReport, Schema: reportSchema, MaxBytes: 8 << 20,
		Items:    &chargehand.ItemRule{Path: "/evidence", Key: "category"},
		Grounded: []string{"/summary", "/risks/*/why", "/findings/*/answer", "/report/text"},
		Rules: []chargehand.Rule{
			{
				ID: "risk-rests", Each: "/risks", Message: "A rating rests on evidence, or on what a person accepted.",
				CEL: `size(item.evidence) + size(item.decided) > 0`,
			},
			{
				ID: "finding-rests", Each: "/findings", Message: "A finding names the subtask and the attempt it comes from.",
				CEL: `item.subtask != '' && item.attempt >= 1.0`,
			},
			{
				ID: "risk-cites", Each: "/risks", Message: "A rating cites evidence that the report does not have.",
				CEL: `item.evidence.all(id, int(id.substring(1)) <= size(output.evidence))`,
			},
			{
				ID: "finding-cites", Each: "/findings", Message: "A finding cites evidence that the report does not have.",
				CEL: `item.evidence.all(id, int(id.substring(1)) <= size(output.evidence))`,
			},
			{
				ID: "numbered", Message: "Evidence is numbered from e1 on.",
				CEL: `size(output.evidence) == 0 || output.evidence[size(output.evidence) - 1].id == 'e' + string(size(output.evidence))`,
			},
		},
		Detectors: chargehand.Detect(chargehand.DetectSecrets),
		Criteria:  []string{"The report says nothing that its evidence does not show."},
	}
}

// invariants hold across subtasks. One that does not is a conflict in the result, for a person to
// settle.
func invariants() []chargehand.Rule {
	return []chargehand.Rule{{
		ID: "effective-before-expiration", Message: "The contract would take effect on the day it ends, or later: one of the two dates was misread.",
		CEL: `!('Effective Date' in facts) || !('Expiration Date' in facts) ||
			facts['Effective Date'].all(a, facts['Expiration Date'].all(b,
				!a.value.matches('^present: [0-9]{4}-[0-9]{2}-[0-9]{2}$') || !b.value.matches('^present: [0-9]{4}-[0-9]{2}-[0-9]{2}$') || a.value < b.value))`,
	}}
}
