package chatapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// An outcome is what a request is answered with.
type outcome struct {
	text  string
	cut   bool // the budget ended the run
	waits bool // for a person, or an operator: the text says so
	about about
	began time.Time
	ended time.Time // zero while the run goes on
}

// about is what clients that know this API read beside the answer.
type about struct {
	Run     string                `json:"run_id"`
	State   string                `json:"state"` // needs_human, paused, or that of the ended run
	Stop    chargehand.StopReason `json:"stop_reason,omitempty"`
	Reviews []question            `json:"reviews,omitempty"`
	Hash    string                `json:"result_hash,omitempty"`

	// Gaps and Doubts are what an incomplete result lacks, and what was accepted with reservations.
	Gaps   []string `json:"gaps,omitempty"`
	Doubts []string `json:"low_confidence,omitempty"`
}

// A question is a review that waits.
type question struct {
	Review string `json:"review_id"`
	Where  string `json:"decide_at"`
}

// outcome is the answer of a run as it was last seen, or why there is none.
func (j *job) outcome(v *chargehand.View, err error) (*outcome, *failure) {
	switch {
	case errors.Is(err, errPatience):
		return nil, j.late()
	case errors.Is(err, errLeaving):
		return nil, j.interrupted()
	case err != nil:
		f := j.failed(err)
		f.final, f.Run = true, j.run
		return nil, f
	}
	d := &outcome{began: v.StartedAt, ended: v.EndedAt, about: about{Run: v.RunID, State: string(v.State), Stop: v.Stop, Hash: v.ResultHash}}
	if !v.State.Final() {
		j.waiting(d, v)
		return d, nil
	}
	if v.Stop == chargehand.StopBudgetExhausted {
		d.cut = true
	}
	ctx, cancel := context.WithTimeout(context.Background(), j.opt.Timeout)
	defer cancel()
	res, err := j.engine.Result(ctx, v.RunID)
	if err == nil && v.Accepted == 0 && v.State != chargehand.RunCompleted {
		return d, j.empty(res, v)
	}
	if err == nil {
		d.about.note(res)
		if j.asked.Form.exact() {
			var f *failure
			d.text, f = j.exact(res)
			return d, f
		}
		d.text, err = j.text(res)
	}
	if err != nil {
		f := j.failed(fmt.Errorf("read the result of %s: %w", j.run, err))
		f.final, f.Run = true, j.run
		return nil, f
	}
	return d, nil
}

// note adds what an answer has no room for.
func (a *about) note(res *chargehand.Result) {
	const most = 20
	for i := range min(len(res.Gaps), most) {
		a.Gaps = append(a.Gaps, strings.TrimPrefix(gaps(res.Gaps[i:i+1], 1), "\n\nNot covered:\n- "))
	}
	for i := range min(len(res.LowConfidence), most) {
		a.Doubts = append(a.Doubts, res.LowConfidence[i].Text)
	}
}

// held is the failure of a run that waits for a person, where the answer has no room for words.
func (j *job) held(d *outcome) *failure {
	return &failure{status: http.StatusBadRequest, Kind: invalid, Code: "run_" + d.about.State, Message: d.text, final: true, Run: j.run}
}

// late is the failure of a run that takes longer than a request may.
func (j *job) late() *failure {
	f := &failure{status: http.StatusGatewayTimeout, Kind: serverError, Code: "timeout", final: true, Run: j.run}
	if j.keyed {
		f.Message = fmt.Sprintf("%s takes longer than %s and goes on: ask again with the same Idempotency-Key", j.run, j.opt.Wait)
		return f
	}
	j.abandon("it took longer than a request may wait")
	f.Message = fmt.Sprintf("%s took longer than %s and was cancelled: send an Idempotency-Key to have it go on, and ask again with it", j.run, j.opt.Wait)
	return f
}

// interrupted is the failure of a request during which this process is told to end.
func (j *job) interrupted() *failure {
	f := &failure{status: http.StatusServiceUnavailable, Kind: serverError, Code: "restarting", final: !j.keyed, Run: j.run}
	f.Message = "the server is being restarted, and " + j.run + " goes on then: "
	if j.keyed {
		f.Message += "ask again with the same Idempotency-Key"
	} else {
		f.Message += "read its result with: chargehand runs result " + j.run
	}
	return f
}

// empty is the failure of a run without a usable result. Status 400 is the one that no client asks
// again after: that would be a run more.
func (j *job) empty(res *chargehand.Result, v *chargehand.View) *failure {
	f := &failure{status: http.StatusBadRequest, Kind: serverError, Code: "run_" + string(v.State), final: true, Run: j.run}
	f.Message = fmt.Sprintf("%s has ended (%s) and nothing of it can be used", j.run, plain(string(v.Stop)))
	if v.Why != "" {
		f.Message += ": " + v.Why
	}
	f.Message += gaps(res.Gaps, 10)
	return f
}

// waiting says what the run waits for. It is an answer and no failure: clients would ask again.
func (j *job) waiting(d *outcome, v *chargehand.View) {
	d.waits = true
	if v.State != chargehand.RunRunning {
		d.about.State = "paused"
		d.text = fmt.Sprintf("The run %s is paused. It goes on when an operator resumes it: chargehand runs resume %s", v.RunID, v.RunID)
		return
	}
	d.about.State = "needs_human"
	var b strings.Builder
	fmt.Fprintf(&b, "A person has to decide before the run %s goes on. A message here decides nothing.\n", v.RunID)
	for i := range v.Reviews {
		r := &v.Reviews[i]
		if !r.Open() {
			continue
		}
		d.about.Reviews = append(d.about.Reviews, question{r.ID, j.opt.Where(*r)})
		fmt.Fprintf(&b, "\n- Review %s: %s Decide: %s", r.ID, excerpt.Of(r.Description, 2000), j.opt.Where(*r))
		if !r.Deadline.IsZero() {
			fmt.Fprintf(&b, " (until %s)", r.Due().UTC().Format(time.RFC3339))
		}
	}
	fmt.Fprintf(&b, "\n\nThe result is then read with: chargehand runs result %s", v.RunID)
	switch {
	case j.in.door == responses.door:
		b.WriteString(" or with: GET /v1/responses/" + j.responseID())
	case j.keyed:
		b.WriteString(" or by asking again with the same Idempotency-Key.")
	}
	d.text = b.String()
}

// text is a result as the answer's content: the output's own text where it has one, else a report.
func (j *job) text(res *chargehand.Result) (string, error) {
	if j.asked.Form.kind != asResult {
		if own := prose(res.Output); own != "" {
			return own + gaps(res.Gaps, len(res.Gaps)), nil
		}
		if j.opt.Report != nil {
			return j.opt.Report(res)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(res)
	return strings.TrimSpace(b.String()), err
}

// prose is the text that an output consists of, or has under a name that says so: as it is, or as the
// text of a document.
func prose(output json.RawMessage) string {
	var text string
	if json.Unmarshal(output, &text) == nil {
		return text
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(output, &fields) != nil {
		return ""
	}
	for _, name := range []string{"text", "markdown", "answer", "report", "content"} {
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text
		}
		var document struct{ Text string }
		if json.Unmarshal(fields[name], &document) == nil && document.Text != "" {
			return document.Text
		}
	}
	return ""
}

// gaps is what a result does not cover, at most n of it.
func gaps(all []chargehand.Gap, n int) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\nNot covered:\n")
	for i, g := range all {
		if i == n {
			fmt.Fprintf(&b, "- and %d more\n", len(all)-n)
			break
		}
		name := g.Label
		if name == "" {
			name = g.Subtask
		}
		if name != "" {
			name += " "
		}
		fmt.Fprintf(&b, "- %s(%s): %s\n", name, plain(string(g.Cause)), g.Why)
	}
	return strings.TrimRight(b.String(), "\n")
}

// plain is a name of ours in words.
func plain(s string) string { return strings.ReplaceAll(s, "_", " ") }
