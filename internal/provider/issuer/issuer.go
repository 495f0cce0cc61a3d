// Package issuer plays a tool server that wants somebody to sign in, and the authorization server
// that it names (OAuth 2.1, as of the Model Context Protocol's authorization). Whoever is sent to
// its page agrees at once.
package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
)

// A Server is one that is open, until it is closed. Tools is what is behind the sign-in, at /mcp.
type Server struct {
	*httptest.Server

	// Page is the address that people are sent to. Empty means its own.
	Page string
	// Expiry is how many seconds an access token lasts. Zero means an hour.
	Expiry int
	// Secret is that of the client "engine", which then gets tokens without a person.
	Secret string

	tools     http.Handler
	mu        sync.Mutex
	seen      Seen
	challenge map[string]string // by code
	access    map[string]bool   // tokens that are taken
	renewal   string            // the refresh token that is taken
}

// Seen is what a Server was asked for.
type Seen struct {
	Asked   int      // how often somebody was sent to the page
	Renewed int      // how often an access token was
	Strays  []string // paths of the authorization server that were sent the header X-Team
	Granted []string // what tokens without a person were asked for, and how the client showed who it is
}

// Open opens a server before tools.
func Open(tools http.Handler) *Server {
	s := &Server{tools: tools, challenge: map[string]string{}, access: map[string]bool{}}
	m := http.NewServeMux()
	m.HandleFunc("/mcp", s.guard)
	m.HandleFunc("/.well-known/oauth-protected-resource/mcp", s.told(http.StatusOK, s.resource))
	m.HandleFunc("/.well-known/oauth-authorization-server", s.told(http.StatusOK, s.metadata))
	m.HandleFunc("/register", s.told(http.StatusCreated, func(*http.Request) any {
		return map[string]any{"client_id": "registered", "token_endpoint_auth_method": "none"}
	}))
	m.HandleFunc("/authorize", s.authorize)
	m.HandleFunc("/token", s.told(http.StatusOK, s.token))
	s.Server = httptest.NewServer(m)
	return s
}

// Seen is what it was asked for until now.
func (s *Server) Seen() Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// Void makes every token void.
func (s *Server) Void() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.access, s.renewal = map[string]bool{}, "none"
}

func (s *Server) guard(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	known := s.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	s.mu.Unlock()
	if !known {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.tools.ServeHTTP(w, r)
}

func (s *Server) resource(*http.Request) any {
	return map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL}}
}

func (s *Server) metadata(*http.Request) any {
	page := s.Page
	if page == "" {
		page = s.URL + "/authorize"
	}
	return map[string]any{
		"issuer": s.URL, "authorization_endpoint": page, "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL + "/register",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "grant_types_supported": []string{"authorization_code", "client_credentials"},
	}
}

// told answers with JSON; nil is a refusal.
func (s *Server) told(status int, what func(*http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "" {
			s.mu.Lock()
			s.seen.Strays = append(s.seen.Strays, r.URL.Path)
			s.mu.Unlock()
		}
		v, status := what(r), status
		if v == nil {
			v, status = map[string]string{"error": "invalid_grant"}, http.StatusBadRequest
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Asked++
	code := fmt.Sprintf("code-%d", s.seen.Asked)
	s.challenge[code] = q.Get("code_challenge")
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

// token gives tokens for a code whose verifier fits, or for the last refresh token.
func (s *Server) token(r *http.Request) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.FormValue("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if s.challenge[r.FormValue("code")] != base64.RawURLEncoding.EncodeToString(sum[:]) {
			return nil
		}
	case "refresh_token":
		if r.FormValue("refresh_token") != s.renewal {
			return nil
		}
		s.seen.Renewed++
	case "client_credentials":
		return s.machine(r)
	default:
		return nil
	}
	lasts := s.lasts()
	access := fmt.Sprintf("access-token-%d-%d", s.seen.Asked, s.seen.Renewed)
	s.access[access], s.renewal = true, fmt.Sprintf("refresh-token-%d-%d", s.seen.Asked, s.seen.Renewed)
	return map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": lasts, "refresh_token": s.renewal}
}

// machine gives a token to the client that knows the secret, or that signs.
func (s *Server) machine(r *http.Request) any {
	how := "a secret"
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret, how = r.FormValue("client_id"), r.FormValue("client_secret"), "a secret in the body"
	}
	signed := r.FormValue("client_assertion")
	if signed != "" {
		how = "an assertion"
	}
	if s.Secret == "" || id != "engine" || secret != s.Secret && signed == "" {
		return nil
	}
	s.seen.Granted = append(s.seen.Granted, fmt.Sprintf("%s for %q by %s", r.FormValue("resource"), r.FormValue("scope"), how))
	access := fmt.Sprintf("machine-token-%d", len(s.seen.Granted))
	s.access[access] = true
	return map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": s.lasts()}
}

// lasts is how many seconds an access token does.
func (s *Server) lasts() int {
	if s.Expiry == 0 {
		return 3600
	}
	return s.Expiry
}
