package local_test

import (
	"flag"
	"testing"

	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

var auditRecords = flag.Int("audit.records", 20_000, "records in the journal that BenchmarkAudit verifies")

// BenchmarkAudit verifies a journal of at least -audit.records records, each run 100 subtasks.
func BenchmarkAudit(b *testing.B) {
	dir := b.TempDir()
	e, err := local.Open(b.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": echo}})
	if err != nil {
		b.Fatal(err)
	}
	run, err := e.Start(b.Context(), order(100, nil))
	if err != nil {
		b.Fatal(err)
	}
	each := 0
	for _, err := range e.Records(b.Context(), run, 0, true) {
		if each++; err != nil {
			b.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	n, err := local.Multiply(b.Context(), dir, run, *auditRecords/each+1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := local.Audit(b.Context(), dir, local.AuditOptions{})
		if err != nil || r.Records != n || r.Verdict != audit.Intact {
			b.Fatal(err, say(r))
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(n), "records")
}
