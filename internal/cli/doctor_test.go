package cli

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/chargehand/chargehand/internal/provider"
)

// canary is the key of the provider of the scripts: it may be printed nowhere.
const canary = "sk-canary-a11ce0ffa11ce0ff"

// play starts a provider of models that answers as a script of JSON lines says (provider.Script), or "ok", and
// names it in the environment: "provider [FILE]".
func play(ts *testscript.TestScript, _ bool, args []string) {
	o := provider.Options{Keys: []string{canary}}
	if len(args) > 0 {
		lines, err := os.ReadFile(ts.MkAbs(args[0]))
		ts.Check(err)
		o.Answer, err = provider.Script(lines)
		ts.Check(err)
	}
	s, err := provider.Start(o)
	ts.Check(err)
	ts.Defer(func() { _ = s.Close() })
	ts.Setenv("PROVIDER_URL", s.URL)
	ts.Setenv("PROVIDER_KEY", canary)
}
