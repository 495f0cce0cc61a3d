package gate

import (
	"testing"

	"github.com/chargehand/chargehand"
)

// spent is the work that was counted for a check.
func (k *check) spent() int {
	return int(k.cost) + k.searched + k.detected + k.effort.lookups + k.effort.scanned
}

// TestUnwantedChecksStop: a check whose verdict is not wanted any more ends at the step it is at, and has
// no verdict.
func TestUnwantedChecksStop(t *testing.T) {
	for _, b := range bombs() {
		if b.layer == "" || b.layer == chargehand.LayerSchema || b.contract.Detectors != nil {
			continue // they cost little, or are counted before the work begins
		}
		t.Run(b.name, func(t *testing.T) {
			g, s := gateOf(t, b.contract), submit(asked(b.doc), b.output)
			for _, after := range []int{1, 3} {
				var k *check
				asked, until := 0, 0
				s.Unwanted = func() bool {
					asked++
					if asked == after && k != nil {
						until = k.spent()
					}
					return asked >= after
				}
				k = g.begin(&s)
				v := k.layers()
				switch more := k.spent() - until; {
				case asked == 0:
					t.Error("nobody asks whether the verdict is wanted")
				case asked < after: // the layer gave up before
				case v.Recommendation != "" || asked > after:
					t.Errorf("%s after being asked %d times", v.Recommendation, asked)
				case more > askEvery:
					t.Errorf("%d more steps", more)
				}
				k.end()
			}
		})
	}
}
