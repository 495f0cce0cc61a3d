package fleet

import (
	"time"

	"github.com/chargehand/chargehand"
)

// Note records something about the journal itself, among the fleet's records since no run is
// concerned. It changes nothing else.
func (m *Machine) Note(now time.Time, f chargehand.Fact) Output {
	var out Output
	m.begin(now)
	m.record(f, &out)
	out.Wake = m.Wake()
	return out
}
