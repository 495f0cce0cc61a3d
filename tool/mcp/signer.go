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
	"errors"
	"time"
)

// A signer signs the assertions by which a client says who it is, in the place of a secret (RFC 7523): ES256 with a key
// of the curve P-256, RS256 with one of RSA.
type signer struct {
	alg string
	key crypto.Signer
}

// newSigner reads a private key in PEM: PKCS #8, or the older forms of each kind.
func newSigner(text string) (*signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("it is no PEM block")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		}
	}
	if err != nil {
		return nil, errors.New("it is no private key") // what is wrong with it may quote it
	}
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve == elliptic.P256() {
			return &signer{"ES256", k}, nil
		}
	case *rsa.PrivateKey:
		return &signer{"RS256", k}, nil
	}
	return nil, errors.New("it is a key of a kind that is not used: want P-256 or RSA")
}

// assertion is a JSON Web Token of a client for one issuer, for a minute.
func (s *signer) assertion(client, issuer string) (string, error) {
	now := time.Now()
	head, err := segment(map[string]any{"alg": s.alg, "typ": "JWT"})
	if err != nil {
		return "", err
	}
	claims, err := segment(map[string]any{
		"iss": client, "sub": client, "aud": issuer, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	})
	if err != nil {
		return "", err
	}
	text := head + "." + claims
	sum := sha256.Sum256([]byte(text))
	signature, err := s.sign(sum[:])
	if err != nil {
		return "", err
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// sign signs a hash in the form of RFC 7518: two numbers of 32 bytes for ES256.
func (s *signer) sign(hash []byte) ([]byte, error) {
	k, ok := s.key.(*ecdsa.PrivateKey)
	if !ok {
		return s.key.Sign(rand.Reader, hash, crypto.SHA256)
	}
	r, t, err := ecdsa.Sign(rand.Reader, k, hash)
	if err != nil {
		return nil, err
	}
	both := make([]byte, 64)
	r.FillBytes(both[:32])
	t.FillBytes(both[32:])
	return both, nil
}

func segment(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
