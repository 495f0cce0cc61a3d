package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errReset = errors.New("the connection was reset")

// failing fails its first calls with err.
func failing(times int, err error) *shop {
	s := files()
	s.do = func(n int, _ string, _ json.RawMessage) (Answer, error) {
		if n <= times {
			return Answer{}, err
		}
		return Answer{Text: "done"}, nil
	}
	return s
}

//guard:tool-once
func TestWhatIsCalledAgain(t *testing.T) {
	nothing := &Error{Message: "not sent", NotBegun: true}
	for _, tt := range []struct {
		name, tool string
		err        error
		times      int
		calls      int
		done       bool
		unknown    bool
	}{
		{name: "a read", tool: "files__read", err: errReset, times: 2, calls: 3, done: true},
		{name: "a read that fails for ever", tool: "files__read", err: errReset, times: 9, calls: 3},
		{name: "a write that was lost", tool: "files__write", err: errReset, times: 1, calls: 1, unknown: true},
		{name: "a write that never left", tool: "files__write", err: nothing, times: 2, calls: 3, done: true},
		{name: "a write that never leaves", tool: "files__write", err: nothing, times: 9, calls: 3},
		{name: "a write of one key", tool: "files__append", err: errReset, times: 2, calls: 3, done: true},
		{name: "a write of one key that is lost for ever", tool: "files__append", err: errReset, times: 9, calls: 3, unknown: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := failing(tt.times, tt.err)
				x := executor(t, belt(t, s, Options{}), task("write", "files.read", "files.write", "files.append"))
				text, failed := x.Call(t.Context(), tt.tool, good)
				if s.count() != tt.calls || failed == tt.done {
					t.Errorf("%d calls, failed %t, %q; want %d", s.count(), failed, text, tt.calls)
				}
				for _, c := range s.calls {
					if c != s.calls[0] {
						t.Errorf("called as %q, then as %q: the key is another", s.calls[0], c)
					}
				}
				_, unknown := errors.AsType[*UnknownError](x.Err())
				if unknown != tt.unknown {
					t.Errorf("error %v; want the outcome unknown: %t", x.Err(), tt.unknown)
				}
				if !unknown {
					return
				}
				if text, _ := x.Call(t.Context(), "files__read", good); !strings.Contains(text, "the attempt ends here") {
					t.Errorf("a call after an unknown outcome: %q", text)
				}
			})
		})
	}
}

// Of several tries one may have done what the last did not.
func TestAWriteThatMayHaveBegunOnceIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := files()
		s.do = func(n int, _ string, _ json.RawMessage) (Answer, error) {
			if n == 1 {
				return Answer{}, errReset
			}
			return Answer{}, &Error{Message: "not sent", NotBegun: true}
		}
		x := executor(t, belt(t, s, Options{}), task("write", "files.append"))
		x.Call(t.Context(), "files__append", good)
		if _, ok := errors.AsType[*UnknownError](x.Err()); !ok {
			t.Errorf("error %v", x.Err())
		}
	})
}

func TestADeadlineDuringAWriteLeavesItUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := files()
		x := executor(t, belt(t, &shop{tools: s.tools, do: nil}, Options{}), task("write", "files.write"))
		x.belt.servers["files"] = server{slow{s}, team().Tools[0].Tools}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if text, failed := x.Call(ctx, "files__write", good); !failed {
			t.Errorf("answer %q", text)
		}
		unknown, ok := errors.AsType[*UnknownError](x.Err())
		if !ok || unknown.Tool != "files.write" || !strings.HasPrefix(unknown.Key, "run1/t1/sha256:") {
			t.Errorf("error %+v", x.Err())
		}
	})
}

// slow is a source that answers nothing.
type slow struct{ *shop }

func (s slow) Call(ctx context.Context, _ string, _ json.RawMessage, _ string) (Answer, error) {
	<-ctx.Done()
	return Answer{}, ctx.Err()
}

func TestACallHasATimeLimitOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, belt(t, files(), Options{}), task("", "files.read"))
		x.belt.opt.Timeout, x.belt.opt.Tries = time.Second, 2
		x.belt.servers["files"] = server{slow{files()}, team().Tools[0].Tools}
		text, failed := x.Call(t.Context(), "files__read", good)
		if !failed || x.Err() != nil {
			t.Errorf("answer %q, error %v", text, x.Err())
		}
	})
}

// One key is one deed, however often a model wishes for it within an attempt.
func TestTheSameWriteIsMadeOnce(t *testing.T) {
	s := files()
	x := executor(t, belt(t, s, Options{}), task("write", "files.read", "files.write"))
	var wg sync.WaitGroup
	for _, args := range []string{`{"path":"a"}`, `{ "path" : "a" }`, `{"path":"b"}`, `{"path":"a"}`} {
		wg.Go(func() {
			if text, failed := x.Call(t.Context(), "files__write", args); failed {
				t.Error(text)
			}
		})
	}
	wg.Wait()
	if s.count() != 2 {
		t.Errorf("%d writes, want one of each: %q", s.count(), s.calls)
	}
	text, _ := x.Call(t.Context(), "files__write", `{"path":"a"}`)
	if s.count() != 2 || !strings.Contains(text, "already") {
		t.Errorf("asked once more: %q, %d writes", text, s.count())
	}
	x.Call(t.Context(), "files__read", good)
	x.Call(t.Context(), "files__read", good)
	if s.count() != 4 {
		t.Errorf("%d calls: a read was not made again", s.count())
	}
}

func TestAWriteThatFailedMayBeWishedAgain(t *testing.T) {
	s := files()
	s.do = func(n int, _ string, _ json.RawMessage) (Answer, error) {
		return Answer{Text: "the disk is full", Failed: n == 1}, nil
	}
	x := executor(t, belt(t, s, Options{}), task("write", "files.write"))
	if _, failed := x.Call(t.Context(), "files__write", good); !failed {
		t.Error("it did not fail")
	}
	if _, failed := x.Call(t.Context(), "files__write", good); failed || s.count() != 2 {
		t.Errorf("failed %t after %d calls", failed, s.count())
	}
}

func TestAnswers(t *testing.T) {
	promised := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	for _, tt := range []struct {
		name   string
		answer Answer
		output json.RawMessage
		want   string
		failed bool
	}{
		{name: "text", answer: Answer{Text: "a\nb\tc"}, want: "a\nb\tc"},
		{name: "characters that steer", answer: Answer{Text: "a\x00\x1b[2J\u202eb\u200bc\r\n\xff"}, want: "a··[2J·b·c\n�"},
		{name: "long", answer: Answer{Text: strings.Repeat("ä", 100)}, want: strings.Repeat("ä", 32) + "\n[cut: the answer has 200 bytes, this is the first part of it]"},
		{name: "structured only", answer: Answer{Structured: json.RawMessage(`{"n":1}`)}, output: promised, want: `{"n":1}`},
		{name: "as promised", answer: Answer{Text: "one", Structured: json.RawMessage(`{"n":1}`)}, output: promised, want: "one"},
		{name: "not as promised", answer: Answer{Text: "one", Structured: json.RawMessage(`{"n":"1"}`)}, output: promised, want: "does not fit the tool's own schema: /n", failed: true},
		{name: "less than promised", answer: Answer{Text: "one"}, output: promised, want: "no structured part", failed: true},
		{name: "structured, and no JSON", answer: Answer{Structured: json.RawMessage(`{"n":1,"n":2}`)}, want: "twice", failed: true},
		{name: "structured, and long", answer: Answer{Structured: json.RawMessage(`"` + strings.Repeat("a", 100) + `"`)}, want: "102 bytes, the most is 64", failed: true},
		{name: "a failure promises nothing", answer: Answer{Text: "no such file", Failed: true}, output: promised, want: "no such file", failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := files()
			s.change("files.read", func(d *Definition) { d.Output = tt.output })
			s.do = func(int, string, json.RawMessage) (Answer, error) { return tt.answer, nil }
			x := executor(t, belt(t, s, Options{AnswerBytes: 64}), task("", "files.read"))
			text, failed := x.Call(t.Context(), "files__read", good)
			if failed != tt.failed || text != tt.want && !(tt.failed && strings.Contains(text, tt.want)) {
				t.Errorf("answer %q, failed %t; want %q", text, failed, tt.want)
			}
		})
	}
}

func TestNothingIsCalledAfterTheEnd(t *testing.T) {
	s := files()
	x := executor(t, belt(t, s, Options{}), task("", "files.read"))
	x.Close()
	if text, failed := x.Call(t.Context(), "files__read", good); !failed || s.count() != 0 || !strings.Contains(text, "over") {
		t.Errorf("answer %q, %d calls", text, s.count())
	}
	if n := len(x.belt.pins.runs); n != 0 {
		t.Errorf("%d runs are kept", n)
	}
}

// What an attempt has written, the next one of its subtask does not write again, unless the tool
// itself tells one key from another.
func TestTheNextAttemptDoesNotWriteAgain(t *testing.T) {
	s := files()
	b := belt(t, s, Options{})
	first := executor(t, b, task("write", "files.read", "files.write", "files.append"))
	for _, name := range []string{"files__read", "files__write", "files__append"} {
		first.Call(t.Context(), name, good)
	}
	done := first.Report().Done
	if len(done) != 1 || done[0] != ActionDigest("files.write", []byte(good)) {
		t.Fatalf("done: %q, want the write that is not idempotent", done)
	}
	again := task("write", "files.read", "files.write", "files.append")
	again.Attempt, again.DoneActions = 2, done
	next := executor(t, b, again)
	text, failed := next.Call(t.Context(), "files__write", `{ "path": "a.txt" }`)
	if failed || !strings.Contains(text, "An earlier attempt") || s.count() != 3 {
		t.Errorf("answer %q, failed %t, %d calls", text, failed, s.count())
	}
	next.Call(t.Context(), "files__write", `{"path":"b.txt"}`)
	next.Call(t.Context(), "files__append", good)
	if s.count() != 5 {
		t.Errorf("%d calls, want another write and another of the same key", s.count())
	}
}
