package open

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/openai"

	"github.com/chargehand/chargehand/internal/regular"
)

// A maker is a provider that is known by name.
type maker struct {
	name, title string
	key         string         // variable of its key; empty means that it has none
	base        string         // variable of its address
	address     string         // where it is, if base says nothing
	messages    bool           // it speaks Anthropic's protocol, not OpenAI's
	open        bool           // it wants no key
	any         bool           // it may have models of any name
	models      *regexp.Regexp // names of models that are its own; nil means none
}

var makers = []*maker{
	{name: "anthropic", title: "Anthropic", key: "ANTHROPIC_API_KEY", base: "ANTHROPIC_BASE_URL", address: anthropic.Address, messages: true, models: regexp.MustCompile(`^claude-`)},
	{name: "openai", title: "OpenAI", key: "OPENAI_API_KEY", base: "OPENAI_BASE_URL", address: openai.Address, any: true, models: regexp.MustCompile(`^(gpt-\d|chatgpt-|o[1-9](-|$))`)},
	{name: "gemini", title: "Gemini", key: "GEMINI_API_KEY", base: "GEMINI_BASE_URL", address: "https://generativelanguage.googleapis.com/v1beta/openai", models: regexp.MustCompile(`^gemini-`)},
	{name: "ollama", title: "Ollama", base: "OLLAMA_HOST", address: "http://127.0.0.1:11434/v1", open: true, any: true},
	{name: "openrouter", title: "OpenRouter", key: "OPENROUTER_API_KEY", base: "OPENROUTER_BASE_URL", address: "https://openrouter.ai/api/v1"},
	{name: "mistral", title: "Mistral", key: "MISTRAL_API_KEY", base: "MISTRAL_BASE_URL", address: "https://api.mistral.ai/v1", models: regexp.MustCompile(`^(mistral|ministral|magistral|codestral|devstral)-`)},
	{name: "groq", title: "Groq", key: "GROQ_API_KEY", base: "GROQ_BASE_URL", address: "https://api.groq.com/openai/v1"},
	{name: "deepseek", title: "DeepSeek", key: "DEEPSEEK_API_KEY", base: "DEEPSEEK_BASE_URL", address: "https://api.deepseek.com/v1", models: regexp.MustCompile(`^deepseek-`)},
	{name: "xai", title: "xAI", key: "XAI_API_KEY", base: "XAI_BASE_URL", address: "https://api.x.ai/v1", models: regexp.MustCompile(`^grok-`)},
}

func (m *maker) makes(name string) bool { return m.models != nil && m.models.MatchString(name) }

// set reports whether the environment says anything of a server whose models may have any name.
func (m *maker) set(env Env) bool {
	v, _ := env(m.base)
	return strings.TrimSpace(v) != ""
}

// where is the address that the environment has.
func (m *maker) where(env Env) (string, error) {
	v, _ := env(m.base)
	if v = strings.TrimSpace(v); v == "" {
		return m.address, nil
	}
	if m.name == "ollama" {
		v = ollama(v)
	}
	u, err := url.Parse(v)
	switch {
	case err != nil:
		return "", m.lost("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", m.lost("it is not an http or https URL with a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", m.lost("it has a user, a query or a fragment: keys go into a variable of their own")
	}
	v = strings.TrimRight(v, "/")
	if m.messages { // the API's version is part of the path of each call
		v = strings.TrimSuffix(v, "/v1")
	}
	return v, nil
}

// lost is an address that is none. It does not show it: somebody may have put a key there.
func (m *maker) lost(why string) error {
	return &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "cannot call " + m.title, Why: m.base + " is no address: " + why,
		Next: "export " + m.base + "=" + m.address + " or the like",
	}
}

// ollama is an address in one of the forms that Ollama's own programs take: host, :port, host:port, URL.
// One that says where the server listens on every interface means this machine.
func ollama(v string) string {
	scheme, rest, ok := strings.Cut(v, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok {
		scheme, rest, port = "http", v, "11434"
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, own, err := net.SplitHostPort(hostport)
	if err != nil {
		host, own = strings.Trim(hostport, "[]"), port
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), "v1")
	if path = strings.Trim(path, "/"); path != "" {
		path = "/" + path
	}
	return scheme + "://" + net.JoinHostPort(host, own) + path + "/v1"
}

const longestSecret = 64 << 10 // bytes of a file

// secret is the value of a variable, or what the file named by variable_FILE holds; empty if neither is set.
func secret(env Env, variable string) (string, error) {
	if variable == "" {
		return "", nil
	}
	value, _ := env(variable)
	path, _ := env(variable + "_FILE")
	value = strings.TrimSpace(value)
	switch {
	case path != "" && value != "":
		return "", unread(variable, "both "+variable+" and "+variable+"_FILE are set", "unset one of them")
	case path != "":
		var err error
		if value, err = fromFile(path); err != nil {
			return "", unread(variable, variable+"_FILE: "+err.Error(), "name a file that holds the key and nothing else")
		}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) || r == ' ' }) {
		return "", unread(variable, "the key has characters that no key has", "copy it again, without quotes or line breaks")
	}
	return value, nil
}

func fromFile(path string) (string, error) {
	b, err := regular.Read(path, longestSecret)
	if err != nil {
		return "", err
	}
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return "", fmt.Errorf("%s is empty", path)
	}
	return string(b), nil
}

func unread(variable, why, next string) error {
	return &chargehand.Error{Code: chargehand.CodeInvalid, What: "cannot read " + variable, Why: why, Next: next}
}
