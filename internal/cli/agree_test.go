package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/chargehand/chargehand"
)

// agree checks that every command that shows a run says the same of it, for all runs of the data
// folder, and that there is one of each state: "agree completed partial".
func agree(ts *testscript.TestScript, _ bool, states []string) {
	var list struct{ Runs []chargehand.RunSummary }
	shows(ts, &list, "runs", "list", "-o", "json")
	for _, state := range states {
		if !slices.ContainsFunc(list.Runs, func(r chargehand.RunSummary) bool { return string(r.State) == state }) {
			ts.Fatalf("no run is %s", state)
		}
	}
	for i := range list.Runs {
		t := &tellings{ts: ts, run: list.Runs[i].RunID, said: map[string]map[string][]string{}}
		t.summary(&list.Runs[i])
		t.view()
		t.cost()
		t.result()
		t.records()
		t.compare()
	}
}

// tellings are what commands say of a run: fact → what they say → the commands that say so.
type tellings struct {
	ts   *testscript.TestScript
	run  string
	said map[string]map[string][]string
}

func (t *tellings) say(command, fact string, value any) {
	if t.said[fact] == nil {
		t.said[fact] = map[string][]string{}
	}
	word := fmt.Sprint(value)
	t.said[fact][word] = append(t.said[fact][word], command)
}

func (t *tellings) compare() {
	for _, fact := range slices.Sorted(maps.Keys(t.said)) {
		if by := t.said[fact]; len(by) > 1 {
			t.ts.Logf("%s: they disagree on %s: %v", t.run, fact, by)
			defer t.ts.Fatalf("%s has more than one story", t.run)
		}
	}
}

// output is what a command writes.
func output(ts *testscript.TestScript, args ...string) string {
	ts.Check(ts.Exec("chargehand", args...))
	return ts.ReadFile("stdout")
}

func shows(ts *testscript.TestScript, into any, args ...string) {
	ts.Check(json.Unmarshal([]byte(output(ts, args...)), into))
}

var gap = regexp.MustCompile(`\s{2,}`)

// rows are the cells of a table's rows below a heading.
func rows(text, head string) [][]string {
	var out [][]string
	_, table, _ := strings.Cut(text, head)
	_, table, _ = strings.Cut(table, "\n")
	for line := range strings.Lines(table) {
		if strings.TrimSpace(line) == "" {
			break
		}
		out = append(out, gap.Split(strings.TrimSpace(line), -1))
	}
	return out
}

func (t *tellings) found(text, pattern string) []string {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.ts.Fatalf("%s: there is no %s in\n%s", t.run, pattern, text)
	}
	return m[1:]
}

func (t *tellings) summary(r *chargehand.RunSummary) {
	const by = "runs list"
	t.say(by, "state", r.State)
	t.say(by, "stop", r.Stop)
	t.say(by, "accepted", fmt.Sprintf("%d/%d", r.Accepted, r.Subtasks))
	t.say(by, "gaps", r.Gaps)
	t.say(by, "spent", r.Spent)
	for _, row := range rows(output(t.ts, "runs", "list", "-o", "wide"), "RUN") {
		if row[0] == t.run {
			t.say(by+" -o wide", "word", row[1])
			t.say(by+" -o wide", "accepted", strings.Split(row[2], ",")[0])
		}
	}
	for _, row := range rows(output(t.ts, "audit", "list"), "RUN") {
		if row[0] == t.run {
			t.say("audit list", "records", row[1])
			t.say("audit list", "word", row[3])
		}
	}
}

func (t *tellings) view() {
	const by = "runs get"
	var v chargehand.View
	shows(t.ts, &v, "runs", "get", t.run, "-o", "json")
	t.say(by, "state", v.State)
	t.say(by, "stop", v.Stop)
	t.say(by, "gaps", v.Gaps)
	t.say(by, "spent", v.Spent)
	t.say(by, "tokens", v.Tokens)
	t.say(by, "records", v.Seq)
	accepted, planned := 0, 0
	for _, row := range v.Rows {
		planned++
		if row.State.Accepted() {
			accepted++
		}
	}
	t.say(by+" -o json, its rows", "accepted", fmt.Sprintf("%d/%d", accepted, planned))

	text := output(t.ts, "runs", "get", t.run)
	head, _, _ := strings.Cut(text, "\n")
	t.say(by+", its head", "word", gap.Split(head, -1)[2])
	t.say(by+", its head", "accepted", t.found(text, `, (\d+/\d+) accepted`)[0])
	for _, row := range rows(text, "SUBTASK") {
		t.say(by, "attempts at "+row[1], row[3])
		t.say(by, "state of "+row[1], row[2])
		t.work(row[0], row[1])
	}
}

func (t *tellings) work(id, label string) {
	by := "runs get --subtask " + id
	text := output(t.ts, "runs", "get", t.run, "--subtask", id)
	head, _, _ := strings.Cut(text, "\n")
	t.say(by, "state of "+label, gap.Split(head, -1)[1])
	attempts := rows(text, "ATTEMPT")
	if strings.Contains(text, "No attempt has begun.") {
		attempts = nil
	}
	t.say(by, "attempts at "+label, len(attempts))
	usd, tokens := chargehand.Micros(0), 0
	for _, row := range attempts {
		usd += t.micros(row[3])
		tokens += t.number(row[4])
	}
	t.say(by, "spent on "+label, usd)
	t.say(by, "tokens of "+label, tokens)
}

func (t *tellings) micros(text string) chargehand.Micros {
	m, err := chargehand.ParseMicros(text)
	t.ts.Check(err)
	return m
}

func (t *tellings) number(text string) (n int) {
	_, err := fmt.Sscan(text, &n)
	t.ts.Check(err)
	return n
}

func (t *tellings) cost() {
	const by = "runs cost"
	var c struct {
		Spent  chargehand.Micros            `json:"spentUSD"`
		Tokens int64                        `json:"tokens"`
		Phases map[string]chargehand.Micros `json:"costByPhase"`
	}
	shows(t.ts, &c, "runs", "cost", t.run, "-o", "json")
	t.say(by+" -o json", "spent", c.Spent)
	t.say(by+" -o json", "tokens", c.Tokens)
	sum := chargehand.Micros(0)
	for _, usd := range c.Phases {
		sum += usd
	}
	t.say(by+" -o json, its phases", "spent", sum)
	text := output(t.ts, "runs", "cost", t.run)
	t.say(by, "spent", t.found(text, `(?m)^total +(\S+)$`)[0])
	t.say(by, "tokens", t.found(text, `(?m)^(\d+) tokens`)[0])
	sum, tokens := 0, 0
	for _, row := range rows(text, "SUBTASK") {
		if row[0] == "planning" {
			sum += t.micros(row[1])
			continue
		}
		t.say(by, "attempts at "+row[0], row[1])
		t.say(by, "spent on "+row[0], t.micros(row[2]))
		t.say(by, "tokens of "+row[0], row[3])
		state := t.said["state of "+row[0]]
		for word := range state { // the same word, without its glyph
			if strings.HasSuffix(word, " "+row[4]) {
				state[word] = append(state[word], by)
			} else {
				t.say(by, "state of "+row[0], row[4])
			}
			break
		}
		sum += t.micros(row[2])
		tokens += t.number(row[3])
	}
	t.say(by+", its rows", "spent", sum)
	t.say(by+", its rows", "tokens", tokens)
}

func (t *tellings) result() {
	const by = "runs result"
	var r chargehand.Result
	shows(t.ts, &r, "runs", "result", t.run, "-o", "json")
	t.say(by+" -o json", "state", r.Status)
	t.say(by+" -o json", "stop", r.StopReason)
	t.say(by+" -o json", "gaps", len(slices.DeleteFunc(r.Gaps, func(g chargehand.Gap) bool { return g.Subtask == "" }))) // why the run stopped is no subtask's
	t.say(by+" -o json", "spent", r.Cost.USD)
	t.say(by+" -o json", "tokens", r.Cost.Tokens)
	t.say(by+" -o json", "records", r.Audit.Records)
	text := output(t.ts, "runs", "result", t.run, "-o", "md")
	said := t.found(text, `Cost \$(\S+).*, (\d+) tokens\. Records (\d+)\.`)
	t.say(by+" -o md", "spent", strings.TrimSuffix(said[0], ","))
	t.say(by+" -o md", "tokens", said[1])
	t.say(by+" -o md", "records", said[2])
}

func (t *tellings) records() {
	for _, command := range []string{"audit show", "runs logs"} {
		args := append(strings.Fields(command), t.run, "-o", "jsonl")
		t.say(command+" -o jsonl", "records", strings.Count(output(t.ts, args...), "\n"))
	}
	err := t.ts.Exec("chargehand", "runs", "watch", t.run)
	_ = err // the exit code is the run's outcome
	block := t.ts.ReadFile("stderr")
	t.say("runs watch", "records", t.found(block, `audit (\d+) records`)[0])
	t.say("runs watch", "spent", t.found(block, `cost \$(\S+)`)[0])
}
