package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ijson"
)

// DecodeVerdict reads a reviewer's answer (SPEC.md ·4). The recommendation may be written in any
// case, as ACCEPT, REJECT or HUMAN_REVIEW, or as approve, reject or needs-revision. A rejection
// that does not say how to mend the output means redo. A layer the answer does not mention counts
// as passed, since the gate has seen to it; an ACCEPT that says of a layer that it failed
// contradicts itself.
//
// Members that no verdict has are ignored. The verdict's score and validator are left empty: the
// gate computes the one, and the caller knows the other. Errors have kind Garbage: what is no
// verdict is never an ACCEPT.
func DecodeVerdict(b []byte) (chargehand.Verdict, error) {
	v, err := readVerdict(b)
	if err == nil {
		v, err = settle(v)
	}
	if err != nil {
		e := garbage(b, err)
		e.Message = "the verdict is malformed"
		return chargehand.Verdict{}, e
	}
	return v, nil
}

func readVerdict(b []byte) (chargehand.Verdict, error) {
	if err := ijson.Check(b); err != nil {
		return chargehand.Verdict{}, err
	}
	b, err := onlyKnown(b)
	if err != nil {
		return chargehand.Verdict{}, err
	}
	v := chargehand.Verdict{SchemaPass: true, CompletenessPass: true, ConsistencyPass: true}
	err = excerpt.JSON(json.Unmarshal(b, &v))
	return v, err
}

// settle is the verdict that a reviewer's words come to, or why they are none. It writes to the
// issues.
func settle(v chargehand.Verdict) (chargehand.Verdict, error) {
	v.Recommendation, v.Rework = recommendation(v)
	v.Score, v.Validator, v.ValidatorVersion = 0, "", ""
	if v.Recommendation == chargehand.Accept && !(v.SchemaPass && v.CompletenessPass && v.ConsistencyPass) {
		return v, errors.New("it accepts the output and says that a layer failed")
	}
	if err := sign(v.Issues); err != nil {
		return v, err
	}
	return v, CheckVerdict(v)
}

var verdictMembers = sync.OnceValue(members[chargehand.Verdict])

// onlyKnown is the object b without the members that no verdict has, whatever their case.
func onlyKnown(b []byte) ([]byte, error) {
	if ijson.HasOnly(b, verdictMembers()) {
		return b, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(b, &object) != nil || object == nil {
		return nil, errors.New("it is not an object")
	}
	maps.DeleteFunc(object, func(name string, _ json.RawMessage) bool { return !verdictMembers()[name] })
	return json.Marshal(object)
}

// recommendation translates the reviewer's word; one it does not know stays as it is.
func recommendation(v chargehand.Verdict) (chargehand.Recommendation, chargehand.Rework) {
	word := strings.ToLower(strings.TrimSpace(string(v.Recommendation)))
	switch strings.ReplaceAll(word, "_", "-") {
	case "accept", "approve":
		return chargehand.Accept, ""
	case "reject":
		if v.Rework == "" {
			return chargehand.Reject, chargehand.Redo
		}
		return chargehand.Reject, v.Rework
	case "needs-revision":
		return chargehand.Reject, chargehand.Revise
	case "human-review":
		return chargehand.HumanReview, ""
	}
	return v.Recommendation, v.Rework
}

// sign puts a reviewer's findings under its own layer, since it speaks for no other.
func sign(issues []chargehand.Finding) error {
	for i := range issues {
		f := &issues[i]
		f.ID, f.Layer = fmt.Sprintf("j%d", i+1), chargehand.LayerJudge
		if f.Rule == "" {
			f.Rule = "judge"
		}
		switch f.Severity {
		case "":
			f.Severity = chargehand.SeverityWarning
		case chargehand.SeverityError, chargehand.SeverityReview, chargehand.SeverityWarning:
		default:
			return fmt.Errorf("the severity %q of issue %d is none of error, review, warning", excerpt.Of(string(f.Severity), 40), i+1)
		}
		if blank(f.Message) {
			return fmt.Errorf("issue %d has no message", i+1)
		}
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// CheckVerdict reports what is missing from a reviewer's verdict (SPEC.md ·4): a recommendation, a
// confidence of 1 to 10, and feedback unless the recommendation is ACCEPT.
func CheckVerdict(v chargehand.Verdict) error {
	switch {
	case v.Recommendation != chargehand.Accept && v.Recommendation != chargehand.Reject && v.Recommendation != chargehand.HumanReview:
		return fmt.Errorf("the recommendation %q is none of ACCEPT, REJECT, HUMAN_REVIEW", excerpt.Of(string(v.Recommendation), 40))
	case v.Rework != "" && v.Rework != chargehand.Redo && v.Rework != chargehand.Revise:
		return fmt.Errorf("the rework %q is none of redo, revise", excerpt.Of(string(v.Rework), 40))
	case v.Confidence < 1 || v.Confidence > 10:
		return errors.New("the confidence is not a whole number from 1 to 10")
	case v.Recommendation != chargehand.Accept && blank(v.Feedback):
		return errors.New("the feedback is missing; only ACCEPT goes without")
	}
	return nil
}
