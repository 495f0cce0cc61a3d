package fleet

import (
	"fmt"

	"github.com/chargehand/chargehand"
)

// Status is how the workers fare, in the order in which they were registered. Slots are those of
// all instances the worker can have without a spawn, Instances those that are there.
func (m *Machine) Status() []chargehand.WorkerStatus {
	list := make([]chargehand.WorkerStatus, 0, len(m.pool.list))
	for _, w := range m.pool.list {
		if m.superseded(w) {
			continue
		}
		list = append(list, chargehand.WorkerStatus{
			Worker:    w.name(),
			Active:    w.active,
			Slots:     w.capacity(),
			Instances: len(w.instances) - w.coming(),
			Queued:    m.queue.of(w.Worker).waiting,
			Breaker:   w.Breaker.State,
			Healthy:   w.Unhealthy == "",
			Drained:   w.Drained,
			Calls:     w.Calls,
			Failures:  w.Failures,
			AverageMS: w.AverageUS / 1000,
			Alerts:    w.alerts(),
		})
	}
	return list
}

// alerts are what keeps a worker from work at the moment, or holds it back.
func (w *worker) alerts() []string {
	var list []string
	if w.Unhealthy != "" {
		list = append(list, "unhealthy: "+w.Unhealthy)
	}
	switch b := w.breaker(); {
	case b.State == chargehand.BreakerOpen:
		list = append(list, fmt.Sprintf("breaker open until %s", b.Until.Format("15:04:05")))
	case b.State == chargehand.BreakerHalfOpen:
		list = append(list, "breaker half open: one call at a time")
	case b.Ramp > 0:
		list = append(list, fmt.Sprintf("breaker closed a short while ago: %d calls at a time", b.Ramp))
	}
	return list
}
