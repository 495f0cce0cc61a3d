package open_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
)

const canary = "sk-canary-0ddba110ddba11"

func env(pairs ...string) open.Env {
	m := map[string]string{}
	for _, p := range pairs {
		k, v, _ := strings.Cut(p, "=")
		m[k] = v
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		ref, env, want string // want begins with "!" for an error
	}{
		{"anthropic/claude-sonnet-4-5", "", "anthropic/claude-sonnet-4-5"},
		{"claude-sonnet-4-5", "", "anthropic/claude-sonnet-4-5"},
		{"gpt-5-mini", "", "openai/gpt-5-mini"},
		{"o3", "", "openai/o3"},
		{"gemini-2.5-pro", "", "gemini/gemini-2.5-pro"},
		{"grok-4", "", "xai/grok-4"},
		{"openrouter/anthropic/claude-sonnet-4.5", "", "openrouter/anthropic/claude-sonnet-4.5"},
		{"ollama/llama3.2:3b", "", "ollama/llama3.2:3b"},
		{" openai/gpt-4.1 ", "", "openai/gpt-4.1"},
		{"llama3.2", "OLLAMA_HOST=localhost", "ollama/llama3.2"},
		{"llama3.2", "OPENAI_BASE_URL=http://localhost:8000/v1", "openai/llama3.2"},
		{"meta-llama/Llama-3.3-70B", "OPENAI_BASE_URL=http://localhost:8000/v1", "openai/meta-llama/Llama-3.3-70B"},
		{"llama3.2", "", "!whose model"},
		{"meta-llama/Llama-3.3-70B", "", "!no provider is called meta-llama"},
		{"antropic/claude-sonnet-4-5", "", "!did you mean anthropic"},
		{"openai+responses/gpt-5.6", "", "openai+responses/gpt-5.6"},
		{"openrouter+responses/openai/gpt-5.6", "", "openrouter+responses/openai/gpt-5.6"},
		{"opnai+responses/gpt-5.6", "", "!did you mean openai"},
		{"openai/", "", "!names no model"},
		{"", "", "!empty"},
	} {
		got, err := open.Resolve(c.ref, env(c.env))
		if err != nil {
			e, ok := errors.AsType[*chargehand.Error](err)
			if !ok || e.Next == "" {
				t.Errorf("%q: %v does not say what to do", c.ref, err)
				continue
			}
			got = "!" + e.Error() + e.Next
		}
		if why, bad := strings.CutPrefix(c.want, "!"); bad && !(strings.HasPrefix(got, "!") && strings.Contains(got, why)) || !bad && got != c.want {
			t.Errorf("%q with %q: %s, want %s", c.ref, c.env, got, c.want)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref  string
		env  []string
		want string
	}{
		{"claude-sonnet-4-5", nil, "ANTHROPIC_API_KEY is not set"},
		{"anthropic+responses/claude-sonnet-4-5", nil, "has no Responses API"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY= "}, "OPENAI_API_KEY is not set"},
		{"gemini-2.5-pro", []string{"GEMINI_BASE_URL=http://localhost:1/v1"}, "GEMINI_API_KEY is not set"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY_FILE=/does/not/exist"}, "no such file"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY_FILE=" + empty}, "is empty"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY_FILE=" + empty, "OPENAI_API_KEY=" + canary}, "both"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY=" + canary + "\nx"}, "characters that no key has"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=localhost:8000"}, "OPENAI_BASE_URL is no address"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=https://me:" + canary + "@host/v1"}, "OPENAI_BASE_URL is no address"},
		{"gpt-5-mini", []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=https://%zz" + canary}, "OPENAI_BASE_URL is no address"},
	} {
		_, err := open.Model(c.ref, env(c.env...), open.Options{})
		e, ok := errors.AsType[*chargehand.Error](err)
		if !ok || !strings.Contains(err.Error(), c.want) || e.Next == "" || strings.Contains(fmt.Sprintf("%+v%s", err, e.Next), canary) {
			t.Errorf("%q with %q: %v", c.ref, c.env, err)
		}
	}
}

// Each provider is reached where the environment says, with its key, and with no other's.
func TestModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(canary+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref, env, path string
		key            bool
	}{
		{"anthropic/claude-sonnet-4-5", "ANTHROPIC_BASE_URL=URL ANTHROPIC_API_KEY=" + canary, "/v1/messages", true},
		{"anthropic/claude-sonnet-4-5", "ANTHROPIC_BASE_URL=URL/v1/ ANTHROPIC_API_KEY_FILE=" + file, "/v1/messages", true},
		{"openai/gpt-5-mini", "OPENAI_BASE_URL=URL/v1/ OPENAI_API_KEY=" + canary, "/v1/chat/completions", true},
		{"openai+responses/gpt-5-mini", "OPENAI_BASE_URL=URL/v1 OPENAI_API_KEY=" + canary, "/v1/responses", true},
		{"gpt-5-mini", "OPENAI_BASE_URL=URL/v1 ANTHROPIC_API_KEY=not-this-one", "/v1/chat/completions", false},
		{"gemini/gemini-2.5-pro", "GEMINI_BASE_URL=URL/v1beta/openai GEMINI_API_KEY_FILE=" + file, "/v1beta/openai/chat/completions", true},
		{"openrouter/meta/llama", "OPENROUTER_BASE_URL=URL/api/v1 OPENROUTER_API_KEY=" + canary, "/api/v1/chat/completions", true},
		{"ollama/llama3.2", "OLLAMA_HOST=HOST OPENAI_API_KEY=not-this-one", "/v1/chat/completions", false},
		{"ollama/llama3.2", "OLLAMA_HOST=URL/", "/v1/chat/completions", false},
		{"ollama/llama3.2", "OLLAMA_HOST=URL/v1", "/v1/chat/completions", false},
		{"ollama/llama3.2", "OLLAMA_HOST=PORT", "/v1/chat/completions", false},
	} {
		t.Run(c.ref+" "+c.env, func(t *testing.T) {
			s, err := provider.Start(provider.Options{Open: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			host := strings.TrimPrefix(s.URL, "http://")
			at := strings.NewReplacer("=URL", "="+s.URL, "=HOST", "="+host, "=PORT", "="+strings.TrimPrefix(host, "127.0.0.1")).Replace(c.env)
			m, err := open.Model(c.ref, env(strings.Fields(at)...), open.Options{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := m.Complete(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}})
			if err != nil || res.Text != "ok" {
				t.Fatalf("%q, %v", res.Text, err)
			}
			var keys []string
			if c.key {
				keys = []string{canary}
			}
			if s.Hits(c.path) != 1 || !cmp.Equal(s.Keys(), keys) {
				t.Errorf("%s was asked %d times, with the keys %q", c.path, s.Hits(c.path), s.Keys())
			}
			if shown := fmt.Sprintf("%v %+v %#v %s", m, m, m, model.Name(m)); strings.Contains(shown, canary) || !strings.Contains(shown, res.Model) {
				t.Errorf("the model shows itself as %s", shown)
			}
		})
	}
}

func TestProviders(t *testing.T) {
	if all := open.Providers(env(), open.Options{}); len(all) != 0 {
		t.Errorf("nothing is set, and there is %v", all)
	}
	s, err := provider.Start(provider.Options{Keys: []string{canary}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := open.Providers(env(
		"ANTHROPIC_API_KEY="+canary, "ANTHROPIC_BASE_URL="+s.URL, "OPENAI_API_KEY=wrong-"+canary[:4], "OPENAI_BASE_URL="+s.URL+"/v1",
		"GEMINI_API_KEY_FILE=/does/not/exist", "OLLAMA_HOST=127.0.0.1:1",
	), open.Options{})
	var got []string
	for _, p := range all {
		line := p.Name
		if p.Err != nil {
			line += " misconfigured"
		} else if pong, err := p.Ping(t.Context()); err != nil {
			line += " " + string(model.KindOf(err))
		} else {
			line += fmt.Sprintf(" %d models", len(pong.Models))
		}
		got = append(got, line)
		if shown := fmt.Sprintf("%v %+v %#v", p, p, p.Provider); strings.Contains(shown, canary) {
			t.Errorf("a provider shows its key: %s", shown)
		}
	}
	if d := cmp.Diff([]string{"anthropic 4 models", "openai denied", "gemini misconfigured", "ollama unavailable"}, got); d != "" {
		t.Error(d)
	}
}
