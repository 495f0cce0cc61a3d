package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A question is a review that a person at the terminal may decide while its run is followed.
type question struct {
	app     *app
	session *session
	review  *chargehand.Review
	looked  time.Time // when the review was last seen open
}

// errSettled ends a question that was answered elsewhere.
var errSettled = errors.New("it is decided")

// ask asks until there is a decision, or the person leaves it for later. A decision takes a key, Enter
// and a reason: no single key decides.
func (q *question) ask(ctx context.Context) {
	err := q.answer(ctx)
	switch {
	case err == nil:
	case errors.Is(err, errSettled):
		fmt.Fprintf(q.app.io.Err, "\nDecided meanwhile.\n")
	case ctx.Err() != nil, errors.Is(err, io.EOF):
		fmt.Fprintln(q.app.io.Err)
	default:
		q.app.complain(err)
	}
}

func (q *question) answer(ctx context.Context) error {
	for {
		word, err := q.typed(ctx, q.choices())
		if err != nil {
			return err
		}
		f, known := q.form(word)
		if !known {
			fmt.Fprintln(q.app.io.Err, "Type one of the letters, and Enter.")
			continue
		}
		if f == nil {
			fmt.Fprintf(q.app.io.Err, "It waits. Decide later with: chargehand review show %s\n", term.Line(q.review.ID))
			return nil
		}
		if done, err := q.decide(ctx, *f); done || err != nil {
			return err
		}
	}
}

// choices are the answers that the review takes.
func (q *question) choices() string {
	var out []string
	if q.approvable() {
		out = append(out, "[a]pprove")
	}
	if q.review.Subject == chargehand.SubjectPlan {
		out = append(out, "[e]dit: another plan")
	}
	if q.returnable() {
		out = append(out, "[s]end back")
	}
	return strings.Join(append(out, "[r]eject", "[l]ater"), "  ") + "  > "
}

func (q *question) approvable() bool {
	return q.review.OutputRef != "" || q.review.Subject == chargehand.SubjectTools
}

func (q *question) returnable() bool {
	return q.review.Cause != chargehand.CauseUnknown && slices.Contains([]chargehand.Subject{chargehand.SubjectOutput, chargehand.SubjectPlan}, q.review.Subject)
}

// form is what a letter, or a word, asks for; nil leaves it for later.
func (q *question) form(word string) (f *answer, known bool) {
	for name, f := range map[string]*answer{"approve": {approve: true}, "edit": {approve: true, plan: "?"}, "send back": {back: true}, "reject": {}, "later": nil} {
		if word == "" || !strings.HasPrefix(name, strings.ToLower(word)) {
			continue
		}
		fits := map[string]bool{
			"approve": q.approvable(), "edit": q.review.Subject == chargehand.SubjectPlan, "send back": q.returnable(), "reject": true, "later": true,
		}[name]
		return f, fits
	}
	return nil, false
}

// decide asks for what the decision lacks and sends it. It is not done where the person gave nothing,
// or the engine refused it, and another answer may do.
func (q *question) decide(ctx context.Context, f answer) (done bool, err error) {
	if f.plan != "" {
		if f.plan, err = q.typed(ctx, "File with the plan to follow instead: "); err != nil || f.plan == "" {
			return false, err
		}
	}
	optional := f.approve && len(q.review.Evidence) == 0
	text := "Reason, for the record: "
	switch {
	case f.back:
		text = "What is to be done otherwise? "
	case optional:
		text = "Reason, for the record (Enter: none): "
	}
	if f.reason, err = q.typed(ctx, text); err != nil {
		return false, err
	}
	if f.reason == "" && !optional {
		fmt.Fprintln(q.app.io.Err, "Nothing is decided: it needs a reason.")
		return false, nil
	}
	err = q.app.send(ctx, q.session, q.review, f)
	if code := chargehand.CodeOf(err); code == chargehand.CodeNotAllowed || code == chargehand.CodeInvalid || code == chargehand.CodeNothing {
		q.app.complain(err)
		return false, nil
	}
	return true, err
}

// typed shows a prompt and reads a line that was typed after it, as long as the review is open.
func (q *question) typed(ctx context.Context, prompt string) (string, error) {
	return typed(ctx, q.app.io.In, func() { fmt.Fprint(q.app.io.Err, prompt) }, func() error {
		if time.Since(q.looked) < time.Second {
			return nil
		}
		q.looked = time.Now()
		open, err := q.session.Reviews(ctx)
		if err != nil || slices.ContainsFunc(open, func(r chargehand.Review) bool { return r.ID == q.review.ID }) {
			return err
		}
		return errSettled
	})
}
