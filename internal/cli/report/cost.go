package report

import (
	"fmt"
	"io"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// phases in the order of a run.
var phases = []string{chargehand.PhasePlanning, chargehand.PhaseWorkers, chargehand.PhaseChecking, chargehand.PhaseSynthesis}

// Cost writes what a run spent, by phase and by subtask; the phases sum to the total.
//
// sign says how each subtask stands.
func Cost(w io.Writer, v *chargehand.View, sign func(*chargehand.SubtaskView) chargehand.Sign, s Screen) error {
	t := term.Table{Head: []string{"PHASE", "USD"}}
	for _, p := range phases {
		t.Add(p, v.Phases[p].String())
	}
	t.Add("total", v.Spent.String())
	if err := t.Write(w, s.Style); err != nil {
		return err
	}
	line := fmt.Sprintf("\n%d tokens", v.Tokens)
	if v.Budget > 0 {
		line += fmt.Sprintf(", %.0f %% of the budget of %s", 100*float64(v.Spent)/float64(v.Budget), term.Money(v.Budget))
	}
	if v.Plan.Estimate > 0 {
		line += fmt.Sprintf(", %.2f× the plan's %s", float64(v.Spent)/float64(v.Plan.Estimate), term.Money(v.Plan.Estimate))
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", s.Style.Text(line)); err != nil {
		return err
	}
	return subtaskCosts(v, sign, s).Write(w, s.Style)
}

func subtaskCosts(v *chargehand.View, sign func(*chargehand.SubtaskView) chargehand.Sign, s Screen) *term.Table {
	t := &term.Table{Head: []string{"SUBTASK", "ATTEMPTS", "USD", "TOKENS", "STATE"}, Width: s.Width}
	if planning := v.Phases[chargehand.PhasePlanning]; planning > 0 {
		t.Add("planning", "", planning.String(), "", "")
	}
	for _, row := range v.Rows {
		sum := row.Usage()
		t.Add(row.Name(), fmt.Sprint(len(row.Attempts)), sum.USD.String(), fmt.Sprint(sum.Tokens()), sign(row).Label)
	}
	return t
}
