package wire

import (
	"encoding/json"
	"testing"

	"github.com/chargehand/chargehand/model"
)

// What stands beside a call is kept with it, the latest of it, and counts towards the size of the answer.
func TestAttach(t *testing.T) {
	a := (&Client{Limit: 1000}).Call(false).Answer(&model.Request{})
	if err := a.Begin(3, "a", "f"); err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{`{"x":1}`, `{"x":2}`, `null`, ``} {
		if err := a.Attach(3, json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Attach(4, json.RawMessage(`{"of":"none"}`)); err != nil {
		t.Fatal(err)
	}
	if res, err := a.End(t.Context(), nil); err != nil || string(res.Calls[0].Opaque) != `{"x":2}` {
		t.Errorf("%+v, %v", res, err)
	}
	if err := a.Attach(3, make(json.RawMessage, 1000)); model.KindOf(err) != model.Malformed {
		t.Errorf("an answer goes beyond its limit: %v", err)
	}
}
