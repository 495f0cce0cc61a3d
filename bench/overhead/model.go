package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A model is the stub behind every call: it reads its prompt and answers after a fixed time. It is
// safe for concurrent use.
type model struct {
	latency time.Duration
	lying   bool       // the first answer about task-0 quotes what the document does not say
	finish  func(call) // told of every call that has its answer; may be nil

	calls    atomic.Int64
	serial   atomic.Int64 // of worker calls
	inflight atomic.Int64 // worker calls
	most     atomic.Int64 // worker calls at once, so far
}

// A call names one model call of a run.
type call struct {
	kind    string // plan, work, review or synthesis
	task    int    // -1 where the call is not about one
	attempt int
}

// answered ends a call.
func (m *model) answered(c call) {
	if m.latency > 0 {
		time.Sleep(m.latency)
	}
	m.calls.Add(1)
	if m.finish != nil {
		m.finish(c)
	}
}

// planned is one subtask of the planner's answer.
type planned struct {
	ID   string `json:"id"`
	Goal string `json:"goal"`
}

// plan answers a list of n subtasks as JSON.
func (m *model) plan(n int) []byte {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":"`...)
		b = appendTask(b, i)
		b = append(b, `","goal":"Find the notice period of the clause for `...)
		b = appendTask(b, i)
		b = append(b, `."}`...)
	}
	m.answered(call{"plan", -1, 1})
	return append(b, ']')
}

func appendTask(b []byte, i int) []byte {
	return strconv.AppendInt(append(b, "task-"...), int64(i), 10)
}

// workPrompt is what a worker is asked: the head names task and attempt.
func workPrompt(id string, attempt int, goal, feedback string) string {
	head := id + " attempt-" + strconv.Itoa(attempt) + "\n" + goal
	if feedback != "" {
		head += "\nfeedback: " + feedback
	}
	return head
}

// work answers a worker's prompt with an output of answerSize bytes. A second attempt at what the
// reviewer sent back without the reviewer's words in the prompt is an error.
func (m *model) work(prompt string) ([]byte, error) {
	if n := m.inflight.Add(1); n > m.most.Load() {
		m.most.Store(n)
	}
	defer m.inflight.Add(-1)
	task, attempt, err := head(prompt)
	if err != nil {
		return nil, err
	}
	if attempt > 1 && sentBack(task, 1) && !strings.Contains(prompt, feedbackFor(task)) {
		return nil, fmt.Errorf("the prompt of task-%d attempt-%d does not hold the reviewer's feedback", task, attempt)
	}
	out := answer(task, attempt, m.serial.Add(1))
	if m.lying && task == 0 && attempt == 1 {
		out = altered(out)
	}
	m.answered(call{"work", task, attempt})
	return out, nil
}

// head reads "task-<i> attempt-<a>", which a prompt begins with.
func head(prompt string) (task, attempt int, err error) {
	rest, ok := strings.CutPrefix(prompt, "task-")
	number, after, found := strings.Cut(rest, " attempt-")
	if !ok || !found {
		return 0, 0, fmt.Errorf("the prompt %.40q does not name its task", prompt)
	}
	if task, err = strconv.Atoi(number); err != nil {
		return 0, 0, fmt.Errorf("read the prompt's task: %w", err)
	}
	if attempt, err = strconv.Atoi(after[:digits(after)]); err != nil {
		return 0, 0, fmt.Errorf("read the prompt's attempt: %w", err)
	}
	return task, attempt, nil
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// sentBack reports whether the reviewer rejects an attempt: the first of every tenth task.
func sentBack(task, attempt int) bool { return task%10 == 9 && attempt == 1 }

func feedbackFor(task int) string {
	return "say whose notice task-" + strconv.Itoa(task) + " is about"
}

// An opinion is the reviewer's answer.
type opinion struct {
	Accept   bool   `json:"accept"`
	Feedback string `json:"feedback"`
}

// reviewPrompt is what the reviewer is asked about an output.
func reviewPrompt(id string, attempt int, goal, output string) string {
	return id + " attempt-" + strconv.Itoa(attempt) + "\nIs this right?\n" + goal + "\n" + output
}

// review answers the reviewer's prompt with an opinion as JSON. An output of another task or
// attempt is an error.
func (m *model) review(prompt string) ([]byte, error) {
	task, attempt, err := head(prompt)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(prompt, opening(task, attempt)) {
		return nil, fmt.Errorf("the output under review is not that of task-%d attempt-%d", task, attempt)
	}
	o := []byte(`{"accept":true,"feedback":""}`)
	if sentBack(task, attempt) {
		o = []byte(`{"accept":false,"feedback":"` + feedbackFor(task) + `"}`)
	}
	m.answered(call{"review", task, attempt})
	return o, nil
}

// synthesize answers by what stands in the prompt: how many tasks have an output in it, and how
// many of these are second attempts.
func (m *model) synthesize(prompt string) string {
	seen := make(map[int]int, 128)
	for {
		i := strings.Index(prompt, textMark)
		if i < 0 {
			break
		}
		prompt = prompt[i+len(textMark):]
		if task, attempt, err := head(prompt[:min(len(prompt), 40)]); err == nil {
			seen[task] = max(seen[task], attempt)
		}
	}
	retried := 0
	for _, attempt := range seen {
		if attempt > 1 {
			retried++
		}
	}
	m.answered(call{"synthesis", -1, 1})
	return fmt.Sprintf("FINAL n=%d retried=%d", len(seen), retried)
}

func readPlan(b []byte) ([]planned, error) {
	var tasks []planned
	if err := json.Unmarshal(b, &tasks); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	return tasks, nil
}

func readOpinion(b []byte) (opinion, error) {
	var o opinion
	if err := json.Unmarshal(b, &o); err != nil {
		return o, fmt.Errorf("read the opinion: %w", err)
	}
	return o, nil
}
