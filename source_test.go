package chargehand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestFactsAreReadAsJSONReadsThem writes facts of every type, damages what is written, and compares
// what is read of it with encoding/json: the same fact, or the same words of refusal.
func TestFactsAreReadAsJSONReadsThem(t *testing.T) {
	for _, k := range factKinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := reflect.New(k.typ).Elem()
				draw(t, v, true)
				s := newSink()
				k.codec().write(s, v)
				body, err := s.release()
				if err != nil {
					t.Fatal(err)
				}
				for range rapid.IntRange(0, 2).Draw(t, "damages") {
					body = damage(t, body)
				}
				want := reflect.New(k.typ)
				errWant := json.Unmarshal(body, want.Interface())
				got, err := k.decode(body)
				if fmt.Sprint(err) != fmt.Sprint(errWant) {
					t.Errorf("%s: err = %v, json says %v", body, err, errWant)
				}
				if err == nil && !reflect.DeepEqual(got, want.Elem().Interface()) {
					t.Errorf("%s: %s", body, cmp.Diff(want.Elem().Interface(), got))
				}
			})
		})
	}
}

var damages = []string{
	"", "\"", "\\", "\\\\", ",", ":", "{", "}", "[", "]", "{}", "[]", "null", "true", "0", "-", "1", "00", ".", ".0", "e1", "E400", " ", "\n",
	"\x00", "\xff", "\u2028", "x", `""`, `"a":1,`, `\n`, `\u00e9`, `\ud800`,
}

// damage changes a place in text, mostly one at which something begins or ends.
func damage(t *rapid.T, text []byte) []byte {
	at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
	if n := bytes.IndexAny(text[at:], `:,{}[]"`); n >= 0 && rapid.Bool().Draw(t, "joint") {
		at += n + rapid.IntRange(0, 1).Draw(t, "after")
	}
	cut := rapid.IntRange(0, min(3, len(text)-at)).Draw(t, "cut")
	add := rapid.SampledFrom(damages).Draw(t, "add")
	return bytes.Join([][]byte{text[:at], []byte(add), text[at+cut:]}, nil)
}

// A sample holds one of everything that is read at a glance.
type sample struct {
	AttemptRef
	Text  string     `json:"text"`
	Empty string     `json:"empty,omitempty"`
	Yes   bool       `json:"yes"`
	No    bool       `json:"no"`
	Score float64    `json:"score"`
	USD   Micros     `json:"usd"`
	At    time.Time  `json:"at,omitzero"`
	One   *int       `json:"one"`
	None  *Parent    `json:"none"`
	Texts []string   `json:"texts"`
	Refs  []Passage  `json:"refs"`
	Bare  []*float64 `json:"bare"`
}

func (sample) fact() {}

// TestEveryDamageIsReadAsJSONReadsIt damages a sample in every place.
func TestEveryDamageIsReadAsJSONReadsIt(t *testing.T) {
	one := 12
	decode := kind[sample]("sample").decode
	v := sample{
		AttemptRef{"s1", -3},
		`a "b" \`, "", true, false, 10.25, 20, subtaskAt, &one, nil,
		[]string{"x", "é"},
		[]Passage{{Document: "d", End: 7}, {Quote: "q"}},
		[]*float64{},
	}
	if !glance(t, reflect.ValueOf(v)) {
		t.Fatal("the sample is left to json")
	}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for at := range len(body) {
		for cut := range min(6, len(body)-at+1) {
			for _, add := range damages {
				text := bytes.Join([][]byte{body[:at], []byte(add), body[at+cut:]}, nil)
				var want sample
				errWant := json.Unmarshal(text, &want)
				got, err := decode(text)
				if fmt.Sprint(err) != fmt.Sprint(errWant) || err == nil && !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: read as %+v (%v), json says %+v (%v)", text, got, err, want, errWant)
				}
			}
		}
	}
}

// TestWhatIsReadAtAGlance names the facts that json reads where every field is filled.
func TestWhatIsReadAtAGlance(t *testing.T) {
	slow := map[string]bool{}
	for _, k := range factKinds {
		v := reflect.New(k.typ).Elem()
		fill(v, 0)
		if !glance(t, v) {
			slow[k.name] = true
		}
	}
	want := map[string]bool{
		"run_started":        true, // an objective's input and facts
		"subtasks_planned":   true, // a subtask's input
		"output_checked":     true, // a reviewer's criteria
		"output_supplied":    true,
		"judged":             true,
		"review_opened":      true, // a review's decision, a decision's plan
		"review_decided":     true,
		"workers_registered": true, // for how long dynamic instances idle
		"fleet_rebased":      true,
	}
	if diff := cmp.Diff(want, slow); diff != "" {
		t.Error(diff)
	}
	for _, f := range subtaskFacts {
		if !glance(t, reflect.ValueOf(f)) {
			t.Errorf("%T is left to json, and every subtask has one", f)
		}
	}
}

// glance reports whether a fact is read without json.
func glance(t *testing.T, v reflect.Value) bool {
	t.Helper()
	c := codecOf(v.Type())
	s := newSink()
	c.write(s, v)
	body, err := s.release()
	if err != nil {
		t.Fatal(err)
	}
	return c.readAll(body, reflect.New(v.Type()).Elem())
}

var subtaskAt = time.Date(2026, 11, 21, 14, 11, 30, 120_000, time.UTC)

// subtaskFacts are what is recorded of a subtask that does not meet with anything.
var subtaskFacts = []Fact{
	SubtasksPlanned{Version: 1, Subtasks: []Subtask{{
		ID: "task-7", Goal: "Find the notice period of the clause for task-7.", Capability: "find",
		RequiredAspects: []string{"task-7"}, OutputContract: "findings", TimeoutMS: 120_000,
	}}},
	SubtasksQueued{Attempts: []AttemptRef{{"task-7", 1}}, Strategy: RouteCapability, Tier: 2, Candidates: []Candidate{{Worker: "finder-1", CostUSD: 20}}, Reserved: 20},
	AttemptStarted{
		AttemptRef: AttemptRef{"task-7", 1}, Worker: "finder-1", Version: "1", Epoch: 8, DeadlineAt: subtaskAt.Add(2 * time.Minute), Reserved: 20,
		Routing: RoutingRecord{
			RoutingID: "run_acrzm6jxgj/task-7/1", RunID: "run_acrzm6jxgj", TaskID: "task-7", Route: "finder-1",
			RoutingStrategy: RouteCapability, Confidence: 1, PolicyVersion: "default@1",
			Rationale: "the first of those with room that has the capability find",
		},
		Load: Load{Active: 3, Slots: 100},
	},
	LeaseGranted{Epoch: 8, Run: "run_acrzm6jxgj", AttemptRef: AttemptRef{"task-7", 1}, Worker: "finder-1", Instance: "finder-1"},
	OutputChecked{
		AttemptRef: AttemptRef{"task-7", 1}, Epoch: 8, Status: StatusSucceeded, Output: Hash([]byte("a")), InputHash: Hash([]byte("b")), Size: 1024,
		Verdict: Verdict{
			SchemaPass: true, CompletenessPass: true, ConsistencyPass: true, Score: 1, Recommendation: Accept,
			Reasoning: "1 of 1 claim can be checked and hold.", Validator: "gate", ValidatorVersion: "2",
		},
		VerdictRef: Hash([]byte("c")), Usage: Usage{InputTokens: 200, OutputTokens: 250, USD: 20},
	},
	LeaseFreed{Epoch: 8, Outcome: OutcomeFine},
	JudgeAsked{AttemptRef: AttemptRef{"task-7", 1}, Times: 1, Reserved: 20},
	Judged{
		AttemptRef: AttemptRef{"task-7", 1},
		Verdict: Verdict{
			SchemaPass: true, CompletenessPass: true, ConsistencyPass: true, Confidence: 9,
			Recommendation: Accept, Validator: "reviewer", ValidatorVersion: "1",
		},
		Usage: Usage{InputTokens: 200, OutputTokens: 250, USD: 20},
	},
	SubtaskEnded{Subtask: "task-7", Attempt: 1, State: SubtaskAccepted, Score: 0.9},
}

// BenchmarkSubtask writes and reads the records of one subtask.
func BenchmarkSubtask(b *testing.B) {
	var lines [][]byte
	size := 0
	for i, f := range subtaskFacts {
		line, err := Record{Run: "run_acrzm6jxgj", Seq: int64(i + 1), At: subtaskAt, Fact: f}.AppendJSON(nil)
		if err != nil {
			b.Fatal(err)
		}
		lines, size = append(lines, line), size+len(line)
	}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		var dst []byte
		for b.Loop() {
			dst = dst[:0]
			for i, f := range subtaskFacts {
				dst, _ = Record{Run: "run_acrzm6jxgj", Seq: int64(i + 1), At: subtaskAt, Fact: f}.AppendJSON(dst)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, line := range lines {
				var r Record
				if err := r.UnmarshalJSON(line); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
