package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/chargehand/chargehand"
)

// A machine authorizes requests to one server by the client's own credentials, without a person (RFC 6749, section 4.4).
// It asks the authorization server for a token, uses it until it is old, and asks for another where the tool server
// turns a request away. It is the transport's OAuthHandler.
//
// The SDK's own handler names no resource (RFC 8707), and its tokens cannot be renewed after the request that first
// needed one.
type machine struct {
	conn   *conn
	spec   chargehand.SignIn
	client *http.Client // for the authorization server
	secret string
	signer *signer // nil: the client has a secret

	mu     sync.Mutex // held while a token is asked for, so that many requests ask for one
	at     *origin    // nil until the tool server was asked
	scopes []string
	token  *oauth2.Token
}

// An origin is where tokens for a server come from.
type origin struct {
	name     string // the issuer identifier; the token endpoint where the team gives one
	token    string // the token endpoint
	resource string // what a token is for
	style    oauth2.AuthStyle
}

var _ auth.OAuthHandler = (*machine)(nil)

// machine reads the client's credentials from the environment.
func (c *conn) machine(client *http.Client) (*machine, error) {
	m := &machine{conn: c, spec: *c.server.spec.SignIn, client: client}
	var err error
	if m.secret, err = c.known.Expand(m.spec.ClientSecret); err != nil {
		return nil, fmt.Errorf("signIn.clientSecret: %w", err)
	}
	if m.spec.PrivateKey != "" {
		text, err := c.known.Expand(m.spec.PrivateKey)
		if err == nil {
			m.signer, err = newSigner(text)
		}
		if err != nil {
			return nil, fmt.Errorf("signIn.privateKey: %w", err)
		}
	}
	if m.secret == "" && m.signer == nil {
		return nil, errors.New("signIn.clientSecret is empty: a client that no person signs in needs a secret or a private key")
	}
	m.scopes = m.spec.Scopes
	if m.spec.TokenURL != "" {
		m.at = &origin{name: m.spec.TokenURL, token: m.spec.TokenURL, resource: resourceOf(c.server.spec.URL), style: oauth2.AuthStyleInHeader}
	}
	return m, nil
}

// TokenSource is nil until it is known where tokens come from: the server's refusal says so.
func (m *machine) TokenSource(context.Context) (oauth2.TokenSource, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at == nil {
		return nil, nil
	}
	return m, nil
}

// Token is a token that is not old.
func (m *machine) Token() (*oauth2.Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token.Valid() {
		return m.token, nil
	}
	return m.token, m.renew(m.conn.ctx)
}

// Authorize gets a new token where the server turned a request away. The transport sends the request again, once.
func (m *machine) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_ = resp.Body.Close()
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return fmt.Errorf("read WWW-Authenticate: %w", err)
	}
	wants, more := wanted(challenges)
	if resp.StatusCode == http.StatusForbidden && !more {
		return nil // it is refused as it is, and no token would change that
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token != nil && req.Header.Get("Authorization") != m.token.Type()+" "+m.token.AccessToken {
		return nil // another request has got a token meanwhile
	}
	ctx, _ = withSending(ctx) // what is sent from here on is no part of the call
	if m.spec.TokenURL == "" {
		at, offered, err := m.discover(ctx, challenges)
		if err != nil {
			return err
		}
		m.at = at
		if len(wants) == 0 {
			wants = offered
		}
	}
	if len(m.spec.Scopes) == 0 {
		for _, s := range wants { // those of earlier refusals stay: a step up must not step down
			if !slices.Contains(m.scopes, s) {
				m.scopes = append(m.scopes, s)
			}
		}
	}
	return m.renew(ctx)
}

// wanted are the scopes that a refusal names, and whether it says that more are needed than the token has.
func wanted(challenges []oauthex.Challenge) (scopes []string, more bool) {
	for _, c := range challenges {
		if c.Scheme == "bearer" {
			scopes = append(scopes, strings.Fields(c.Params["scope"])...)
			more = more || c.Params["error"] == "insufficient_scope"
		}
	}
	return scopes, more
}

// renew asks for a token. The caller holds mu.
func (m *machine) renew(ctx context.Context) error {
	m.token = nil
	config := &clientcredentials.Config{
		ClientID: m.spec.ClientID, ClientSecret: m.secret, TokenURL: m.at.token, Scopes: m.scopes, AuthStyle: m.at.style,
		EndpointParams: url.Values{"resource": {m.at.resource}},
	}
	if m.signer != nil {
		assertion, err := m.signer.assertion(m.spec.ClientID, m.at.name)
		if err != nil {
			return fmt.Errorf("sign the client's assertion: %w", err)
		}
		config.ClientSecret, config.AuthStyle = "", oauth2.AuthStyleInParams
		config.EndpointParams.Set("client_assertion", assertion)
		config.EndpointParams.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	}
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, m.client))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode != "" {
			err = fmt.Errorf("%s %s", refused.ErrorCode, refused.ErrorDescription) // the whole would repeat the answer
		}
		return fmt.Errorf("client credentials at %s: %w", m.at.token, err)
	}
	m.conn.known.Add("ACCESS_TOKEN", t.AccessToken)
	m.token = t
	return nil
}

// discover finds where tokens come from: the tool server's metadata names its authorization servers (RFC 9728), and
// theirs the token endpoint (RFC 8414). Without metadata of its own a server is its own authorization server, as in
// revision 2025-03-26. Offered are the scopes that there are.
func (m *machine) discover(ctx context.Context, challenges []oauthex.Challenge) (at *origin, offered []string, err error) {
	server := m.conn.server.spec.URL
	resource, name := resourceOf(server), originOf(server)
	if about := m.metadata(ctx, challenges); about != nil {
		resource, offered = about.Resource, about.ScopesSupported
		if name, err = m.choose(about.AuthorizationServers); err != nil {
			return nil, nil, err
		}
	} else if name, err = m.choose([]string{name}); err != nil {
		return nil, nil, err
	}
	about, err := auth.GetAuthServerMetadata(ctx, name, m.client)
	if err != nil {
		return nil, nil, fmt.Errorf("read the metadata of the authorization server %s: %w", name, err)
	}
	if about == nil || about.TokenEndpoint == "" {
		return nil, nil, fmt.Errorf("the authorization server %s does not say where tokens come from: give signIn.tokenUrl", name)
	}
	return &origin{about.Issuer, about.TokenEndpoint, resource, styleOf(about.TokenEndpointAuthMethodsSupported)}, offered, nil
}

// choose is the authorization server that is asked: the one that the team names, or the first. The client's secret goes
// there.
func (m *machine) choose(offered []string) (string, error) {
	for _, name := range offered {
		if m.spec.Issuer == "" || strings.TrimSuffix(name, "/") == strings.TrimSuffix(m.spec.Issuer, "/") {
			return name, nil
		}
	}
	return "", fmt.Errorf("the server names the authorization servers %q, and signIn.issuer is %q: the client's credentials are not sent there", offered, m.spec.Issuer)
}

// metadata is what the server says of itself: where its refusal leads, or at the well-known places; nil where it says
// nothing that is of this server.
func (m *machine) metadata(ctx context.Context, challenges []oauthex.Challenge) *oauthex.ProtectedResourceMetadata {
	server := m.conn.server.spec.URL
	u, err := url.Parse(server)
	if err != nil {
		return nil
	}
	type place struct{ at, of string }
	var places []place
	for _, c := range challenges {
		if at := c.Params["resource_metadata"]; at != "" {
			places = append(places, place{at, server})
		}
	}
	const known = "/.well-known/oauth-protected-resource"
	origin := originOf(server)
	if path := strings.Trim(u.Path, "/"); path != "" {
		places = append(places, place{origin + known + "/" + path, server})
	}
	places = append(places, place{origin + known, origin})
	for _, p := range places {
		about, err := oauthex.GetProtectedResourceMetadata(ctx, p.at, p.of, m.client)
		if err == nil && about != nil && len(about.AuthorizationServers) > 0 {
			return about
		}
	}
	return nil
}

// originOf is an address without what comes after its host.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// resourceOf is the resource indicator of an address (RFC 8707): the address without a fragment.
func resourceOf(address string) string {
	whole, _, _ := strings.Cut(address, "#")
	return whole
}

// styleOf is how the client's secret is sent. The metadata's default is the header (RFC 8414, section 2).
func styleOf(methods []string) oauth2.AuthStyle {
	if slices.Contains(methods, "client_secret_post") && !slices.Contains(methods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
