package cli

import (
	"testing"

	"github.com/chargehand/chargehand/model"
)

// TestRemedies reads what to do out of the words that a run keeps of a provider's error.
func TestRemedies(t *testing.T) {
	for _, tt := range []struct {
		err  model.Error
		want string
	}{
		{model.Error{Provider: "openai", Kind: model.Denied, Status: 401, Message: "wrong key"}, "check OPENAI_API_KEY (chargehand doctor)"},
		{model.Error{Provider: "ollama", Kind: model.Denied, Status: 403}, "check OLLAMA_HOST (chargehand doctor)"},
		{model.Error{Provider: "anthropic", Kind: model.Exhausted, Status: 402}, "see the account at Anthropic"},
		{model.Error{Provider: "ollama", Kind: model.Invalid, Status: 404, Message: "no such model"}, "check the model's name"},
		{model.Error{Provider: "openai", Kind: model.Invalid, Status: 400, Message: "no such parameter"}, ""},
		{model.Error{Provider: "groq", Kind: model.Unavailable, Message: "connection refused"}, "is Groq to be reached from here? (chargehand doctor)"},
		{model.Error{Provider: "mine", Kind: model.Denied, Status: 401}, ""},
	} {
		words := "nobody decided about 9 subtasks: the model was not to be had: " + tt.err.Error()
		if got := remedyOf(words); got != tt.want {
			t.Errorf("%s: %q, want %q", &tt.err, got, tt.want)
		}
	}
}
