package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

const (
	fence      = "```"
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// unwrap takes off an answer what its team declared that the model puts around it, the thought first, and
// says what it took off. Nothing else is taken off, and nothing within the answer is changed.
func unwrap(text string, declared []chargehand.Wrapping) (inner string, taken []string) {
	if slices.Contains(declared, chargehand.WrapThink) {
		if rest, ok := afterThought(text); ok {
			text, taken = rest, append(taken, string(chargehand.WrapThink))
		}
	}
	if slices.Contains(declared, chargehand.WrapFence) {
		if rest, ok := withinFence(text); ok {
			text, taken = rest, append(taken, string(chargehand.WrapFence))
		}
	}
	return text, taken
}

// afterThought is what follows the thought that a text begins with. Some chat templates write the opening tag
// themselves, so that only the closing one is in the answer.
func afterThought(text string) (string, bool) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, fence) {
		return text, false
	}
	_, rest, ok := strings.Cut(trimmed, thinkEnd)
	if !ok {
		return text, false
	}
	return strings.TrimSpace(rest), true
}

// withinFence is what a code fence around the whole of a text holds.
func withinFence(text string) (string, bool) {
	trimmed := strings.TrimSpace(text)
	body, ok := strings.CutPrefix(trimmed, fence)
	if !ok {
		return text, false
	}
	language, body, ok := strings.Cut(body, "\n")
	if !ok || strings.ContainsAny(language, "{}`") {
		return text, false
	}
	body, ok = strings.CutSuffix(body, fence)
	return strings.TrimSpace(body), ok
}

// wrappedIn is what stands around an answer that is no JSON object; empty where it is nothing known.
func wrappedIn(text string) chargehand.Wrapping {
	switch trimmed := strings.TrimSpace(text); {
	case strings.HasPrefix(trimmed, thinkBegin), !strings.HasPrefix(trimmed, "{") && strings.Contains(trimmed, thinkEnd):
		return chargehand.WrapThink
	case strings.HasPrefix(trimmed, fence):
		return chargehand.WrapFence
	}
	return ""
}

// wrappings names them in words.
var wrappings = map[chargehand.Wrapping]string{
	chargehand.WrapThink: "the model's thought (<think>) stands before it",
	chargehand.WrapFence: "it stands in a code fence (" + fence + ")",
}

// hinted is the error of a worker's answer, with the declaration that would take off what stands around it.
func hinted(text string, err error) error {
	if w := wrappedIn(text); w != "" {
		return fmt.Errorf("%w; `llm.unwrap: [%s]` takes it off", err, w)
	}
	return err
}
