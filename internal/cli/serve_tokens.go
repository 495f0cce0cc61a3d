package cli

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/regular"
)

// tokens tell who makes a request. Only their digests are kept.
type tokens struct {
	names   []string
	digests [][sha256.Size]byte
}

const (
	minToken  = 16      // bytes
	maxTokens = 1 << 20 // bytes of a file
	single    = "api"   // the principal of the one token that the environment gives
)

// principal is whose token a request bears. Every token is compared, each in constant time.
func (t *tokens) principal(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	digest, found := sha256.Sum256([]byte(strings.TrimSpace(token))), -1
	for i := range t.digests {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(digest[:], t.digests[i][:]), i, found)
	}
	if found < 0 {
		return "", false
	}
	return t.names[found], true
}

// tokens are those of the environment and of the file, nil if there are none.
func (a *app) tokens(file string) (*tokens, error) {
	t := &tokens{}
	token, err := secret("CHARGEHAND_API_TOKEN")
	if err != nil {
		return nil, usage("the API token cannot be read: "+err.Error(), "see CHARGEHAND_API_TOKEN and CHARGEHAND_API_TOKEN_FILE")
	}
	if token != "" {
		if err := t.add(single, token); err != nil {
			return nil, usage("the API token cannot be used: "+err.Error(), "make one with: openssl rand -hex 32")
		}
	}
	if file != "" {
		if err := t.read(file); err != nil {
			return nil, err
		}
	}
	if len(t.names) == 0 {
		return nil, nil
	}
	return t, nil
}

func (t *tokens) add(name, token string) error {
	digest := sha256.Sum256([]byte(token))
	switch {
	case name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return errors.New("a name has 1 to 100 characters and no spaces")
	case len(token) < minToken:
		return fmt.Errorf("it has fewer than %d characters", minToken)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("it has characters that no header can carry")
	}
	for i := range t.names {
		if t.names[i] == name || t.digests[i] == digest {
			return errors.New("the name, or the token, is there already")
		}
	}
	t.names, t.digests = append(t.names, name), append(t.digests, digest)
	return nil
}

// read adds the tokens of a file, all that is wrong with it at once. Tokens are not shown.
func (t *tokens) read(path string) error {
	body, err := readSmall(path)
	if err != nil {
		return usage("the tokens cannot be read: "+err.Error(), "give --tokens a file with a NAME:TOKEN on each line")
	}
	e := &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "the tokens cannot be used",
		Next: "write a NAME:TOKEN on each line; make a token with: openssl rand -hex 32",
	}
	n := 0
	for i, line := range strings.Split(body, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		name, token, _ := strings.Cut(line, ":")
		if err := t.add(strings.TrimSpace(name), strings.TrimSpace(token)); err != nil {
			e.Problems = append(e.Problems, chargehand.Problem{File: path, Line: i + 1, Column: 1, Path: "$", Message: err.Error()})
		}
	}
	if n == 0 {
		e.Why = path + " has none"
	}
	if n == 0 || len(e.Problems) > 0 {
		return e
	}
	return nil
}

// secret is what a variable of the environment, or the file that it names with _FILE, holds.
func secret(name string) (string, error) {
	value, path := os.Getenv(name), os.Getenv(name+"_FILE")
	switch {
	case value != "" && path != "":
		return "", fmt.Errorf("both %s and %s_FILE are set", name, name)
	case path == "":
		return strings.TrimSpace(value), nil
	}
	body, err := readSmall(path)
	if err == nil && strings.TrimSpace(body) == "" {
		err = fmt.Errorf("%s is empty", path)
	}
	return strings.TrimSpace(body), err
}

func readSmall(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxTokens+1))
	if err == nil && len(body) > maxTokens {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxTokens)
	}
	return string(body), err
}
