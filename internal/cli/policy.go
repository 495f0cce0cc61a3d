package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

func (a *app) policyCommand() *cobra.Command {
	return group("policy", "Check what a team does when something goes wrong", &cobra.Command{
		Use: "lint TEAM|TEAM.yaml", Short: "Check a team's policy and say in words what it means", Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := a.team(given[0])
			if err != nil {
				return err
			}
			if err := a.lint(given[0], r, "$.policy", r.Team.Policy.ID()); err != nil {
				return err
			}
			_, err = fmt.Fprint(a.io.Out, meaning(&r.Team))
			return err
		},
	})
}

// meaning is a policy in sentences: what happens is on the screen before it happens.
func meaning(t *chargehand.Team) string {
	p := &t.Policy
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	say("a subtask is tried up to %d times; up to %d run at once", p.MaxAttempts(), p.Concurrency())
	if p.OnSubtaskError == chargehand.FailRun {
		say("a subtask that is not done ends the run")
	} else {
		say("a subtask that is not done is a gap, unless it is required; what depends on it is skipped")
	}
	say("the run is given up when more than %.0f %% of its subtasks fail", 100*p.Ratio())
	say("a review waits %s for a person, then the policy decides: %s", term.Span(p.Patience()), auto(p))
	switch p.WhenOnlyWaits {
	case chargehand.WaitForPeople:
		say("a run with nothing but reviews left waits for them")
	case chargehand.ReturnPartial:
		say("a run with nothing but reviews left ends without waiting for them")
	default:
		say("a run with nothing but reviews left waits where one is about something required")
	}
	switch {
	case p.ApprovePlan:
		say("nothing begins before a person has approved the plan")
	case !byOthers(t):
	case p.PlanEffects == chargehand.AllowEffects:
		say("nobody has to see a plan of a model that does more than read: what it reads may decide what is written")
	default:
		say("a plan of a model that does more than read begins when a person has approved it, and never without")
	}
	if p.Conflicts == chargehand.ReviewConflict {
		say("a person is asked about outputs that disagree")
	} else {
		say("outputs that disagree are listed in the result")
	}
	if d := &p.Debate; d.Always || *d != (chargehand.Debate{}) {
		who := "of the subtasks that say so"
		if d.Always {
			who = "of every subtask that only reads"
		}
		say("an output %s that needs a person, or contradicts an accepted one, is answered by another worker first, in up to %s", who, term.Count(d.MaxRounds(), "round"))
	}
	if p.Reviewer != "" {
		say("%s judges every output that the gate accepts", term.Line(p.Reviewer))
	}
	return b.String()
}

// byOthers reports whether the team's plans may be such as nobody of the team's wrote.
func byOthers(t *chargehand.Team) bool { return t.Planner.LLM != nil || t.Planner.Advice }

func auto(p *chargehand.Policy) string {
	if p.AutoDecision == chargehand.AutoApprove {
		return "approve at risk low, reject otherwise"
	}
	return "reject"
}
