package progress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/journal"
)

// speak has a renderer show texts of two attempts at once, with a gap, hostile text and a character in
// two pieces.
func speak(out Renderer, r *Run) {
	h := out.(Hearer)
	say := func(subtask string, offset, lost int64, text string) {
		h.Heard(r, &chargehand.Token{AttemptRef: chargehand.AttemptRef{Subtask: subtask, Attempt: 1}, Offset: offset, Lost: lost, Text: text})
	}
	say("s1", 0, 0, "{\"rent\": \"EUR ")
	say("s2", 0, 0, "first \xe4\xbd")
	say("s1", 14, 0, "900\"\n2026-11-21T14:00:09Z INFO run=run event=run_ended state=completed\x1b[2J\u202e")
	out.Tick(time.Now())
	time.Sleep(passageAge)
	out.Tick(time.Now())
	say("s2", 8, 0, "\xa0")
	say("s1", 5000, 4904, "after a gap")
	out.Record(r, chargehand.Record{Run: "run", Seq: 9, Fact: chargehand.JudgeAsked{AttemptRef: chargehand.AttemptRef{Subtask: "s1", Attempt: 1}, Times: 1}})
	say("s1", 5011, 0, strings.Repeat("long ", 300))
	h.Unheard(r, errors.New("gone\nfar"))
	out.Close()
}

func TestTexts(t *testing.T) {
	for name, make := range map[string]func(*bytes.Buffer) Renderer{
		"texts_plain.txt":   func(b *bytes.Buffer) Renderer { return NewPlain(b, nil) },
		"texts_jsonl.jsonl": func(b *bytes.Buffer) Renderer { return NewJSONL(b) },
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			speak(make(&b), &Run{ID: "run"})
			golden(t, name, b.String())
		})
	}
}

// A program that takes a text for a record gets nothing: it has no number, and a type of no record.
func TestTextIsNoRecord(t *testing.T) {
	var b bytes.Buffer
	speak(NewJSONL(&b), &Run{ID: "run"})
	texts, records := 0, 0
	for raw := range bytes.Lines(b.Bytes()) {
		var l struct {
			Seq         *int64
			Provisional bool
			Data        json.RawMessage
		}
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !l.Provisional {
			records++
			continue
		}
		texts++
		if _, err := journal.Decode(raw); err == nil || l.Seq != nil || l.Data != nil {
			t.Errorf("it could be a record: %s", raw)
		}
		for _, name := range []string{typeText, typeTextLost} {
			if _, err := journal.Decode([]byte(`{"type":"` + name + `","run":"run","seq":1,"data":{}}`)); err == nil {
				t.Errorf("%s is a type of record", name)
			}
		}
	}
	if records != 1 || texts < 5 {
		t.Errorf("%d records and %d texts in\n%s", records, texts, b.String())
	}
}

// A slow is a terminal that takes its time with each line.
type slow struct{ lines []string }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(50 * time.Millisecond)
	s.lines = append(s.lines, string(b))
	return len(b), nil
}

// A chatter has a worker that says a word each millisecond, of which a follower that is slow misses most.
type chatter struct {
	source
	ref chargehand.AttemptRef
}

func (s chatter) Tokens(ctx context.Context, run string) iter.Seq2[chargehand.Token, error] {
	return func(yield func(chargehand.Token, error) bool) {
		began, heard := time.Now(), int64(0)
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
			at := max(heard, 600*time.Since(began).Milliseconds())
			text := strings.Repeat("chat! ", 100)
			if !yield(chargehand.Token{Run: run, AttemptRef: s.ref, Offset: at, Lost: at - heard, Text: text, Provisional: true}, nil) {
				return
			}
			heard = at + int64(len(text))
		}
	}
}

// A slow terminal loses text and is told so, and no record waits for a text behind another.
func TestTextsGiveWay(t *testing.T) {
	records := recorded(t)
	_, ref := running(records)
	n := reviewOpen(records)
	synctest.Test(t, func(t *testing.T) {
		out := &slow{}
		src := chatter{source{records: records[:n], stuck: map[string]bool{"a": true}}, ref}
		w := watch(src, nil, "a")
		w.Tokens, w.Renderer = src, NewPlain(out, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_ = w.Follow(ctx) // it ends with its context
		texts, between, lost := 0, 0, 0
		for i, l := range out.lines {
			if !strings.HasSuffix(l, "\n") || strings.Count(l, "\n") != 1 {
				t.Fatalf("no whole line: %q", l)
			}
			if strings.Contains(l, " TEXT ") {
				texts++
				if i < n {
					between++
				}
			}
			if strings.Contains(l, " left_out=") {
				lost++
			}
		}
		if len(out.lines)-texts != n || between > 2 {
			t.Errorf("%d records of %d, %d texts before the last of them", len(out.lines)-texts, n, between)
		}
		if texts < 10 || lost < 5 {
			t.Errorf("%d texts, of which %d say that something is left out", texts, lost)
		}
	})
}

// What is said last is told although the run has ended, and one that goes on for ever is not waited for.
func TestLastTexts(t *testing.T) {
	records := recorded(t)
	_, ref := running(records)
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			src  chargehand.Streamer
			want string
		}{
			"late":    {late{ref}, `att=1 provisional text="the last words"`},
			"endless": {teller{ref: ref}, "left_out=\"the rest: " + errLate.Error()},
		} {
			var b bytes.Buffer
			w := watch(source{records: records}, nil, "a")
			w.Tokens, w.Renderer = c.src, NewPlain(&b, nil)
			began := time.Now()
			if err := w.Follow(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), c.want) || time.Since(began) > 2*lull {
				t.Errorf("%s: after %s\n%s", name, time.Since(began), b.String())
			}
		}
	})
}

// A late one hands on what was said a moment after all records.
type late struct{ ref chargehand.AttemptRef }

func (s late) Tokens(_ context.Context, run string) iter.Seq2[chargehand.Token, error] {
	return func(yield func(chargehand.Token, error) bool) {
		time.Sleep(lull / 2)
		yield(chargehand.Token{Run: run, AttemptRef: s.ref, Text: "the last words", Provisional: true}, nil)
	}
}
