package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// canary is a value that a worker is given, as $CANARY_TOKEN, and says back.
const (
	canary    = "tok/7a1f<9c>b2"
	echoBytes = 200 // the most that one of the echoes may be long
)

type echoed struct {
	name, say string
	want      string // the whole result, as JSON; empty: it is garbage
	raw       string // what is kept of garbage
}

// echoes are answers that repeat the canary, and one that does not.
var echoes = []echoed{
	{
		name: "as output", say: `{"headers": ["Bearer tok/7a1f<9c>b2"], "tok/7a1f<9c>b2" : 1.50}`,
		want: `{"status":"succeeded","output":{"headers": ["Bearer $CANARY_TOKEN"], "$CANARY_TOKEN" : 1.50}}`,
	},
	{
		name: "spelt otherwise", say: `["tok\/7a1f\u003c9c\u003eb2","\u0074ok/7a1f<9c>b2"]`,
		want: `{"status":"succeeded","output":["$CANARY_TOKEN","$CANARY_TOKEN"]}`,
	},
	{
		name: "in every member", say: `{"status":"blocked","output":"tok/7a1f<9c>b2","summary":"s tok/7a1f<9c>b2.","blockers":["b tok/7a1f<9c>b2"],` +
			`"evidenceRefs":["tok/7a1f<9c>b2"],"transcript":{"t":"tok/7a1f<9c>b2"}}`,
		want: `{"status":"blocked","output":"$CANARY_TOKEN","summary":"s $CANARY_TOKEN.","blockers":["b $CANARY_TOKEN"],` +
			`"evidenceRefs":["$CANARY_TOKEN"],"transcript":{"t":"$CANARY_TOKEN"}}`,
	},
	{
		name: "what repeats nothing keeps its bytes", say: ` {"quote" : "due \u003cwithin\u003e 30\/60 days","start":7,"n":1.50e1} `,
		want: `{"status":"succeeded","output":{"quote" : "due \u003cwithin\u003e 30\/60 days","start":7,"n":1.50e1}}`,
	},
	{name: "as garbage", say: `KeyError: "tok\/7a1f<9c>b2" tok/7a1f<9c>b2`, raw: `KeyError: "$CANARY_TOKEN" $CANARY_TOKEN`},
	{
		name: "as a key that occurs twice", say: `{"tok/7a1f<9c>b2":1,"tok/7a1f<9c>b2":2}`,
		raw: `{"$CANARY_TOKEN":1,"$CANARY_TOKEN":2}`,
	},
	{name: "as a member that a result does not have", say: `{"status":"failed","tok/7a1f<9c>b2":0}`, raw: `{"status":"failed","$CANARY_TOKEN":0}`},
	{
		name: "where it is cut off", say: `"` + strings.Repeat("x", echoBytes-9) + canary + `"`,
		raw: `"` + strings.Repeat("x", echoBytes-9) + "$CANARY_TOKEN",
	},
}

// wantNoSecret checks what came of an echo, and that the canary is nowhere in it.
func wantNoSecret(t *testing.T, tt echoed, r chargehand.WorkerResult, err error) {
	t.Helper()
	e, _ := errors.AsType[*Error](err)
	if said := fmt.Sprintf("%+v %s %s %v", r, r.Output, r.Transcript, err); strings.Contains(said, canary) || strings.Contains(said, "7a1f") {
		t.Error(said)
	}
	switch {
	case tt.want == "":
		if e == nil || e.Kind != Garbage {
			t.Fatalf("%+v, %v", r, err)
		}
		if got := string(e.Raw); got != tt.raw {
			t.Errorf("kept: %s, want %s", got, tt.raw)
		}
	case err != nil:
		t.Fatal(err)
	default:
		var want chargehand.WorkerResult
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		want.TaskID, want.Attempt, want.WorkerName = r.TaskID, r.Attempt, r.WorkerName
		if got, want := fmt.Sprintf("%+v %s", r, r.Output), fmt.Sprintf("%+v %s", want, want.Output); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
