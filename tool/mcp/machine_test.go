package mcp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider/issuer"
)

// engine is the tool server behind a sign-in that no person is asked for.
func engine(t *testing.T, i *issuer.Server, change func(*chargehand.SignIn)) *chargehand.ToolServer {
	t.Helper()
	t.Setenv("ENGINE_SECRET", "s3cret-of-the-engine")
	i.Secret = "s3cret-of-the-engine"
	spec := behind(i)
	spec.SignIn = &chargehand.SignIn{Grant: chargehand.GrantClientCredentials, ClientID: "engine", ClientSecret: "$ENGINE_SECRET"}
	if change != nil {
		change(spec.SignIn)
	}
	return spec
}

func TestClientCredentials(t *testing.T) {
	i := issue(t)
	var log lines
	s := newServer(t, engine(t, i, nil), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if list, err := s.Tools(t.Context()); err != nil || len(list) != 6 {
		t.Fatalf("%d tools, %v", len(list), err)
	}
	a, err := call(t, s, "echo", `{"text":"machine-token-1 s3cret-of-the-engine"}`)
	if err != nil || string(a.Structured) != `{"text":"$ACCESS_TOKEN $ENGINE_SECRET"}` {
		t.Errorf("what it was told in confidence is handed on: %+v, %v", a, err)
	}
	seen := i.Seen()
	if want := i.URL + "/mcp for \"\" by a secret"; len(seen.Granted) != 1 || seen.Granted[0] != want {
		t.Errorf("granted %q, want once %q", seen.Granted, want)
	}
	if seen.Asked > 0 || len(seen.Strays) > 0 {
		t.Errorf("%d people were asked; the team's headers went to %v", seen.Asked, seen.Strays)
	}
	if n := log.count("s3cret") + log.count("machine-token"); n > 0 {
		t.Errorf("%d secrets in the log", n)
	}
}

// A token that the server takes no longer is replaced once, also where many calls meet the refusal.
func TestATokenThatIsVoid(t *testing.T) {
	i := issue(t)
	s := newServer(t, engine(t, i, nil), Options{})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.Void()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if a, err := call(t, s, "echo", `{"text":"x"}`); err != nil || a.Failed {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	all.Wait()
	if n := len(i.Seen().Granted); n != 2 {
		t.Errorf("%d tokens were granted, want 2", n)
	}
	i.Secret = "another"
	i.Void()
	_, err := call(t, s, "echo", `{"text":"x"}`)
	if err == nil || !notBegun(err) || !strings.Contains(err.Error(), "client credentials at "+i.URL+"/token: invalid_grant") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a client that is known no longer: %v", err)
	}
}

// A token that is about to be old is renewed before it is used, also long after the request that first needed one.
func TestATokenThatIsOld(t *testing.T) {
	i := issue(t)
	i.Expiry = 1
	s := newServer(t, engine(t, i, nil), Options{})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := len(i.Seen().Granted)
	if a, err := call(t, s, "echo", `{"text":"x"}`); err != nil || a.Failed {
		t.Errorf("%+v, %v", a, err)
	}
	if n := len(i.Seen().Granted); n <= before {
		t.Errorf("%d tokens were granted, and before %d", n, before)
	}
}

// The client's secret goes to the authorization server that the team names, and to no other.
func TestWhereTheSecretGoes(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(i *issuer.Server) func(*chargehand.SignIn)
		want   string // of the error; empty: it works
		how    string
	}{
		"its issuer": {func(i *issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.Issuer = i.URL + "/" }
		}, "", "a secret"},
		"another": {func(*issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.Issuer = "https://auth.example" }
		}, "the client's credentials are not sent there", ""},
		"a token URL": {func(i *issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.TokenURL = i.URL + "/token" }
		}, "", "a secret"},
		"another URL": {func(*issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.TokenURL = "http://127.0.0.1:1/token" }
		}, "client credentials at http://127.0.0.1:1/token", ""},
		"scopes": {func(*issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.Scopes = []string{"a", "b"} }
		}, "", "for \"a b\""},
		"no secret": {func(*issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.ClientSecret = "$NOT_THERE" }
		}, "NOT_THERE is not set", ""},
		"wrong client": {func(*issuer.Server) func(*chargehand.SignIn) {
			return func(in *chargehand.SignIn) { in.ClientID = "somebody" }
		}, "invalid_grant", ""},
	} {
		i := issue(t)
		_, err := newServer(t, engine(t, i, tt.change(i)), Options{}).Tools(t.Context())
		granted := fmt.Sprint(i.Seen().Granted)
		if tt.want == "" && (err != nil || !strings.Contains(granted, tt.how)) {
			t.Errorf("%s: %v; granted %s", name, err, granted)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || granted != "[]") {
			t.Errorf("%s: %v, want %q; granted %s", name, err, tt.want, granted)
		}
	}
}

// A header of the team's own is used as it is.
func TestAHeaderGoesBeforeClientCredentials(t *testing.T) {
	i := issue(t)
	spec := engine(t, i, nil)
	spec.Headers = map[string]string{"Authorization": "Bearer other"}
	if _, err := newServer(t, spec, Options{}).Tools(t.Context()); err == nil || len(i.Seen().Granted) > 0 {
		t.Errorf("error %v, granted %v", err, i.Seen().Granted)
	}
}

func pemOf(t *testing.T, key any) string {
	t.Helper()
	b, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: b}))
}

// An assertion is signed so that whoever has the public key can check it, and is of one issuer and one moment.
func TestAssertions(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	number, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	check := map[string]func(hash, signature []byte) bool{
		"ES256": func(hash, sig []byte) bool {
			return len(sig) == 64 && ecdsa.Verify(&curve.PublicKey, hash, new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:]))
		},
		"RS256": func(hash, sig []byte) bool {
			return rsa.VerifyPKCS1v15(&number.PublicKey, crypto.SHA256, hash, sig) == nil
		},
	}
	for alg, key := range map[string]any{"ES256": curve, "RS256": number} {
		s, err := newSigner(pemOf(t, key))
		if err != nil {
			t.Fatal(err)
		}
		one, err := s.assertion("engine", "https://auth.example")
		if err != nil {
			t.Fatal(err)
		}
		if two, _ := s.assertion("engine", "https://auth.example"); two == one {
			t.Errorf("%s: an assertion is made twice", alg)
		}
		parts := strings.Split(one, ".")
		var raw [3][]byte
		for n := range raw {
			if raw[n], err = base64.RawURLEncoding.DecodeString(parts[n]); err != nil {
				t.Fatal(err)
			}
		}
		var head struct{ Alg, Typ string }
		var claims struct {
			Iss, Sub, Aud, Jti string
			Iat, Exp           int64
		}
		if json.Unmarshal(raw[0], &head) != nil || json.Unmarshal(raw[1], &claims) != nil || head.Alg != alg || claims.Iss != "engine" ||
			claims.Sub != "engine" || claims.Aud != "https://auth.example" || claims.Jti == "" || claims.Exp-claims.Iat != 60 {
			t.Errorf("%s %s", raw[0], raw[1])
		}
		sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		if !check[alg](sum[:], raw[2]) {
			t.Errorf("%s: the signature is none of the key", alg)
		}
	}
	for _, bad := range []string{"", "no PEM", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", pemOf(t, other)} {
		if _, err := newSigner(bad); err == nil || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%.30q: %v", bad, err)
		}
	}
}

func TestAKeyInThePlaceOfASecret(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ENGINE_KEY", pemOf(t, key))
	i := issue(t)
	spec := engine(t, i, func(in *chargehand.SignIn) { in.ClientSecret, in.PrivateKey = "", "$ENGINE_KEY" })
	if _, err := newServer(t, spec, Options{}).Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if seen := i.Seen().Granted; len(seen) != 1 || !strings.HasSuffix(seen[0], "by an assertion") {
		t.Errorf("granted %v", seen)
	}
}
