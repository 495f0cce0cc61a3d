package fleet

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// epoch0 is 0s in the scripts.
var epoch0 = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// TestScripts runs each script in testdata on one machine. A block is input lines, "----", and
// what came of them; a line may begin with the time. The scripts are the machine's specification.
//
//guard:capacity
//guard:tenant-share
//guard:breaker
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := newScript(t).run(string(src))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(src), got); d != "" {
				t.Errorf("%s (-want +got):\n%s", file, d)
			}
		})
	}
}

type script struct {
	t       *testing.T
	m       *Machine
	now     time.Time
	records []chargehand.Record
}

func newScript(t *testing.T) *script { return &script{t: t, m: New(), now: epoch0} }

// run plays the script and gives it back with the outputs that came.
func (s *script) run(src string) string {
	var b strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(src), "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		in, _, play := strings.Cut(block, "\n----")
		b.WriteString(in + "\n")
		if !play {
			continue
		}
		b.WriteString("----\n")
		for _, line := range strings.Split(in, "\n") {
			if !strings.HasPrefix(line, "#") {
				b.WriteString(s.line(line))
			}
		}
		fmt.Fprintf(&b, "wake %s\n", moment(s.m.Wake()))
	}
	return b.String()
}

// line plays one input line.
func (s *script) line(line string) string {
	words := strings.Fields(line)
	if d, err := time.ParseDuration(words[0]); err == nil {
		s.now, words = epoch0.Add(d), words[1:]
	}
	verb, args := words[0], words[1:]
	switch verb {
	case "restart":
		s.m = Restore(s.records)
		return ""
	case "rebase":
		return s.took(s.m.Rebase(s.now))
	case "status":
		return s.status()
	case "leases":
		var b strings.Builder
		for _, l := range s.m.Leases() {
			fmt.Fprintf(&b, "open %d %s on %s\n", l.Epoch, attempt(l.Run, l.AttemptRef), l.Instance)
		}
		return b.String()
	}
	times := 1
	if verb == "times" {
		times, verb, args = s.number(args[0]), args[1], args[2:]
	}
	var b strings.Builder
	for i := range times {
		b.WriteString(s.took(s.m.Step(s.now, s.input(verb, args, i))))
	}
	return b.String()
}

// took keeps what came, and answers offers as runs do in the same turn: a run called poor does not pay.
func (s *script) took(out Output) string {
	s.records = append(s.records, out.Records...)
	text := outputLines(out)
	for _, o := range out.Offers {
		pays := !strings.HasPrefix(o.Run, "poor")
		text += fmt.Sprintf("offer %s to %s $%s, pays %t\n", o.Worker, attempt(o.Run, o.AttemptRef), o.EstimateUSD, pays)
		text += s.took(s.m.Step(s.now, Fund{o.Run, o.AttemptRef, o.Worker, pays}))
	}
	return text
}

func (s *script) status() string {
	var b strings.Builder
	for _, w := range s.m.Status() {
		fmt.Fprintf(&b, "%s %d/%d on %d, %d queued, breaker %s, healthy %t, drained %t, %d calls, %d failed, %d ms %q\n",
			w.Worker, w.Active, w.Slots, w.Instances, w.Queued, w.Breaker, w.Healthy, w.Drained, w.Calls, w.Failures,
			w.AverageMS, w.Alerts)
	}
	return b.String()
}

func (s *script) input(verb string, args []string, i int) Input {
	rest := func(n int) string { return strings.Join(args[min(n, len(args)):], " ") }
	switch verb {
	case "register":
		return Register{Workers: s.workers(rest(0))}
	case "ask":
		return s.ask(args, i)
	case "withdraw":
		run, ref := s.attempt(args[0], i)
		return Withdraw{run, ref}
	case "return":
		return Return{int64(s.number(args[0]) + i), chargehand.Outcome(args[1])}
	case "reconcile":
		return s.reconcile(args)
	case "healthy":
		return Healthy{Worker: args[0], OK: true}
	case "unhealthy":
		return Healthy{Worker: args[0], Why: rest(1)}
	case "spawned":
		return Spawned{args[0], args[1], rest(2)}
	case "drain", "undrain":
		return Drain{args[0], verb == "drain", args[1], rest(2)}
	case "stepped":
		off, err := time.ParseDuration(args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		return Stepped{off}
	case "tick":
		return Tick{}
	}
	s.t.Fatalf("no such input: %s", verb)
	return nil
}

func (s *script) number(w string) int {
	n, err := strconv.Atoi(w)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// attempt reads run/subtask/attempt; with times, the i-th has i added to its subtask's number.
func (s *script) attempt(w string, i int) (string, chargehand.AttemptRef) {
	p := strings.Split(w, "/")
	if len(p) != 3 {
		s.t.Fatalf("want run/subtask/attempt, not %s", w)
	}
	n := s.number(strings.TrimLeft(p[1], "abcdefghijklmnopqrstuvwxyz")) + i
	return p[0], chargehand.AttemptRef{Subtask: strings.TrimRight(p[1], "0123456789") + strconv.Itoa(n), Attempt: s.number(p[2])}
}

func (s *script) reconcile(args []string) Input {
	var in Reconcile
	for _, a := range args {
		epoch, name, _ := strings.Cut(a, "=")
		run, ref := s.attempt(name, 0)
		in.Held = append(in.Held, Holding{int64(s.number(epoch)), run, ref})
	}
	return in
}

// workers reads "a slots=2 latency=1s, b max=3".
func (s *script) workers(text string) []chargehand.FleetWorker {
	var list []chargehand.FleetWorker
	for _, spec := range strings.Split(text, ",") {
		words := strings.Fields(spec)
		w := chargehand.FleetWorker{Worker: words[0]}
		for _, word := range words[1:] {
			k, v, _ := strings.Cut(word, "=")
			s.setWorker(&w, k, v)
		}
		list = append(list, w)
	}
	return list
}

func (s *script) setWorker(w *chargehand.FleetWorker, k, v string) {
	spawn := func() *chargehand.Spawn {
		if w.Spawn == nil {
			w.Spawn = &chargehand.Spawn{}
		}
		return w.Spawn
	}
	switch k {
	case "slots":
		w.Slots = s.number(v)
	case "min":
		w.Min = s.number(v)
	case "max":
		w.Max = s.number(v)
	case "identity":
		w.Identity = v
	case "latency":
		w.LatencyMS = int(s.duration(v).Milliseconds())
	case "health":
		w.Health = v
	case "spawn":
		spawn().Max = s.number(v)
	case "estimate":
		spawn().EstimateUSD = s.money(v)
	case "idle":
		spawn().IdleTimeout = chargehand.Duration(s.duration(v))
	default:
		s.t.Fatalf("no such setting: %s", k)
	}
}

// ask reads "r1/s1/1 a b@1 c:2$0.05 tenant=x": candidates with rank, tier and cost, then settings.
func (s *script) ask(args []string, i int) Input {
	in := Ask{SpawnUpTo: -1, RunStarted: epoch0}
	in.Run, in.AttemptRef = s.attempt(args[0], i)
	for _, word := range args[1:] {
		if k, v, ok := strings.Cut(word, "="); ok {
			s.setAsk(&in, k, v)
			continue
		}
		in.Candidates = append(in.Candidates, s.candidate(word))
	}
	return in
}

func (s *script) candidate(word string) chargehand.Candidate {
	word, cost, _ := strings.Cut(word, "$")
	word, tier, _ := strings.Cut(word, ":")
	name, rank, _ := strings.Cut(word, "@")
	c := chargehand.Candidate{Worker: name}
	if cost != "" {
		c.CostUSD = s.money(cost)
	}
	if tier != "" {
		c.Tier = s.number(tier)
	}
	if rank != "" {
		c.Rank = s.number(rank)
	}
	return c
}

func (s *script) setAsk(in *Ask, k, v string) {
	switch k {
	case "route":
		in.Strategy = chargehand.Strategy(v)
	case "order":
		in.Order = chargehand.QueueOrder(v)
	case "priority":
		in.Priority = s.number(v)
	case "deadline":
		in.Deadline = epoch0.Add(s.duration(v))
	case "timeout":
		in.Timeout = s.duration(v)
	case "started":
		in.RunStarted = epoch0.Add(s.duration(v))
	case "tenant":
		in.Tenant = v
	case "spawn":
		in.SpawnUpTo = s.money(v)
	default:
		s.t.Fatalf("no such setting: %s", k)
	}
}

func (s *script) duration(v string) time.Duration {
	d, err := time.ParseDuration(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *script) money(v string) chargehand.Micros {
	m, err := chargehand.ParseMicros(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}
