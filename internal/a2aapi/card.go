package a2aapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/chargehand/chargehand/internal/dial"
)

// An agentCard says what an agent is, what it can do and where it is reached (A2A 1.0 §4.4.1).
type agentCard struct {
	Name                 string           `json:"name"`
	Description          string           `json:"description"`
	Version              string           `json:"version"`
	SupportedInterfaces  []agentInterface `json:"supportedInterfaces"`
	Capabilities         capabilities     `json:"capabilities"`
	SecuritySchemes      map[string]any   `json:"securitySchemes,omitempty"`
	SecurityRequirements []map[string]any `json:"securityRequirements,omitempty"`
	DefaultInputModes    []string         `json:"defaultInputModes"`
	DefaultOutputModes   []string         `json:"defaultOutputModes"`
	Skills               []map[string]any `json:"skills"`
}

type agentInterface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
}

type capabilities struct {
	Streaming         bool `json:"streaming"`
	PushNotifications bool `json:"pushNotifications"`
	ExtendedAgentCard bool `json:"extendedAgentCard"`
}

// inputModes are the media types of what a message may bring: a goal, an input, documents.
var inputModes = []string{
	"text/plain", "application/json", "text/markdown", "text/html", "text/csv", "text/xml",
	"application/xml", "application/yaml", "application/x-ndjson",
}

var outputModes = []string{"application/json", "text/plain"}

// card is the agent's card for clients that reach it at base. What a caller is shown only once it
// is known who asks is in the extended one: what input the team takes, and what it hands over.
func (a *agent) card(base string, extended bool) agentCard {
	c := agentCard{
		Name: a.team.Name, Description: a.description(), Version: cmp.Or(a.team.Version, "1"),
		SupportedInterfaces: []agentInterface{
			{base + a.path + "/jsonrpc", "JSONRPC", version},
			{base + a.path + "/http", "HTTP+JSON", version},
		},
		Capabilities:      capabilities{Streaming: true, ExtendedAgentCard: a.opt.Caller != nil},
		DefaultInputModes: inputModes, DefaultOutputModes: outputModes,
		Skills: []map[string]any{a.skill(extended)},
	}
	if a.opt.Caller != nil {
		c.SecuritySchemes = map[string]any{"bearer": map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "Bearer"}}}
		c.SecurityRequirements = []map[string]any{{"schemes": map[string]any{"bearer": map[string]any{"list": []string{}}}}}
	}
	return c
}

func (a *agent) description() string {
	return cmp.Or(a.team.Description, "The supervised team "+a.team.Name+": every output is checked before it is used, and gaps are named.")
}

func (a *agent) skill(extended bool) map[string]any {
	about := a.description()
	if extended {
		about += "\n\n" + a.particulars()
	}
	return map[string]any{"id": a.team.Name, "name": a.team.Name, "description": about, "tags": a.tags()}
}

// particulars are what a caller has to know to use the team well.
func (a *agent) particulars() string {
	var b strings.Builder
	b.WriteString("Send the goal as text, the input as one data part, documents as file parts or as text parts with a file name.")
	if len(a.team.InputSchema) > 0 {
		b.WriteString("\n\nThe input's JSON Schema: " + compact(a.team.InputSchema))
	}
	if s := a.team.Synthesis; s != nil {
		for i := range a.team.Contracts {
			if c := &a.team.Contracts[i]; c.Name == s.OutputContract && len(c.Schema) > 0 {
				b.WriteString("\n\nThe output's JSON Schema: " + compact(c.Schema))
			}
		}
	}
	return b.String()
}

// tags are what the team's workers can do, at most 32 of them.
func (a *agent) tags() []string {
	tags, seen := []string{}, map[string]bool{}
	for i := range a.team.Workers {
		for _, c := range a.team.Workers[i].Capabilities {
			if !seen[c] && len(tags) < 32 {
				seen[c], tags = true, append(tags, c)
			}
		}
	}
	if len(tags) == 0 {
		tags = append(tags, "supervised")
	}
	return tags
}

// serveCard answers with the card. It tells nothing that needs credentials.
func (a *agent) serveCard(w http.ResponseWriter, r *http.Request) {
	body, err := encode(a.card(a.baseURL(r), false))
	if err != nil {
		writeREST(w, a.failed(err))
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "max-age=60")
	h.Set("ETag", tag)
	h.Add("Vary", "Host")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(body)
}

// baseURL is where the client of a request reaches the handler.
func (s *server) baseURL(r *http.Request) string {
	switch {
	case s.opt.BaseURL != "":
		return s.opt.BaseURL
	case r.TLS == nil && dial.ThisMachine(r.Host):
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// extended is the card for callers that have said who they are.
func (a *agent) extended(_ context.Context, base string) (agentCard, error) {
	if a.opt.Caller == nil {
		return agentCard{}, unsupported.because("there is no extended card: nobody says who they are here")
	}
	return a.card(base, true), nil
}

func compact(raw json.RawMessage) string {
	b, err := encode(raw)
	if err != nil {
		return ""
	}
	return string(b)
}
