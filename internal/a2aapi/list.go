package a2aapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// listParams are what ListTasks takes.
type listParams struct {
	Tenant               string     `json:"tenant"`
	ContextID            string     `json:"contextId"`
	Status               state      `json:"status"`
	PageSize             *int       `json:"pageSize"`
	PageToken            string     `json:"pageToken"`
	HistoryLength        *int       `json:"historyLength"`
	StatusTimestampAfter *time.Time `json:"statusTimestampAfter"`
	IncludeArtifacts     bool       `json:"includeArtifacts"`
}

// listed is how many of a caller's runs a list looks at: the newest.
const listed = 10_000

// A place is where a task stands in a list: by its status' time, the newest first.
type place struct {
	at  int64 // microseconds since 1970
	run string
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(q.at, p.at), cmp.Compare(q.run, p.run))
}

func (p place) token() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", p.at, p.run))
}

func placeOf(token string) (place, error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	at, run, ok := strings.Cut(string(b), " ")
	n, nerr := strconv.ParseInt(at, 10, 64)
	if err != nil || nerr != nil || !ok {
		return place{}, wrong("pageToken", "it is none that this agent has given")
	}
	return place{n, run}, nil
}

func (q *listParams) check() (after place, size int, err error) {
	size = 50
	if q.PageSize != nil {
		size = *q.PageSize
	}
	switch {
	case q.Tenant != "":
		return after, 0, checkTenant(q.Tenant)
	case size < 1 || size > 100:
		return after, 0, wrong("pageSize", "want 1 to 100")
	case q.Status != "" && q.Status != "TASK_STATE_UNSPECIFIED" && !q.Status.known():
		return after, 0, wrong("status", "there is no such state")
	case q.PageToken != "":
		after, err = placeOf(q.PageToken)
	}
	if q.Status == "TASK_STATE_UNSPECIFIED" {
		q.Status = ""
	}
	if err == nil {
		err = checkHistory(q.HistoryLength)
	}
	return after, size, err
}

// list lists the caller's tasks with this team, the one whose status changed last first.
func (a *agent) list(ctx context.Context, who Caller, q listParams) (*taskList, error) {
	after, size, err := q.check()
	if err != nil {
		return nil, err
	}
	places, err := a.places(ctx, who, &q)
	if err != nil {
		return nil, err
	}
	out := &taskList{Tasks: []task{}, PageSize: size, TotalSize: len(places)}
	from := 0
	if q.PageToken != "" {
		from, _ = slices.BinarySearchFunc(places, after, place.compare)
		if from < len(places) && places[from] == after {
			from++
		}
	}
	page := places[from:min(from+size, len(places))]
	for _, at := range page {
		p, err := a.fold(ctx, at.run, 0)
		if err != nil {
			return nil, err
		}
		t, err := a.task(ctx, p, shape{q.HistoryLength, q.IncludeArtifacts})
		if err != nil {
			return nil, err
		}
		out.Tasks = append(out.Tasks, *t)
	}
	if from+size < len(places) {
		out.NextPageToken = page[len(page)-1].token()
	}
	return out, nil
}

// places are the tasks that the filters let through, in order.
func (a *agent) places(ctx context.Context, who Caller, q *listParams) ([]place, error) {
	runs, err := a.engine.Runs(ctx, chargehand.Filter{StartedBy: who.Name, Limit: listed})
	if err != nil {
		return nil, err
	}
	var all []place
	for i := range runs {
		r := &runs[i]
		o, err := a.known.of(ctx, a.engine, r.RunID)
		if err != nil {
			return nil, err
		}
		if !a.owns(who, o, r) || q.ContextID != "" && o.Context != q.ContextID {
			continue
		}
		now, since := stateOf(&chargehand.View{RunSummary: *r}), r.EndedAt
		if !now.final() {
			p, err := a.fold(ctx, r.RunID, 0)
			if err != nil {
				return nil, err
			}
			now, since = p.state, p.since
		}
		if q.Status != "" && now != q.Status || q.StatusTimestampAfter != nil && since.Before(*q.StatusTimestampAfter) {
			continue
		}
		all = append(all, place{since.UnixMicro(), r.RunID})
	}
	slices.SortFunc(all, place.compare)
	return all, nil
}
