package httpapi

import (
	"net/http"
	"strconv"

	"github.com/chargehand/chargehand"
)

func (s *server) startRun(w http.ResponseWriter, r *http.Request) error {
	var o chargehand.Order
	if err := readBody(w, r, s.options.MaxOrder, &o); err != nil {
		return err
	}
	var err error
	if o.StartedBy, err = s.principal(r, o.StartedBy); err != nil {
		return err
	}
	if o.Key == "" {
		o.Key = r.Header.Get("Idempotency-Key")
	}
	id, err := s.engine.Start(r.Context(), o)
	if err != nil {
		return err
	}
	return begun(w, id)
}

// begun answers with a run that is new.
func begun(w http.ResponseWriter, id string) error {
	w.Header().Set("Location", "/v1/runs/"+id)
	return answer(w, http.StatusCreated, struct {
		RunID string `json:"runId"`
	}{id})
}

func (s *server) forkRun(w http.ResponseWriter, r *http.Request) error {
	var f chargehand.Fork
	if err := readBody(w, r, maxBody, &f); err != nil {
		return err
	}
	var err error
	if f.By, err = s.principal(r, f.By); err != nil {
		return err
	}
	id, err := s.engine.Fork(r.Context(), r.PathValue("id"), f)
	if err != nil {
		return err
	}
	return begun(w, id)
}

func (s *server) listRuns(w http.ResponseWriter, r *http.Request) error {
	f, err := filter(r)
	if err != nil {
		return err
	}
	runs, err := s.engine.Runs(r.Context(), f)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, struct {
		Runs []chargehand.RunSummary `json:"runs"`
	}{list(runs)})
}

// filter reads ?state=…&state=…&needs_human=true&started_by=…&limit=….
func filter(r *http.Request) (chargehand.Filter, error) {
	var f chargehand.Filter
	q := query{values: r.URL.Query()}
	for _, s := range q.values["state"] {
		f.States = append(f.States, chargehand.RunState(s))
	}
	f.NeedsHuman = q.yes("needs_human")
	f.StartedBy = q.values.Get("started_by")
	f.Limit = int(q.number("limit"))
	return f, q.refusal("state", "needs_human", "started_by", "limit")
}

func (s *server) showRun(w http.ResponseWriter, r *http.Request) error {
	v, err := s.engine.Run(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("ETag", strconv.Quote(v.RunID+"/"+strconv.FormatInt(v.Seq, 10)))
	return answer(w, http.StatusOK, v)
}

func (s *server) showResult(w http.ResponseWriter, r *http.Request) error {
	result, err := s.engine.Result(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, result)
}

func (s *server) controlRun(w http.ResponseWriter, r *http.Request) error {
	var c chargehand.Control
	if err := readBody(w, r, maxBody, &c); err != nil {
		return err
	}
	var err error
	if c.By, err = s.principal(r, c.By); err != nil {
		return err
	}
	if err := s.engine.Control(r.Context(), r.PathValue("id"), c); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
