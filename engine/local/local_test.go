package local_test

import (
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/enginetest"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

//guard:gate-always
//guard:start-key
func TestConformance(t *testing.T) {
	enginetest.Run(t, func(t *testing.T, workers worker.Set, planners map[string]worker.Planner) chargehand.Engine {
		return open(t, local.Options{Dir: t.TempDir(), Workers: workers, Planners: planners})
	})
}

func open(t *testing.T, opt local.Options) *local.Engine {
	t.Helper()
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
