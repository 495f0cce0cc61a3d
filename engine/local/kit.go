package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/worker"
)

// A kit is a team made ready for use: its contracts compiled, its workers reachable.
type kit struct {
	team    *chargehand.Team
	digest  string
	gate    *gate.Gate
	workers worker.Set
	planner worker.Planner // nil where the planner is a template
	drift   []string       // workers that are no longer of the version the team names
}

// kits are the teams in use, by digest. A run keeps the one it began with.
type kits struct {
	mu    sync.Mutex
	store *store
	opt   *Options                  // nil: teams are only read, and their workers need not be reached
	known map[string]*kit           // by digest
	teams map[*chargehand.Team]*kit // by the pointer machines hold
}

func (ks *kits) init(s *store, opt *Options) {
	ks.store, ks.opt, ks.known, ks.teams = s, opt, map[string]*kit{}, map[*chargehand.Team]*kit{}
}

// make readies a team, or says everything that is wrong with it.
func (ks *kits) make(team *chargehand.Team) (*kit, error) {
	digest := team.Digest()
	ks.mu.Lock()
	k := ks.known[digest]
	ks.mu.Unlock()
	if k != nil {
		return k, nil
	}
	problems := team.Check()
	g, more := gate.Compile(team)
	problems = append(problems, more...)
	k = &kit{team: team, digest: digest, gate: g, workers: worker.Set{}}
	problems = append(problems, ks.reach(k)...)
	if len(problems) > 0 {
		return nil, unsupervised(team, problems)
	}
	return ks.add(k), nil
}

// add keeps a kit, or answers the one that another goroutine kept meanwhile.
func (ks *kits) add(k *kit) *kit {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	if have := ks.known[k.digest]; have != nil {
		return have
	}
	ks.known[k.digest], ks.teams[k.team] = k, k
	return k
}

// of is the kit of a team that a machine holds.
func (ks *kits) of(t *chargehand.Team) *kit {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	return ks.teams[t]
}

// reach finds the code behind every worker and the planner.
func (ks *kits) reach(k *kit) []chargehand.Problem {
	if ks.opt == nil {
		return nil
	}
	var problems []chargehand.Problem
	for i := range k.team.Workers {
		w := &k.team.Workers[i]
		if f := ks.opt.Workers[w.WorkerID]; f != nil && (w.Kind == chargehand.KindFunc || w.Kind == "") {
			k.workers[w.WorkerID] = worker.Caught(f)
			if v, ok := f.(worker.Versioned); ok && v.Version() != w.VersionOrDefault() {
				k.drift = append(k.drift, fmt.Sprintf("%s is version %s here, the team names %s", w.WorkerID, v.Version(), w.VersionOrDefault()))
			}
			continue
		}
		reached, err := ks.worker(k.team, w)
		if err != nil {
			problems = append(problems, unreached(fmt.Sprintf("$.workers[%d]", i), err))
			continue
		}
		k.workers[w.WorkerID] = reached
	}
	if d, ok := ks.opt.Agents.(drifter); ok {
		k.drift = append(k.drift, d.Drift(k.team)...)
	}
	var err error
	if k.planner, err = ks.planner(k.team); err != nil {
		problems = append(problems, unreached("$.planner", err))
	}
	ks.warn(k.team)
	return append(problems, unset(k.team)...)
}

// warn tells operators, once for each team, which of its programs nothing keeps from this process.
func (ks *kits) warn(t *chargehand.Team) {
	const message = "a program runs without isolation: it can do what this account can, also decide reviews and read keys"
	for name, r := range t.Programs() {
		if why := sandbox.Exposed(r.Isolation); why != "" && ks.opt.Log != nil {
			ks.opt.Log.Warn(message, "team", t.Name, "program", name, "why", why)
		}
	}
}

// A drifter says in which way what it makes differs from what a team was completed with.
type drifter interface {
	Drift(t *chargehand.Team) []string
}

// unreached is the problem of a part of a team that cannot be reached, with what helps.
func unreached(path string, err error) chargehand.Problem {
	p := chargehand.Problem{Path: path, Message: err.Error()}
	if e, ok := errors.AsType[*chargehand.Error](err); ok {
		p.Hint = e.Next
	}
	return p
}

// worker is the code behind a registry entry that is no Go function.
func (ks *kits) worker(t *chargehand.Team, w *chargehand.WorkerSpec) (worker.Worker, error) {
	switch w.Kind {
	case chargehand.KindLLM, chargehand.KindMCP, chargehand.KindA2A:
		if ks.opt.Agents == nil {
			return nil, fmt.Errorf("worker %q: the engine cannot make workers of kind %s: set Options.Agents", w.WorkerID, w.Kind)
		}
		made, err := ks.opt.Agents.Worker(t, w, ks.opt.TeamDir)
		if err != nil {
			return nil, err
		}
		return worker.Caught(made), nil
	}
	return worker.FromSpec(w, ks.opt.TeamDir)
}

// planner is the code behind a team's planner; nil where it is a template.
func (ks *kits) planner(t *chargehand.Team) (worker.Planner, error) {
	switch {
	case t.Planner.LLM != nil && ks.opt.Agents == nil:
		return nil, errors.New("the engine cannot make a planner from a model: set Options.Agents")
	case t.Planner.LLM != nil:
		return ks.opt.Agents.Planner(t)
	case t.Planner.Func != "" && ks.opt.Planners[t.Planner.Func] == nil:
		return nil, fmt.Errorf("the engine has no planner called %q", t.Planner.Func)
	}
	return ks.opt.Planners[t.Planner.Func], nil
}

// load readies the team of a run that is in the journal. One that has drifted is refused each time.
func (ks *kits) load(ctx context.Context, digest string) (*kit, error) {
	k, err := ks.recorded(ctx, digest)
	if err == nil && len(k.drift) > 0 && ks.opt != nil && !ks.opt.Force {
		err = drift(errors.New(strings.Join(k.drift, "; ")))
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// recorded is the team of that digest, made ready.
func (ks *kits) recorded(ctx context.Context, digest string) (*kit, error) {
	ks.mu.Lock()
	k := ks.known[digest]
	ks.mu.Unlock()
	if k != nil {
		return k, nil
	}
	team, err := ks.kept(ctx, digest)
	if err != nil {
		return nil, err
	}
	if k, err = ks.make(team); err != nil {
		return nil, drift(err)
	}
	return k, nil
}

// kept is the team of that digest, as it was recorded.
func (ks *kits) kept(ctx context.Context, digest string) (*chargehand.Team, error) {
	body, err := ks.store.content(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("load team: %w", err)
	}
	team := &chargehand.Team{}
	if err := json.Unmarshal(body, team); err != nil {
		return nil, fmt.Errorf("load team: %w", err)
	}
	return team, nil
}

// read is the team of that digest for whoever only reads: its workers need not be reached, nor be of
// the version it names.
func (ks *kits) read(ctx context.Context, digest string) (*kit, error) {
	k, err := ks.recorded(ctx, digest)
	if chargehand.CodeOf(err) != chargehand.CodeDrift {
		return k, err
	}
	team, err := ks.kept(ctx, digest)
	if err != nil {
		return nil, err
	}
	g, problems := gate.Compile(team)
	if len(problems) > 0 {
		return nil, drift(&chargehand.Error{What: "its contracts do not compile", Problems: problems})
	}
	return &kit{team: team, digest: digest, gate: g}, nil
}

// drift is why a run's team is not ready, with what helps: what a problem says, where one says it.
func drift(err error) error {
	next := "resume it with the program that started it, or with --force if only versions differ"
	if e, ok := errors.AsType[*chargehand.Error](err); ok {
		for _, p := range e.Problems {
			if p.Hint != "" {
				next = p.Hint
				break
			}
		}
	}
	return &chargehand.Error{
		Code: chargehand.CodeDrift, What: "the run's team cannot be prepared again",
		Why: err.Error(), Next: next, Err: err,
	}
}
