package chatapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/ingress"
)

const (
	runHeader   = "X-Chargehand-Run"
	stateHeader = "X-Chargehand-State"
	maxKey      = 200 // bytes
)

// A job is a request whose run has begun.
type job struct {
	*server
	in     *dialect
	caller Caller
	order  chargehand.Order
	run    string
	keyed  bool // whoever asks again with the key finds the run
	asked  *request
	usage  chargehand.Usage
}

// A dialect is one of the APIs that a run can be asked for, and answered, in.
type dialect struct {
	door  string // keeps its idempotency keys apart
	parse func(body []byte) (*request, *failure)
	whole func(*job, *outcome) (any, *failure)
	voice func(*events) voice
}

// A voice is an answer in a stream, in a dialect.
type voice interface {
	begin()
	end(*outcome)
	fail(*outcome, *failure) // without an outcome where none is known
}

// serve answers requests of a dialect.
func (s *server) serve(d *dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.run(d, w, r) }
}

func (s *server) run(in *dialect, w http.ResponseWriter, r *http.Request) {
	j, f := s.prepare(in, w, r)
	if f != nil {
		refuse(w, f)
		return
	}
	// A request takes its seat once it has arrived: one that arrives slowly keeps no other out.
	from := ingress.Address(r)
	if !s.seats.take(from) {
		refuse(w, &failure{status: http.StatusTooManyRequests, Kind: overloaded, Code: "too_many_requests", Message: "as many requests as are allowed wait for their runs: ask again later"})
		return
	}
	defer s.seats.leave(from)
	if f := j.start(r.Context()); f != nil {
		refuse(w, f)
		return
	}
	w.Header().Set(runHeader, j.run)
	j.remember()
	if j.asked.Away {
		j.goneOn(w)
		return
	}
	ctx, stop := j.patience(r.Context())
	defer stop()
	if j.asked.Stream {
		j.stream(ctx, w, r)
		return
	}
	v, err := j.follow(ctx, func(chargehand.Moment) {})
	if j.deserted(r.Context().Err() != nil) {
		return
	}
	done, f := j.outcome(v, err)
	if f != nil {
		refuse(w, f)
		return
	}
	body, f := in.whole(j, done)
	if f != nil {
		refuse(w, f)
		return
	}
	w.Header().Set(stateHeader, done.about.State)
	answer(w, http.StatusOK, body)
}

// prepare reads a request, and makes of it the order of its run.
func (s *server) prepare(in *dialect, w http.ResponseWriter, r *http.Request) (*job, *failure) {
	body, f := s.read(w, r)
	if f != nil {
		return nil, f
	}
	q, f := in.parse(body)
	if f != nil {
		return nil, f
	}
	m, f := s.model(q.Model)
	if f != nil {
		return nil, f
	}
	j := &job{server: s, in: in, caller: callerOf(r), asked: q}
	if f := s.compile(&q.Form, m); f != nil {
		return nil, f
	}
	j.order = chargehand.Order{Team: m.Team, StartedBy: j.caller.Name, Tenant: j.caller.Tenant}
	if f := j.goOn(r.Context()); f != nil {
		return nil, f
	}
	if j.order.Objective, f = m.objective(q); f != nil {
		return nil, f
	}
	if j.order.Budget.USD, f = m.budget(q.Extra.Budget); f != nil {
		return nil, f
	}
	return j, j.key(r)
}

// key makes the request's idempotency key the run's, apart from other callers' and other doors'.
func (j *job) key(r *http.Request) *failure {
	key := r.Header.Get("Idempotency-Key")
	if len(key) > maxKey {
		return wrong("Idempotency-Key", "is longer than 200 bytes")
	}
	if j.keyed = key != ""; j.keyed {
		j.order.Key = j.in.door + ":" + url.Values{"by": {j.caller.Name}, "tenant": {j.caller.Tenant}, "key": {key}}.Encode()
	}
	return nil
}

// start begins the run, or finds the one that the same key began.
func (j *job) start(ctx context.Context) *failure {
	// A client that leaves at this very moment must not leave behind a run that nobody knows of.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), j.opt.Timeout)
	defer cancel()
	var err error
	j.run, err = j.engine.Start(ctx, j.order)
	if e, ok := errors.AsType[*chargehand.Error](err); ok && e.Code == chargehand.CodeKeyTaken {
		return &failure{
			status: http.StatusConflict, Kind: invalid, Param: "Idempotency-Key", Code: "idempotency_key_reused", final: true,
			Message: "Idempotency-Key: " + e.Why + ": give each request a key of its own",
		}
	}
	if err != nil {
		return j.failed(err)
	}
	return nil
}

// budget is what a caller allows, which is never more than the team does.
func (m *Model) budget(raw json.RawMessage) (chargehand.Micros, *failure) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, nil
	}
	var usd chargehand.Micros
	err := usd.UnmarshalJSON(raw)
	switch {
	case err != nil || usd <= 0:
		return 0, wrong("chargehand.budget", "want dollars as a decimal above zero, such as 0.50")
	case m.Team.Budget.USD > 0 && usd > m.Team.Budget.USD:
		return 0, wrong("chargehand.budget", "the team may spend "+m.Team.Budget.USD.String()+" at most")
	}
	return usd, nil
}

// What ends a wait without the run being at fault.
var (
	errPatience = errors.New("it has been waited for long enough")
	errLeaving  = errors.New("this process is about to end")
)

// patience is for how long a run is waited for: until the client leaves, its time is up, or this
// process is about to end.
func (j *job) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(j.opt.Wait, func() { cancel(errPatience) })
	go func() {
		select {
		case <-j.opt.Leaving:
			cancel(errLeaving)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// follow waits for the run to end, or to wait for a person.
func (j *job) follow(ctx context.Context, see func(chargehand.Moment)) (*chargehand.View, error) {
	return j.followUntil(ctx, func(m chargehand.Moment) bool {
		see(m)
		return m.Waits
	})
}

// followUntil counts what the run consumes until it ends, or enough says so.
func (j *job) followUntil(ctx context.Context, enough func(chargehand.Moment) bool) (*chargehand.View, error) {
	synthesis := map[string]bool{}
	v, err := chargehand.Follow(ctx, j.engine, j.run, func(m chargehand.Moment) bool {
		for _, r := range m.News {
			if f, is := r.Fact.(chargehand.SubtasksPlanned); is && f.Synthesis {
				for _, s := range f.Subtasks {
					synthesis[s.ID] = true
				}
			}
			use, _ := chargehand.Spending(r.Fact, func(s string) bool { return synthesis[s] })
			j.usage = j.usage.Plus(use)
		}
		return enough(m)
	})
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errPatience) || errors.Is(cause, errLeaving)) {
		err = cause
	}
	return v, err
}

// deserted is gone, whether the client has left. A run that nobody can find again is then cancelled.
func (j *job) deserted(gone bool) bool {
	if gone {
		j.abandon("the client left before the answer")
	}
	return gone
}

// abandon cancels the run, unless it has a key.
func (j *job) abandon(why string) {
	if j.keyed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), j.opt.Timeout)
	defer cancel()
	err := j.engine.Control(ctx, j.run, chargehand.Control{Verb: chargehand.Cancel, By: j.caller.Name, Reason: why})
	if err != nil && chargehand.CodeOf(err) != chargehand.CodeEnded {
		j.opt.Log.Error("cancel an abandoned run", "run", j.run, "error", err)
	}
}
