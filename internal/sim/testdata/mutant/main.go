// Mutant simulates, and prints what came of it. It is small, so that it is quickly built anew for
// each rule that is taken away.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/chargehand/chargehand/internal/sim"
)

func main() {
	runs := flag.Int("runs", 300, "how many")
	flag.Parse()
	r, err := sim.Run(sim.Options{Runs: *runs, Seed: 1, Faults: sim.AllOf(), Jobs: 2})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
