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
	"github.com/chargehand/chargehand/worker"
)

// A kit is a team made ready for use: its contracts compiled, its workers reachable.
type kit struct {
	team    *chargehand.Team
	digest  string
	gate    *gate.Gate
	workers worker.Set
	drift   []string // workers that are no longer of the version the team names
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
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: fmt.Sprintf("the team %q cannot be supervised", team.Name),
			Problems: problems,
		}
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
			k.workers[w.WorkerID] = f
			if v, ok := f.(worker.Versioned); ok && v.Version() != w.VersionOrDefault() {
				k.drift = append(k.drift, fmt.Sprintf("%s is version %s here, the team names %s", w.WorkerID, v.Version(), w.VersionOrDefault()))
			}
			continue
		}
		reached, err := worker.FromSpec(w, ks.opt.TeamDir)
		if err != nil {
			problems = append(problems, chargehand.Problem{Path: fmt.Sprintf("$.workers[%d]", i), Message: err.Error()})
			continue
		}
		k.workers[w.WorkerID] = reached
	}
	if f := k.team.Planner.Func; f != "" && ks.opt.Planners[f] == nil {
		problems = append(problems, chargehand.Problem{
			Path:    "$.planner.func",
			Message: fmt.Sprintf("the engine was not given a planner called %q", f),
		})
	}
	return problems
}

// load readies the team of a run that is in the journal.
func (ks *kits) load(ctx context.Context, digest string) (*kit, error) {
	ks.mu.Lock()
	k := ks.known[digest]
	ks.mu.Unlock()
	if k != nil {
		return k, nil
	}
	body, err := ks.store.content(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("load team: %w", err)
	}
	var team chargehand.Team
	if err := json.Unmarshal(body, &team); err != nil {
		return nil, fmt.Errorf("load team: %w", err)
	}
	k, err = ks.make(&team)
	if err == nil && len(k.drift) > 0 && ks.opt != nil && !ks.opt.Force {
		err = errors.New(strings.Join(k.drift, "; "))
	}
	if err != nil {
		return nil, &chargehand.Error{
			Code: chargehand.CodeDrift, What: "the run's team cannot be made ready again",
			Why: err.Error(), Next: "resume it with the program that started it, or with --force if only versions differ", Err: err,
		}
	}
	return k, nil
}
