package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestLossIsNoticed takes away what a careless supervisor could lose, one at a time.
func TestLossIsNoticed(t *testing.T) {
	w := workload{subtasks: 10}
	outputs := func() []string {
		var list []string
		for i := range w.subtasks {
			attempt := 1
			if sentBack(i, 1) {
				attempt = 2
			}
			list = append(list, string(answer(i, attempt, int64(i))))
		}
		return list
	}
	whole := outputs()
	short := outputs()[1:]
	double := append(outputs()[1:], outputs()[1])
	first := append(outputs()[:9], string(answer(9, 1, 9)))
	for name, c := range map[string]struct {
		outputs []string
		right   bool
	}{"whole": {whole, true}, "an output is missing": {short, false}, "one is there twice": {double, false}, "the retry is lost": {first, false}} {
		if got := new(model).synthesize(strings.Join(c.outputs, "\n")); (got == w.final()) != c.right {
			t.Errorf("%s: the synthesis says %q of %q", name, got, w.final())
		}
	}
	if _, err := new(model).work(workPrompt("task-9", 2, "goal", "")); err == nil {
		t.Error("a second attempt without the feedback was answered")
	}
	if _, err := new(model).work(workPrompt("task-9", 2, "goal", feedbackFor(9))); err != nil {
		t.Error(err)
	}
	if _, err := new(model).review(reviewPrompt("task-9", 2, "goal", string(answer(9, 1, 1)))); err == nil {
		t.Error("the output of another attempt was reviewed")
	}
}

func TestAnswers(t *testing.T) {
	seen := map[string]bool{}
	for i := range 300 {
		out := answer(i, 1, int64(i))
		var got struct {
			Items []struct {
				Text, Quote string
				Start, End  int
			}
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		it := got.Items[0]
		task, attempt, err := head(it.Text)
		if len(out) != answerSize || err != nil || task != i || attempt != 1 || seen[string(out)] {
			t.Errorf("answer %d: %d bytes, task %d, attempt %d, %v", i, len(out), task, attempt, err)
		}
		seen[string(out)] = true
		if document[it.Start:it.End] != it.Quote {
			t.Errorf("answer %d: %q does not stand at its place", i, it.Quote)
		}
		if lie := altered(answer(i, 1, int64(i))); len(lie) != answerSize || string(lie) == string(out) {
			t.Errorf("answer %d: its altered form is the same, or longer", i)
		}
	}
}
