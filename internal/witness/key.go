package witness

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// algorithm is the signature type of timestamped Ed25519 cosignatures (C2SP tlog-cosignature).
const algorithm = 4

const privateMark = "PRIVATE+KEY+"

// A Key signs what a witness has seen.
type Key struct {
	name    string
	private ed25519.PrivateKey
}

// NewKey makes a key of that name.
func NewKey(name string) (Key, error) {
	if name == "" || strings.ContainsAny(name, "+ \t\n") {
		return Key{}, fmt.Errorf("make a witness key: %q is no name for one", name)
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("make a witness key: %w", err)
	}
	return Key{name, private}, nil
}

// ParseKey reads what Secret wrote.
func ParseKey(text string) (Key, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), privateMark)
	name, id, seed, err := parts(rest)
	if !ok || err != nil || len(seed) != ed25519.SeedSize {
		return Key{}, errors.New("read a witness key: it is none")
	}
	k := Key{name, ed25519.NewKeyFromSeed(seed)}
	if k.id() != id {
		return Key{}, errors.New("read a witness key: it does not fit its id")
	}
	return k, nil
}

// Secret is the private key, one line.
func (k Key) Secret() string { return privateMark + k.encode(k.private.Seed()) }

// Public is the verifier key, one line, as C2SP signed-note writes it.
func (k Key) Public() string { return k.encode(k.private.Public().(ed25519.PublicKey)) }

func (k Key) encode(key []byte) string {
	return fmt.Sprintf("%s+%08x+%s", k.name, k.id(), base64.StdEncoding.EncodeToString(append([]byte{algorithm}, key...)))
}

func (k Key) id() uint32 { return keyID(k.name, k.private.Public().(ed25519.PublicKey)) }

func keyID(name string, public ed25519.PublicKey) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n\x04"), public...))
	return binary.BigEndian.Uint32(sum[:])
}

// parts reads name+id+base64(algorithm, key).
func parts(text string) (name string, id uint32, key []byte, err error) {
	fields := strings.SplitN(text, "+", 3)
	if len(fields) != 3 {
		return "", 0, nil, errors.New("it has no three parts")
	}
	n, err1 := strconv.ParseUint(fields[1], 16, 32)
	key, err2 := base64.StdEncoding.Strict().DecodeString(fields[2])
	if err := errors.Join(err1, err2); err != nil {
		return "", 0, nil, err
	}
	if len(key) != 33 || key[0] != algorithm || fields[0] == "" {
		return "", 0, nil, errors.New("it is no key for Ed25519 cosignatures")
	}
	return fields[0], uint32(n), key[1:], nil
}

// A cosigner signs at a moment.
type cosigner struct {
	Key
	now time.Time
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.id() }

// Sign is a timestamped signature: eight bytes of time before it.
func (c cosigner) Sign(text []byte) ([]byte, error) {
	at := uint64(c.now.Unix())
	sig := binary.BigEndian.AppendUint64(nil, at)
	return append(sig, ed25519.Sign(c.private, signedText(at, text))...), nil
}

func signedText(at uint64, checkpoint []byte) []byte {
	return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", at), checkpoint...)
}

// A Verifier checks cosignatures, as a note.Verifier.
type Verifier struct {
	name   string
	id     uint32
	public ed25519.PublicKey
}

var _ note.Verifier = (*Verifier)(nil)

// NewVerifier reads a witness's verifier key.
func NewVerifier(key string) (*Verifier, error) {
	name, id, public, err := parts(strings.TrimSpace(key))
	if err == nil && keyID(name, public) != id {
		err = errors.New("it does not fit its id")
	}
	if err != nil {
		return nil, fmt.Errorf("read the witness key %.100q: %w", key, err)
	}
	return &Verifier{name, id, public}, nil
}

// String is the verifier key, one line.
func (v *Verifier) String() string {
	return fmt.Sprintf("%s+%08x+%s", v.name, v.id, base64.StdEncoding.EncodeToString(append([]byte{algorithm}, v.public...)))
}

// Name is the witness's.
func (v *Verifier) Name() string { return v.name }

// KeyHash is the key's id.
func (v *Verifier) KeyHash() uint32 { return v.id }

// Verify reports whether sig is the witness's signature of a checkpoint's text.
func (v *Verifier) Verify(text, sig []byte) bool {
	_, ok := v.at(text, sig)
	return ok
}

func (v *Verifier) at(text, sig []byte) (time.Time, bool) {
	if len(sig) != 8+ed25519.SignatureSize {
		return time.Time{}, false
	}
	at := binary.BigEndian.Uint64(sig)
	if at == 0 || at>>63 != 0 || !ed25519.Verify(v.public, signedText(at, text), sig[8:]) {
		return time.Time{}, false
	}
	return time.Unix(int64(at), 0).UTC(), true
}

// Seen is when the witness signed a checkpoint: the time in its cosignature. ok is false where it did not.
func (v *Verifier) Seen(msg []byte) (at time.Time, ok bool) {
	n, err := note.Open(msg, note.VerifierList(v))
	if err != nil {
		return time.Time{}, false
	}
	sig, err := base64.StdEncoding.DecodeString(n.Sigs[0].Base64)
	if err != nil || len(sig) < 4 {
		return time.Time{}, false
	}
	return v.at([]byte(n.Text), sig[4:])
}
