package gate

import (
	"github.com/chargehand/chargehand"
)

// verdict closes the check.
func (k *check) verdict() chargehand.Verdict {
	v := chargehand.Verdict{
		SchemaPass:       k.formed,
		CompletenessPass: k.formed && k.findings.pass(chargehand.LayerCompleteness),
		ConsistencyPass:  k.formed && k.findings.pass(chargehand.LayerConsistency),
		Issues:           k.findings.list,
		Missing:          k.missing,
		Recommendation:   chargehand.Accept,
		Validator:        Validator, ValidatorVersion: ValidatorVersion,
	}
	v.Score, v.Reasoning = k.score()
	switch {
	case k.severe(chargehand.SeverityError) && !k.formed:
		v.Recommendation, v.Rework = chargehand.Reject, chargehand.Redo
	//guard:errors-reject
	case k.severe(chargehand.SeverityError):
		v.Recommendation, v.Rework = chargehand.Reject, chargehand.Revise
	case k.severe(chargehand.SeverityReview):
		v.Recommendation = chargehand.HumanReview
	}
	if v.Recommendation != chargehand.Accept {
		v.Feedback = feedback(v)
	}
	if len(k.claims) > 0 {
		v.Claims = make([]chargehand.Claim, 0, len(k.claims))
	}
	for _, c := range k.claims {
		v.Claims = append(v.Claims, *c)
	}
	return v
}

func (k *check) severe(s chargehand.Severity) bool {
	for _, f := range k.findings.list {
		if f.Severity == s {
			return true
		}
	}
	return false
}

// score is the share of checkable claims that are supported, half for those that partly are
// (SPEC.md ·65). An output that could not be read supports nothing.
func (k *check) score() (float64, string) {
	if !k.formed {
		return 0, "The output does not have the form it must have; nothing else was checked."
	}
	checked, good := 0, 0.0
	for _, c := range k.claims {
		switch c.Support {
		case chargehand.Supported:
			good++
			checked++
		case chargehand.Partly:
			good += 0.5
			checked++
		case chargehand.Unsupported, chargehand.Contradicted:
			checked++
		}
	}
	if checked == 0 {
		return 1, "The output makes no claim that could be checked."
	}
	return good / float64(checked), plainFloat(good) + " of " + counted(checked, "claim") + " can be checked and hold."
}
