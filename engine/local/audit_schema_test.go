package local_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/engine/local"
)

// TestAuditReadsTheDeclarations alters what the database says of its own tables.
func TestAuditReadsTheDeclarations(t *testing.T) {
	for name, statement := range map[string]string{
		"an index is gone":    `drop index run_key`,
		"a trigger was added": `create trigger spy after insert on segment begin update meta set value = value; end`,
		"a column was added":  `alter table review add column note text`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e, err := local.Open(context.Background(), local.Options{Dir: dir})
			if err == nil {
				err = e.Close()
			}
			if err == nil {
				err = local.ForgeFile(t.Context(), dir, statement)
			}
			if err != nil {
				t.Fatal(err)
			}
			r := verify(t, dir, local.AuditOptions{})
			for _, f := range r.Findings {
				if strings.Contains(f.What, "is not declared") {
					return
				}
			}
			t.Errorf("nothing is found: %+v", r.Findings)
		})
	}
}
