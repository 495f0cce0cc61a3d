package local_test

import (
	"slices"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestClockThatIsSetIsOnRecord sets the wall clock while the engine works: by more than a second, and
// then by less. Each is on record once, or not at all.
func TestClockThatIsSetIsOnRecord(t *testing.T) {
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": echo}})
	for _, d := range []time.Duration{90 * time.Second, 0, 500 * time.Millisecond, -time.Hour} {
		if err := e.StepClock(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		until(t, e, start(t, e, order(1, nil)), ended)
	}
	var steps []time.Duration
	all, err := e.FleetRecords(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if f, ok := r.Fact.(chargehand.ClockStepped); ok {
			steps = append(steps, (time.Duration(f.OffMS) * time.Millisecond).Round(5*time.Second))
		}
	}
	if !slices.Equal(steps, []time.Duration{90 * time.Second, -58*time.Minute - 30*time.Second}) {
		t.Errorf("the steps on record are %v", steps)
	}
}
