package sim

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A mutation is a rule of the machines taken away.
type mutation struct {
	name     string
	file     string
	old, new string
	breaks   string // the invariants of which one must fail
	runs     int
}

// mutations are rules whose absence the simulator must notice.
var mutations = []mutation{
	{
		"a worker's slots are not counted", "internal/fleet/instance.go",
		`if !w.up(in) || in.active >= w.Slots {`, `if !w.up(in) {`,
		"capacity", 300,
	},
	{
		"a slot is given back when a stop is asked for, not when it is confirmed", "internal/supervise/attempt.go",
		"	out.begin(Stop{ref, epoch})\n", "	out.begin(Stop{ref, epoch})\n	out.give(epoch, chargehand.OutcomeLate)\n",
		"capacity fleet-conservation", 300,
	},
	{
		"a lease is not given back with the output", "internal/supervise/attempt.go",
		"	out.give(in.Epoch, chargehand.OutcomeFine)\n", "",
		"fleet-conservation", 300,
	},
	{
		"no tenant's share is kept", "internal/fleet/dispatch.go",
		`	if a.over != b.over {`, `	if false {`,
		"fair-share", 6_000,
	},
	{
		"an answer of another epoch counts", "internal/supervise/attempt.go",
		`k.number != ref.Attempt || k.attempt.epoch != epoch {`, `k.number != ref.Attempt {`,
		"fencing capacity", 1_000,
	},
	{
		"an output counts without the gate's word", "internal/supervise/verdict.go",
		"	case v.Recommendation == chargehand.Reject:\n", "	case false:\n",
		"output-before-verdict", 300,
	},
	{
		"a worker's word raises its score", "internal/supervise/verdict.go",
		`	if own != nil && *own >= 0 && *own < score {`, `	if own != nil {`,
		"output-before-verdict", 3_000,
	},
	{
		"money is not reserved", "internal/supervise/ledger.go",
		`	return (l.ceiling.USD == 0 || usd <= l.ceiling.USD) && (l.ceiling.Tokens == 0 || tokens <= l.ceiling.Tokens)`,
		`	return usd >= 0 && tokens >= 0`,
		"ledger", 300,
	},
	{
		"one failure more than the policy bears", "internal/supervise/board.go",
		`failed >= limit:`, `failed > limit:`,
		"threshold", 1_000,
	},
	{
		"a nonce is not asked for", "internal/supervise/desk.go",
		`	case in.Nonce != r.Nonce:`, `	case false:`,
		"principal", 3_000,
	},
	{
		"a decision may name other content", "internal/supervise/desk.go",
		`	case in.ContentHash != r.ContentHash:`, `	case false:`,
		"principal", 3_000,
	},
	{
		"a write whose outcome nobody knows is tried again", "internal/supervise/recover.go",
		`if t.hidesOutcome() && !k.spec.Effect.Reads() {`, `if false {`,
		"no-blind-retry", 500,
	},
	{
		"a write is pursued again after a crash", "internal/supervise/resume.go",
		`	return k.spec.Effect.Reads() || w != nil && w.Idempotent`, `	return k != nil && w != nil`,
		"no-blind-retry", 3_000,
	},
	{
		"reviews do not fall due", "internal/supervise/desk.go",
		"		m.timers.add(timer{at: r.Deadline, review: r.ID, seq: m.seq})\n", "",
		"lost-review every-run-ends", 500,
	},
	{
		"reviews are left open at the end", "internal/supervise/conclude.go",
		"	m.closeReviews(now, \"the run ended without waiting for it\", out)\n", "",
		"lost-review", 1_000,
	},
	{
		"attempts are not limited", "internal/supervise/recover.go",
		`	case s.left == 0 && r.countsAttempts:`, `	case false:`,
		"attempt-limit every-run-ends", 500,
	},
	{
		"a run that may not even be planned is left standing", "internal/supervise/run.go",
		"	m.advance(now, out) // the budget may not even cover a plan\n", "",
		"every-run-ends", 1_000,
	},
	{
		"a stopping attempt lets go by its epoch alone", "internal/supervise/attempt.go",
		"		if k.stopping[i].number == number && k.stopping[i].epoch == epoch {\n			return", "		if k.stopping[i].epoch == epoch {\n			return",
		"capacity fleet-conservation ledger", 100_000,
	},
	{
		"workers are given on hold", "internal/turn/turn.go",
		`!ask || !t.loop.Hold {`, `!ask || ask {`,
		"effect-after-record", 20_000,
	},
	{
		"a fold is told of behind what came in", "internal/turn/turn.go",
		"	first := l.first\n	l.first = nil\n", "	first := l.first\n	l.first = nil\n	defer func() {\n		for _, e := range first {\n			t.take(e)\n		}\n	}()\n	first = nil\n",
		"capacity fleet-conservation every-run-ends effect-after-record", 6_000,
	},
	{
		"a top-up is not held against the ceiling", "internal/supervise/topup.go",
		`	case !l.fits(key, want):`, `	case false:`,
		"ledger", 300,
	},
	{
		"a top-up is granted and not reserved", "internal/supervise/ledger.go",
		"		l.hold(holding(f.For, f.AttemptRef), amount{f.Reserved, f.Tokens})\n", "		_ = f\n",
		"ledger", 1_000,
	},
	{
		"a denied top-up is told to be granted", "internal/supervise/topup.go",
		"Why: why}, out)\n		out.Refusal = m.uncovered(why)\n", "Why: why}, out)\n",
		"ledger", 1_000,
	},
	{
		"a bill above its reservation is not named", "internal/supervise/machine.go",
		`	if over != nil {`, `	if false {`,
		"ledger", 300,
	},
	{
		"a debate is won by what the checks do not accept", "internal/supervise/debate.go",
		`	if !d.sides[win].fit {`, `	if false {`,
		"debate output-before-verdict", 6_000,
	},
	{
		"a worker argues against itself", "internal/supervise/debate.go",
		`return x.Worker == opposes || speaks`, `return x.Worker == opposes && false || speaks`,
		"debate", 20_000,
	},
	{
		"a debate has no last round", "internal/supervise/debate.go",
		`case d.round < d.rounds && m.attemptsLeft(k, next) > 0:`, `case m.attemptsLeft(k, next) > 0:`,
		"debate", 3_000,
	},
	{
		"what contradicts an accepted output is accepted without a word", "internal/supervise/conflict.go",
		`	if len(list) == 0 {`, `	if len(list) >= 0 {`,
		"debate", 3_000,
	},
	{
		"the rules choose the side that contradicts", "internal/supervise/conflict.go",
		`	return slices.Index(clear[:], true)`, `	return slices.Index(clear[:], false)`,
		"debate", 6_000,
	},
	{
		"what nobody answers is used, whatever the checks say", "internal/supervise/debate.go",
		`	if d.sides[0].fit && d.sides[1].attempt.number == 0 {`, `	if d.sides[1].attempt.number == 0 {`,
		"debate output-before-verdict", 6_000,
	},
	{
		"what a crash hides is not counted", "internal/supervise/resume.go",
		`	return f, m.ledger.fits("", need)`, `	return f, true`,
		"ledger", 3_000,
	},
}

var mutants = flag.Int("mutants", 4, "how many rules are taken away, one at a time; 0 means all")

// A rule that is taken away is missed: some invariant does not hold any more.
func TestEveryRuleIsMissed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the simulator once for each rule")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := mutations
	if *mutants > 0 {
		list = list[:*mutants]
	}
	for _, m := range list {
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
			said := m.simulate(t, root)
			if said.Failure == nil {
				t.Fatalf("%d runs notice nothing", said.Runs)
			}
			if !strings.Contains(m.breaks, said.Failure.Invariant) {
				t.Errorf("want one of %s to fail, not %s: %s", m.breaks, said.Failure.Invariant, said.Failure.What)
			}
			t.Logf("%s: %s", said.Failure.Invariant, said.Failure.Smaller)
		})
	}
}

type verdict struct {
	Runs    int
	Failure *struct{ Invariant, What, Smaller string }
}

// simulate builds the program without the rule, and has it simulate.
func (m mutation) simulate(t *testing.T, root string) verdict {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(root, m.file)
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		t.Fatalf("%s holds the rule %d times: %s", m.file, n, m.old)
	}
	broken := filepath.Join(dir, "broken.go")
	if err := os.WriteFile(broken, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "mutant")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", file, "-o", program, "./internal/sim/testdata/mutant")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, "-runs", strconv.Itoa(m.runs)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var v verdict
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
