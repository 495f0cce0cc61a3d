package sim

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// A Case is one world to simulate, and all that decides how it goes. The same Case gives the same
// journal, byte for byte.
type Case struct {
	Seed     uint64
	World    int      // a world is numbered by the first of its runs
	Faults   Faults   // what may go wrong
	Runs     []int    // of its runs, those to have; nil: all
	Subtasks int      // of a run's plan at most; zero: no limit
	Script   []string // the faults that happen, and no others; nil: as the dice say
	Team     *Team    // nil: teams are drawn

	Story io.Writer // told what happens; nil: nobody is
}

// A Team is the user's own.
type Team struct {
	Path string
	chargehand.Team
}

// sizes are how many runs share a fleet, over and over.
var sizes = [...]int{1, 2, 3, 2}

const perRound = 1 + 2 + 3 + 2

// World is the world of a run, and how many runs are in it.
func World(run int) (world, size int) {
	round := (run - 1) / perRound * perRound
	first := round + 1
	for _, n := range sizes {
		if run < first+n {
			return first, n
		}
		first += n
	}
	panic("sim: the sizes of a round are its runs")
}

// runs are the numbers of the runs in the case's world.
func (c *Case) runs() []int {
	if c.Runs != nil {
		return slices.Clone(c.Runs)
	}
	_, size := World(c.World)
	var out []int
	for i := range size {
		out = append(out, c.World+i)
	}
	return out
}

// Command is the command line that simulates the case.
func (c *Case) Command() string {
	words := []string{"chargehand sim --seed", strconv.FormatUint(c.Seed, 10), "--run", strconv.Itoa(c.World)}
	if c.Runs != nil {
		words[3] = joined(c.Runs)
		words = append(words, "--alone")
	}
	if c.Team != nil {
		words = append(words, "--team", c.Team.Path)
	}
	if c.Subtasks > 0 {
		words = append(words, "--subtasks", strconv.Itoa(c.Subtasks))
	}
	if c.Script != nil {
		return strings.Join(append(words, fmt.Sprintf("--script '%s'", strings.Join(c.Script, " "))), " ")
	}
	if f := c.Faults.String(); f != AllOf().String() {
		words = append(words, "--faults", f)
	}
	return strings.Join(words, " ")
}

func joined(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

func (c *Case) clone() *Case {
	d := *c
	d.Runs, d.Script = slices.Clone(c.Runs), slices.Clone(c.Script)
	return &d
}
