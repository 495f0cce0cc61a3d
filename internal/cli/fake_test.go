package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
)

// A fake is an engine that plays runs: what becomes of one is its team's name. "partial.deadline_reached"
// ends so at once, "wait" has a review open and ends with its decision, "busy" is under way until it
// is paused or cancelled, "stuck" even then. Its ids count up and its clock stands still, and what it knows is gone
// when it closes, apart from two runs that it always begins with; with KEEP=1 it is kept for the next one.
type fake struct {
	dir string

	mu        sync.Mutex
	runs      []*played
	followers int

	more  chan struct{} // closed and replaced whenever a record is added
	blobs map[string][]byte
}

// A played is one run of a fake.
type played struct {
	id       string
	records  []chargehand.Record
	result   chargehand.Result
	scenario string
}

var epoch = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

// fakeOwn takes a folder by a file in it, as other processes see.
func fakeOwn(_ context.Context, dir string, _ Taking) (Owned, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "owner"), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, &chargehand.Error{Code: chargehand.CodeLocked, What: "the data folder is in use"}
	}
	if err != nil {
		return nil, err
	}
	f.Close()
	e := &fake{dir: dir, more: make(chan struct{}), blobs: map[string][]byte{}}
	for _, scenario := range []string{"partial.deadline_reached", "wait"} {
		if _, err := e.Start(context.Background(), order(scenario)); err != nil {
			return nil, err
		}
	}
	if err := e.recall(); err != nil {
		return nil, err
	}
	if run := os.Getenv("PAUSED"); run != "" {
		return e, e.Control(context.Background(), run, chargehand.Control{Verb: chargehand.Pause, By: "sam"})
	}
	return e, nil
}

func order(scenario string) chargehand.Order {
	return chargehand.Order{
		Team: chargehand.Team{Name: scenario}, StartedBy: "sam", Budget: chargehand.Budget{USD: 500_000},
		Objective: chargehand.Objective{Title: "Old " + scenario, Goal: "g"},
	}
}

// Done is never closed: this engine only stops by being closed.
func (e *fake) Done() <-chan struct{} { return nil }

func (e *fake) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(e.retain(), os.Remove(filepath.Join(e.dir, "owner")))
}

const kept = "kept.json" // the records of each run beyond the first two

// retain keeps what the next fake is to know. A command that follows a run may ask for it after the end of the
// process that had it.
func (e *fake) retain() error {
	if os.Getenv("KEEP") == "" {
		return nil
	}
	var runs [][]chargehand.Record
	for _, p := range e.runs[2:] {
		runs = append(runs, p.records)
	}
	b, err := json.Marshal(runs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(e.dir, kept), b, 0o600)
}

func (e *fake) recall() error {
	b, err := os.ReadFile(filepath.Join(e.dir, kept))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var runs [][]chargehand.Record
	if err := errors.Join(err, json.Unmarshal(b, &runs)); err != nil {
		return err
	}
	for _, records := range runs {
		e.runs = append(e.runs, &played{id: records[0].Run, records: records})
	}
	return nil
}

func (e *fake) Start(_ context.Context, o chargehand.Order) (string, error) {
	if o.Team.Name == "refused" {
		return "", &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "the run cannot be started",
			Problems: []chargehand.Problem{{Path: "$.objective.input.side", Message: "is missing"}},
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p := &played{id: fmt.Sprintf("run_%d", len(e.runs)+1), scenario: o.Team.Name}
	e.runs = append(e.runs, p)
	for i, d := range o.Objective.Documents {
		o.Objective.Documents[i].Hash = e.keep(d.Text)
		o.Objective.Documents[i].Text = ""
	}
	e.add(p, chargehand.RunStarted{
		Objective: o.Objective, Team: o.Team.Name, Policy: "legal-high@7", Budget: o.Budget, StartedBy: o.StartedBy, Format: 1,
	})
	e.play(p, o)
	return p.id, nil
}

func (e *fake) keep(text string) string {
	hash := chargehand.Hash([]byte(text))
	e.blobs[hash] = []byte(text)
	return hash
}

func (e *fake) play(p *played, o chargehand.Order) {
	ref := chargehand.AttemptRef{Subtask: "s1", Attempt: 1}
	e.add(p, chargehand.PlanAdopted{Version: 1, Subtasks: 2, Shape: chargehand.ShapeDAG, Estimate: 40_000},
		chargehand.SubtasksPlanned{Version: 1, Subtasks: []chargehand.Subtask{
			{ID: "s1", Label: "Term", Goal: "Find the term.", Capability: "read"},
			{ID: "s2", Label: "Cap\u202e", Goal: "Find the cap.", Capability: "read"},
		}},
		chargehand.AttemptStarted{AttemptRef: ref, Worker: "reader", DeadlineAt: epoch.Add(time.Minute)})
	if p.scenario == "busy" || p.scenario == "stuck" {
		return
	}
	e.add(p, chargehand.OutputChecked{
		AttemptRef: ref, Output: e.keep(`{"term":"5 years"}`), Usage: chargehand.Usage{USD: 20_000},
		Transcript: e.keep(`{"turns":[{"text":"I looked\u202e."}]}`),
		Verdict:    chargehand.Verdict{Recommendation: chargehand.Accept, Validator: "gate"},
	},
		chargehand.SubtaskEnded{Subtask: "s1", State: chargehand.SubtaskAccepted, Attempt: 1})
	if p.scenario == "wait" {
		e.ask(p, o)
		return
	}
	state, stop, _ := strings.Cut(p.scenario, ".")
	e.end(p, chargehand.RunState(state), chargehand.StopReason(stop))
}

// ask opens a review about an output that contradicts its source.
func (e *fake) ask(p *played, o chargehand.Order) {
	source := &chargehand.Passage{Start: 0, End: 4, Quote: "9.2 …"}
	if docs := o.Objective.Documents; len(docs) > 0 {
		source.Document = docs[0].Hash
	}
	out := e.keep(`{"cap":"EUR 5,000,000"}`)
	e.add(p, chargehand.ReviewOpened{Review: chargehand.Review{
		ID: "rev_" + p.id, RunID: p.id, TaskID: "s2", Attempt: 1, Subject: chargehand.SubjectOutput, Action: "use the output",
		Description: "Cap: the check failed twice", Cause: chargehand.CauseQuality, Risk: chargehand.RiskHigh, ContentHash: out,
		OutputRef: out, Nonce: "n1", Deadline: time.Now().Add(30 * time.Minute).UTC(), Auto: chargehand.AutoReject, Policy: "legal-high@7",
		Evidence: []chargehand.Finding{{
			ID: "f1", Layer: chargehand.LayerConsistency, Rule: "number", Severity: chargehand.SeverityError,
			Message: "Output says 5,000,000; source says 500,000", Source: source,
		}},
	}})
}

func (e *fake) end(p *played, state chargehand.RunState, stop chargehand.StopReason) {
	s2 := chargehand.SubtaskEnded{Subtask: "s2", State: chargehand.SubtaskAccepted}
	switch {
	case state != chargehand.RunCompleted:
		s2 = chargehand.SubtaskEnded{Subtask: "s2", State: chargehand.SubtaskDegraded, Cause: chargehand.CauseDeadline, Why: "no worker in time"}
		p.result.Gaps = []chargehand.Gap{{Subtask: "s2", Label: "Cap", State: s2.State, Cause: s2.Cause, Why: s2.Why}}
	case stop == chargehand.StopLowConfidence:
		s2.State = chargehand.SubtaskAcceptedLow
	}
	e.add(p, s2, chargehand.RunEnded{State: state, Stop: stop, Result: "sha256:r"})
}

// add appends records; e.mu is held.
func (e *fake) add(p *played, facts ...chargehand.Fact) {
	for _, f := range facts {
		seq := int64(len(p.records) + 1)
		p.records = append(p.records, chargehand.Record{Run: p.id, Seq: seq, At: epoch.Add(time.Duration(seq) * time.Second), Fact: f})
	}
	close(e.more)
	e.more = make(chan struct{})
}

func (e *fake) find(id string) (*played, error) {
	for _, p := range e.runs {
		if p.id == id {
			return p, nil
		}
	}
	return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no run %q", id), Next: "chargehand runs list"}
}

func (p *played) view() *chargehand.View {
	v := new(chargehand.View)
	for _, r := range p.records {
		v.Apply(r)
	}
	return v
}

func (e *fake) Control(_ context.Context, run string, c chargehand.Control) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.find(run)
	if err != nil {
		return err
	}
	if p.view().State.Final() {
		return &chargehand.Error{Code: chargehand.CodeEnded, What: run + " cannot be changed", Why: "it has ended"}
	}
	switch c.Verb {
	case chargehand.Pause:
		e.add(p, chargehand.PauseBegan{By: c.By, Reason: c.Reason})
		if p.scenario == "stuck" {
			return nil
		}
		e.add(p,
			chargehand.AttemptFailed{AttemptRef: chargehand.AttemptRef{Subtask: "s1", Attempt: 1}, Cause: chargehand.CauseCrash},
			chargehand.RetryPlanned{AttemptRef: chargehand.AttemptRef{Subtask: "s1", Attempt: 2}, Cause: chargehand.CauseCrash})
	case chargehand.Resume:
		e.add(p, chargehand.PauseEnded{By: c.By, Reason: c.Reason}, chargehand.SubtaskEnded{Subtask: "s1", State: chargehand.SubtaskAccepted})
		e.end(p, chargehand.RunCompleted, chargehand.StopComplete)
	case chargehand.Cancel:
		e.add(p, chargehand.RunStopping{Stop: chargehand.StopCancelled, Why: c.Reason, By: c.By})
		e.end(p, chargehand.RunCancelled, chargehand.StopCancelled)
	}
	return nil
}

func (e *fake) Fork(context.Context, string, chargehand.Fork) (string, error) {
	return "", &chargehand.Error{Code: chargehand.CodeUnavailable, What: "these runs are played, and cannot be forked"}
}

func (e *fake) Decide(_ context.Context, d chargehand.Decision) (chargehand.Decision, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.find(strings.TrimPrefix(d.ReviewID, "rev_"))
	if err != nil {
		return d, err
	}
	d.Timestamp = epoch
	e.add(p, chargehand.ReviewDecided{Decision: d})
	if d.Approved {
		e.end(p, chargehand.RunCompleted, chargehand.StopComplete)
	} else {
		e.end(p, chargehand.RunFailed, chargehand.StopPolicyBoundary)
	}
	return d, nil
}

func (e *fake) Runs(_ context.Context, f chargehand.Filter) ([]chargehand.RunSummary, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []chargehand.RunSummary
	for i := len(e.runs) - 1; i >= 0 && len(out) < f.Limit; i-- {
		v := e.runs[i].view()
		if f.NeedsHuman && v.NeedsHuman == 0 || len(f.States) > 0 && !slices.Contains(f.States, v.State) || f.StartedBy != "" && f.StartedBy != v.StartedBy {
			continue
		}
		out = append(out, v.RunSummary)
	}
	return out, nil
}

func (e *fake) Run(_ context.Context, run string) (*chargehand.View, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.find(run)
	if err != nil {
		return nil, err
	}
	return p.view(), nil
}

func (e *fake) Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	return func(yield func(chargehand.Record, error) bool) {
		e.noteFollower(run)
		for {
			e.mu.Lock()
			p, err := e.find(run)
			if err != nil {
				e.mu.Unlock()
				yield(chargehand.Record{}, err)
				return
			}
			records, more, ended := p.records[after:], e.more, p.view().State.Final()
			e.mu.Unlock()
			for _, r := range records {
				if after = r.Seq; !yield(r, nil) {
					return
				}
			}
			if ended || !follow {
				return
			}
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
		}
	}
}

// noteFollower leaves a file once two streams of a run started here are followed: the command's
// own, and that of another process.
func (e *fake) noteFollower(run string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if run != "run_3" {
		return
	}
	if e.followers++; e.followers == 2 {
		_ = os.WriteFile(filepath.Join(e.dir, "followed"), nil, 0o600)
	}
}

func (e *fake) Result(_ context.Context, run string) (*chargehand.Result, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.find(run)
	if err != nil {
		return nil, err
	}
	v, r := p.view(), p.result
	r.RunID, r.Title, r.Status, r.StopReason = v.RunID, v.Title, v.State, v.Stop
	r.Items = []chargehand.Item{{
		Fields:  json.RawMessage(`{"category":"Term","present":true,"quote":"five <b> years","answer":"5 years"}`),
		Subtask: "s1", Attempt: 1, Worker: "reader", Verdict: "accepted",
	}}
	r.Cost.USD = v.Spent
	return &r, nil
}

func (e *fake) Reviews(context.Context) ([]chargehand.Review, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []chargehand.Review
	for _, p := range e.runs {
		for _, r := range p.view().Reviews {
			if r.Open() {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

func (e *fake) Blob(_ context.Context, hash string) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b, ok := e.blobs[hash]; ok {
		return b, nil
	}
	return nil, &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no content " + hash}
}

func (e *fake) Fleet(context.Context) ([]chargehand.WorkerStatus, error) {
	return []chargehand.WorkerStatus{{Worker: "reader", Slots: 2, Instances: 1, Active: 1, Breaker: chargehand.BreakerClosed, Healthy: true, Calls: 7}}, nil
}
