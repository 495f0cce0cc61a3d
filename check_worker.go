package chargehand

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

func (c *check) workers() {
	if len(c.team.Workers) == 0 {
		c.problem("$.workers", "there is no worker: a team needs at least one")
	}
	for i := range c.team.Workers {
		c.worker(fmt.Sprintf("$.workers[%d]", i), &c.team.Workers[i], i)
	}
}

func (c *check) worker(path string, w *WorkerSpec, place int) {
	c.workerName(path, w, place)
	c.abilities(path, w)
	c.schema(path+".acceptedInputSchema", w.AcceptedInputSchema)
	if w.Tier < 0 || w.Tier > 3 {
		c.problem(path+".tier", "must be 1, 2 or 3, or 0 for every tier; it is %d", w.Tier)
	}
	c.natural(path+".averageLatencyMs", int64(w.AverageLatencyMS))
	c.affordable(path+".costPerCallEstimateUSD", w.CostPerCallEstimateUSD)
	if w.Free && w.CostPerCallEstimateUSD > 0 {
		c.problem(path+".free", "cannot be: a call costs $%s", w.CostPerCallEstimateUSD)
	}
	if w.Free && w.Spawn != nil && w.Spawn.CostPerCallEstimate > 0 {
		c.problem(path+".free", "cannot be: a call of a dynamic instance costs $%s", w.Spawn.CostPerCallEstimate)
	}
	c.natural(path+".maxConcurrentTasks", int64(w.MaxConcurrentTasks))
	c.risk(path+".maxRiskLevel", w.MaxRiskLevel)
	if w.HealthEndpoint != "" {
		c.address(path+".healthEndpoint", w.HealthEndpoint)
	}
	c.instances(path, w)
	c.failurePolicy(path+".failurePolicy", w)
	c.kind(path, w)
}

func (c *check) workerName(path string, w *WorkerSpec, place int) {
	at := path + ".workerId"
	if !c.required(at, w.WorkerID, "it is the worker's one name") {
		return
	}
	if !sane(w.WorkerID) || w.WorkerID != strings.ToLower(w.WorkerID) {
		c.add(at, tick(w.WorkerID)+" cannot be a worker's name",
			"use up to 63 small letters, digits, `-`, `_` and `.`, beginning with a letter or digit")
	}
	if first := c.workerIDs.first[w.WorkerID]; first != place {
		c.problem(at, "%s is also the name of $.workers[%d]", tick(w.WorkerID), first)
	}
	if w.Version != "" && !sane(w.Version) {
		c.add(path+".version", tick(w.Version)+" cannot be a version", "use letters, digits, `-`, `_` and `.`, such as `2.3`")
	}
}

// abilities checks what the worker can do, and for whom.
func (c *check) abilities(path string, w *WorkerSpec) {
	if len(w.Capabilities) == 0 {
		c.problem(path+".capabilities", "is missing: say what the worker can do")
	}
	c.words(path+".capabilities", w.Capabilities)
	c.words(path+".taskTypes", w.TaskTypes)
	c.words(path+".outputContracts", w.OutputContracts)
	for i, name := range w.OutputContracts {
		c.refer(fmt.Sprintf("%s.outputContracts[%d]", path, i), "contract", name, &c.contracts)
	}
	c.words(path+".toolGrants", w.ToolGrants)
	c.words(path+".tenants", w.Tenants)
}

const maxIdle = Duration(time.Minute) // of a dynamic worker (SPEC.md ·100)

func (c *check) instances(path string, w *WorkerSpec) {
	c.natural(path+".min", int64(w.Min))
	c.natural(path+".max", int64(w.Max))
	if least := max(1, w.Min); w.Max > 0 && w.Max < least {
		c.problem(path+".max", "must be at least min, which is %d; it is %d", least, w.Max)
	}
	if w.Spawn == nil {
		return
	}
	if w.Spawn.Max < 1 {
		c.problem(path+".spawn.max", "must be at least 1: it is how many dynamic workers there may be")
	}
	if d := w.Spawn.IdleTimeout; d < 0 || d > maxIdle {
		c.problem(path+".spawn.idleTimeout", "must be at most 60s, it is %s", d)
	}
	c.money(path+".spawn.estimateUSD", w.Spawn.EstimateUSD)
	c.affordable(path+".spawn.costPerCallEstimate", w.Spawn.CostPerCallEstimate)
}

func (c *check) failurePolicy(path string, w *WorkerSpec) {
	c.natural(path+".maxAttempts", int64(w.FailurePolicy.MaxAttempts))
	at, id := path+".fallbackWorker", w.FailurePolicy.FallbackWorker
	if !c.refer(at, "worker", id, &c.workerIDs) {
		return
	}
	switch {
	case id == w.WorkerID:
		c.problem(at, "is the worker itself")
	case !shares(w, &c.team.Workers[c.workerIDs.first[id]]):
		c.problem(at, "%s has none of the capabilities of this worker", tick(id))
	}
}

func shares(a, b *WorkerSpec) bool {
	for _, capability := range a.Capabilities {
		if b.Can(capability) {
			return true
		}
	}
	return len(a.Capabilities) == 0 // which is a problem of its own
}

// kind checks the settings of how the worker is reached: those of its kind, and no others.
func (c *check) kind(path string, w *WorkerSpec) {
	if !choice(c, path+".kind", w.Kind, KindFunc, KindExec, KindHTTP, KindLLM, KindMCP, KindA2A) {
		return
	}
	c.foreign(path+".exec", w.Exec != nil, w.Kind, KindExec)
	c.foreign(path+".http", w.HTTP != nil, w.Kind, KindHTTP)
	c.foreign(path+".llm", w.LLM != nil, w.Kind, KindLLM)
	c.foreign(path+".mcp", w.MCP != nil, w.Kind, KindMCP)
	c.foreign(path+".a2a", w.A2A != nil, w.Kind, KindA2A)
	switch w.Kind {
	case KindExec:
		c.exec(path+".exec", w.Exec)
	case KindHTTP:
		c.http(path+".http", w.HTTP)
	case KindLLM:
		c.llm(path, w)
	case KindMCP:
		c.mcp(path+".mcp", w.MCP)
	case KindA2A:
		c.a2a(path+".a2a", w.A2A)
	}
}

func (c *check) foreign(path string, given bool, is, want WorkerKind) {
	if given && is != want {
		c.add(path, fmt.Sprintf("is for workers of kind %s, this one is of kind %s", tick(string(want)), tick(string(cmp.Or(is, KindFunc)))),
			"write `kind: "+string(want)+"`, or delete it")
	}
}

func (c *check) exec(path string, x *ExecKind) {
	if x == nil {
		x = &ExecKind{}
	}
	if len(x.Command) == 0 || strings.TrimSpace(x.Command[0]) == "" {
		c.add(path+".command", "is missing: say which program to start", "such as `command: [./extract.sh]`")
	}
	for i, arg := range x.Command {
		if strings.ContainsRune(arg, 0) {
			c.problem(fmt.Sprintf("%s.command[%d]", path, i), "must not hold a NUL")
		}
	}
	c.environment(path+".env", x.Env)
	c.reach(path, &x.Reach)
}

// reach checks what a program is granted of the machine.
func (c *check) reach(path string, r *Reach) {
	user, named := strings.CutPrefix(string(r.Isolation), "user:")
	switch {
	case named && user == "":
		c.add(path+".isolation", "names no user", "such as `user:nobody`")
	case !named:
		choice(c, path+".isolation", r.Isolation, IsolationAuto, IsolationBwrap, IsolationNone)
	}
	for name, paths := range map[string][]string{"read": r.Read, "write": r.Write} {
		for i, p := range paths {
			if p == "" || strings.ContainsRune(p, 0) {
				c.problem(fmt.Sprintf("%s.%s[%d]", path, name, i), "is no path")
			}
		}
	}
}

func (c *check) environment(path string, env map[string]string) {
	for name, value := range sorted(env) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			c.problem(path, "%s cannot be set in an environment", tick(name))
		}
		if secretVariable.MatchString(name) {
			c.open(path+"."+name, value)
		}
	}
}

func (c *check) http(path string, x *HTTPKind) {
	if x == nil {
		x = &HTTPKind{}
	}
	if c.required(path+".url", x.URL, "say where the task is posted to") {
		c.address(path+".url", x.URL)
	}
	c.headers(path+".headers", x.Headers)
}

func (c *check) headers(path string, h map[string]string) {
	for name, value := range sorted(h) {
		if !headerName(name) || strings.ContainsAny(value, "\r\n\x00") {
			c.problem(path, "%s cannot be sent as a header", tick(name))
		}
		if secretHeader.MatchString(name) {
			c.open(path+"."+name, value)
		}
	}
}

// What carries secrets by its name.
var (
	secretHeader   = regexp.MustCompile(`(?i)^((proxy-)?authorization|cookie|(x-)?api-key|x-auth-token)$`)
	secretVariable = regexp.MustCompile(`(?i)(api_?key|token|secret|password)$`)
)

// open finds a secret that stands in the open. What it is does not say.
func (c *check) open(path, value string) {
	if value != "" && !strings.Contains(value, "$") {
		c.add(path, "is written out, and a team is recorded as it stands", "name a variable of the environment, such as `$TOKEN`")
	}
}

// address checks a URL that is called over http or https.
func (c *check) address(path, s string) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		c.add(path, tick(s)+" is no address to call", "such as `https://host/path`")
		return
	}
	if _, has := u.User.Password(); has {
		c.add(path, "has a password in it, and a team is recorded as it stands", "send it in a header, from a variable of the environment")
	}
}

// headerName reports whether s is a token of RFC 9110, section 5.6.2, as a header's name must be.
func headerName(s string) bool {
	for i := range len(s) {
		b := s[i]
		letter := 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(b)) {
			return false
		}
	}
	return s != ""
}
