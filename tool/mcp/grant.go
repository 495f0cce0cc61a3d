package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/oauth2"

	"github.com/chargehand/chargehand/internal/regular"
)

// Grants keeps what people have granted to servers' clients: tokens, which are secrets. A grant is
// kept under its server's URL. Several goroutines may use it.
type Grants interface {
	// Load is a server's grant; nil where there is none.
	Load(url string) ([]byte, error)
	// Save replaces a server's grant; nil takes it away.
	Save(url string, grant []byte) error
}

// A Folder keeps grants as files that only their owner may read, one for each server, in the folder
// of that name, which is made where it is not there.
type Folder string

func (f Folder) path(url string) string {
	sum := sha256.Sum256([]byte(url))
	return filepath.Join(string(f), hex.EncodeToString(sum[:16])+".json")
}

// Load reads a grant.
func (f Folder) Load(url string) ([]byte, error) {
	b, err := regular.Read(f.path(url), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Save writes a grant, whole or not at all.
func (f Folder) Save(url string, grant []byte) error {
	path := f.path(url)
	if grant == nil {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	t, err := os.CreateTemp(string(f), "*.new") // 0600
	if err != nil {
		return err
	}
	_, err = t.Write(grant)
	if err = errors.Join(err, t.Sync(), t.Close()); err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		_ = os.Remove(t.Name())
	}
	return err
}

// A grant is what a person's signing in to a server came to, as it is kept.
type grant struct {
	Server       string           `json:"server"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	TokenURL     string           `json:"tokenUrl"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle,omitempty"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

func (g *grant) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.AuthStyle},
	}
}

func (s *signIn) load() (*grant, error) {
	b, err := s.grants.Load(s.url)
	if err != nil || b == nil {
		return nil, err
	}
	var g grant
	if err := json.Unmarshal(b, &g); err != nil || g.Token == nil {
		return nil, errors.New("what is kept of signing in cannot be read: sign out, and in again")
	}
	return &g, nil
}

func (s *signIn) save(g *grant) error {
	b, err := json.Marshal(g)
	if err == nil {
		err = s.grants.Save(s.url, b)
	}
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	return nil
}

// tokens hands out a grant's access token, has it refreshed when it is old, and keeps the new one.
type tokens struct {
	in *signIn

	mu      sync.Mutex
	grant   *grant
	refresh oauth2.TokenSource
}

func (s *signIn) tokens(g *grant) *tokens {
	t := &tokens{in: s}
	t.take(g)
	return t
}

func (t *tokens) take(g *grant) {
	t.grant = g
	t.refresh = g.config().TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, t.in.client), g.Token)
	t.in.hide(g.Token)
}

// Token is a token that is not old. Where it cannot be refreshed because another process has done
// so, that one's is taken.
func (t *tokens) Token() (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.grant.Token.Valid() {
		t.outdated() // one that is renewed already is not used again: servers may take that for theft
	}
	fresh, err := t.refresh.Token()
	for tries := 3; err != nil && tries > 0 && t.outdated(); tries-- {
		fresh, err = t.refresh.Token()
	}
	if err != nil {
		return nil, err
	}
	if fresh.AccessToken == t.grant.Token.AccessToken {
		return fresh, nil
	}
	next := *t.grant
	next.Token = fresh
	t.grant = &next
	t.in.hide(fresh)
	return fresh, t.in.save(&next)
}

// outdated takes the grant that is kept, and reports whether that is another.
func (t *tokens) outdated() bool {
	kept, err := t.in.load()
	if err != nil || kept == nil || kept.Token.AccessToken == t.grant.Token.AccessToken {
		return false
	}
	t.take(kept)
	return true
}
