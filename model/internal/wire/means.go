package wire

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/chargehand/chargehand/model"
)

// A Mean is something of a request that there is another way for, or that can be left out.
type Mean string

// The means.
const (
	SchemaMean      Mean = "schema"      // else in the prompt
	TemperatureMean Mean = "temperature" // else the provider's own
	UsageMean       Mean = "usage"       // of streams; else it is not known
	TokensMean      Mean = "tokens"      // max_tokens under its usual name; else under the other
	ForgetMean      Mean = "forget"      // what a model reasoned is left out of later turns; else it goes back
	EffortMean      Mean = "effort"      // reasoning_effort is left out; else it has a value
	SystemMean      Mean = "system"      // a system prompt by itself; else at the beginning of the first message
	IncludeMean     Mean = "include"     // what was reasoned comes back encrypted; else it does not
	EndpointMean    Mean = "endpoint"    // chat completions; else the Responses API
)

// all are the means in the order in which a refusal is read for them.
var all = []Mean{SchemaMean, UsageMean, TokensMean, TemperatureMean, EffortMean, SystemMean, IncludeMean, ForgetMean, EndpointMean}

// A Form is how a request is put: the means it does without, each with the value that stands in its
// place, which may be empty.
type Form map[Mean]string

// Lacks reports whether a request is put without a mean.
func (f Form) Lacks(m Mean) bool {
	_, lacks := f[m]
	return lacks
}

// Means remembers what a model at an endpoint refused, so that each refusal is met once. The zero Means
// remembers nothing yet.
type Means struct {
	mu   sync.Mutex
	lack map[string]string
}

// learned are the Means of this process, by endpoint and model.
var learned = struct {
	sync.Mutex
	by map[string]*Means
}{by: map[string]*Means{}}

const mostLearned = 1000 // of models, and of refusals of one

// Learned are the Means of a model at an endpoint, the same for the whole process.
func Learned(endpoint, name string) *Means {
	key := endpoint + "\n" + name
	learned.Lock()
	defer learned.Unlock()
	m := learned.by[key]
	if m == nil {
		if len(learned.by) >= mostLearned {
			clear(learned.by)
		}
		m = &Means{}
		learned.by[key] = m
	}
	return m
}

// Form is how a request is to be put, as far as it is known.
func (m *Means) Form(r *model.Request) Form {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := Form{}
	for _, mean := range all {
		for _, key := range []string{string(mean), withTools(mean, r), thisSchema(mean, r)} {
			if v, ok := m.lack[key]; ok && key != "" {
				out[mean] = v
			}
		}
	}
	return out
}

// Refused takes an endpoint's refusal of a request that was put in a form. About says which words of a
// refusal are about which mean. It reports whether the request can be put otherwise now, which is so
// once for each mean and value.
func (m *Means) Refused(err error, r *model.Request, sent Form, about map[Mean][]string) bool {
	for _, names := range []func(error, ...string) bool{names, About} { // the parameter it names goes before its words
		for _, mean := range all {
			words, ok := about[mean]
			if !ok || !names(err, words...) {
				continue
			}
			if value, ok := instead(mean, sent, err); ok {
				m.learn(m.key(mean, r, err), value)
				return true
			}
		}
	}
	return false
}

// instead is what stands in the place of a mean from now on, where there is anything left to try.
func instead(mean Mean, sent Form, err error) (string, bool) {
	if mean == EffortMean {
		return nextEffort(sent, err)
	}
	return "", !sent.Lacks(mean)
}

// efforts are the values of reasoning_effort, the least first.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}

var quoted = regexp.MustCompile(`['"\x60]([a-z]+)['"\x60]`)

// nextEffort is the value to try after a refusal that names reasoning_effort: none at first, then the least
// of those that the refusal names. A refusal that names no value but another endpoint is for that.
func nextEffort(sent Form, err error) (string, bool) {
	said := refusalOf(err)
	tried, again := sent[EffortMean]
	if !again {
		return efforts[0], strings.Contains(said, "none") || !AboutEndpoint(err)
	}
	at := strings.Index(strings.ToLower(said), "supported values")
	if at < 0 {
		return "", false
	}
	var named []string
	for _, match := range quoted.FindAllStringSubmatch(said[at:], -1) {
		named = append(named, match[1])
	}
	for _, e := range efforts[slices.Index(efforts, tried)+1:] {
		if slices.Contains(named, e) {
			return e, true
		}
	}
	return "", false
}

// Endpoint are the words of a refusal that is about the endpoint.
var Endpoint = []string{"v1/responses", "responses api", "responses endpoint"}

// AboutEndpoint reports whether a refusal leads to the Responses API.
func AboutEndpoint(err error) bool { return About(err, Endpoint...) }

func (m *Means) learn(key, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.lack) >= mostLearned || m.lack == nil {
		m.lack = map[string]string{}
	}
	m.lack[key] = value
}

// key is what a refusal of a mean holds for: this schema, requests with tools, or every request.
func (m *Means) key(mean Mean, r *model.Request, err error) string {
	switch {
	case mean == SchemaMean && About(err, "invalid schema", "output_config.format.schema"):
		return thisSchema(mean, r)
	case len(r.Tools) > 0 && (mean == EffortMean || mean == SchemaMean && About(err, "tool", "function")):
		return withTools(mean, r)
	}
	return string(mean)
}

func withTools(mean Mean, r *model.Request) string {
	if len(r.Tools) == 0 {
		return ""
	}
	return string(mean) + " with tools"
}

func thisSchema(mean Mean, r *model.Request) string {
	if mean != SchemaMean || len(r.Schema) == 0 {
		return ""
	}
	sum := sha256.Sum256(r.Schema)
	return "schema " + string(sum[:])
}
