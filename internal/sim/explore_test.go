package sim

import (
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sim/law"
)

// Every order of events of the small configurations is gone through, as deep as the time of a test
// allows; the command goes deeper.
func TestEveryOrderOfEvents(t *testing.T) {
	depth := 5
	if testing.Short() {
		depth = 4
	}
	for _, s := range Scenes() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got, err := Explore(s, depth)
			if err != nil {
				t.Fatal(err)
			}
			if got.Breach != nil {
				t.Fatalf("%s\nafter %q", got.Breach, got.Path)
			}
			if got.States < 20 || got.Transitions < got.States-1 {
				t.Errorf("%d states by %d transitions: it is not gone through", got.States, got.Transitions)
			}
			t.Logf("%d states, %d transitions, depth %d, the whole: %t", got.States, got.Transitions, got.Depth, got.Whole)
		})
	}
}

// A path is the same state however often it is walked, and another path is another.
func TestAPathIsAState(t *testing.T) {
	x := explorer{scene: Scenes()[0], insp: inspect(t), seen: map[uint64]bool{}}
	one := []string{"plan 1", "work s1/1 well", "work s2/1 badly"}
	if first, second := x.walk(one).digest(), x.walk(one).digest(); first != second {
		t.Error("one path, two states")
	}
	if x.walk(one[:2]).digest() == x.walk([]string{"plan 1", "work s2/1 well"}).digest() {
		t.Error("two paths, one state")
	}
}

// A breach is told with the path to it.
func TestABreachHasItsPath(t *testing.T) {
	s := Scenes()[0]
	s.plan.Subtasks = append(s.plan.Subtasks, chargehand.Subtask{ID: "s3", Goal: "do", Capability: "x"})
	s.team.Workers[0].AverageLatencyMS, s.team.Workers[1].AverageLatencyMS = 0, 0
	x := explorer{scene: s, insp: inspect(t), seen: map[uint64]bool{}}
	at := x.walk([]string{"plan 1"})
	at.law.Fails(law.Ends, sceneRun, "made up")
	if b := at.law.Took(law.Turn{}); b == nil || b.Invariant != law.Ends {
		t.Errorf("got %v", b)
	}
}

func TestDigestsTellStatesApart(t *testing.T) {
	type pair struct {
		a map[string]int
		b *int
	}
	n, m := 1, 1
	same := digest(pair{map[string]int{"x": 1, "y": 2}, &n}, start)
	if digest(pair{map[string]int{"y": 2, "x": 1}, &m}, start) != same {
		t.Error("the order of a map, or where a number lies, tells states apart")
	}
	for i, other := range []uint64{
		digest(pair{map[string]int{"x": 2, "y": 1}, &n}, start),
		digest(pair{map[string]int{"x": 1, "y": 2}, nil}, start),
		digest(pair{map[string]int{"x": 1, "y": 2}, &n}, start.Add(time.Microsecond)),
		digest([]string{"a", "b"}), digest([]string{"ab"}),
	} {
		if other == same {
			t.Errorf("state %d is taken for another", i)
		}
	}
}
