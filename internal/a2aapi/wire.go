package a2aapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// The objects of the protocol as JSON (A2A 1.0 §4). Content that is JSON itself is kept as it was
// written, so that no figure in it changes.

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

func (s state) known() bool {
	switch s {
	case submitted, working, inputRequired, authRequired, completed, failed, canceled, rejected:
		return true
	}
	return false
}

// final reports whether nothing follows the state.
func (s state) final() bool {
	return s == completed || s == failed || s == canceled || s == rejected
}

// settled reports whether a caller that waits has waited long enough.
func (s state) settled() bool { return s.final() || s == inputRequired || s == authRequired }

const (
	roleUser  = "ROLE_USER"
	roleAgent = "ROLE_AGENT"
)

type task struct {
	ID        string         `json:"id"`
	ContextID string         `json:"contextId"`
	Status    status         `json:"status"`
	Artifacts []artifact     `json:"artifacts,omitempty"`
	History   []message      `json:"history,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type status struct {
	State     state     `json:"state"`
	Message   *message  `json:"message,omitempty"`
	Timestamp time.Time `json:"timestamp"` // UTC
}

type message struct {
	MessageID        string          `json:"messageId"`
	ContextID        string          `json:"contextId,omitempty"`
	TaskID           string          `json:"taskId,omitempty"`
	Role             string          `json:"role"`
	Parts            []part          `json:"parts"`
	Metadata         json.RawMessage `json:"metadata,omitempty"`
	Extensions       []string        `json:"extensions,omitempty"`
	ReferenceTaskIDs []string        `json:"referenceTaskIds,omitempty"`
}

// A part holds exactly one of text, raw, url and data.
type part struct {
	Text      *string         `json:"text,omitempty"`
	Raw       *base64Bytes    `json:"raw,omitempty"`
	URL       *string         `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
}

// contents is how many of its kinds of content the part has.
func (p *part) contents() int {
	n := 0
	for _, has := range []bool{p.Text != nil, p.Raw != nil, p.URL != nil, len(p.Data) > 0} {
		if has {
			n++
		}
	}
	return n
}

func textPart(s string) part { return part{Text: &s} }

// base64Bytes reads both alphabets of base64, with and without padding, as ProtoJSON asks for.
type base64Bytes []byte

func (b base64Bytes) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(b)) }

func (b *base64Bytes) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "=")
	raw, err := base64.RawStdEncoding.DecodeString(s)
	*b = raw
	return err
}

type artifact struct {
	ArtifactID  string         `json:"artifactId"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []part         `json:"parts"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

type statusUpdate struct {
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Status    status         `json:"status"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type artifactUpdate struct {
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId"`
	Artifact  artifact `json:"artifact"`
	LastChunk bool     `json:"lastChunk"`
}

// A response is what a message is answered with and what a stream consists of: one of its members.
type response struct {
	Task           *task           `json:"task,omitempty"`
	StatusUpdate   *statusUpdate   `json:"statusUpdate,omitempty"`
	ArtifactUpdate *artifactUpdate `json:"artifactUpdate,omitempty"`
}

type taskList struct {
	Tasks         []task `json:"tasks"`
	NextPageToken string `json:"nextPageToken"`
	PageSize      int    `json:"pageSize"`
	TotalSize     int    `json:"totalSize"`
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
