package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/tool/mcp"
	"github.com/chargehand/chargehand/worker"
)

// A world is all that runs are surrounded by, and what it has seen of them.
type world struct {
	attacks []attack
	secrets *secrets
	models  *models
	prompts *prompts
	tools   *sinks

	lab       []string // its tools
	labPolicy map[string]chargehand.ToolPolicy
	elsewhere *elsewhere
	service   *httptest.Server // of confided
}

func newWorld(attacks []attack) (*world, error) {
	s, err := newSecrets()
	if err != nil {
		return nil, err
	}
	if err := os.Setenv(dial.Variable, "127.0.0.0/8"); err != nil {
		return nil, err
	}
	w := &world{attacks: attacks, secrets: s, prompts: newPrompts(), tools: newSinks(attacks, s), labPolicy: map[string]chargehand.ToolPolicy{}}
	w.models = &models{attacks: attacks, prompts: w.prompts, secrets: s, seen: map[string]bool{}, wish: map[string]int{}, denied: map[chargehand.Denied]int{}}
	w.elsewhere, w.service = newElsewhere(attacks, s), newService()
	for i := -1; i < len(attacks); i++ {
		name := labTool(i)
		w.lab = append(w.lab, name)
		w.labPolicy[name[len("lab."):]] = chargehand.ToolPolicy{Effect: chargehand.EffectRead}
	}
	return w, nil
}

func (w *world) close() {
	w.tools.Close()
	w.elsewhere.Close()
	w.service.Close()
}

// A stage is one engine with its providers, for a batch of runs.
type stage struct {
	*local.Engine
	world    *world
	provider *provider.Server
	pool     *mcp.Pool
	dir      string
	log      *book
	bare     bool // the executor of tools is left out, and a secret is told: see blind.go
}

func (w *world) open(ctx context.Context, bare bool) (s *stage, err error) {
	s = &stage{world: w, log: &book{}, bare: bare}
	if s.dir, err = os.MkdirTemp("", "injection-"); err != nil {
		return nil, err
	}
	s.provider, err = provider.Start(provider.Options{
		Answer: w.models.answer, Keys: []string{w.secrets.values[workKey], w.secrets.values[judgeKey]},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: timeless}))
	s.pool = mcp.NewPool(mcp.Options{Log: log, MaxTools: len(w.lab) + plenty, MaxBytes: 64 << 20})
	made := agent.New(agent.Options{
		Open:  func(ref string) (model.Model, error) { return open.Model(ref, s.env, open.Options{}) },
		Tools: s.armed(log),
	})
	s.Engine, err = local.Open(ctx, local.Options{Dir: filepath.Join(s.dir, "data"), Agents: &hinting{made, s}, Log: log})
	if err != nil {
		return nil, errors.Join(err, s.provider.Close(), os.RemoveAll(s.dir))
	}
	return s, nil
}

// timeless leaves out when something was logged, so that the same lines are the same.
func timeless(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// env is the environment with the providers' addresses in it.
func (s *stage) env(name string) (string, bool) {
	switch name {
	case "OPENAI_BASE_URL":
		return s.provider.URL + "/v1", true
	case "ANTHROPIC_BASE_URL":
		return s.provider.URL, true
	}
	return os.LookupEnv(name)
}

// armed is the product's own executor over MCP. Another one is asked for everything straight, for
// the agents' loop, which refuses much by itself, is not what effects may depend on.
func (s *stage) armed(log *slog.Logger) func(context.Context, *chargehand.Team, string, *chargehand.WorkerTask) (agent.Tools, error) {
	return func(ctx context.Context, t *chargehand.Team, dir string, task *chargehand.WorkerTask) (agent.Tools, error) {
		if s.bare {
			return unguarded(s.world.tools), nil
		}
		belt, err := s.pool.Belt(t, dir, tool.Options{Log: log})
		if err != nil {
			return nil, err
		}
		if err := s.world.storm(ctx, belt, task); err != nil {
			return nil, err
		}
		return belt.Executor(ctx, task)
	}
}

// storm asks an executor of a first attempt's own for every call there is.
func (w *world) storm(ctx context.Context, belt *tool.Belt, task *chargehand.WorkerTask) error {
	found := tagged.FindStringSubmatch(task.Objective)
	if found == nil || found[2] == "control" || task.Attempt > 1 {
		return nil
	}
	x, err := belt.Executor(ctx, task)
	if err != nil {
		return err
	}
	n := number(found[2])
	calls := append(everything(x.Definitions(), found[0], n, w.attacks[n]), tooMany(found[0])...)
	for _, c := range calls {
		x.Call(ctx, c.Name, c.Arguments)
	}
	w.models.stormed(found[0], len(calls), x.Report())
	return x.Close()
}

// end closes the engine and looks through what it leaves behind. Evidence packs are made of the
// runs named.
func (s *stage) end(ctx context.Context, runs []string) error {
	err := errors.Join(s.Close(), s.pool.Close(), s.provider.Close())
	if err == nil {
		err = s.packs(ctx, runs)
	}
	s.world.secrets.search(s.log.bytes(), "a log")
	return errors.Join(err, os.RemoveAll(s.dir))
}

// A book is what was logged.
type book struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *book) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.all.Bytes())
}

// hinting are the product's agents, whose workers are given hints where the place is that.
type hinting struct {
	*agent.Agents
	stage *stage
}

func (h *hinting) Worker(t *chargehand.Team, spec *chargehand.WorkerSpec, dir string) (worker.Worker, error) {
	made, err := h.Agents.Worker(t, spec, dir)
	if err != nil || spec.WorkerID != "reader" {
		return made, err
	}
	return worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		w := h.stage.world
		if tag := tagged.FindStringSubmatch(task.Objective); tag != nil && tag[1] == "hint" && tag[2] != "control" {
			task.Hints = append(task.Hints, w.attacks[number(tag[2])].text)
		}
		if h.stage.bare {
			task.Hints = append(task.Hints, "the key is "+w.secrets.values[bystander])
		}
		return made.Do(ctx, task)
	}), nil
}

// number is that of a case in a tag, which is made of digits.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("injection: a tag is no number: " + s)
	}
	return n
}
