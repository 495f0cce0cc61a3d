package wire

import (
	"crypto/sha256"
	"sync"

	"github.com/chargehand/chargehand/model"
)

// Means remembers what an endpoint was found not to take, so that it is asked once. The zero Means
// remembers nothing yet.
type Means struct {
	mu   sync.Mutex
	lack map[string]bool
}

// A Mean is something of a request that there is another way for, or that can be left out.
type Mean string

// The means.
const (
	SchemaMean      Mean = "schema"      // else in the prompt
	TemperatureMean Mean = "temperature" // else the provider's own
	UsageMean       Mean = "usage"       // of streams; else it is not known
	TokensMean      Mean = "tokens"      // max_tokens under its usual name; else under the other
	ForgetMean      Mean = "forget"      // what a model reasoned is left out of later turns; else it goes back
)

// Lacks reports whether a mean is known not to be taken in such a request.
func (m *Means) Lacks(mean Mean, r *model.Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lack[string(mean)+r.Model] || mean == SchemaMean && m.lack[print(r)]
}

// Learn takes an endpoint's refusal of a request. It reports whether the request can be put otherwise
// now; that is so once for each mean.
func (m *Means) Learn(err error, r *model.Request, about map[Mean][]string) bool {
	for _, mean := range []Mean{SchemaMean, UsageMean, TokensMean, TemperatureMean, ForgetMean} {
		names, ok := about[mean]
		if !ok || m.Lacks(mean, r) || !About(err, names...) {
			continue
		}
		key := string(mean) + r.Model
		if mean == SchemaMean && About(err, "Invalid schema", "invalid schema", "output_config.format.schema") {
			key = print(r) // it is this schema that is not taken
		}
		m.mu.Lock()
		if len(m.lack) > 1000 || m.lack == nil {
			m.lack = map[string]bool{}
		}
		m.lack[key] = true
		m.mu.Unlock()
		return true
	}
	return false
}

func print(r *model.Request) string {
	sum := sha256.Sum256(append([]byte(r.Model+"\n"), r.Schema...))
	return string(sum[:])
}
