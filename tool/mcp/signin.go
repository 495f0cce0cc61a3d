package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/secret"
)

// A Consent is how a person is asked to sign in to a server.
type Consent struct {
	// Redirect is the address on this machine to which the person's browser is sent back.
	Redirect string
	// Ask sends the person to a page, and answers with the query of the address that their browser
	// came back to.
	Ask func(ctx context.Context, page string) (url.Values, error)
}

// ErrSignIn is the error of a server that wants a person to sign in, where nobody can be asked.
var ErrSignIn = errors.New("it wants somebody to sign in")

// signIn authorizes requests to one server by what a person has granted (OAuth 2.1, as of MCP's
// authorization). It is the transport's OAuthHandler.
type signIn struct {
	url    string
	spec   chargehand.SignIn
	client *http.Client // for the authorization server, which the server names
	grants Grants
	ask    *Consent // nil: nobody can be asked
	known  *secret.Values

	flow *auth.AuthorizationCodeHandler // nil without ask
	kept *tokens                        // what is granted already; nil without
}

var _ auth.OAuthHandler = (*signIn)(nil)

// signIn is nil where the team sends credentials of its own.
func (c *conn) signIn(client *http.Client, headers http.Header) (*signIn, error) {
	spec, opt := &c.server.spec, &c.server.opt
	if headers.Get("Authorization") != "" {
		return nil, nil
	}
	s := &signIn{url: spec.URL, client: client, grants: opt.Grants, ask: opt.Consent, known: c.known}
	if spec.SignIn != nil {
		s.spec = *spec.SignIn
	}
	if s.grants == nil {
		return s, nil
	}
	g, err := s.load()
	if err != nil {
		return nil, err
	}
	if g != nil {
		s.kept = s.tokens(g)
	}
	if s.ask != nil {
		err = s.prepare()
	}
	return s, err
}

// prepare readies the flow that asks a person.
func (s *signIn) prepare() error {
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: s.ask.Redirect, AuthorizationCodeFetcher: s.fetch, Client: s.client,
		NewTokenSource: s.granted, RequestRefreshToken: true,
	}
	if len(s.spec.Scopes) > 0 {
		config.ScopeFilter = func([]string) []string { return s.spec.Scopes }
	}
	if s.kept != nil {
		config.InitialTokenSource = s.kept
	}
	id := s.spec.ClientID
	switch {
	case strings.HasPrefix(id, "https://"):
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: id}
	case id != "":
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: id}
		if s.spec.ClientSecret != "" {
			text, err := s.known.Expand(s.spec.ClientSecret)
			if err != nil {
				return fmt.Errorf("signIn.clientSecret: %w", err)
			}
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: text}
		}
	}
	if config.PreregisteredClient == nil {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Chargehand", RedirectURIs: []string{s.ask.Redirect},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	var err error
	s.flow, err = auth.NewAuthorizationCodeHandler(config)
	return err
}

// TokenSource is what authorizes requests; nil where nothing was granted.
func (s *signIn) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if s.flow != nil {
		return s.flow.TokenSource(ctx)
	}
	if s.kept == nil {
		return nil, nil
	}
	return s.kept, nil
}

// Authorize has a person asked where a server turned a request away, if anybody can be asked.
func (s *signIn) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if s.flow != nil {
		return s.flow.Authorize(ctx, req, resp)
	}
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusForbidden && !strings.Contains(resp.Header.Get("WWW-Authenticate"), "insufficient_scope") {
		return nil // it is refused as it is, and no sign-in would change that
	}
	return ErrSignIn
}

// fetch sends a person to the page that a server names. That it is one of https, or this machine's,
// is checked when the metadata is read.
func (s *signIn) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	back, err := s.ask.Ask(ctx, args.URL)
	if err != nil {
		return nil, err
	}
	if why := back.Get("error"); why != "" {
		return nil, fmt.Errorf("signing in was refused: %s %s", why, back.Get("error_description"))
	}
	return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
}

// granted keeps what signing in came to.
func (s *signIn) granted(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
	g := &grant{
		Server: s.url, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
		TokenURL: c.Endpoint.TokenURL, AuthStyle: c.Endpoint.AuthStyle, Scopes: c.Scopes, Token: t,
	}
	if err := s.save(g); err != nil {
		return nil, err
	}
	return s.tokens(g), nil
}

// hide keeps a token out of what is said.
func (s *signIn) hide(t *oauth2.Token) {
	s.known.Add("ACCESS_TOKEN", t.AccessToken)
	s.known.Add("REFRESH_TOKEN", t.RefreshToken)
}
