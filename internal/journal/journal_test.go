package journal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

var at = time.Date(2026, 11, 21, 14, 11, 30, 5000, time.UTC)

func TestRoundTrip(t *testing.T) {
	want := chargehand.Record{Run: `a"data":b`, Seq: 3, At: at, Fact: chargehand.PauseBegan{By: "olu"}}
	line, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(string(line), '\n') {
		t.Errorf("more than one line: %s", line)
	}
	got, err := Decode(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPayloadLimit(t *testing.T) {
	overhead := len(`{"by":""}`)
	for _, tt := range []struct {
		name string
		size int
		ok   bool
	}{
		{"at the limit", MaxPayload - overhead, true},
		{"above the limit", MaxPayload - overhead + 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dst := []byte("kept ")
			fact := chargehand.PauseBegan{By: strings.Repeat("x", tt.size)}
			out, err := AppendRecord(dst, chargehand.Record{Run: `r"data":1`, Seq: 42, At: at, Fact: fact})
			if (err == nil) != tt.ok {
				t.Fatalf("err = %v, want ok = %v", err, tt.ok)
			}
			if tt.ok {
				return
			}
			if string(out) != "kept " {
				t.Errorf("dst came back as %.40q", out)
			}
			for _, want := range []string{"42", "pause_began", `r\"data\":1`, fmt.Sprint(MaxPayload + 1), fmt.Sprint(MaxPayload)} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not name %q", err, want)
				}
			}
		})
	}
}

func TestRefusedRecords(t *testing.T) {
	fact := chargehand.PauseEnded{By: "olu"}
	for name, r := range map[string]chargehand.Record{
		"no run":        {Seq: 1, At: at, Fact: fact},
		"no sequence":   {Run: "r", At: at, Fact: fact},
		"too fine time": {Run: "r", Seq: 1, At: at.Add(time.Nanosecond), Fact: fact},
		"no fact":       {Run: "r", Seq: 1, At: at},
	} {
		if _, err := Encode(r); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestRefusedLines(t *testing.T) {
	const head = `{"run":"r","seq":1,"at":"2026-11-21T14:11:30.000000Z",`
	for _, tt := range []struct {
		name, line string
		code       chargehand.Code
	}{
		{"newer format", head + `"type":"run_started","data":{"format":3}}`, chargehand.CodeFormat},
		{"unknown type", head + `"type":"sung","data":{}}`, chargehand.CodeFormat},
		{"cut short", head + `"type":"run_sta`, chargehand.CodeInternal},
		{"no data", head + `"type":"pause_ended"}`, chargehand.CodeInternal},
		{"wrong data", head + `"type":"pause_ended","data":7}`, chargehand.CodeInternal},
	} {
		_, err := Decode([]byte(tt.line))
		if err == nil || chargehand.CodeOf(err) != tt.code {
			t.Errorf("%s: err = %v, want code %s", tt.name, err, tt.code)
		}
		if e, ok := errors.AsType[*chargehand.Error](err); ok && e.Next == "" {
			t.Errorf("%s: %v does not say what to do", tt.name, e)
		}
	}
}

func BenchmarkAppendRecord(b *testing.B) {
	r := chargehand.Record{Run: "run_1", Seq: 7, At: at, Fact: chargehand.AttemptStarted{
		AttemptRef: chargehand.AttemptRef{Subtask: "s1", Attempt: 1}, Worker: "w", Version: "1", Epoch: 3,
	}}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		out, err := AppendRecord(dst[:0], r)
		if err != nil {
			b.Fatal(err)
		}
		dst = out
	}
}

func BenchmarkDecode(b *testing.B) {
	line, err := Encode(chargehand.Record{Run: "run_1", Seq: 7, At: at, Fact: chargehand.PauseBegan{By: "olu"}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(line); err != nil {
			b.Fatal(err)
		}
	}
}
