package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/chargehand/chargehand"
)

func (s *server) listReviews(w http.ResponseWriter, r *http.Request) error {
	reviews, err := s.engine.Reviews(r.Context())
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, struct {
		Reviews []chargehand.Review `json:"reviews"`
	}{list(reviews)})
}

// A decision is what a caller may say of one; the rest is the engine's to set.
type decision struct {
	Approved    bool   `json:"approved"`
	Approver    string `json:"approver"`
	ContentHash string `json:"contentHash"`
	Nonce       string `json:"nonce"`
	Comment     string `json:"comment,omitempty"`
	SendBack    bool   `json:"sendBack,omitempty"`

	Plan    *chargehand.Plan      `json:"plan,omitempty"`
	Settled chargehand.Settlement `json:"settled,omitempty"`
	Output  json.RawMessage       `json:"output,omitempty"`
}

func (s *server) decide(w http.ResponseWriter, r *http.Request) error {
	var d decision
	if err := readBody(w, r, maxBody, &d); err != nil {
		return err
	}
	approver, err := s.principal(r, d.Approver)
	if err != nil {
		return err
	}
	decided, err := s.engine.Decide(r.Context(), chargehand.Decision{
		ReviewID: r.PathValue("id"), Approved: d.Approved, Approver: approver,
		ContentHash: d.ContentHash, Nonce: d.Nonce, Comment: d.Comment, SendBack: d.SendBack, Plan: d.Plan,
		Settled: d.Settled, Output: d.Output,
	})
	if err != nil {
		return err
	}
	return answer(w, http.StatusCreated, decided)
}

func (s *server) showFleet(w http.ResponseWriter, r *http.Request) error {
	workers, err := s.engine.Fleet(r.Context())
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, struct {
		Workers []chargehand.WorkerStatus `json:"workers"`
	}{list(workers)})
}

func (s *server) showBlob(w http.ResponseWriter, r *http.Request) error {
	content, err := s.engine.Blob(r.Context(), r.PathValue("hash"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", `"`+chargehand.Hash(content)+`"`)
	h.Set("Cache-Control", "private, immutable, max-age=31536000")
	_, _ = w.Write(content)
	return nil
}
