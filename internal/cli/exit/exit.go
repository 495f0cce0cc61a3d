// Package exit maps what became of a run, or of a command, to the code the process exits with. The
// tables here are what the printer, the process and the help text use (UX.md §3.6).
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/chargehand/chargehand"
)

// A Code is an exit code.
type Code int

// The codes.
const (
	OK          Code = 0
	Internal    Code = 1
	Different   Code = 1 // as of diff(1)
	Usage       Code = 2
	Gaps        Code = 3
	NotAllowed  Code = 4
	Aborted     Code = 5
	Budget      Code = 6
	Rejected    Code = 7
	Waiting     Code = 8
	NotFound    Code = 9
	Conflict    Code = 10
	Audit       Code = 11
	Target      Code = 12
	Timeout     Code = 124
	Interrupted Code = 130
	Terminated  Code = 143
)

var meanings = []struct {
	code  Code
	means string
}{
	{OK, "complete, everything accepted"},
	{Internal, "internal or unexpected error; of runs diff also: the runs differ"},
	{Usage, "wrong usage or input, or input needed with --no-input"},
	{Gaps, "complete with gaps, or (with --strict) with low confidence"},
	{NotAllowed, "not allowed"},
	{Aborted, "aborted: too many failures, invalid or rejected plan, no capable worker, nothing decided in time"},
	{Budget, "stopped by budget"},
	{Rejected, "something required was rejected, by a person or the policy, and that ended the run"},
	{Waiting, "still waiting for a person"},
	{NotFound, "not found"},
	{Conflict, "conflict: already decided, stale hash, data locked or in a newer format"},
	{Audit, "the records, or what vouches for them, are not what was recorded"},
	{Target, "a figure misses the target it was given, such as --fail-under"},
	{Timeout, "--timeout reached, the run goes on"},
	{Interrupted, "Ctrl-C"},
	{Terminated, "SIGTERM"},
}

// An outcome is one row of the table of ended runs.
type outcome struct {
	state  chargehand.RunState
	stop   chargehand.StopReason // empty: any
	result bool                  // only where something was accepted
	code   Code
}

// outcomes is total: the first row that fits decides.
var outcomes = []outcome{
	{chargehand.RunCompleted, "", false, OK},
	{chargehand.RunPartial, chargehand.StopBudgetExhausted, false, Budget},
	{chargehand.RunPartial, "", false, Gaps},
	{chargehand.RunFailed, chargehand.StopBudgetExhausted, false, Budget},
	{chargehand.RunFailed, chargehand.StopPolicyBoundary, false, Rejected},
	{chargehand.RunFailed, chargehand.StopUnresolvedConflict, false, Rejected},
	{chargehand.RunFailed, "", false, Aborted},
	{chargehand.RunCancelled, "", true, Gaps},
	{chargehand.RunCancelled, "", false, Aborted},
}

// Of is the code for a run as it stands. A run that has not ended waits for a person if it is
// paused or has a review open, and otherwise goes on elsewhere, which is fine.
func Of(r *chargehand.RunSummary) Code {
	for _, o := range outcomes {
		if o.state == r.State && (o.stop == "" || o.stop == r.Stop) && (!o.result || r.Accepted > 0) {
			return o.code
		}
	}
	if r.NeedsHuman > 0 || r.State == chargehand.RunPaused || r.State == chargehand.RunHumanControl {
		return Waiting
	}
	return OK
}

var errorCodes = map[chargehand.Code]Code{
	chargehand.CodeInvalid:    Usage,
	chargehand.CodeNotFound:   NotFound,
	chargehand.CodeDecided:    Conflict,
	chargehand.CodeStale:      Conflict,
	chargehand.CodeNonce:      Conflict,
	chargehand.CodeExpired:    Conflict,
	chargehand.CodeEnded:      Conflict,
	chargehand.CodeNothing:    Conflict,
	chargehand.CodeLocked:     Conflict,
	chargehand.CodeFormat:     Conflict,
	chargehand.CodeDrift:      Conflict,
	chargehand.CodeKeyTaken:   Conflict,
	chargehand.CodeNotAllowed: NotAllowed,
	chargehand.CodeAudit:      Audit,
}

// Error makes a command end with a code. Err is shown; nil shows nothing.
type Error struct {
	Code Code
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap is the error to show.
func (e *Error) Unwrap() error { return e.Err }

// OfError is the code for a command that ended with err.
func OfError(err error) Code {
	if err == nil {
		return OK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if code, ok := errorCodes[chargehand.CodeOf(err)]; ok {
		return code
	}
	if errors.Is(err, context.Canceled) {
		return Interrupted
	}
	return Internal
}

// Explain writes both tables for people.
func Explain(w io.Writer) error {
	text := "Chargehand exits with what became of the run:\n\n"
	for _, m := range meanings {
		text += fmt.Sprintf("  %3d  %s\n", m.code, m.means)
	}
	text += "\nFor a run that has ended, by state and stop reason, the first row that fits:\n\n"
	for _, o := range outcomes {
		stop := string(o.stop)
		if stop == "" {
			stop = "any reason"
		}
		if o.result {
			stop += ", something accepted"
		}
		text += fmt.Sprintf("  %3d  %-10s %s\n", o.code, o.state, stop)
	}
	text += "\nSeveral files exit with the highest code. \"go run\" turns every code but 0 into 1.\n"
	_, err := io.WriteString(w, text)
	return err
}
