package chargehand

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestItemsComeBackAsTheyWere(t *testing.T) {
	by := Item{Subtask: "s1", Attempt: 2, Worker: `a"subtask":b`, Verdict: "accepted", ConfirmedBy: []string{`"subtask":`, "w"}}
	for fields, want := range map[string]string{
		`{}`:                      `{}`,
		``:                        `{}`,
		` { "a" : 1 } `:           `{"a":1}`,
		`{"a":{"subtask":"x"}}`:   `{"a":{"subtask":"x"}}`,
		`{"subtask":"x","b":[]}`:  `{"b":[]}`,
		`{"verdict":1}`:           `{}`,
		`{"\u0073ubtask":"x"}`:    `{}`,
		`{"t":"\"subtask\":1"}`:   `{"t":"\"subtask\":1"}`,
		`{"k":"é\u00e9","n":1.0}`: `{"k":"é\u00e9","n":1.0}`,
	} {
		it := by
		it.Fields = json.RawMessage(fields)
		line, err := json.Marshal(it)
		if err != nil {
			t.Fatalf("%s: %v", fields, err)
		}
		var got Item
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		it.Fields = json.RawMessage(want)
		if diff := cmp.Diff(it, got); diff != "" {
			t.Errorf("%s as %s: %s", fields, line, diff)
		}
	}
}

func TestItemsInAnyOrderAreRead(t *testing.T) {
	want := Item{Fields: json.RawMessage(`{"quote":"q"}`), Subtask: "s1", Attempt: 1, Worker: "w", Verdict: "accepted"}
	for _, text := range []string{
		`{"quote":"q","subtask":"s1","attempt":1,"worker":"w","verdict":"accepted"}`,
		`{"attempt":1,"quote":"q","subtask":"s1","verdict":"accepted","worker":"w"}`,
		`{"subtask":"s1","attempt":1,"worker":"w","verdict":"accepted","quote":"q"}`,
		`{"quote":"q","subtask":"s1","attempt":1,"wor\u006ber":"w","verdict":"accepted"}`,
	} {
		var got Item
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestItemThatIsNoObjectIsRefused(t *testing.T) {
	for _, fields := range []string{`[1]`, `[12]`, `"text"`, `17`, `{"a":}`, `{"a":1`} {
		if out, err := json.Marshal(Item{Fields: json.RawMessage(fields)}); err == nil {
			t.Errorf("%s was written as %s", fields, out)
		}
	}
}

// TestItemSourceIsWrittenAsJSONWritesIt compares what follows a worker's own fields with json.
func TestItemSourceIsWrittenAsJSONWritesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var by itemSource
		draw(t, reflect.ValueOf(&by).Elem(), true)
		want, err := json.Marshal(by)
		if err != nil {
			t.Fatal(err)
		}
		it := Item{nil, by.Subtask, by.Attempt, by.Worker, by.Verdict, by.ConfirmedBy}
		if diff := cmp.Diff(string(want), string(it.appendSource([]byte("{")))); diff != "" {
			t.Error(diff)
		}
	})
}

// TestNamesOfTheSourceAreFound puts objects together from what is and what is nearly such a name.
func TestNamesOfTheSourceAreFound(t *testing.T) {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		`"`, `""`, "subtask", `"subtask"`, `"subtask`, `worker"`, `"work`, "er", "attempt", `"verdict`, "confirmedBy", `\`, `\u`, `u`, `:`, "x",
	}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		object := strings.Join(pieces.Draw(t, "object"), "")
		want := strings.Contains(object, `\u`)
		for _, name := range sourceFields {
			want = want || strings.Contains(object, `"`+name+`"`)
		}
		if namesSource([]byte(object)) != want {
			t.Errorf("%s: found = %v, want %v", object, !want, want)
		}
	})
}

func BenchmarkItemAppendJSON(b *testing.B) {
	it := Item{
		Fields: json.RawMessage(`{"aspect":"task-7","clause":"4.7","text":"` + strings.Repeat("Either party may end the agreement by a notice in writing. ", 14) +
			`","notice":"30 days","from":"supplier","document":"agreement.txt","start":1204,"end":1290}`),
		Subtask: "task-7", Attempt: 1, Worker: "finder-1", Verdict: "accepted",
	}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		out, err := it.AppendJSON(dst[:0])
		if err != nil {
			b.Fatal(err)
		}
		dst = out
	}
	b.SetBytes(int64(len(dst)))
}
