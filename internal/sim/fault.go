package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A Fault is a kind of trouble.
type Fault string

// The faults.
const (
	Crash     Fault = "crash"     // the process dies at any point, also while it recovers; a write fails
	Late      Fault = "late"      // a worker answers after its stop
	Duplicate Fault = "duplicate" // an answer comes again, with the same body or another
	Reorder   Fault = "reorder"   // answers overtake each other, and commits take long
	Garbage   Fault = "garbage"   // answers that are none: broken bytes, invalid plans, verdicts and references
	Stall     Fault = "stall"     // a worker hangs until it is stopped, or ignores its stop
	Lie       Fault = "lie"       // outputs that are wrong and sure of themselves, bills that are too low or too high
	Budget    Fault = "budget"    // ceilings that runs reach, in money or tokens
	Storm     Fault = "storm"     // workers crash in a row, are unwell, drained, changed, or do not come up
	People    Fault = "people"    // people decide late, twice, against each other, about something else; pause and cancel
	Clock     Fault = "clock"     // the wall clock is another when the process starts again
)

// AllFaults lists the faults.
var AllFaults = []Fault{Crash, Late, Duplicate, Reorder, Garbage, Stall, Lie, Budget, Storm, People, Clock}

// Faults are the faults that may happen, each with its weight; 1 is usual.
type Faults map[Fault]float64

// ParseFaults reads "crash,late=0.5"; "all" and the empty text are all of them, "none" is none.
func ParseFaults(text string) (Faults, error) {
	out := Faults{}
	for part := range strings.SplitSeq(text, ",") {
		name, rate, weighed := strings.Cut(strings.TrimSpace(part), "=")
		weight := 1.0
		if weighed {
			var err error
			if weight, err = strconv.ParseFloat(rate, 64); err != nil || !(weight >= 0) || weight > 1000 {
				return nil, fmt.Errorf("fault %q: the weight is a number from 0 to 1000", part)
			}
		}
		switch {
		case name == "none":
		case name == "all" || name == "":
			for _, f := range AllFaults {
				out[f] = weight
			}
		case slices.Contains(AllFaults, Fault(name)):
			out[Fault(name)] = weight
		default:
			return nil, fmt.Errorf("there is no fault %q: want %v, all or none", name, AllFaults)
		}
	}
	return out, nil
}

// String is what ParseFaults reads.
func (fs Faults) String() string {
	var parts []string
	for _, f := range AllFaults {
		switch weight := fs[f]; weight {
		case 0:
		case 1:
			parts = append(parts, string(f))
		default:
			parts = append(parts, fmt.Sprintf("%s=%g", f, weight))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// A fate decides what goes wrong in a world. Each world has a mind of its own: some faults it does
// not know at all, some it loves.
type fate struct {
	key    uint64 // of the world
	seed   uint64
	chance [numFaults]float64
	only   map[string]bool // the faults of a script, and no others; nil: as the dice say

	struck []string // the faults that happened, as a script names them
	counts [numFaults]int64
}

const numFaults = 11

func newFate(c *Case) *fate {
	f := &fate{seed: c.Seed, key: uint64(c.World)}
	if c.Script != nil {
		f.only = map[string]bool{}
		for _, s := range c.Script {
			f.only[s] = true
		}
	}
	for i, kind := range AllFaults {
		d := f.dice(spot{what: string(kind)})
		f.chance[i] = c.Faults[kind] * pick(d, 0, 0, 0.5, 1, 1, 2)
	}
	return f
}

// dice are those of a spot.
func (f *fate) dice(at spot) dice {
	return dice{rand.New(rand.NewPCG(f.seed, at.hash(f.key)))}
}

// strikes reports whether a fault happens at a spot, where it does so with the given probability
// in a usual world.
func (f *fate) strikes(kind Fault, probability float64, at spot) bool {
	i := slices.Index(AllFaults, kind)
	if f.only == nil {
		p := probability * f.chance[i]
		if p == 0 || float64(at.hash(f.seed*0x9e3779b97f4a7c15^f.key<<8^uint64(i))>>11)/(1<<53) >= p {
			return false
		}
	} else if !f.only[string(kind)+"@"+at.String()] {
		return false
	}
	f.counts[i]++
	f.struck = append(f.struck, string(kind)+"@"+at.String())
	return true
}
