package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
)

// A kindUnderTest is one way in which a worker's bytes come in. Fed with them, do returns what the
// worker is taken to have said.
type kindUnderTest struct {
	name string
	do   func(t *testing.T, answer []byte) (chargehand.WorkerResult, error)
}

// kindsUnderTest are a function, a real process and a real service on the loopback.
func kindsUnderTest(t *testing.T) []kindUnderTest {
	file := filepath.Join(t.TempDir(), "answer")
	process := command(t, chargehand.ExecKind{Command: []string{"cat", file}}, Limits{})
	var body atomic.Pointer[[]byte]
	service, _ := post(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*body.Load()) }, nil, Limits{})
	return []kindUnderTest{
		{"func", func(t *testing.T, answer []byte) (chargehand.WorkerResult, error) {
			f := Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				return chargehand.WorkerResult{Output: answer}, nil
			})
			return f.Do(t.Context(), someTask())
		}},
		{"exec", func(t *testing.T, answer []byte) (chargehand.WorkerResult, error) {
			if err := os.WriteFile(file, answer, 0o600); err != nil {
				t.Fatal(err)
			}
			return process.Do(t.Context(), someTask())
		}},
		{"http", func(t *testing.T, answer []byte) (chargehand.WorkerResult, error) {
			body.Store(&answer)
			return service.Do(t.Context(), someTask())
		}},
	}
}

// passed is the output that a run would use, nil if there is none: what the worker is taken to have
// said, or the bytes that are no result, through the gate.
func passed(t *testing.T, g *gate.Gate, what string, r chargehand.WorkerResult, err error) []byte {
	t.Helper()
	raw := r.Output
	if err != nil {
		e, ok := err.(*Error)
		if !ok || e.Kind != Garbage {
			t.Errorf("%s: %v, want garbage", what, err)
			return nil
		}
		if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\n\x1b\x00\u202e") {
			t.Errorf("%s: not a message of one line: %q", what, err)
		}
		raw = e.Raw
	}
	v := g.Check(gate.Submission{Result: chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: raw}})
	if v.Recommendation != chargehand.Accept {
		if v.Feedback == "" || len(v.Issues) == 0 || strings.ContainsAny(v.Feedback, "\x1b\x00\u202e") {
			t.Errorf("%s: refused without a reason that can be shown: %q", what, v.Feedback)
		}
		return nil
	}
	if err != nil {
		t.Errorf("%s: is garbage to the worker's side, and the gate accepts it", what)
	}
	return raw
}

func anyGate(t *testing.T) *gate.Gate {
	t.Helper()
	g, problems := gate.Compile(&chargehand.Team{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return g
}

// taken are the documents that RFC 8259 leaves to the reader and that are accepted: numbers that
// lose digits but not their size, keys that look alike and differ. Every other one is refused: texts
// that are not UTF-8 or hold half a surrogate pair, numbers that overflow or vanish, keys that occur
// twice, nesting beyond 100.
var taken = map[string]bool{
	"i_number_too_big_neg_int.json": true, "i_number_too_big_pos_int.json": true, "i_number_very_big_negative_int.json": true,
	"number_-9223372036854775808.json": true, "number_-9223372036854775809.json": true, "number_1.0.json": true,
	"number_1.000000000000000005.json": true, "number_1000000000000000.json": true, "number_10000000000000000999.json": true,
	"number_1e6.json": true, "number_9223372036854775807.json": true, "number_9223372036854775808.json": true,
	"object_key_nfc_nfd.json": true, "object_key_nfd_nfc.json": true, "string_with_escaped_NULL.json": true,
}

// twice are valid documents that are refused: which of two equal keys counts is anybody's guess.
var twice = map[string]bool{"y_object_duplicated_key.json": true, "y_object_duplicated_key_and_value.json": true}

// TestParsingSuiteByKind sends every document of the suite through every kind of worker and the
// gate: what is no JSON is never accepted, what is comes out byte for byte.
func TestParsingSuiteByKind(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(data(t, "json-parsing-suite"), "test_*", "*.json"))
	if err != nil || len(files) != 318+22 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	g := anyGate(t)
	for _, kind := range kindsUnderTest(t) {
		t.Run(kind.name, func(t *testing.T) {
			counts := map[string]int{}
			for _, file := range files {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				name := filepath.Base(file)
				r, err := kind.do(t, raw)
				out := passed(t, g, name, r, err)
				class, _, _ := strings.Cut(name, "_")
				want := class == "y" && !twice[name] || class != "n" && taken[name]
				if class != "y" && class != "n" {
					class = "free"
				}
				if (out != nil) != want {
					t.Errorf("%s: accepted %v, want %v", name, out != nil, want)
				}
				if out != nil && (!bytes.Equal(bytes.TrimSpace(raw), bytes.TrimSpace(out)) || !json.Valid(out)) {
					t.Errorf("%s: comes out as %q", name, out)
				}
				counts[class+", "+map[bool]string{true: "accepted", false: "refused"}[out != nil]]++
			}
			t.Logf("%d documents: %v", len(files), counts)
			if counts["y, accepted"] != 93 || counts["n, refused"] < 180 || counts["n, accepted"] != 0 {
				t.Errorf("%v", counts)
			}
		})
	}
}

// TestNaughtyStringsByKind sends every string of the list through every kind of worker and the
// gate, inside an output and as the whole answer: it comes back exactly, or is refused with a
// reason.
func TestNaughtyStringsByKind(t *testing.T) {
	body, err := os.ReadFile(filepath.Join(data(t, "naughty-strings"), "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := json.Unmarshal(body, &all); err != nil || len(all) != 515 {
		t.Fatalf("%d strings, %v", len(all), err)
	}
	g := anyGate(t)
	for _, kind := range kindsUnderTest(t) {
		t.Run(kind.name, func(t *testing.T) {
			exact, alone, refused := 0, 0, 0
			for i, s := range all {
				output, err := json.Marshal(map[string]any{"says": s, "list": []string{s}, "key " + s: i})
				if err != nil {
					t.Fatal(err)
				}
				r, err := kind.do(t, output)
				var back map[string]any
				if json.Unmarshal(passed(t, g, s, r, err), &back) != nil || back["says"] != s || back["key "+s] != float64(i) {
					t.Errorf("%q comes back as %v", s, back)
				} else {
					exact++
				}
				r, err = kind.do(t, []byte(s))
				if out := passed(t, g, fmt.Sprintf("%q alone", s), r, err); out != nil {
					alone++
					if strings.TrimSpace(s) != string(out) || !json.Valid(out) {
						t.Errorf("%q alone is taken as %q", s, out)
					}
				} else {
					refused++
				}
			}
			t.Logf("%d strings come back exactly; alone %d are values in their own right and %d are refused", exact, alone, refused)
			if exact != len(all) || alone+refused != len(all) || refused < 400 {
				t.Error("not every string was told apart")
			}
		})
	}
}
