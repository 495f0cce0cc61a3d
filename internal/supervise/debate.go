package supervise

import (
	"cmp"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// debate is the way of a task, whose output needs a person or says otherwise than an accepted one,
// through a second worker (SPEC.md ·69). Each output that it brings has passed the gate and the
// reviewer like any other. The zero debate is none.
//
//	round <= rounds, and no worker speaks for both sides
type debate struct {
	stage     stage
	rounds    int
	round     int        // under way, or the last
	sides     []position // two: odd rounds are the second's
	agreed    bool       // the sides say the same, as compared last
	differ    []string   // keys that they differ in
	confirmed string     // worker of the other side, where it says the same
	rivals    []rival    // accepted outputs that say otherwise than the first position
	why       string     // it was opened
}

// A stage is what a debate waits for.
type stage string

// The stages.
const (
	arguing   stage = "arguing"   // an attempt's output, which answers the other side's
	comparing stage = "comparing" // Compared
	choosing  stage = "choosing"  // JudgeAnswered, with the reviewer's choice
	settled   stage = "settled"
)

// A position is the last output of one side.
type position struct {
	attempt attempt // its number is zero where the side has none
	fit     bool    // the checks accept it by itself
	score   float64 // at which they do
}

func (d *debate) speaking() *position { return &d.sides[d.round%2] }
func (d *debate) opposed() *position  { return &d.sides[(d.round+1)%2] }

const (
	maxDiffer     = 12    // keys in one record
	findingsBytes = 2_000 // of a verdict, as an estimate
)

// contest takes in that an output needs a person, and reports whether it is, or was, a matter for
// a debate instead.
func (m *Machine) contest(now time.Time, k *task, t trouble, out *Output) bool {
	switch {
	case t.cause != chargehand.CauseAskedPerson && t.cause != chargehand.CauseLowConfidence:
		return false
	case k.debate.stage == arguing:
		m.takePosition(now, k, chargehand.PositionTaken{Why: clip(t.why, maxClause)}, out)
		return true
	case k.debate.stage != "" || k.synthesis || !m.team.Policy.Debates(k.spec):
		return false
	}
	if why := m.undebatable(k); why != "" {
		t.why += "; it is not debated: " + why
		m.reviewOutput(now, k, t, out)
		return true
	}
	m.openDebate(now, k, chargehand.DebateOpened{Cause: t.cause, Why: t.why}, out)
	return true
}

// openDebate takes an output as the first position, and asks for another.
func (m *Machine) openDebate(now time.Time, k *task, f chargehand.DebateOpened, out *Output) {
	d := &m.team.Policy.Debate
	f.AttemptRef, f.Why, f.Rounds = k.ref(), clip(f.Why, maxClause), d.MaxRounds()
	f.Adjudicate = cmp.Or(d.Adjudicate, chargehand.AdjudicateByPerson)
	m.record(now, f, out)
	m.askOther(now, k, out)
}

// undebatable is why nobody can be asked for a second position; empty if somebody can.
func (m *Machine) undebatable(k *task) string {
	avoid := []string{k.attempt.worker}
	switch {
	case m.attemptsLeft(k, nil) == 0:
		return "no attempt is left"
	case len(m.choose(k.spec, m.question(k, avoid)).Eligible) == 0:
		return "no second worker may do it"
	}
	return ""
}

// askOther has the other side answer: in the first round any worker but the one that spoke, later
// the one that spoke for it before.
func (m *Machine) askOther(now time.Time, k *task, out *Output) {
	f := chargehand.RetryPlanned{AttemptRef: k.nextRef(), Cause: chargehand.CauseContested, Reassign: true}
	if next := k.debate.opposed().attempt.worker; k.debate.round > 0 {
		f.Prefer = next
	} else {
		f.Avoid = []string{k.attempt.worker}
	}
	m.record(now, f, out)
}

// allowed leaves of a choice the workers that may speak for the side whose turn it is.
func (k *task) allowed(c route.Choice) route.Choice {
	d := &k.debate
	if d.stage != arguing {
		return c
	}
	speaks, opposes := d.speaking().attempt.worker, d.opposed().attempt.worker
	c.Eligible = slices.DeleteFunc(slices.Clone(c.Eligible), func(x chargehand.Candidate) bool {
		//rule:debate-opponent off=return speaks != "" && x.Worker != speaks
		return x.Worker == opposes || speaks != "" && x.Worker != speaks
	})
	return c
}

// argument is the other side's output and what the gate found of it, and accepted outputs that say
// otherwise, as data for an attempt that answers it.
func (k *task) argument() []chargehand.InputRef {
	if k.debate.stage != arguing {
		return nil
	}
	var refs []chargehand.InputRef
	show := func(name, hash string) {
		refs = append(refs, chargehand.InputRef{Hash: hash, Name: name, From: chargehand.FromDebate, MediaType: "application/json"})
	}
	a := &k.debate.opposed().attempt
	show("position", a.output)
	if a.ref != "" {
		show("findings", a.ref)
	}
	for _, r := range k.debate.rivals {
		show("dissent", r.output)
	}
	return refs
}

// shown is how many bytes of positions are read by who takes the next, or chooses.
func (d *debate) shown() int64 {
	switch d.stage {
	case arguing:
		n := int64(d.opposed().attempt.size) + findingsBytes
		for _, r := range d.rivals {
			n += int64(r.size)
		}
		return n
	case comparing, choosing:
		return int64(d.sides[0].attempt.size) + int64(d.sides[1].attempt.size) + 2*findingsBytes
	}
	return 0
}

// standsUp reports whether an output that the checks accept may win a debate: nothing in it is an
// error.
func standsUp(a *attempt) bool {
	return !slices.ContainsFunc(a.verdict.Issues, func(f chargehand.Finding) bool { return f.Severity == chargehand.SeverityError })
}

// takePosition lets a checked output stand for its side, and has both sides compared.
func (m *Machine) takePosition(now time.Time, k *task, f chargehand.PositionTaken, out *Output) {
	f.AttemptRef, f.Round = k.ref(), k.debate.round
	if f.Acceptable && !standsUp(&k.attempt) {
		f.Acceptable, f.Score, f.Why = false, 0, "there are errors in it"
	}
	m.record(now, f, out)
	out.begin(m.comparison(k))
}

func (m *Machine) comparison(k *task) Compare {
	d := &k.debate
	return Compare{
		AttemptRef: k.ref(), Contract: k.spec.OutputContract,
		First: d.opposed().attempt.output, Second: d.speaking().attempt.output,
	}
}

// compared takes in whether both sides say the same.
func (m *Machine) compared(now time.Time, in Compared, out *Output) {
	k := m.board.tasks[in.Subtask]
	if k == nil || k.debate.stage != comparing || k.number != in.Attempt {
		return
	}
	m.record(now, chargehand.PositionsCompared{
		AttemptRef: in.AttemptRef, Agree: in.Agree, Points: in.Points, Differ: clipAll(in.Differ, maxDiffer, maxToken),
	}, out)
	d := &k.debate
	next := m.team.Worker(d.opposed().attempt.worker)
	switch {
	case in.Agree:
		m.agree(now, k, out)
	//rule:debate-rounds off=m.attemptsLeft(k, next) > 0
	case d.round < d.rounds && m.attemptsLeft(k, next) > 0:
		m.askOther(now, k, out)
	default:
		m.adjudicate(now, k, out)
	}
}

// agree accepts the better of two outputs that say the same, if the checks accept it by itself.
func (m *Machine) agree(now time.Time, k *task, out *Output) {
	d := &k.debate
	win := d.leading()
	//rule:debate-winner
	if !d.sides[win].fit {
		m.leaveToPerson(now, k, d.both()+" agree, and the checks let neither be used without a person", out)
		return
	}
	m.settleFor(now, k, win, chargehand.DebateSettled{
		Why: d.both() + " agree", ConfirmedBy: d.sides[1-win].attempt.worker,
	}, out)
}

// leading is the side that is ahead: what may be used before what may not, then the higher score
// of the gate, then the earlier.
func (d *debate) leading() int {
	a, b := &d.sides[0], &d.sides[1]
	switch {
	case b.attempt.number == 0:
		return 0
	case a.fit != b.fit:
		if b.fit {
			return 1
		}
		return 0
	case b.attempt.gate > a.attempt.gate, b.attempt.gate == a.attempt.gate && b.attempt.number < a.attempt.number:
		return 1
	}
	return 0
}

// both names the sides' workers.
func (d *debate) both() string {
	return d.sides[0].attempt.worker + " and " + d.sides[1].attempt.worker
}

// disagreement is a sentence on what the sides differ in.
func (d *debate) disagreement() string {
	text := d.both() + " disagree"
	for i, key := range first(d.differ, 3) {
		text += map[bool]string{true: " on ", false: ", "}[i == 0] + key
	}
	return text
}

// adjudicate decides between sides that disagree to the end, as the policy says.
func (m *Machine) adjudicate(now time.Time, k *task, out *Output) {
	d := &k.debate
	lead := d.leading()
	switch by := m.team.Policy.Debate.Adjudicate; {
	case !d.sides[lead].fit:
		m.leaveToPerson(now, k, d.disagreement()+", and the checks let neither be used without a person", out)
	case by == chargehand.AdjudicateByRules:
		m.followRules(now, k, out)
	case by == chargehand.AdjudicateByJudge:
		m.askChoice(now, k, out)
	default:
		m.leaveToPerson(now, k, d.disagreement(), out)
	}
}

// followRules decides between sides of which one may be used: for the one that alone contradicts no
// accepted output, and where there is none for the strictly higher score of the gate.
func (m *Machine) followRules(now time.Time, k *task, out *Output) {
	d := &k.debate
	lead, side := d.leading(), m.consistent(d)
	higher := d.sides[lead].attempt.gate > d.sides[1-lead].attempt.gate
	f := chargehand.DebateSettled{By: chargehand.AdjudicateByRules}
	switch {
	case side >= 0:
		f.Why = d.disagreement() + ", and only " + d.sides[side].attempt.worker + " contradicts no accepted output"
		m.settleFor(now, k, side, f, out)
	case higher:
		f.Why = d.disagreement() + ", and the gate's score of " + d.sides[lead].attempt.worker + " is higher"
		m.settleFor(now, k, lead, f, out)
	default:
		m.leaveToPerson(now, k, d.disagreement()+", and the scores settle nothing", out)
	}
}

// askChoice has the reviewer choose, where the money reaches.
func (m *Machine) askChoice(now time.Time, k *task, out *Output) {
	price := m.check(k.debate.shown())
	if !m.ledger.fits(forJudge(k.ref()), price) {
		m.leaveToPerson(now, k, k.debate.disagreement()+", and there is no money for the reviewer to choose: "+m.ledger.shortage(price), out)
		return
	}
	m.record(now, chargehand.JudgeAsked{
		AttemptRef: k.ref(), Times: k.attempt.judgings + 1, Reserved: price.usd, Tokens: price.tokens, Debate: true,
	}, out)
	out.begin(m.judge(k))
}

// shownPositions are the sides as the reviewer is shown them: without names.
func (d *debate) shownPositions() []Shown {
	if d.stage != choosing {
		return nil
	}
	return []Shown{{d.sides[0].attempt.output, d.sides[0].attempt.ref}, {d.sides[1].attempt.output, d.sides[1].attempt.ref}}
}

// chosen takes the reviewer's choice in. Whatever is none leaves it to a person, and so does one
// that the checks do not accept by itself.
func (m *Machine) chosen(now time.Time, k *task, in JudgeAnswered, u chargehand.Usage, out *Output) {
	v := &in.Verdict
	why := in.Err
	if why == "" {
		why = malformed(v)
	}
	if why == "" && v.Recommendation == chargehand.Accept && v.Choice != 1 && v.Choice != 2 {
		why = "it accepts neither of the two positions"
	}
	if why != "" {
		m.record(now, chargehand.JudgeFailed{AttemptRef: in.AttemptRef, Times: in.Times, Message: clip(why, maxText), Usage: u}, out)
	} else {
		m.record(now, chargehand.Judged{AttemptRef: in.AttemptRef, Verdict: brief(*v), Usage: u, Debate: true}, out)
	}
	d := &k.debate
	switch {
	case k.state != chargehand.SubtaskValidating: // the run has ended it
	case why != "":
		m.leaveToPerson(now, k, d.disagreement()+", and the reviewer made no choice: "+clip(why, maxClause), out)
	case v.Recommendation != chargehand.Accept:
		m.leaveToPerson(now, k, d.disagreement()+", and the reviewer asks for a person: "+summary(v), out)
	case !d.sides[v.Choice-1].fit:
		m.leaveToPerson(now, k, d.disagreement()+", and the reviewer chose what the checks do not accept", out)
	default:
		worker := d.sides[v.Choice-1].attempt.worker
		m.settleFor(now, k, v.Choice-1, chargehand.DebateSettled{
			By: chargehand.AdjudicateByJudge, Why: d.disagreement() + ", and the reviewer chose " + worker,
		}, out)
	}
}

// settleFor accepts one side's output.
func (m *Machine) settleFor(now time.Time, k *task, side int, f chargehand.DebateSettled, out *Output) {
	p := k.debate.sides[side]
	m.settleDebate(now, k, side, f, out)
	m.accept(now, k, p.score, out)
}

// breakOff ends a debate in which the next answer does not come. What the checks accept and nobody
// has answered is used, as if nobody could have been asked; else a person sees what there is.
func (m *Machine) breakOff(now time.Time, k *task, why string, out *Output) {
	d := &k.debate
	//rule:debate-unanswered off=d.sides[1].attempt.number == 0
	if d.sides[0].fit && d.sides[1].attempt.number == 0 {
		m.settleFor(now, k, 0, chargehand.DebateSettled{Why: why + "; " + d.sides[0].attempt.worker + " stands, as the checks accept it"}, out)
		return
	}
	m.leaveToPerson(now, k, why, out)
}

// leaveToPerson ends a debate without an output that may be used. A person sees both sides.
func (m *Machine) leaveToPerson(now time.Time, k *task, why string, out *Output) {
	m.settleDebate(now, k, k.debate.leading(), chargehand.DebateSettled{By: chargehand.AdjudicateByPerson, Why: why}, out)
	m.reviewOutput(now, k, trouble{cause: chargehand.CauseContested, why: why}, out)
}

func (m *Machine) settleDebate(now time.Time, k *task, side int, f chargehand.DebateSettled, out *Output) {
	d := &k.debate
	f.AttemptRef = chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: d.sides[side].attempt.number}
	f.OtherAttempt, f.Why = d.sides[1-side].attempt.number, clip(f.Why, maxText)
	m.record(now, f, out)
}

// positions are both sides as a person is shown them, the leading one first.
func (d *debate) positions() []chargehand.Position {
	if d.stage != settled {
		return nil
	}
	lead := d.leading()
	var out []chargehand.Position
	for _, p := range []*position{&d.sides[lead], &d.sides[1-lead]} {
		if a := &p.attempt; a.number > 0 {
			out = append(out, chargehand.Position{
				Attempt: a.number, Worker: a.worker, OutputRef: a.output, VerdictRef: a.ref, GateScore: a.gate,
				Recommendation: a.verdict.Recommendation, Acceptable: p.fit,
			})
		}
	}
	return out
}

// dissent is what the other side says, and what was accepted before, as findings on the leading one.
func (d *debate) dissent() []chargehand.Finding {
	var out []chargehand.Finding
	if list := d.positions(); len(list) == 2 {
		out = append(out, d.objection(list))
	}
	if len(d.rivals) > 0 {
		a := &d.sides[0].attempt
		out = append(out, briefFinding(chargehand.Finding{
			ID: "d2", Layer: chargehand.LayerConsistency, Rule: "conflict", Severity: chargehand.SeverityReview,
			Message: "it is debated what " + a.worker + " said: " + d.why, Source: &chargehand.Passage{Document: d.rivals[0].output},
		}))
	}
	return out
}

// objection is what the other side says of two positions.
func (d *debate) objection(list []chargehand.Position) chargehand.Finding {
	f := chargehand.Finding{
		ID: "d1", Layer: chargehand.LayerConsistency, Rule: "debate", Severity: chargehand.SeverityReview,
		Message: list[1].Worker + " says otherwise in attempt " + itoa(list[1].Attempt), Source: &chargehand.Passage{Document: list[1].OutputRef},
	}
	if d.agreed {
		f.Message, f.Severity = list[1].Worker+" says the same in attempt "+itoa(list[1].Attempt), chargehand.SeverityWarning
	}
	for i, key := range first(d.differ, 5) {
		f.Message += map[bool]string{true: ": ", false: ", "}[i == 0] + key
	}
	return briefFinding(f)
}

func (m *Machine) applyDebate(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.DebateOpened:
		k := m.board.tasks[f.Subtask]
		k.debate = debate{
			stage: arguing, rounds: f.Rounds, why: f.Why,
			sides: []position{{k.attempt, f.Acceptable, f.Score}, {}},
		}
		for _, id := range f.Against {
			a := &m.board.tasks[id].attempt
			k.debate.rivals = append(k.debate.rivals, rival{a.output, a.size})
		}
	case chargehand.PositionTaken:
		k := m.board.tasks[f.Subtask]
		k.debate.stage = comparing
		*k.debate.speaking() = position{k.attempt, f.Acceptable, f.Score}
		m.board.comparing++
		m.board.wantJudge(k, false)
	case chargehand.PositionsCompared:
		k := m.board.tasks[f.Subtask]
		k.debate.agreed, k.debate.differ = f.Agree, f.Differ
		m.board.endComparison(k, choosing)
	case chargehand.DebateSettled:
		k := m.board.tasks[f.Subtask]
		if k.state == chargehand.SubtaskQueued { // that attempt never was
			k.number--
		}
		d := &k.debate
		d.stage, d.confirmed = settled, f.ConfirmedBy
		for _, p := range d.sides {
			if p.attempt.number == f.Attempt {
				k.attempt = p.attempt
			}
		}
	}
}

// endComparison takes a comparison off those under way.
func (b *board) endComparison(k *task, next stage) {
	if k.debate.stage == comparing {
		b.comparing--
		k.debate.stage = next
	}
}
