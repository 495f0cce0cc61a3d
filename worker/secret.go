package worker

import (
	"fmt"
	"os"
	"strings"
)

// secrets are the values taken from the environment, by name, so that no message repeats them.
type secrets map[string]string

// expand replaces each $NAME or ${NAME} in value by what the environment holds under it, and $$ by
// a dollar sign. Where NAME is not set, NAME_FILE may name a file that holds the value.
func (s secrets) expand(value string) (string, error) {
	var failure error
	expanded := os.Expand(value, func(name string) string {
		if name == "$" {
			return name
		}
		v, err := fromEnvironment(name)
		if err != nil && failure == nil {
			failure = err
		}
		s[name] = v
		return v
	})
	return expanded, failure
}

func fromEnvironment(name string) (string, error) {
	if v := os.Getenv(name); v != "" {
		return v, nil
	}
	path := os.Getenv(name + "_FILE")
	if path == "" {
		return "", fmt.Errorf("the environment variable %s is not set, and neither is %s_FILE", name, name)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read %s_FILE: %w", name, err)
	}
	v := strings.TrimRight(string(b), "\r\n")
	if v == "" {
		return "", fmt.Errorf("the file that %s_FILE names is empty", name)
	}
	return v, nil
}

// redact puts each value's name in its place. Values under six bytes stay: they are no secrets,
// and would be found everywhere.
func (s secrets) redact(text string) string {
	const short = 6
	for name, v := range s {
		if len(v) >= short {
			text = strings.ReplaceAll(text, v, "$"+name)
		}
	}
	return text
}
