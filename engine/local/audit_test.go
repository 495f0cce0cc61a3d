package local_test

import (
	"encoding/json"
	"testing"

	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

func verify(t *testing.T, dir string, opt local.AuditOptions) *audit.Report {
	t.Helper()
	r, err := local.Audit(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func say(r *audit.Report) string {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestAuditOfASoundFolder(t *testing.T) {
	dir, anchor := t.TempDir(), t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Anchor: anchor, Workers: worker.Set{"w": echo}})
	if err != nil {
		t.Fatal(err)
	}
	until(t, e, start(t, e, order(30, nil)), ended)
	if r := verify(t, dir, local.AuditOptions{Anchor: anchor}); r.Verdict != audit.Intact {
		t.Errorf("beside the engine: %s", say(r))
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	r := verify(t, dir, local.AuditOptions{Anchor: anchor})
	if r.Verdict != audit.Intact || r.Tail != nil || r.Newest == nil || r.Newest.Size != r.Records {
		t.Errorf("after the engine: %s", say(r))
	}
	t.Log(say(r))
}
