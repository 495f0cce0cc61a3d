package sim

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/mutant"
)

// A rule is a marked statement of the machines that the simulator must miss: "//rule:NAME", or
// "//guard:NAME" where the rule is a promise to the user too.
type rule struct {
	name   string
	breaks string // the invariants; one of them must fail without it
	runs   int
}

var rules = []rule{
	{"capacity", "capacity", 300},
	{"slot-until-stopped", "capacity fleet-conservation", 300},
	{"lease-returned", "fleet-conservation", 300},
	{"tenant-share", "fair-share", 6_000},
	{"epoch", "fencing capacity", 1_000},
	{"gate-rejection", "output-before-verdict", 300},
	{"own-confidence", "output-before-verdict", 3_000},
	{"ceiling", "ledger", 300},
	{"failure-threshold", "threshold", 1_000},
	{"nonce", "principal", 3_000},
	{"content-hash", "principal", 3_000},
	{"unknown-outcome", "no-blind-retry", 500},
	{"no-blind-retry", "no-blind-retry", 3_000},
	{"review-timer", "lost-review every-run-ends", 500},
	{"reviews-closed", "lost-review", 1_000},
	{"attempts-counted", "attempt-limit every-run-ends", 500},
	{"unplanned-end", "every-run-ends", 1_000},
	{"stopping-number", "capacity fleet-conservation ledger", 100_000},
	{"hold", "effect-after-record", 20_000},
	{"fold-told", "capacity fleet-conservation every-run-ends effect-after-record", 6_000},
	{"top-up-ceiling", "ledger", 300},
	{"top-up-held", "ledger", 1_000},
	{"top-up-denied", "ledger", 1_000},
	{"overbilled-named", "ledger", 300},
	{"debate-winner", "debate output-before-verdict", 6_000},
	{"debate-opponent", "debate", 20_000},
	{"debate-rounds", "debate", 3_000},
	{"debate-conflict", "debate", 3_000},
	{"debate-contradiction", "debate", 6_000},
	{"debate-unanswered", "debate output-before-verdict", 6_000},
	{"crash-ceiling", "ledger", 3_000},
	{"shortfall-said", "known-shortfall", 300},
	{"pause-time", "paused-stands-still", 300},
}

var mutants = flag.Int("mutants", 4, "how many rules are switched off, one at a time; 0 means all")

// The simulator misses every rule: some invariant fails without it.
func TestEveryRuleIsMissed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the simulator with a switch at each rule")
	}
	list := rules
	if *mutants > 0 {
		list = list[:*mutants]
	}
	program := switched(t)
	for _, r := range list {
		t.Run(r.name, func(t *testing.T) {
			said := r.simulate(t, program)
			if said.Failure == nil {
				t.Fatalf("%d runs notice nothing", said.Runs)
			}
			if !strings.Contains(r.breaks, said.Failure.Invariant) {
				t.Errorf("want one of %s to fail, not %s: %s", r.breaks, said.Failure.Invariant, said.Failure.What)
			}
			t.Logf("%s: %s", said.Failure.Invariant, said.Failure.Smaller)
		})
	}
}

// switched builds the simulating program with a switch at every rule.
func switched(t *testing.T) string {
	t.Helper()
	root, dir := root(t), t.TempDir()
	overlay, err := mutant.Overlay(root, dir, marks(t, root))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "mutant")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", program, "./internal/sim/testdata/mutant")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

type verdict struct {
	Runs    int
	Failure *struct{ Invariant, What, Smaller string }
}

// simulate runs the program with the rule switched off.
func (r rule) simulate(t *testing.T, program string) verdict {
	t.Helper()
	run := exec.CommandContext(t.Context(), program, "-runs", strconv.Itoa(r.runs))
	run.Env = append(os.Environ(), mutant.Env+"="+r.name)
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var v verdict
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// marks are the marked statements of the rules. Every rule has one, and every mark is of a rule.
func marks(t *testing.T, root string) []mutant.Mark {
	t.Helper()
	found, _, err := mutant.Find(root, "rule")
	if err != nil {
		t.Fatal(err)
	}
	guards, _, err := mutant.Find(root, "guard")
	if err != nil {
		t.Fatal(err)
	}
	at := map[string][]mutant.Mark{}
	for _, m := range found {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.name == m.Name }) {
			t.Fatalf("%s marks the rule %s, which the table of rules does not know", m.At(), m.Name)
		}
		at[m.Name] = append(at[m.Name], m)
	}
	for _, m := range guards {
		at[m.Name] = append(at[m.Name], m)
	}
	var out []mutant.Mark
	for _, r := range rules {
		if n := len(at[r.name]); n != 1 {
			t.Fatalf("the rule %s has %d marked statements, and should have one: write //rule:%s above it", r.name, n, r.name)
		}
		out = append(out, at[r.name][0])
	}
	return out
}

func TestEveryRuleIsMarked(t *testing.T) { marks(t, root(t)) }
