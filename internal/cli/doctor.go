package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/sandbox"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check that this machine can run chargehand", Args: args(cobra.NoArgs),
		Long: "Check the data folder, the disk, the terminal and the providers of models; name the process that has the data\n" +
			"folder, and the runs that no process supervises.",
		RunE: func(c *cobra.Command, _ []string) error { return a.examine(c.Context()) },
	}
}

// A symptom is one thing that was looked at.
type symptom struct {
	name, found string
	none        bool // there is nothing to look at, which is no problem
	warn        bool // the machine is fine, and a person has something to do
	err         error
}

func (a *app) examine(ctx context.Context) error {
	version, _ := build()
	checks := []symptom{{name: "version", found: version + ", " + runtime.Version() + " on " + runtime.GOOS + "/" + runtime.GOARCH}}
	dir, err := a.dataDir()
	checks = append(checks, symptom{name: "data folder", found: dir, err: err})
	if err == nil {
		checks = append(checks, writable(dir), a.engine(ctx), a.alone(ctx))
	}
	checks = append(append(checks, isolation(), a.terminal()), a.models(ctx)...)
	st, sick := a.style(a.io.Out), 0
	for _, s := range checks {
		sign, text := chargehand.RunCompleted.Sign(), s.found
		if s.none {
			sign = chargehand.RunPending.Sign()
		}
		if s.warn {
			sign = chargehand.RunPartial.Sign()
		}
		if s.err != nil {
			sign, text = chargehand.RunFailed.Sign(), strings.TrimPrefix(s.err.Error(), s.name+": ")
			sick++
		}
		fmt.Fprintf(a.io.Out, "%s %s  %s\n", st.Tone(sign.Tone, st.Glyph(sign)), term.Pad(s.name, 11), term.Line(text))
	}
	if sick > 0 {
		return &exit.Error{Code: exit.Internal, Err: fmt.Errorf("%s", term.Count(sick, "problem"))}
	}
	return nil
}

// writable tells how long the disk takes to keep what was written: every step of a run waits for
// that.
func writable(dir string) symptom {
	s := symptom{name: "disk"}
	if s.err = os.MkdirAll(dir, 0o700); s.err != nil {
		return s
	}
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		s.err = err
		return s
	}
	begun := time.Now()
	_, werr := f.Write(make([]byte, 4096))
	s.err = errors.Join(werr, f.Sync(), f.Close(), os.Remove(f.Name()))
	s.found = fmt.Sprintf("%s can be written; 4 KiB are safe after %s", filepath.Clean(dir), time.Since(begun).Round(100*time.Microsecond))
	return s
}

// engine names the process that has the data folder.
func (a *app) engine(ctx context.Context) symptom {
	s := symptom{name: "engine"}
	s.err = a.with(ctx, func(e *session) error {
		runs, err := e.Runs(ctx, chargehand.Filter{})
		if err != nil {
			return err
		}
		waiting, err := e.Reviews(ctx)
		if err != nil {
			return err
		}
		where := "no process has the data folder"
		if e.supervised {
			where = a.ownerHere() + " has the data folder"
		}
		s.found = fmt.Sprintf("%s; %s of late, %s waiting", where, term.Count(len(runs), "run"), term.Count(len(waiting), "review"))
		return nil
	})
	return s
}

// alone finds runs that no process supervises.
func (a *app) alone(ctx context.Context) symptom {
	s := symptom{name: "runs"}
	s.err = a.with(ctx, func(e *session) error {
		runs, err := e.underWay(ctx)
		switch {
		case err != nil:
			return err
		case len(runs) == 0:
			s.found = "none is under way"
		case e.supervised:
			s.found = term.Count(len(runs), "run") + " under way, supervised"
		default:
			s.found, s.warn = fmt.Sprintf("no process supervises %s: go on with chargehand runs resume %s", runs[0].RunID, runs[0].RunID), true
			if n := len(runs); n > 1 {
				s.found = fmt.Sprintf("no process supervises %d runs, %s among them: go on with chargehand runs resume --all", n, runs[0].RunID)
			}
		}
		return nil
	})
	return s
}

// isolation tells what keeps programs that teams start from this account's files.
func isolation() symptom {
	found, err := sandbox.Status()
	if err != nil {
		return symptom{name: "isolation", none: true, found: "programs of a team run without it: " + err.Error()}
	}
	return symptom{name: "isolation", found: "programs of a team run in " + found}
}

func (a *app) terminal() symptom {
	st := a.style(a.io.Err)
	found := "progress " + a.mode()
	if st.Color {
		found += ", colours"
	}
	if st.ASCII {
		found += ", ASCII only"
	}
	return symptom{name: "terminal", found: found}
}
