package audit

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// A Key signs checkpoints by Ed25519.
type Key struct {
	secret string // as note.GenerateKey writes it
	public string // the verifier key: name+id+key, one line
	signer note.Signer
}

// NewKey makes a key of that name.
func NewKey(name string) (Key, error) { return NewKeyFrom(rand.Reader, name) }

// NewKeyFrom is NewKey with another source of randomness: the same bytes give the same key.
func NewKeyFrom(random io.Reader, name string) (Key, error) {
	secret, public, err := note.GenerateKey(random, name)
	if err != nil {
		return Key{}, fmt.Errorf("make a signing key: %w", err)
	}
	return newKey(secret, public)
}

// ParseKey reads what Secret wrote.
func ParseKey(text string) (Key, error) {
	secret, public, ok := strings.Cut(strings.TrimSpace(text), "\n")
	if !ok {
		return Key{}, fmt.Errorf("read a signing key: want two lines, the private and the public key")
	}
	return newKey(secret, public)
}

func newKey(secret, public string) (Key, error) {
	signer, err := note.NewSigner(secret)
	if err != nil {
		return Key{}, fmt.Errorf("read a signing key: %w", err)
	}
	v, err := note.NewVerifier(public)
	if err != nil {
		return Key{}, fmt.Errorf("read a signing key: %w", err)
	}
	if v.Name() != signer.Name() || v.KeyHash() != signer.KeyHash() {
		return Key{}, fmt.Errorf("read a signing key: the public key is not that of the private one")
	}
	return Key{secret, public, signer}, nil
}

// Secret is what is kept under the eyes of nobody else: the private key, and the public one.
func (k Key) Secret() string { return k.secret + "\n" + k.public + "\n" }

// Public is the verifier key, one line, as C2SP signed-note writes it.
func (k Key) Public() string { return k.public }

// Name is the key's.
func (k Key) Name() string { return k.signer.Name() }

// Sign is the text as a note signed by the key.
func (k Key) Sign(text string) ([]byte, error) {
	msg, err := note.Sign(&note.Note{Text: text}, k.signer)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return msg, nil
}
