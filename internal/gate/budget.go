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
	//guard:gate-budget off=true
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

// An effort is what one submission was compared with its sources for.
type effort struct {
	lookups int // of figures and names, about one comparison each
	scanned int // bytes of sources read to explain what is wrong

	unwanted func() bool // of the submission
	since    int         // work since it was asked
	stopped  bool        // it said yes
}

// askEvery is how much work, in bytes or comparisons, lies between two questions whether a verdict is
// still wanted. It takes less than a millisecond.
const askEvery = 1 << 16

// halted reports whether the check stops, after n more bytes or comparisons. All that counts work asks
// it, so that every loop ends as one that has spent its budget.
func (e *effort) halted(n int) bool {
	if e.unwanted == nil || e.stopped {
		return e.stopped
	}
	if e.since += n; e.since >= askEvery {
		e.since, e.stopped = 0, e.unwanted()
	}
	return e.stopped
}

func schemaBudget(values int) string {
	return "to compare this with its schema takes more than " + grouped(allowance(values)) + " steps"
}
