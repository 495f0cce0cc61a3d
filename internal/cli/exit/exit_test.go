package exit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

func TestTableIsTotal(t *testing.T) {
	finals := []chargehand.RunState{
		chargehand.RunCompleted, chargehand.RunPartial, chargehand.RunFailed, chargehand.RunCancelled,
	}
	for _, state := range finals {
		for _, stop := range chargehand.StopReasons() {
			r := chargehand.RunSummary{State: state, Stop: stop}
			if code := Of(&r); code == OK && state != chargehand.RunCompleted {
				t.Errorf("%s, %s exits 0", state, stop)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		state    chargehand.RunState
		stop     chargehand.StopReason
		accepted int
		human    int
		want     Code
	}{
		{chargehand.RunCompleted, chargehand.StopComplete, 3, 0, 0},
		{chargehand.RunPartial, chargehand.StopDeadlineReached, 1, 0, 3},
		{chargehand.RunPartial, chargehand.StopPolicyBoundary, 1, 0, 3},
		{chargehand.RunPartial, chargehand.StopBudgetExhausted, 1, 0, 6},
		{chargehand.RunFailed, chargehand.StopBudgetExhausted, 0, 0, 6},
		{chargehand.RunFailed, chargehand.StopTooManyFailures, 1, 0, 5},
		{chargehand.RunFailed, chargehand.StopDeadlineReached, 0, 0, 5},
		{chargehand.RunFailed, chargehand.StopPolicyBoundary, 1, 0, 7},
		{chargehand.RunFailed, chargehand.StopHumanRequired, 0, 0, 5},
		{chargehand.RunFailed, chargehand.StopUnresolvedConflict, 2, 0, 7},
		{chargehand.RunCancelled, chargehand.StopCancelled, 2, 0, 3},
		{chargehand.RunCancelled, chargehand.StopCancelled, 0, 0, 5},
		{chargehand.RunRunning, "", 0, 1, 8},
		{chargehand.RunPaused, "", 0, 0, 8},
		{chargehand.RunRunning, "", 0, 0, 0},
	} {
		r := chargehand.RunSummary{State: tt.state, Stop: tt.stop, Accepted: tt.accepted, NeedsHuman: tt.human}
		if got := Of(&r); got != tt.want {
			t.Errorf("%s, %s, %d accepted: %d, want %d", tt.state, tt.stop, tt.accepted, got, tt.want)
		}
	}
}

func TestOfError(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Code
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{&chargehand.Error{Code: chargehand.CodeInvalid}, 2},
		{fmt.Errorf("show: %w", &chargehand.Error{Code: chargehand.CodeNotFound}), 9},
		{&chargehand.Error{Code: chargehand.CodeStale}, 10},
		{&chargehand.Error{Code: chargehand.CodeNotAllowed}, 4},
		{fmt.Errorf("wait: %w", context.Canceled), 130},
		{&Error{Code: Waiting}, 8},
		{fmt.Errorf("x: %w", &Error{Waiting, errors.New("y")}), 8},
	} {
		if got := OfError(tt.err); got != tt.want {
			t.Errorf("OfError(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}

func TestExplainNamesEveryCode(t *testing.T) {
	var b strings.Builder
	if err := Explain(&b); err != nil {
		t.Fatal(err)
	}
	known := map[Code]bool{}
	for _, m := range meanings {
		known[m.code] = true
		if !strings.Contains(b.String(), fmt.Sprintf("  %3d  %s\n", m.code, m.means)) {
			t.Errorf("%d is not explained", m.code)
		}
	}
	for _, o := range outcomes {
		if !known[o.code] {
			t.Errorf("%s exits with %d, which has no meaning", o.state, o.code)
		}
	}
	for code, c := range errorCodes {
		if !known[c] {
			t.Errorf("%s exits with %d, which has no meaning", code, c)
		}
	}
}
