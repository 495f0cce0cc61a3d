package client_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/httpapi"
)

// A speaker is a fake whose workers say something.
type speaker struct {
	*fake
	tokens []chargehand.Token
	broken error
}

func (s *speaker) Tokens(_ context.Context, run string) iter.Seq2[chargehand.Token, error] {
	s.name = run
	return func(yield func(chargehand.Token, error) bool) {
		for _, t := range s.tokens {
			if !yield(t, nil) {
				return
			}
		}
		if s.broken != nil {
			yield(chargehand.Token{}, s.broken)
		}
	}
}

// TestTokens: what workers say comes over as it is, and the stream's end is told from its breaking
// off. An engine that has none says so.
func TestTokens(t *testing.T) {
	ref := chargehand.AttemptRef{Subtask: "s1", Attempt: 2}
	s := &speaker{fake: &fake{}, tokens: []chargehand.Token{
		{Run: "run_1", AttemptRef: ref, Text: "{\"a\":\n<b>", Provisional: true},
		{Run: "run_1", AttemptRef: ref, Offset: 90, Lost: 81, Text: "é", Provisional: true},
	}}
	read := func(e chargehand.Engine) (got []chargehand.Token, err error) {
		for tok, err := range dial(t, e, httpapi.Options{}).Tokens(t.Context(), "run/1") {
			if err != nil {
				return got, err
			}
			got = append(got, tok)
		}
		return got, nil
	}
	got, err := read(s)
	if d := cmp.Diff(s.tokens, got); d != "" || err != nil || s.name != "run/1" {
		t.Errorf("of %q came (%v) -want +got:\n%s", s.name, err, d)
	}
	s.broken = errors.New("boom")
	if got, err := read(s); err == nil || len(got) != len(s.tokens) {
		t.Errorf("a stream that breaks off ends with %v after %d", err, len(got))
	}
	if _, err := read(&fake{}); chargehand.CodeOf(err) != chargehand.CodeNotFound {
		t.Errorf("an engine without: %v", err)
	}
}
