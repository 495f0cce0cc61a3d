package chargehand

import (
	"cmp"
	"encoding/json"
	"strings"
)

// Identity is the digest of what is called when a worker works: its kind, program, address, model, tool
// or agent. Price and limits are no part of it. Workers of one name and identity are the same worker,
// also in different teams (SPEC.md ·74, ·101).
func (t *Team) Identity(w *WorkerSpec) string {
	called := struct {
		Kind    WorkerKind
		Command []string
		Dir     string
		URL     string
		Model   string
		Tool    string
	}{Kind: cmp.Or(w.Kind, KindFunc)}
	switch {
	case w.Exec != nil:
		called.Command, called.Dir = w.Exec.Command, w.Exec.Dir
	case w.HTTP != nil:
		called.URL = w.HTTP.URL
	case w.A2A != nil:
		called.URL = w.A2A.Card
	case w.MCP != nil:
		called.Tool = w.MCP.Tool
		server, _, _ := strings.Cut(w.MCP.Tool, ".")
		for i := range t.Tools {
			if s := &t.Tools[i]; s.Name == server {
				called.Command, called.Dir, called.URL = s.Command, s.Dir, s.URL
			}
		}
	case w.Kind == KindLLM:
		called.Model = cmp.Or(w.Model, t.Models.Of(w.Tier))
	}
	b, err := json.Marshal(called)
	if err != nil {
		panic("chargehand: what a worker calls is plain data: " + err.Error())
	}
	return Hash(b)
}
