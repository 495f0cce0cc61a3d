package gate

import (
	"fmt"

	"github.com/chargehand/chargehand"
)

// budgetRule is the rule of a finding that says that a layer gave up. What a layer may cost is counted
// in steps and bytes, which the contract, the task and the output decide: every machine gives up at the
// same place. A layer that gave up accepts nothing and blames no worker: a person decides.
const budgetRule = "budget"

// giveUp says, once for each layer, that it stopped before its end. What was found until then stands.
func (k *check) giveUp(l chargehand.Layer, budget string) {
	if k.gaveUp[l] {
		return
	}
	if k.gaveUp == nil {
		k.gaveUp = map[chargehand.Layer]bool{}
	}
	k.gaveUp[l] = true
	k.find(l, budgetRule, chargehand.SeverityReview, nil).Message = gaveUp(l, budget)
}

// gaveUp is the sentence about a layer that stopped.
func gaveUp(l chargehand.Layer, budget string) string {
	return fmt.Sprintf("The gate's %s layer gave up: %s.", l, budget)
}

func schemaBudget(values int) string {
	return "to compare this with its schema takes more than " + grouped(allowance(values)) + " steps"
}
