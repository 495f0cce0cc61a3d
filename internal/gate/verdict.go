package gate

import (
	"github.com/chargehand/chargehand"
)

// verdict closes the check.
func (k *check) verdict() chargehand.Verdict {
	if k.effort.stopped {
		return chargehand.Verdict{}
	}
	v := chargehand.Verdict{
		SchemaPass:       k.formed,
		CompletenessPass: k.formed && k.passed(chargehand.LayerCompleteness),
		ConsistencyPass:  k.formed && k.passed(chargehand.LayerConsistency),
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

// passed reports whether a layer came to its end without an error.
func (k *check) passed(l chargehand.Layer) bool { return k.findings.pass(l) && !k.gaveUp[l] }

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
	if k.gaveUp[chargehand.LayerSchema] {
		return 0, "The gate gave up comparing the output with its schema; nothing else was checked."
	}
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
