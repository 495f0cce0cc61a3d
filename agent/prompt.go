package agent

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// prompts are the engine's own words to models. A change of any of them is drift (SPEC.md ·161).
//
//go:embed prompt/*.txt
var prompts embed.FS

// The parts of system prompts. None of them has a place for text of a run.
var (
	dataRules     = part("data")
	workerPrompt  = part("worker")
	toolsPrompt   = part("tools")
	judgePrompt   = part("judge")
	choosePrompt  = part("adjudicate")
	debatePrompt  = part("debate")
	plannerPrompt = part("planner")
	roles         = named(part("roles"))
	sentences     = named(part("contract"))
)

// Prompts is the digest of the built-in prompts, which a completed team records.
var Prompts = digest()

func part(name string) string {
	b, err := prompts.ReadFile("prompt/" + name + ".txt")
	if err != nil {
		panic("agent: a built-in prompt is missing: " + err.Error())
	}
	return strings.TrimSpace(string(b))
}

func digest() string {
	sum := sha256.New()
	names, err := fs.Glob(prompts, "prompt/*.txt") // sorted
	if err != nil {
		panic("agent: " + err.Error())
	}
	for _, name := range names {
		b, _ := prompts.ReadFile(name)
		sum.Write([]byte(name + "\n"))
		sum.Write(b)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// generalist is the role of a task that names none, or one that is not known (SPEC.md ·24).
const generalist = "generalist"

// named reads lines of a name, a colon and words.
func named(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		name, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		out[name] = words
	}
	return out
}

// roleOf is what a role adds to the system prompt. A plan may come from a model, so a role's name
// never gets in, only the words that are built in for it.
func roleOf(name string) string {
	if words, ok := roles[strings.ToLower(strings.TrimSpace(name))]; ok {
		return words
	}
	return roles[generalist]
}

// system joins the parts of a system prompt that are not empty.
func system(parts ...string) string {
	var used []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			used = append(used, p)
		}
	}
	return strings.Join(used, "\n\n")
}

// titled is a section of a system prompt; empty where there is no text.
func titled(title, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "# " + title + "\n\n" + text
}

func sortedRoles() []string { return slices.Sorted(maps.Keys(roles)) }
