package open

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/models.md names every provider, its variables and its address.
func TestProvidersAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range makers {
		key := "none"
		if m.key != "" {
			key = "`" + m.key + "`"
		}
		row := fmt.Sprintf("| `%s` | %s | `%s` | `%s` |", m.name, key, m.base, m.address)
		if !strings.Contains(string(doc), row+"\n") {
			t.Errorf("the table lacks the row\n%s", row)
		}
	}
	if rows := strings.Count(string(doc), "_BASE_URL` | `") + strings.Count(string(doc), "`OLLAMA_HOST` | `"); rows != len(makers) {
		t.Errorf("the table has %d rows for %d providers", rows, len(makers))
	}
}
