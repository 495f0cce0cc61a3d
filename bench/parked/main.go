// Command parked measures what runs cost that only wait, and how soon a start takes up those that
// do not.
//
//	go run ./bench/parked
//
// It makes a data folder with many runs that each wait for a person's review (fill.go), opens it
// in a fresh process and wakes some by a decision (wake.go). Then it makes another folder with
// runs that were under way when their process was killed, and starts over it (resume.go). Every
// phase is a process of its own, on the engine as it is.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"github.com/chargehand/chargehand/bench/overhead/host"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "parked:", err)
		os.Exit(1)
	}
}

// Options of the command line.
type options struct {
	runs, active, wakes int
	json                bool
	profile             string
	phase, dir          string
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("parked", flag.ContinueOnError)
	flags.IntVar(&o.runs, "runs", 100_000, "runs that wait for a person; fewer where the disk would have less than 20 GB left")
	flags.IntVar(&o.active, "active", 10_000, "runs that are under way when their process is killed")
	flags.IntVar(&o.wakes, "wakes", 50, "runs to wake")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the start over runs under way to this file")
	flags.StringVar(&o.phase, "phase", "", "for its processes: fill, wake, leave or resume")
	flags.StringVar(&o.dir, "dir", "", "with -phase: the data folder")
	err := flags.Parse(args)
	if err == nil && (o.runs < 1 || o.active < 1 || o.wakes < 1) {
		err = errors.New("there must be runs")
	}
	return o, err
}

var phases = map[string]func(context.Context, options) (any, error){
	"fill": fill, "wake": wake, "leave": leave, "resume": resume,
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.phase == "" {
		return measure(ctx, o, out)
	}
	f, ok := phases[o.phase]
	if !ok {
		return fmt.Errorf("there is no phase %q", o.phase)
	}
	figures, err := f(ctx, o)
	return errors.Join(err, json.NewEncoder(out).Encode(figures))
}

// measure goes through the phases and prints what they found.
func measure(ctx context.Context, o options, out io.Writer) (err error) {
	dir, err := host.Folder("parked")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var r report
	if err := o.process(ctx, "fill", filepath.Join(dir, "waiting"), &r.Fill); err != nil {
		return err
	}
	o.runs = r.Fill.Runs
	if err := o.process(ctx, "wake", filepath.Join(dir, "waiting"), &r.Wake); err != nil {
		return err
	}
	size, err := host.Size(filepath.Join(dir, "waiting"))
	if err != nil {
		return err
	}
	r.Disk = float64(size) / 1024 / float64(r.Fill.Runs)
	if err := o.process(ctx, "leave", filepath.Join(dir, "active"), nil); err != nil {
		return err
	}
	if err := o.process(ctx, "resume", filepath.Join(dir, "active"), &r.Resume); err != nil {
		return err
	}
	return r.print(out, o.json)
}

// process runs a phase in a process of its own and reads its figures; one that leaves its runs
// under way kills itself and has none.
func (o options) process(ctx context.Context, phase, dir string, figures any) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-phase", phase, "-dir", dir, "-runs", strconv.Itoa(o.runs),
		"-active", strconv.Itoa(o.active), "-wakes", strconv.Itoa(o.wakes), "-cpuprofile", o.profile)
	cmd.Env = append(os.Environ(), fmt.Sprintf("PARKED_T0_US=%d", time.Now().UnixMicro()))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if figures == nil {
		if cmd.ProcessState.ExitCode() == -1 {
			return nil
		}
		return fmt.Errorf("%s: the process was not killed: %w", phase, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", phase, err)
	}
	if err := json.Unmarshal(out, figures); err != nil {
		return fmt.Errorf("%s: read the figures: %w", phase, err)
	}
	return nil
}
