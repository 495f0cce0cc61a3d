package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/worker"
)

const cardPath = "/.well-known/agent-card.json"

// maxCard is the most bytes a card may have.
const maxCard = 1 << 20

// A card is what an agent says of itself, as far as it matters here. All of it is untrusted.
type card struct {
	Name                string `json:"name"`
	ProtocolVersion     string `json:"protocolVersion"` // of cards of 0.3
	SupportedInterfaces []struct {
		URL             string `json:"url"`
		ProtocolBinding string `json:"protocolBinding"`
		ProtocolVersion string `json:"protocolVersion"`
		Tenant          string `json:"tenant"`
	} `json:"supportedInterfaces"`
	Capabilities struct {
		Streaming  bool `json:"streaming"`
		Extensions []struct {
			URI      string `json:"uri"`
			Required bool   `json:"required"`
		} `json:"extensions"`
	} `json:"capabilities"`

	digest string
}

// cardURLs are where an agent's card may be, the likeliest first: the address given, the same with a slash at its end or
// without one, and the well-known place below it. For a host alone it is the well-known place.
func cardURLs(address string) ([]*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is no address of a card: want https://host or https://host/path", address)
	case u.User != nil:
		return nil, fmt.Errorf("the address of a card holds a user name; credentials belong into a2a.headers, as $NAME")
	}
	bare := strings.TrimRight(u.EscapedPath(), "/")
	paths := []string{bare + cardPath}
	if bare != "" {
		slash := bare + "/"
		if u.EscapedPath() != bare {
			bare, slash = slash, bare
		}
		paths = []string{bare, slash}
		if !strings.HasSuffix(strings.TrimRight(bare, "/"), ".json") {
			paths = append(paths, strings.TrimRight(bare, "/")+cardPath)
		}
	}
	var all []*url.URL
	for _, path := range paths {
		at := *u
		at.RawPath = path
		if at.Path, err = url.PathUnescape(path); err != nil {
			return nil, fmt.Errorf("%q is no address of a card: %w", address, err)
		}
		all = append(all, &at)
	}
	return all, nil
}

// A changedError is a card that is not the one that the run, or the team, goes by.
type changedError struct{ chargehand.ToolChange }

func (e *changedError) Error() string { return e.String() }

// fetch gets the card and holds it to what the team, or the run, goes by.
func (a *agent) fetch(ctx context.Context, t chargehand.WorkerTask, h http.Header) (*card, error) {
	c, err := a.locate(ctx, h)
	if err != nil {
		return nil, err
	}
	name := chargehand.CardName(t.AssignedWorker)
	want := a.pinned
	if want == "" {
		want = a.pins.first(t.RunID, c.digest, t.ToolDigests[name])
	}
	if want != c.digest {
		return nil, &changedError{chargehand.ToolChange{Tool: name, Pinned: want, Now: c.digest, Team: a.pinned != ""}}
	}
	return c, nil
}

// locate gets the card from where it was last, or else from the first of its places that has one.
func (a *agent) locate(ctx context.Context, h http.Header) (*card, error) {
	var first error
	from := int(a.place.Load())
	for i := range a.cardAt {
		n := (from + i) % len(a.cardAt)
		c, elsewhere, err := a.readCard(ctx, a.cardAt[n], h)
		if err == nil {
			a.place.Store(int32(n))
			return c, nil
		}
		if first == nil {
			first = err
		}
		if !elsewhere {
			return nil, err
		}
	}
	return nil, first
}

// readCard gets the card from one place. It reports whether the card may be at another: this one has none.
func (a *agent) readCard(ctx context.Context, at *url.URL, h http.Header) (c *card, elsewhere bool, err error) {
	body, err := a.get(ctx, at, h, maxCard)
	if err != nil {
		gone, ok := errors.AsType[*noCardError](err)
		if ok {
			err = gone.error
		}
		return nil, ok, err
	}
	c = &card{}
	if err = json.Unmarshal(body, c); err == nil {
		c.digest, err = digest(body)
	}
	if err != nil {
		return nil, true, refused("the card of " + at.Host + " cannot be read: " + excerpt.Line(err.Error()))
	}
	return c, false, nil
}

// A noCardError is the error of a place that has no card.
type noCardError struct{ error }

// digest names a card by what it says: its keys in order, no white space, without its signatures,
// which need not be the same twice.
func digest(body []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return "", err
	}
	delete(all, "signatures")
	b, err := json.Marshal(all)
	return chargehand.Hash(b), err
}

// mostPins is how many runs' cards are remembered.
const mostPins = 4096

// pins are the cards that runs go by in this process: the first each has seen. What a run has recorded
// comes with its tasks, and goes before. The zero value is ready.
type pins struct {
	mu   sync.Mutex
	runs map[string]string // digests
	old  []string          // runs, oldest first
}

// first is the digest a run goes by: what it has recorded, what it has seen first, or this one.
func (p *pins) first(run, now, recorded string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	have := p.runs[run]
	if recorded == "" && have != "" {
		return have
	}
	if p.runs == nil {
		p.runs = map[string]string{}
	}
	if have == "" && len(p.old) >= mostPins {
		delete(p.runs, p.old[0])
		p.old = p.old[1:]
	}
	if have == "" {
		p.old = append(p.old, run)
	}
	p.runs[run] = now
	if recorded != "" {
		p.runs[run] = recorded
	}
	return p.runs[run]
}

// A door is where tasks are sent, and how they are spoken of there.
type door struct {
	url       *url.URL
	binding   binding
	tenant    string
	streaming bool
}

// enter chooses the first interface of a card that can be spoken to. Tasks go to the card's own
// origin only: a card is text from outside, and must not choose who gets a task and its headers.
func (a *agent) enter(c *card) (*door, error) {
	for _, e := range c.Capabilities.Extensions {
		if e.Required {
			return nil, refused(fmt.Sprintf("the agent asks for the extension %q, which is not known here", excerpt.Line(e.URI)))
		}
	}
	var why []string
	for i := range c.SupportedInterfaces {
		x := &c.SupportedInterfaces[i]
		u, err := url.Parse(x.URL)
		b := bindings[x.ProtocolBinding]
		switch {
		case b == nil:
			why = append(why, "the binding "+excerpt.Line(x.ProtocolBinding)+" is not spoken")
		case !speaks(x.ProtocolVersion):
			why = append(why, "version "+excerpt.Line(x.ProtocolVersion)+" is not spoken")
		case err != nil || u.Scheme != a.card.Scheme || !sameHost(u, a.card) || u.User != nil:
			why = append(why, "it sends tasks to another place than its own: "+excerpt.Line(x.URL))
		default:
			return &door{u, b, x.Tenant, c.Capabilities.Streaming}, nil
		}
	}
	if len(c.SupportedInterfaces) == 0 {
		why = append(why, "it names no interface; cards of version 0.3 are not understood")
	}
	return nil, refused("the card of " + a.card.Host + " has no interface that can be used: " + strings.Join(why, "; "))
}

// speaks reports whether a version of the protocol is this client's. Patch numbers do not count.
func speaks(v string) bool { return v == version || strings.HasPrefix(v, version+".") }

func sameHost(u, v *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.EqualFold(net.JoinHostPort(u.Hostname(), port(u)), net.JoinHostPort(v.Hostname(), port(v)))
}

// refused is the error for an agent that is not spoken to: no task has been sent.
func refused(why string) *worker.Error {
	return &worker.Error{Kind: worker.Refused, Message: why, NotBegun: true}
}
