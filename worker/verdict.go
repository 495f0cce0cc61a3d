package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
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
		err = CheckVerdict(v)
	}
	if err != nil {
		e := garbage(b, err)
		e.Message = "the verdict is malformed"
		return chargehand.Verdict{}, e
	}
	return v, nil
}

func readVerdict(b []byte) (chargehand.Verdict, error) {
	none := chargehand.Verdict{}
	if err := strict(b); err != nil {
		return none, err
	}
	b, err := onlyKnown(b)
	if err != nil {
		return none, err
	}
	v := chargehand.Verdict{SchemaPass: true, CompletenessPass: true, ConsistencyPass: true}
	if err := json.Unmarshal(b, &v); err != nil {
		return none, err
	}
	v.Recommendation, v.Rework = recommendation(v)
	v.Score, v.Validator, v.ValidatorVersion = 0, "", ""
	if v.Recommendation == chargehand.Accept && !(v.SchemaPass && v.CompletenessPass && v.ConsistencyPass) {
		return none, errors.New("it accepts the output and says that a layer failed")
	}
	return v, sign(v.Issues)
}

var verdictMembers = sync.OnceValue(members[chargehand.Verdict])

// onlyKnown is the object b without the members that no verdict has, whatever their case.
func onlyKnown(b []byte) ([]byte, error) {
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
			return fmt.Errorf("the severity %q of issue %d is none of error, review, warning", clip(string(f.Severity), 40), i+1)
		}
		if blank(f.Message) {
			return fmt.Errorf("issue %d has no message", i+1)
		}
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
