package mcpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// Every item is in one of the answers, in order, and no answer is larger than there is room.
func TestItemsComeInPages(t *testing.T) {
	res := &chargehand.Result{Output: json.RawMessage(`{}`)}
	for i := range 100 {
		res.Items = append(res.Items, chargehand.Item{Fields: json.RawMessage(fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", 100)))})
	}
	res.Items[50].Fields = json.RawMessage(fmt.Sprintf(`{"n":50,"text":%q}`, strings.Repeat("x", 5000))) // larger than a page
	var seen []string
	pages := 0
	for first := 0; first < len(res.Items); pages++ {
		a := &answer{Run: "run_1", First: first}
		a.fill(res, 2000)
		if len(a.Items) == 0 || a.Count != 100 {
			t.Fatalf("from %d: %d items of %d", first, len(a.Items), a.Count)
		}
		for _, it := range a.Items {
			seen = append(seen, string(it.Fields))
		}
		first += len(a.Items)
		if more := first < len(res.Items); more != (len(a.Omitted) == 1 && strings.HasSuffix(a.Omitted[0], fmt.Sprint(first))) {
			t.Errorf("after %d items: omitted %q", first, a.Omitted)
		}
	}
	if len(seen) != 100 || pages < 10 {
		t.Errorf("%d items on %d pages", len(seen), pages)
	}
	for i, it := range seen {
		if !strings.HasPrefix(it, fmt.Sprintf(`{"n":%d,`, i)) {
			t.Errorf("item %d is %s", i, it[:20])
		}
	}
	far := &answer{First: 1000}
	if far.fill(res, 2000); len(far.Items) != 0 {
		t.Errorf("beyond the last item: %d", len(far.Items))
	}
}

func TestSchemasThatReferToThemselvesAreToldAndNotEmbedded(t *testing.T) {
	for schema, embeds := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}}}`:                                    true,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:x","type":"object"}`:  true,
		`{"$defs":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/a"}},"type":"object"}`: false,
		`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}},"type":"object"}`:            false,
		`true`: false,
		``:     false,
	} {
		got := embedded(json.RawMessage(schema), "About.")
		if (got["type"] == "object") != embeds || got["description"] == "" || got["$schema"] != nil || got["$id"] != nil {
			t.Errorf("%s: %v", schema, got)
		}
		if strings.Contains(schema, "ef\"") && !strings.Contains(fmt.Sprint(got["description"]), `#`) {
			t.Errorf("%s is not told: %v", schema, got)
		}
	}
}
