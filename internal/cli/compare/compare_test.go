package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{`{"a":1}`, `{ "a": 1 }`, ``},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, ``},
		{`{"a":1}`, `{"a":2}`, `changed /a 1 2`},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `changed /a 12345678901234567890 12345678901234567891`},
		{`{"a":1}`, `{"a":"1"}`, `changed /a 1 "1"`},
		{`{"a":null}`, `{}`, `removed /a null `},
		{`{}`, `{"a":null}`, `added /a  null`},
		{`{"x":{"y":1,"z":2}}`, `{"x":{"z":3,"w":4}}`, `added /x/w  4; removed /x/y 1 ; changed /x/z 2 3`},
		{`{"a/b":1,"c~d":1}`, `{"a/b":2,"c~d":2}`, `changed /a~1b 1 2; changed /c~0d 1 2`},
		{`[1,2,3]`, `[1,3]`, `removed /1 2 `},
		{`[1,3]`, `[0,1,3,4]`, `added /0  0; added /3  4`},
		{`[{"k":"a","v":1},{"k":"b","v":1}]`, `[{"k":"a","v":2},{"k":"b","v":1}]`, `changed /0/v 1 2`},
		{`[1,2]`, `{"a":1}`, `changed  [1,2] {"a":1}`},
		{`not JSON`, `{"a":1}`, `changed  "not JSON" {"a":1}`},
		{`1 2`, `1 2`, ``},
		{``, ``, ``},
	} {
		var got []string
		for _, c := range JSON([]byte(tt.from), []byte(tt.to)) {
			got = append(got, fmt.Sprintf("%s %s %s %s", c.Kind, c.Path, c.From, c.To))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("from %s to %s (-want +got):\n%s", tt.from, tt.to, diff)
		}
	}
}

// TestLongLists: lists beyond the limit are compared place by place, and quickly.
func TestLongLists(t *testing.T) {
	list := func(n int, last string) []byte {
		return []byte("[" + strings.Repeat("0,", n-1) + last + "]")
	}
	got := JSON(list(50_000, "1"), list(50_001, "2"))
	if len(got) != 2 || got[0].Path != "/49999" || got[1].Kind != Added {
		t.Errorf("there are %d changes: %+v", len(got), got)
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ from, to, a, b string }{
		{"", "", "", ""},
		{"EUR 5,000,000", "EUR 500,000", "EUR 5,000,000", "EUR 500,000"},
		{"a b c d e f g h i", "a b c d X f g h i", "… b c d e f g h …", "… b c d X f g h …"},
		{"one two three four five", "one two three four", "… two three four five", "… two three four"},
		{"a a a", "a a", "a a a", "a a"},
	} {
		if a, b := Words(tt.from, tt.to); a != tt.a || b != tt.b {
			t.Errorf("%q and %q are %q and %q", tt.from, tt.to, a, b)
		}
	}
}

// run is one run of two subtasks, the second tried as often as attempts says.
func run(id, team, worker string, attempts int, usd chargehand.Micros) *Side {
	v := &chargehand.View{RunSummary: chargehand.RunSummary{RunID: id, Team: "t", State: chargehand.RunCompleted, Spent: usd}, TeamDigest: chargehand.Hash([]byte(team))}
	for _, s := range []string{"a", "b"} {
		row := &chargehand.SubtaskView{Subtask: chargehand.Subtask{ID: s, Goal: "g"}, State: chargehand.SubtaskAccepted}
		for n := range attempts {
			if s == "a" && n > 0 {
				break
			}
			row.Used = n + 1
			row.Attempts = append(row.Attempts, chargehand.AttemptView{Attempt: n + 1, Worker: worker, Output: worker})
		}
		v.Rows = append(v.Rows, row)
	}
	return &Side{
		View: v, Team: []byte(team), Result: &chargehand.Result{ResultHash: worker},
		Output: func(hash string) []byte { return []byte(`{"by":"` + hash + `"}`) },
	}
}

func TestRuns(t *testing.T) {
	one := run("run_1", `{"v":1}`, "w", 1, 5)
	if r := Of(one, run("run_2", `{"v":1}`, "w", 1, 5)); !r.Same() || r.Alike != 2 {
		t.Errorf("two alike differ: %+v", r)
	}
	r := Of(one, run("run_2", `{"v":2}`, "w", 2, 6))
	if r.Same() || r.Alike != 1 || len(r.Subtasks) != 1 || r.Subtasks[0].ID != "b" || len(r.Subtasks[0].Output) != 0 {
		t.Errorf("one more attempt is %+v", r)
	}
	if want := []Change{{Changed, "/v", []byte("1"), []byte("2")}}; !cmp.Equal(r.Team, want) {
		t.Errorf("the teams differ in %+v", r.Team)
	}
	if want := []Difference{{"attempts", "1", "2"}}; !cmp.Equal(r.Subtasks[0].Differences, want) {
		t.Errorf("b differs in %+v", r.Subtasks[0].Differences)
	}
	r = Of(one, run("run_2", `{"v":1}`, "x", 1, 5))
	if len(r.Subtasks) != 2 || len(r.Subtasks[0].Output) != 1 || len(r.Result) != 1 {
		t.Errorf("another worker is %+v", r)
	}
	more := run("run_2", `{"v":1}`, "w", 1, 5)
	more.View.Rows = append(more.View.Rows, &chargehand.SubtaskView{Subtask: chargehand.Subtask{ID: "c"}})
	if r = Of(one, more); len(r.Subtasks) != 1 || r.Subtasks[0].Only != "b" {
		t.Errorf("one more subtask is %+v", r)
	}
	if r = Of(more, one); len(r.Subtasks) != 1 || r.Subtasks[0].Only != "a" {
		t.Errorf("one subtask less is %+v", r)
	}
}
