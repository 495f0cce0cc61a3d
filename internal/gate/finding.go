package gate

import (
	"fmt"
	"strconv"

	"github.com/chargehand/chargehand"
)

// Bounds of a verdict. What is left out is counted in a last finding.
const (
	maxFindings = 500 // of one layer
	maxClaims   = 2_000
)

// findings is a list that numbers itself and stops growing at its bound.
type findings struct {
	list    []chargehand.Finding
	inLayer map[chargehand.Layer]int
	spare   chargehand.Finding // takes what is written to a finding beyond the bound
}

// add appends a finding and returns it to be completed, before the next is added.
func (fs *findings) add(l chargehand.Layer, rule string, s chargehand.Severity) *chargehand.Finding {
	if fs.inLayer == nil {
		fs.inLayer = map[chargehand.Layer]int{}
	}
	fs.inLayer[l]++
	f := chargehand.Finding{ID: "f" + strconv.Itoa(len(fs.list)+1), Layer: l, Rule: rule, Severity: s}
	switch n := fs.inLayer[l]; {
	case n > maxFindings:
		fs.spare = f
		return &fs.spare
	case n == maxFindings:
		f.Rule, f.Severity = "limit", chargehand.SeverityError
		f.Message = fmt.Sprintf("There are more than %d findings; the rest is left out.", maxFindings-1)
		fs.list = append(fs.list, f)
		return &fs.spare
	}
	fs.list = append(fs.list, f)
	return &fs.list[len(fs.list)-1]
}

// pass reports whether no finding of l is an error.
func (fs *findings) pass(l chargehand.Layer) bool {
	for _, f := range fs.list {
		if f.Layer == l && f.Severity == chargehand.SeverityError {
			return false
		}
	}
	return true
}
