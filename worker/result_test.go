package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/secret"
)

func TestDecode(t *testing.T) {
	half := 0.5
	for _, tt := range []struct {
		name, give string
		want       chargehand.WorkerResult
	}{
		{"object", ` {"clauses": []} `, chargehand.WorkerResult{Output: json.RawMessage(`{"clauses": []}`)}},
		{"array", `[1,2]`, chargehand.WorkerResult{Output: json.RawMessage(`[1,2]`)}},
		{"text", `"status"`, chargehand.WorkerResult{Output: json.RawMessage(`"status"`)}},
		{"number", `1e308`, chargehand.WorkerResult{Output: json.RawMessage(`1e308`)}},
		{"null", `null`, chargehand.WorkerResult{Output: json.RawMessage(`null`)}},
		{"a Status is not a status", `{"Status":"x"}`, chargehand.WorkerResult{Output: json.RawMessage(`{"Status":"x"}`)}},
		{"surrogate pair", `"\\\ud83d\ude00\\"`, chargehand.WorkerResult{Output: json.RawMessage(`"\\\ud83d\ude00\\"`)}},
		{"an escaped backslash begins no escape", `"\\ud83d"`, chargehand.WorkerResult{Output: json.RawMessage(`"\\ud83d"`)}},
		{"100 levels", strings.Repeat("[", 100) + strings.Repeat("]", 100), chargehand.WorkerResult{Output: json.RawMessage(strings.Repeat("[", 100) + strings.Repeat("]", 100))}},
		{
			"full", `{"status":"partial","taskId":"clauses","attempt":2,"output":{"a": 1},"confidence":0.5,"blockers":["b"],"usage":{"usd":"0.01","inputTokens":3}}`,
			chargehand.WorkerResult{Status: chargehand.StatusPartial, Output: json.RawMessage(`{"a": 1}`), Confidence: &half, Blockers: []string{"b"}, Usage: chargehand.Usage{USD: 10_000, InputTokens: 3}},
		},
		{"own name", `{"status":"failed","workerName":"somebody"}`, chargehand.WorkerResult{Status: chargehand.StatusFailed}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.TaskID, tt.want.Attempt, tt.want.WorkerName = "clauses", 2, "reader"
			if tt.want.Status == "" {
				tt.want.Status = chargehand.StatusSucceeded
			}
			got, err := decode(someTask(), []byte(tt.give), &secret.Values{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestOutputsGoInline wants a result that only names its output to be refused, with what to do, and what
// it has cost to count; by a Go function too (SPEC.md ·3).
func TestOutputsGoInline(t *testing.T) {
	const want = `the result has an "outputRef" and no "output": an output goes inline, as "output"; the engine stores it and names it by its hash`
	for _, give := range []string{
		`{"status":"succeeded","outputRef":"sha256:9c","usage":{"usd":"0.5"}}`,
		`{"status":"succeeded","outputRef":"sha256:9c","output":null,"usage":{"usd":"0.5"}}`,
		`{"status":"partial","outputRef":"file.json","usage":{"usd":"0.5"}}`,
	} {
		ask := func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
			var r chargehand.WorkerResult
			return r, json.Unmarshal([]byte(give), &r)
		}
		r, err := decode(someTask(), []byte(give), &secret.Values{})
		again, errAgain := Func(ask).Do(t.Context(), someTask())
		for _, e := range []error{err, errAgain} {
			if KindOf(e) != Refused || e.Error() != want {
				t.Errorf("%s: %v", give, e)
			}
		}
		if r.Usage.USD != 500_000 || again.Usage != r.Usage || len(r.Output) > 0 {
			t.Errorf("%s: %+v, %+v", give, r, again)
		}
	}
	for _, give := range []string{`{"status":"succeeded","outputRef":"sha256:9c","output":0}`, `{"outputRef":"sha256:9c"}`, `{"status":"succeeded","output":null}`} {
		if _, err := decode(someTask(), []byte(give), &secret.Values{}); err != nil {
			t.Errorf("%s: %v", give, err)
		}
	}
}

// Every kind of answer that is no result, and what is said of it (RELIABILITY.md row 18).
var garbageAnswers = []struct{ name, give, want string }{
	{"empty", "", "it is empty"},
	{"blank", " \n", "it is empty"},
	{"HTML", "<!DOCTYPE html><p>502", "not JSON: invalid character '<'"},
	{"truncated", `{"clauses":[{"a":1}`, "ends before its JSON does"},
	{"trailing data", `{"a":1} {"b":2}`, "not JSON: invalid character '{' after top-level value"},
	{"duplicate key", `{"a":1,"a":2}`, "at /a: the key occurs twice"},
	{"duplicate key, escaped and deep", `{"x":[0,{"a/b~":1,"\u0061/b~":2}]}`, "at /x/1/a~1b~0: the key occurs twice"},
	{"duplicate status", `{"status":"failed","status":"succeeded"}`, "at /status: the key occurs twice"},
	{"1e400", `{"n":[1e400]}`, "at /n/0: the number 1e400 is out of range"},
	{"-1e400", `-1e400`, "the number -1e400 is out of range"},
	{"101 levels", strings.Repeat("[", 101) + strings.Repeat("]", 101), "deeper than 100 levels"},
	{"depth 100,000", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "it is not JSON"},
	{"depth 100,000, never closed", strings.Repeat(`{"a":`, 100_000), "it is not JSON"},
	{"not UTF-8", "\"\xff\"", "it is not UTF-8"},
	{"byte order mark", "\ufeff{}", "it is not JSON"},
	{"UTF-16", "\xff\xfe{\x00}\x00", "it is not UTF-8"},
	{"high surrogate", `"\ud83d"`, "half a surrogate pair"},
	{"high surrogate twice", `"\ud83d\ud83d\ude00"`, "half a surrogate pair"},
	{"low surrogate", `"x\\\ude00"`, "half a surrogate pair"},
	{"NaN", `NaN`, "it is not JSON"},
	{"unknown status", `{"status":"done","output":1}`, `the status "done" is none of`},
	{"empty status", `{"status":""}`, `the status "" is none of`},
	{"null status", `{"status":null}`, `the status "" is none of`},
	{"status is no text", `{"status":7}`, "must be a text, not a number"},
	{"output with a status of its own", `{"status":"succeeded","rows":[]}`, `no member "rows"`},
	{"output by two names", `{"status":"succeeded","output":1,"Output":2}`, `no member "Output"`},
	{"unknown usage", `{"status":"succeeded","usage":{"input_tokens":3}}`, "which is not known"},
	{"another task", `{"status":"succeeded","taskId":"parties"}`, `it is for task "parties", not "clauses"`},
	{"another attempt", `{"status":"succeeded","attempt":1}`, "it is for attempt 1, not 2"},
	{"confidence 7", `{"status":"succeeded","confidence":7}`, "the confidence is not within 0 and 1"},
	{"money back", `{"status":"succeeded","usage":{"usd":"-5"}}`, "the usage is negative"},
}

func TestDecodeGarbage(t *testing.T) {
	for _, tt := range garbageAnswers {
		t.Run(tt.name, func(t *testing.T) {
			r, err := decode(someTask(), []byte(tt.give), &secret.Values{})
			wantGarbage(t, r, err, tt.want)
			if e, _ := errors.AsType[*Error](err); e != nil && !strings.HasPrefix(tt.give, string(e.Raw)) {
				t.Errorf("not the evidence: %q", excerpt.Of(string(e.Raw), 100))
			}
		})
	}
}

func wantGarbage(t *testing.T, r chargehand.WorkerResult, err error, want string) {
	t.Helper()
	if err == nil || KindOf(err) != Garbage || !strings.Contains(err.Error(), want) {
		t.Fatalf("error %v, want garbage with %q", err, want)
	}
	if d := cmp.Diff(chargehand.WorkerResult{Usage: r.Usage}, r); d != "" || negative(r.Usage) {
		t.Errorf("a result beside the error: %+v", r)
	}
	if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("not a message of one line: %q", err)
	}
}

func TestRefusedResultKeepsItsUsage(t *testing.T) {
	r, err := decode(someTask(), []byte(`{"status":"succeeded","confidence":2,"usage":{"usd":"0.5"}}`), &secret.Values{})
	wantGarbage(t, r, err, "confidence")
	if r.Usage.USD != chargehand.USD/2 {
		t.Errorf("usage %+v", r.Usage)
	}
}

func TestKeysInMessagesAreHarmless(t *testing.T) {
	key, _ := json.Marshal("\x1b[31m\u202e" + strings.Repeat("k", 1000))
	give := `{` + string(key) + `:1e999}`
	r, err := decode(someTask(), []byte(give), &secret.Values{})
	wantGarbage(t, r, err, "at /·[31m·kkk")
}

// 20 MB of the costliest shapes are read or refused, and little of them is kept.
func TestLargeAnswers(t *testing.T) {
	const size = 20 << 20
	for name, b := range map[string][]byte{
		"one string":    []byte(`"` + strings.Repeat("x", size) + `"`),
		"one number":    []byte(`0.` + strings.Repeat("1", size)),
		"empty objects": []byte(`[` + strings.Repeat("{},", size/3) + `{}]`),
		"backslashes":   []byte(`"` + strings.Repeat(`\\`, size/2) + `"`),
		"open brackets": bytes.Repeat([]byte("["), size),
	} {
		_, err := decode(someTask(), b, &secret.Values{})
		if e, ok := errors.AsType[*Error](err); ok && len(e.Raw) > 256<<10 {
			t.Errorf("%s: %d bytes of evidence", name, len(e.Raw))
		}
	}
}

// What JSON's own suite calls invalid is garbage; what it calls valid is an output, but for the
// duplicate keys it lets pass.
func TestJSONSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(data(t, "json-parsing-suite"), "test_*", "*.json"))
	if err != nil || len(files) < 300 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		_, err = decode(someTask(), b, &secret.Values{})
		duplicates := strings.HasPrefix(name, "y_object_duplicated_key")
		switch {
		case err != nil && KindOf(err) != Garbage:
			t.Errorf("%s: %v", name, err)
		case strings.HasPrefix(name, "n_") && err == nil:
			t.Errorf("%s passes", name)
		case strings.HasPrefix(name, "y_") && (err != nil) != duplicates:
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A hostile string passes through as an output unchanged, and as bare text it is garbage, or a
// value in its own right.
func TestNaughtyStrings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(data(t, "naughty-strings"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var all []string
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil || len(all) < 500 {
		t.Fatalf("%d strings, %v", len(all), err)
	}
	for _, s := range all {
		output, _ := json.Marshal(map[string]string{s: s})
		r, err := decode(someTask(), output, &secret.Values{})
		if s != "status" && (err != nil || !bytes.Equal(r.Output, output)) {
			t.Errorf("%q: %s, %v", s, r.Output, err)
		}
		if r, err = decode(someTask(), []byte(s), &secret.Values{}); (err == nil) != json.Valid([]byte(s)) {
			t.Errorf("%q alone: %s, %v", s, r.Output, err)
		}
	}
}

func FuzzResult(f *testing.F) {
	for _, tt := range garbageAnswers {
		if len(tt.give) < 1000 {
			f.Add([]byte(tt.give))
		}
	}
	f.Add([]byte(`{"status":"partial","output":{"a":1},"confidence":0.5,"usage":{"usd":"0.01"},"claims":[{"id":"c","text":"t"}]}`))
	f.Add([]byte(`[{"a":[1.5,"\ud83d\ude00",null,true]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decode(someTask(), b, &secret.Values{})
		if err != nil {
			wantGarbage(t, r, err, "")
			return
		}
		if !isStatus(r.Status) || r.TaskID != "clauses" || r.WorkerName != "reader" || negative(r.Usage) {
			t.Fatalf("%+v", r)
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if _, err := decode(someTask(), again, &secret.Values{}); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}
