package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/model/price"
)

// models answer as a worker or a reviewer would, and add up what the provider bills.
type models struct {
	work, review time.Duration
	before       func(section int, review bool) // called with each request; may be nil

	mu    sync.Mutex
	bill  map[string]chargehand.Usage // by what a call was for
	calls map[string]int
}

// What calls are for.
const (
	forWork   = "workers"
	forReview = "checking"
)

func newModels(work, review time.Duration) *models {
	return &models{work: work, review: review, bill: map[string]chargehand.Usage{}, calls: map[string]int{}}
}

var asked = regexp.MustCompile(`what section (\d\d) says`)

// isReview tells the reviewer's system prompt from a worker's.
func isReview(q *provider.Request) bool {
	return strings.HasPrefix(q.System, "# Who you are\n\nYou review")
}

func (m *models) answer(q provider.Request) provider.Reply {
	found := asked.FindStringSubmatch(q.Messages[0].Text)
	if found == nil {
		return provider.Reply{Fault: provider.Fault{Status: 400, Message: "this request is about no section"}}
	}
	n, _ := strconv.Atoi(found[1])
	review := isReview(&q)
	if m.before != nil {
		m.before(n, review)
	}
	r := provider.Reply{Text: m.worked(&q, n), Delay: m.work, Chunk: 4 << 10}
	phase := forWork
	if review {
		r.Text, r.Delay, phase = judged(n), m.review, forReview
	}
	const bytesPerToken = 4
	r.Usage = &model.Usage{Input: int64(len(q.Body) / bytesPerToken), Output: int64(len(r.Text) / bytesPerToken)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bill[phase] = m.bill[phase].Plus(r.Usage.Bill(priceOf("anthropic/" + q.Model)))
	m.calls[phase]++
	return r
}

func priceOf(ref string) *chargehand.ModelPrice {
	p, ok := price.Of(ref)
	if !ok {
		panic("supervision: the table of prices has no " + ref)
	}
	return &p
}

// worked is an answer as the engine's agents want it, or the bare output where it was asked for.
func (m *models) worked(q *provider.Request, n int) string {
	attempt := 1
	if strings.Contains(q.Messages[0].Text, `{"field":"feedback"`) {
		attempt = 2
	}
	out := output(n, attempt)
	if q.System == plainPrompt {
		return out.String()
	}
	return object{
		"status": "succeeded", "output": out, "summary": fmt.Sprintf("Section %02d fixes fee, due date, notice and term.", n),
		"confidence": 0.9, "blockers": []string{}, "proposedActions": []string{},
	}.String()
}

func judged(n int) string {
	return object{
		"schemaPass": true, "completenessPass": true, "consistencyPass": true, "confidence": 9, "recommendation": "ACCEPT", "rework": nil,
		"feedback": "", "reasoning": fmt.Sprintf("All four clauses of section %02d are there. Each answer is what its quote says.", n),
		"criteria": object{contract.Criteria[0]: true, contract.Criteria[1]: true}, "issues": []string{},
	}.String()
}

// start plays the provider.
func (m *models) start() (*provider.Server, error) {
	return provider.Start(provider.Options{Answer: m.answer})
}

// reach is a model by its name, at the provider that is played.
func reach(s *provider.Server) func(ref string) (model.Model, error) {
	env := func(name string) (string, bool) {
		switch name {
		case "ANTHROPIC_BASE_URL":
			return s.URL, true
		case "ANTHROPIC_API_KEY":
			return "none", true
		case "ANTHROPIC_API_KEY_FILE":
			return "", false
		}
		return os.LookupEnv(name)
	}
	return func(ref string) (model.Model, error) { return open.Model(ref, env, open.Options{}) }
}
