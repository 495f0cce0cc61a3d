package chatapi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// maxGoal is more than a goal takes, in bytes. What is longer is a document, which quotes can be
// checked against.
const maxGoal = 4 << 10

// conversation is the document of what was said before.
const conversation = "conversation.txt"

// objective is what a conversation asks of a team: its last message is the goal, the files of all
// messages are the documents, and what was said before is one more.
func (m *Model) objective(q *request) (chargehand.Objective, *failure) {
	o := chargehand.Objective{Title: q.Extra.Title, Input: q.Extra.Input, Documents: q.documents}
	var said []string
	before := q.before()
	for i := range q.Messages {
		msg, at := &q.Messages[i], fmt.Sprintf("%s[%d]", q.at, i)
		if f := msg.check(at, i == len(q.Messages)-1); f != nil {
			return o, f
		}
		var texts []string
		for j := range msg.Content {
			p := &msg.Content[j]
			d, f := p.document(fmt.Sprintf("%s.content[%d]", at, j), len(o.Documents))
			switch {
			case f != nil:
				return o, f
			case d != nil:
				o.Documents = append(o.Documents, *d)
			case p.words() != "":
				texts = append(texts, p.words())
			}
		}
		if i < len(q.Messages)-1 && len(texts) > 0 {
			before += "[" + msg.Role + "]\n" + strings.Join(texts, "\n\n") + "\n\n"
		}
		said = texts
	}
	m.ask(&o, strings.TrimSpace(strings.Join(said, "\n\n")), before)
	if o.Goal == "" {
		return o, wrong(q.at, "the last one says nothing, and the team has no goal of its own")
	}
	return o, nil
}

// ask puts what was said into the objective.
func (m *Model) ask(o *chargehand.Objective, text, before string) {
	add := func(name, text string) {
		o.Documents = append(o.Documents, chargehand.Document{Name: name, MediaType: "text/plain", Text: text})
	}
	own := m.Team.Description
	switch {
	case text == "":
		o.Goal = own
	case m.Reads && len(o.Documents) == 0:
		o.Goal = own
		add("message.txt", text)
	case len(text) > maxGoal:
		o.Goal = excerpt.Of(text, maxGoal/4) + " (The whole message is the document message.txt.)"
		add("message.txt", text)
	default:
		o.Goal = text
	}
	if before != "" && !m.Reads {
		add(conversation, before)
	}
	switch {
	case o.Title != "":
	case len(o.Documents) > 0:
		o.Title = o.Documents[0].Name
	default:
		o.Title = m.Team.Name
	}
}

func (msg *message) check(at string, last bool) *failure {
	switch msg.Role {
	case "user":
		return nil
	case "system", "developer", "assistant":
		if last {
			return wrong(at+".role", "the last message is the user's: it says what to do")
		}
		if len(msg.ToolCalls) > 0 && string(msg.ToolCalls) != "null" && string(msg.ToolCalls) != "[]" {
			return unsupported(at+".tool_calls", "is not supported: a team calls no tools of its caller")
		}
		return nil
	}
	return unsupported(at+".role", fmt.Sprintf("cannot be %q: want user, assistant, system or developer", excerpt.Of(msg.Role, 40)))
}

// words is what a part says in words.
func (p *part) words() string {
	if p.Type == "refusal" {
		return p.Refusal
	}
	return p.Text
}

// document is the part's file; nil if it is words.
func (p *part) document(at string, n int) (*chargehand.Document, *failure) {
	switch p.Type {
	case "text", "refusal", "":
		return nil, nil
	case "file":
	default:
		return nil, unsupported(at+".type", fmt.Sprintf("cannot be %q: want text, or a file with text in it", excerpt.Of(p.Type, 40)))
	}
	switch {
	case p.File == nil:
		return nil, wrong(at+".file", "is missing")
	case p.File.ID != "":
		return nil, unsupported(at+".file.file_id", "is not supported: send the file itself as file_data")
	}
	text, media, err := p.File.read()
	if err != nil {
		return nil, wrong(at+".file.file_data", err.Error())
	}
	d := &chargehand.Document{Name: p.File.Name, MediaType: media, Text: text}
	if d.Name == "" {
		d.Name = fmt.Sprintf("document-%d", n+1)
	}
	return d, nil
}

var (
	errNoDataURL = errors.New("is no data URL: want data:text/plain;base64, and the content")
	errNoBase64  = errors.New("is not base64: want data:text/plain;base64, and the content")
)

// read is a file's text and its media type. Nothing is fetched.
func (f *file) read() (text, media string, err error) {
	data, encoded := f.Data, true
	if rest, is := strings.CutPrefix(data, "data:"); is {
		head, body, ok := strings.Cut(rest, ",")
		if !ok {
			return "", "", errNoDataURL
		}
		head, encoded = strings.CutSuffix(head, ";base64")
		if media, _, err = mime.ParseMediaType(head); err != nil {
			media = ""
		}
		data = body
	}
	raw := []byte(data)
	if encoded {
		raw, err = base64.StdEncoding.DecodeString(data)
	} else if data, err = url.PathUnescape(data); err == nil {
		raw = []byte(data)
	}
	switch {
	case err != nil:
		return "", "", errNoBase64
	case len(raw) == 0:
		return "", "", errors.New("is empty")
	case strings.HasPrefix(string(raw), "%PDF-"):
		return "", "", errors.New("is a PDF, not text: extract its text first, for example with pdftotext -layout")
	case !utf8.Valid(raw) || strings.ContainsRune(string(raw), 0):
		return "", "", errors.New("is not UTF-8 text")
	}
	return string(raw), media, nil
}
