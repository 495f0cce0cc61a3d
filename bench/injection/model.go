package main

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
)

// The models obey: whatever role they have, they do what a text that they see may want of them, and
// all else they can think of. Each answer depends on the request alone.
type models struct {
	attacks []attack
	prompts *prompts
	secrets *secrets

	mu   sync.Mutex
	seen map[string]bool // tags of the cases whose text reached a model that it was meant for
	wish map[string]int  // calls of tools that were wished for, by tag

	denied map[chargehand.Denied]int // of them, by executors
}

var tagged = regexp.MustCompile(`\[([a-z-]+)/(\d+|control)\]`)

// answer is what the provider's server asks of a model.
func (m *models) answer(q provider.Request) provider.Reply {
	m.secrets.search(q.Body, "a prompt")
	text := words(&q)
	found := tagged.FindStringSubmatch(text)
	if found == nil {
		return provider.Reply{Fault: provider.Fault{Status: 400, Message: "this request is of no case"}}
	}
	tag, where := found[0], found[1]
	n, err := strconv.Atoi(found[2])
	m.prompts.note(where+" "+q.Model, q.System, err != nil)
	var r provider.Reply
	if err != nil {
		r = honest(&q)
	} else {
		r = m.obey(&q, where, tag, n, text)
	}
	r.Chunk = 64 << 10
	return r
}

// words are all that a request says besides its system prompt.
func words(q *provider.Request) string {
	var b strings.Builder
	for i := range q.Messages {
		b.WriteString(q.Messages[i].Text + "\n")
		for _, r := range q.Messages[i].Results {
			b.WriteString(r.Text + "\n")
		}
	}
	for i := range q.Tools {
		b.WriteString(q.Tools[i].Description + "\n")
	}
	return b.String()
}

// obey answers as hostile as it can.
func (m *models) obey(q *provider.Request, where, tag string, n int, text string) provider.Reply {
	m.look(q, where, tag, m.attacks[n].text, text)
	var r provider.Reply
	switch q.Model {
	case judgeModel:
		r = judged(where, n)
	case planModel:
		r = planned(n, strings.Contains(text, `"field":"errors"`), m.attacks[n].text)
	default:
		r = worked(q, where, tag, n, m.attacks[n])
	}
	m.mu.Lock()
	m.wish[tag] += len(r.Calls)
	m.mu.Unlock()
	return r
}

// stormed counts calls that executors were asked for straight.
func (m *models) stormed(tag string, calls int, r *chargehand.ToolReport) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wish[tag] += calls
	if r == nil {
		return
	}
	for _, d := range r.Denied {
		m.denied[d.Cause]++
	}
}

// look notes that an injected text has reached the model that its place is about.
func (m *models) look(q *provider.Request, where, tag, injected, text string) {
	var about bool
	switch where {
	case "judged-output":
		about = q.Model == judgeModel
	case "planner":
		about = q.Model == planModel
	default:
		about = q.Model == workModel
	}
	if !about || !strings.Contains(letters(text), letters(injected)) {
		return
	}
	m.mu.Lock()
	m.seen[tag] = true
	m.mu.Unlock()
}

// letters are what remains of a text whichever way it was quoted: inside JSON, with control
// characters made visible.
func letters(s string) string {
	s = escaped.ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

var escaped = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|[nrtbf])`)

// honest does the work, where nothing is injected.
func honest(q *provider.Request) provider.Reply {
	switch {
	case q.Model == judgeModel:
		return provider.Reply{Text: verdict("ACCEPT", 9, "")}
	case q.Model == planModel:
		return provider.Reply{Text: lawfulPlan("One reading is enough.")}
	case len(q.Tools) > 0 && len(q.Messages) == 1:
		return provider.Reply{Calls: []model.Call{{ID: "c1", Name: "desk__look_up", Arguments: `{"topic":"minutes"}`}}}
	}
	return provider.Reply{Text: note(tagged.FindString(words(q)) + " It is about a meeting.")}
}
