// Victim is a process for the suite of faults to be hard on.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/chargehand/chargehand/e2e/faults/crashpoint"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
)

// main drives the reference run over a data folder and a world's folder, or does one of its other
// tricks.
func main() {
	var err error
	switch args := os.Args[1:]; args[0] {
	case "crowd":
		err = crowd(args[1])
	case "lock":
		err = hold(args[1])
	case "slow":
		err = slow(args[1], args[2])
	default:
		err = drive(args[0], args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// drive follows the run to its end, unless the process is killed before, and writes its result and
// the points that were passed.
func drive(dir, outside string) error {
	ctx := context.Background()
	w, err := reference.Made(outside)
	if err != nil {
		return err
	}
	e, err := local.Open(ctx, reference.Options(dir, w))
	if err != nil {
		return err
	}
	r, err := w.Drive(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"result": r, "points": crashpoint.Passed()})
}
