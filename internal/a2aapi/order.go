package a2aapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// sendParams are what SendMessage and SendStreamingMessage take.
type sendParams struct {
	Tenant        string   `json:"tenant"`
	Message       *message `json:"message"`
	Configuration struct {
		HistoryLength     *int            `json:"historyLength"`
		ReturnImmediately bool            `json:"returnImmediately"`
		Push              json.RawMessage `json:"taskPushNotificationConfig"`
	} `json:"configuration"`
}

const maxID = 200 // bytes of an id that a client makes up

// check is what is wrong with the parameters, before anything is done.
func (p *sendParams) check() error {
	m := p.Message
	switch {
	case p.Tenant != "":
		return checkTenant(p.Tenant)
	case m == nil:
		return wrong("message", "is missing")
	case m.MessageID == "" || len(m.MessageID) > maxID:
		return wrong("message.messageId", fmt.Sprintf("want 1 to %d bytes", maxID))
	case len(m.ContextID) > maxID:
		return wrong("message.contextId", fmt.Sprintf("want at most %d bytes", maxID))
	case m.Role != roleUser:
		return wrong("message.role", "a client's message has the role "+roleUser)
	case len(m.Parts) == 0:
		return wrong("message.parts", "there is none: a message needs at least one")
	case len(p.Configuration.Push) > 0 && string(p.Configuration.Push) != "null":
		return pushNotSupported.failure()
	}
	for i := range m.Parts {
		if err := m.Parts[i].check(fmt.Sprintf("message.parts[%d]", i)); err != nil {
			return err
		}
	}
	return checkHistory(p.Configuration.HistoryLength)
}

func (p *part) check(path string) error {
	if n := p.contents(); n != 1 {
		return wrong(path, fmt.Sprintf("has %d of text, raw, url and data, and must have one", n))
	}
	if p.URL != nil {
		return contentTypeRefused.because(path + ": this agent fetches nothing: send the file's content as raw or text")
	}
	media := p.media()
	if media == "" || !slices.Contains(inputModes, media) {
		return contentTypeRefused.because(fmt.Sprintf("%s: %q is not taken; taken are %s", path, excerpt.Of(p.MediaType, 80), strings.Join(inputModes, ", ")))
	}
	if p.Raw != nil && !utf8.Valid(*p.Raw) {
		return contentTypeRefused.because(path + ": it is no UTF-8 text")
	}
	return nil
}

// media is the part's media type without parameters; empty if it is none.
func (p *part) media() string {
	switch {
	case p.MediaType == "" && len(p.Data) > 0:
		return "application/json"
	case p.MediaType == "":
		return "text/plain"
	}
	media, _, err := mime.ParseMediaType(p.MediaType)
	if err != nil {
		return ""
	}
	return media
}

// objective is what a message asks for: its text is the goal, its data the input, its files and
// whatever has a file name the documents.
func (a *agent) objective(m *message) (chargehand.Objective, error) {
	var o chargehand.Objective
	var goal []string
	for i := range m.Parts {
		p, path := &m.Parts[i], fmt.Sprintf("message.parts[%d]", i)
		switch {
		case p.Metadata["chargehand"] == "expected":
			// What a supervisor elsewhere expects of its worker; this team has contracts of its own.
		case p.Metadata["chargehand"] == "lastOutput":
			// What the supervisor's worker made before. As a document it would be a source to quote from.
		case p.Text != nil && p.Filename == "":
			goal = append(goal, *p.Text)
		case p.Text != nil:
			o.Documents = append(o.Documents, document(p, *p.Text, len(o.Documents)))
		case p.Raw != nil:
			o.Documents = append(o.Documents, document(p, string(*p.Raw), len(o.Documents)))
		case p.Filename != "":
			o.Documents = append(o.Documents, document(p, compact(p.Data), len(o.Documents)))
		case len(o.Input) > 0:
			return o, wrong(path, "there is a part with data already: the input is one; give further data a filename")
		default:
			o.Input = json.RawMessage(compact(p.Data))
		}
	}
	o.Goal = strings.TrimSpace(strings.Join(goal, "\n\n"))
	if o.Goal == "" && len(o.Input)+len(o.Documents) > 0 {
		o.Goal = a.description()
	}
	o.Title = a.team.Name
	if len(o.Documents) > 0 {
		o.Title = o.Documents[0].Name
	}
	return o, nil
}

func document(p *part, text string, n int) chargehand.Document {
	return chargehand.Document{Name: cmp.Or(p.Filename, fmt.Sprintf("document-%d", n+1)), MediaType: p.media(), Text: text}
}
