package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

var _ chargehand.Engine = (*Engine)(nil)

const (
	maxDocuments = 40       // of an objective: their names stand in one record
	maxInput     = 6 << 10  // bytes of an objective's goal and input together
	maxDocument  = 64 << 20 // bytes of one document
)

// Start begins a run and returns its id.
func (e *Engine) Start(ctx context.Context, o chargehand.Order) (string, error) {
	team := o.Team
	if team.Planner == (chargehand.Planner{}) {
		team.Planner.Template = o.Objective.Plan
	}
	k, err := e.readied(&team)
	if err != nil {
		return "", err
	}
	if err := e.checkGrants(ctx, k); err != nil {
		return "", err
	}
	problems := append(e.checkOrder(k, &o), drifted(k)...)
	if len(problems) > 0 {
		return "", &chargehand.Error{Code: chargehand.CodeInvalid, What: "the run cannot be started", Problems: problems}
	}
	blobs, err := e.keepOrder(k, &o)
	if err != nil {
		return "", unusable(e.opt.Dir, err)
	}
	o.Team = chargehand.Team{}
	id := newRunID()
	ev := envelope{
		Event: turn.Event{Run: id, Input: supervise.Start{Order: o, TeamDigest: k.digest, Seed: rand.Text()}},
		begin: &opening{
			team: k.team, digest: k.digest, key: o.Key, tenant: o.Tenant, budget: budgetOf(&o, k.team),
			machine: supervise.New(id, k.team),
		},
		blobs: blobs,
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	ctx = context.WithoutCancel(ctx) // from here on the run may begin, and then its caller must learn its id
	e.inbox.put(envelope{Event: turn.Event{Fleet: turn.Register(k.team)}})
	if err := e.ask(ctx, ev); err != nil {
		if began, ok := errors.AsType[*knownError](err); ok {
			return began.run, e.sameOrder(ctx, began.run, k, &o)
		}
		return "", err
	}
	return ev.Run, nil
}

// readied is an order's team, complete and made ready for use.
func (e *Engine) readied(team *chargehand.Team) (*kit, error) {
	if e.opt.Agents == nil {
		return e.kits.make(team)
	}
	complete, problems := e.opt.Agents.Complete(team)
	if len(problems) > 0 {
		return nil, unsupervised(team, problems)
	}
	return e.kits.make(complete)
}

// A granter asks a team's tool servers whether they have the tools that the team grants.
type granter interface {
	Grants(ctx context.Context, t *chargehand.Team, dir string) []chargehand.Problem
}

// checkGrants refuses a team that grants tools which its servers do not have.
func (e *Engine) checkGrants(ctx context.Context, k *kit) error {
	g, ok := e.opt.Agents.(granter)
	if !ok {
		return nil
	}
	if problems := g.Grants(ctx, k.team, e.opt.TeamDir); len(problems) > 0 {
		return unsupervised(k.team, problems)
	}
	return nil
}

func unsupervised(t *chargehand.Team, problems []chargehand.Problem) error {
	return &chargehand.Error{Code: chargehand.CodeInvalid, What: fmt.Sprintf("the team %q cannot be supervised", t.Name), Problems: problems}
}

// drifted is what of the program is not as the team names it.
func drifted(k *kit) []chargehand.Problem {
	var problems []chargehand.Problem
	for _, d := range k.drift {
		problems = append(problems, chargehand.Problem{Path: "$.team.workers", Message: d})
	}
	return problems
}

func newRunID() string { return "run_" + strings.ToLower(rand.Text()[:10]) }

func budgetOf(o *chargehand.Order, t *chargehand.Team) chargehand.Micros {
	if o.Budget.USD > 0 {
		return o.Budget.USD
	}
	return t.Budget.USD
}

// checkOrder is everything wrong with an objective.
func (e *Engine) checkOrder(k *kit, o *chargehand.Order) []chargehand.Problem {
	var problems []chargehand.Problem
	add := func(path, format string, args ...any) {
		problems = append(problems, chargehand.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case strings.TrimSpace(o.Objective.Goal) == "":
		add("$.objective.goal", "is missing: say what the run should do")
	case strings.ContainsRune(o.Objective.Goal, 0):
		add("$.objective.goal", "is not text: it holds a NUL")
	}
	if n := len(o.Objective.Goal) + len(o.Objective.Input) + len(o.Objective.Title); n > maxInput {
		add("$.objective", "title, goal and input take %d bytes, the most is %d: give larger input as a document", n, maxInput)
	}
	if n := len(o.Objective.Documents); n > maxDocuments {
		add("$.objective.documents", "there are %d, the most is %d", n, maxDocuments)
	}
	for i, d := range o.Objective.Documents {
		path := fmt.Sprintf("$.objective.documents[%d]", i)
		switch {
		case d.Name == "" || len(d.Name) > 200:
			add(path+".name", "want 1 to 200 bytes")
		case d.Text == "" && d.Hash == "":
			add(path+".text", "%s is empty", d.Name)
		case len(d.Text) > maxDocument:
			add(path+".text", "%s has %d bytes, the most is %d", d.Name, len(d.Text), maxDocument)
		case !utf8.ValidString(d.Text):
			add(path+".text", "%s is not UTF-8 text", d.Name)
		case strings.ContainsRune(d.Text, 0):
			add(path+".text", "%s is not text: byte %d is NUL", d.Name, strings.IndexByte(d.Text, 0))
		}
	}
	facts := 0
	for key, value := range o.Objective.Facts {
		facts += len(key) + len(value)
	}
	if facts > maxInput/2 {
		add("$.objective.facts", "they take %d bytes, the most is %d", facts, maxInput/2)
	}
	for _, f := range k.gate.CheckObjective(o.Objective.Input) {
		add("$.objective.input"+f.Path, "%s", f.Message)
	}
	billed := *k.team
	switch {
	case o.Objective.Plan == nil:
	case billed.Planner.Replan:
		billed.Planner.Template = nil // it is not known yet what follows the order's plan
	default:
		billed.Planner = chargehand.Planner{Template: o.Objective.Plan} // the team's own is not called
	}
	for _, p := range billed.CheckBudget(supervise.Ceiling(o.Budget, k.team.Budget)) {
		p.Path = strings.Replace(p.Path, "$", "$.team", 1)
		problems = append(problems, p)
	}
	if o.Objective.Plan != nil {
		for _, p := range k.team.CheckPlan(o.Objective.Plan) {
			p.Path = strings.Replace(p.Path, "$", "$.objective.plan", 1)
			problems = append(problems, p)
		}
	}
	return problems
}

// keepOrder turns an order's content into blobs, leaving their hashes.
func (e *Engine) keepOrder(k *kit, o *chargehand.Order) ([]blob, error) {
	team, err := json.Marshal(k.team)
	if err != nil {
		return nil, err
	}
	bodies := [][]byte{team}
	docs := append([]chargehand.Document(nil), o.Objective.Documents...)
	for i, d := range docs {
		if d.Text == "" {
			continue
		}
		bodies = append(bodies, []byte(d.Text))
		docs[i].Hash, docs[i].Size, docs[i].Text = chargehand.Hash([]byte(d.Text)), int64(len(d.Text)), ""
	}
	o.Objective.Documents = docs
	if p := o.Objective.Plan; p != nil {
		body, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
		o.Objective.Plan, o.Objective.PlanRef = nil, chargehand.Hash(body)
	}
	var blobs []blob
	for _, body := range bodies {
		b, err := e.store.keep(body)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, b)
	}
	return blobs, nil
}

func readPlan(ctx context.Context, s *store, ref string) (*chargehand.Plan, error) {
	body, err := s.content(ctx, ref)
	if err != nil {
		return nil, err
	}
	var p chargehand.Plan
	return &p, json.Unmarshal(body, &p)
}

// ask leaves an event and waits until what it led to is durable.
func (e *Engine) ask(ctx context.Context, ev envelope) error {
	answered := make(chan answer, 1)
	ev.reply = func(a answer) { answered <- a }
	e.inbox.put(ev)
	select {
	case a := <-answered:
		if a.refusal != nil {
			return a.refusal
		}
		return a.err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.done:
		return errors.Join(errClosed, e.failure)
	}
}

// Control pauses, resumes or cancels a run.
func (e *Engine) Control(ctx context.Context, run string, c chargehand.Control) error {
	id, err := e.store.find(ctx, "run", run)
	if err != nil {
		return err
	}
	return e.ask(ctx, envelope{Event: turn.Event{Run: id, Input: supervise.Operate{Control: c}}})
}

// Decide answers a review.
func (e *Engine) Decide(ctx context.Context, d chargehand.Decision) (chargehand.Decision, error) {
	id, err := e.store.find(ctx, "review", d.ReviewID)
	if err != nil {
		return d, err
	}
	run, err := e.store.reviewRun(ctx, id)
	if err != nil {
		return d, err
	}
	edit, blobs, err := e.edited(ctx, run, d.Plan)
	if err != nil {
		return d, err
	}
	d.ReviewID = id
	given, output, err := e.given(ctx, run, d)
	if err != nil {
		return d, err
	}
	if err := e.ask(ctx, envelope{blobs: append(blobs, output...), Event: turn.Event{Run: run, Input: supervise.Decide{
		ReviewID: id, Approved: d.Approved, SendBack: d.SendBack, EditRef: edit, Settled: d.Settled, Given: given,
		Approver: d.Approver, ContentHash: d.ContentHash, Nonce: d.Nonce, Comment: d.Comment,
	}}}); err != nil {
		return d, err
	}
	v, err := e.Run(ctx, run)
	if err != nil {
		return d, err
	}
	for _, r := range v.Reviews {
		if r.ID == id && r.Decision != nil {
			return *r.Decision, nil
		}
	}
	return d, nil
}

// edited is a plan that a person wrote in place of the one to be approved, checked and as content;
// empty where there is none.
func (e *Engine) edited(ctx context.Context, run string, p *chargehand.Plan) (string, []blob, error) {
	if p == nil {
		return "", nil, nil
	}
	digest, err := e.store.team(ctx, run)
	if err != nil {
		return "", nil, err
	}
	k, err := e.kits.load(ctx, digest)
	if err != nil {
		return "", nil, err
	}
	if problems := k.team.CheckPlan(p); len(problems) > 0 {
		return "", nil, &chargehand.Error{Code: chargehand.CodeInvalid, What: "the plan cannot be approved", Problems: problems}
	}
	body, err := json.Marshal(p)
	if err != nil {
		return "", nil, err
	}
	b, err := e.store.keep(body)
	return b.hash, []blob{b}, err
}

// Fleet is what is known of the workers now.
func (e *Engine) Fleet(ctx context.Context) ([]chargehand.WorkerStatus, error) {
	var out []chargehand.WorkerStatus
	err := e.ask(ctx, envelope{look: func() { out = e.loop.Fleet().Status() }})
	return out, err
}
