package a2a

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// The objects of the protocol as JSON (A2A 1.0 §4), as far as they are read or written here. Content
// that is JSON itself is kept as it was written, so that no figure in it changes.

type task struct {
	ID        string          `json:"id"`
	ContextID string          `json:"contextId"`
	Status    status          `json:"status"`
	Artifacts []artifact      `json:"artifacts"`
	Metadata  json.RawMessage `json:"metadata"`
}

type status struct {
	State   state    `json:"state"`
	Message *message `json:"message"`
}

type message struct {
	MessageID string          `json:"messageId"`
	ContextID string          `json:"contextId,omitempty"`
	TaskID    string          `json:"taskId,omitempty"`
	Role      string          `json:"role"`
	Parts     []part          `json:"parts"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
}

type part struct {
	Text      *string         `json:"text,omitempty"`
	Raw       string          `json:"raw,omitempty"` // base64
	URL       string          `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
}

type artifact struct {
	ArtifactID string `json:"artifactId"`
	Name       string `json:"name"`
	Parts      []part `json:"parts"`
}

type taskList struct {
	Tasks []task `json:"tasks"`
}

// An event is what a stream consists of, and what a message is answered with: one of its members.
type event struct {
	Task         *task    `json:"task"`
	Message      *message `json:"message"`
	StatusUpdate *struct {
		TaskID string `json:"taskId"`
		Status status `json:"status"`
	} `json:"statusUpdate"`
	ArtifactUpdate *struct {
		TaskID   string   `json:"taskId"`
		Artifact artifact `json:"artifact"`
	} `json:"artifactUpdate"`
}

// A state is where a task stands.
type state string

const (
	submitted     state = "TASK_STATE_SUBMITTED"
	working       state = "TASK_STATE_WORKING"
	inputRequired state = "TASK_STATE_INPUT_REQUIRED"
	authRequired  state = "TASK_STATE_AUTH_REQUIRED"
	completed     state = "TASK_STATE_COMPLETED"
	failed        state = "TASK_STATE_FAILED"
	canceled      state = "TASK_STATE_CANCELED"
	rejected      state = "TASK_STATE_REJECTED"
)

// rank orders the states: a task never falls back to a lower one, and never leaves the last.
func (s state) rank() int {
	switch s {
	case submitted:
		return 1
	case working, inputRequired, authRequired:
		return 2
	case completed, failed, canceled, rejected:
		return 3
	}
	return 0
}

func (s state) final() bool { return s.rank() == 3 }

// settled reports whether nothing more comes of waiting.
func (s state) settled() bool { return s.final() || s == inputRequired || s == authRequired }

// words are the texts of a message, each on lines of its own.
func (m *message) words() string {
	if m == nil {
		return ""
	}
	var all []string
	for _, p := range m.Parts {
		if p.Text != nil {
			all = append(all, *p.Text)
		}
	}
	return strings.Join(all, "\n")
}

// bytes are a raw part's content.
func (p *part) bytes() ([]byte, error) {
	s := strings.NewReplacer("-", "+", "_", "/").Replace(p.Raw)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
}

// encode is v as JSON with raw JSON in it left as it is.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
