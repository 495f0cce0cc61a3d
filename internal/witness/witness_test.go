package witness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/chargehand/chargehand/internal/audit"
)

// A journal is a log that grows.
type journal struct {
	key    audit.Key
	tree   audit.Tree
	stored []tlog.Hash
}

func newJournal(t testing.TB, key audit.Key, word string, n int) *journal {
	t.Helper()
	j := &journal{key: key}
	j.grow(t, word, n)
	return j
}

func newKey(t testing.TB) audit.Key {
	t.Helper()
	key, err := audit.NewKey("chargehand/journal/abc")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (j *journal) grow(t testing.TB, word string, n int) {
	for range n {
		h := tlog.RecordHash(fmt.Appendf(nil, "%s %d", word, j.tree.Size()))
		more, err := tlog.StoredHashesForRecordHash(j.tree.Size(), h, tlog.HashReaderFunc(j.read))
		if err != nil {
			t.Fatal(err)
		}
		j.stored = append(j.stored, more...)
		j.tree.Grow([]audit.Hash{h})
	}
}

func (j *journal) read(at []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(at))
	for i, x := range at {
		out[i] = j.stored[x]
	}
	return out, nil
}

func (j *journal) sign(t testing.TB) []byte {
	t.Helper()
	msg, err := j.key.SignCheckpoint(j.tree.Checkpoint(j.key.Name()))
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

func (j *journal) prove(_ context.Context, old int64) ([][32]byte, error) {
	proof, err := tlog.ProveTree(j.tree.Size(), old, tlog.HashReaderFunc(j.read))
	var out [][32]byte
	for _, h := range proof {
		out = append(out, h)
	}
	return out, err
}

// serve runs a witness over HTTP on the loopback.
func serve(t *testing.T, dir string, trust ...string) (*Witness, string) {
	t.Helper()
	w, err := Open(dir, Options{Trust: trust})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, l) }()
	var once sync.Once
	t.Cleanup(func() {
		once.Do(func() {
			stop()
			if err := errors.Join(<-ended, w.Close()); err != nil && !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
		})
	})
	return w, "http://" + l.Addr().String()
}

func dial(t *testing.T, w *Witness, url string) *Client {
	t.Helper()
	v, err := NewVerifier(w.Public())
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(url, v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWitnessFollowsALog(t *testing.T) {
	key := newKey(t)
	w, url := serve(t, t.TempDir(), key.Public())
	c, j := dial(t, w, url), newJournal(t, key, "a", 1)
	for _, more := range []int{0, 1, 5, 0, 300, 1} {
		j.grow(t, "a", more)
		msg := j.sign(t)
		signed, err := c.Cosign(t.Context(), msg, j.prove)
		if err != nil {
			t.Fatalf("%d records: %v", j.tree.Size(), err)
		}
		v, err := NewVerifier(w.Public())
		if err != nil {
			t.Fatal(err)
		}
		if at, ok := v.Seen(signed); !ok || time.Since(at) > time.Hour {
			t.Errorf("%d records: signed at %v, %v", j.tree.Size(), at, ok)
		}
		keys, err := audit.Verifiers(key.Public())
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := audit.OpenCheckpoint(signed, keys); err != nil || got.Size != j.tree.Size() {
			t.Errorf("the log's own signature is lost: %v", err)
		}
		latest, err := c.Latest(t.Context(), key.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := audit.OpenCheckpoint(latest, keys); err != nil || got.Size != j.tree.Size() {
			t.Errorf("the latest is %d, %v", got.Size, err)
		}
	}
	if latest, err := c.Latest(t.Context(), "another/log"); latest != nil || err != nil {
		t.Errorf("a log nobody showed it: %q, %v", latest, err)
	}
}

func TestForkAndRollbackAreRefused(t *testing.T) {
	key := newKey(t)
	w, url := serve(t, t.TempDir(), key.Public())
	c := dial(t, w, url)
	j := newJournal(t, key, "a", 10)
	if _, err := c.Cosign(t.Context(), j.sign(t), j.prove); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*journal{
		"a longer fork":  newJournal(t, key, "b", 12),
		"one as long":    newJournal(t, key, "b", 10),
		"a rollback":     newJournal(t, key, "a", 7),
		"a younger fork": newJournal(t, key, "b", 1),
	} {
		for _, client := range []*Client{c, dial(t, w, url)} {
			if _, err := client.Cosign(t.Context(), other.sign(t), other.prove); err == nil {
				t.Errorf("%s was signed", name)
			}
		}
	}
	j.grow(t, "a", 3)
	if _, err := c.Cosign(t.Context(), j.sign(t), j.prove); err != nil {
		t.Errorf("the true log is refused afterwards: %v", err)
	}
}

func post(t *testing.T, url, body string) (int, string, string) {
	t.Helper()
	resp, err := http.Post(url+"/add-checkpoint", "text/plain", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b := make([]byte, 4096)
	n, _ := resp.Body.Read(b)
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(b[:n])
}

// TestStatusCodes are those of the specification.
func TestStatusCodes(t *testing.T) {
	key, stranger := newKey(t), newKey(t)
	_, url := serve(t, t.TempDir(), key.Public())
	j := newJournal(t, key, "a", 4)
	four := string(j.sign(t))
	j.grow(t, "a", 4)
	eight := string(j.sign(t))
	proof := func(old int64) string {
		hashes, err := j.prove(t.Context(), old)
		if err != nil {
			t.Fatal(err)
		}
		r := request{old: old}
		for _, h := range hashes {
			r.proof = append(r.proof, h)
		}
		return strings.TrimSuffix(string(r.body()), "\n")
	}
	other, err := audit.NewKey("another/log")
	if err != nil {
		t.Fatal(err)
	}
	garbled := strings.Replace(four, "\n4\n", "\n5\n", 1)
	empty := audit.Checkpoint{Origin: key.Name()}
	nothing, err := key.SignCheckpoint(empty)
	if err != nil {
		t.Fatal(err)
	}
	hash := "yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA=\n"
	for _, tt := range []struct {
		name, body string
		want       int
		answer     string
	}{
		{"no body", "", 400, ""},
		{"no old size", "\n\n" + four, 400, ""},
		{"a leading zero", "old 00\n\n" + four, 400, ""},
		{"a negative size", "old -1\n\n" + four, 400, ""},
		{"no checkpoint", "old 0\n\nhello\n", 400, ""},
		{"something that is no hash", "old 0\nabc\n\n" + four, 400, ""},
		{"too many hashes", "old 0\n" + strings.Repeat(hash, 64) + "\n" + four, 400, ""},
		{"too long", "old 0\n\n" + four + strings.Repeat("x", maxBody), 400, ""},
		{"an unknown log", "old 0\n\n" + string(newJournal(t, other, "a", 4).sign(t)), 404, ""},
		{"another key of the same name", "old 0\n\n" + string(newJournal(t, stranger, "a", 4).sign(t)), 403, ""},
		{"a signature of something else", "old 0\n\n" + garbled, 403, ""},
		{"old above new", "old 5\n\n" + four, 400, ""},
		{"an empty log with a root", "old 0\n\n" + string(nothing), 422, ""},
		{"old never seen", "old 2\n\n" + four, 409, "0\n"},
		{"a proof from nothing", "old 0\n" + hash + "\n" + four, 422, ""},
		{"the first", "old 0\n\n" + four, 200, "— chargehand/witness/"},
		{"the same again, as if it were the first", "old 0\n\n" + four, 409, "4\n"},
		{"the same again", "old 4\n\n" + four, 200, "— "},
		{"the same with a proof", "old 4\n" + hash + "\n" + four, 422, ""},
		{"without a proof", "old 4\n\n" + eight, 422, ""},
		{"a wrong proof", "old 4\n" + hash + "\n" + eight, 422, ""},
		{"the next", proof(4) + "\n" + eight, 200, "— "},
		{"a stale one", proof(4) + "\n" + eight, 409, "8\n"},
		{"a replay", "old 8\n\n" + four, 400, ""},
		{"a replay that knows it", "old 4\n\n" + four, 409, "8\n"},
	} {
		status, media, answer := post(t, url, tt.body)
		if status != tt.want || !strings.HasPrefix(answer, tt.answer) {
			t.Errorf("%s: %d %q, want %d %q", tt.name, status, answer, tt.want, tt.answer)
		}
		if status == 409 && media != sizeType {
			t.Errorf("%s: the size comes as %q", tt.name, media)
		}
	}
	for _, path := range []string{"/add-checkpoint", "/", "/x/checkpoint/y"} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 405 && resp.StatusCode != 404 {
			t.Errorf("GET %s: %d", path, resp.StatusCode)
		}
	}
}

func TestRestartKeepsWhatWasSeen(t *testing.T) {
	key, dir := newKey(t), t.TempDir()
	w, err := Open(dir, Options{Trust: []string{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("two have one folder: %v", err)
	}
	j := newJournal(t, key, "a", 9)
	s := httptest.NewServer(w)
	defer s.Close()
	if _, err := dial(t, w, s.URL).Cosign(t.Context(), j.sign(t), j.prove); err != nil {
		t.Fatal(err)
	}
	public := w.Public()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, url := serve(t, dir, key.Public())
	if again.Public() != public {
		t.Error("it has another key")
	}
	fork := newJournal(t, key, "b", 11)
	if _, err := dial(t, again, url).Cosign(t.Context(), fork.sign(t), fork.prove); err == nil {
		t.Error("it has forgotten what it signed")
	}
	j.grow(t, "a", 1)
	if _, err := dial(t, again, url).Cosign(t.Context(), j.sign(t), j.prove); err != nil {
		t.Error(err)
	}
}

// TestKilledBeforeTheAnswer is a witness that kept a checkpoint and could not say so: asked again,
// it signs the same, and nothing else.
func TestKilledBeforeTheAnswer(t *testing.T) {
	key, dir := newKey(t), t.TempDir()
	j := newJournal(t, key, "a", 5)
	msg := j.sign(t)
	w, err := Open(dir, Options{Trust: []string{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.consider(request{note: msg}.body(), time.Now()); err != nil { // and the answer is lost
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, url := serve(t, dir, key.Public())
	if _, err := dial(t, again, url).Cosign(t.Context(), msg, j.prove); err != nil {
		t.Errorf("asked again: %v", err)
	}
	fork := newJournal(t, key, "b", 5)
	if _, err := dial(t, again, url).Cosign(t.Context(), fork.sign(t), fork.prove); err == nil {
		t.Error("it signed another history")
	}
}

// TestNothingIsSignedThatCannotBeKept: a folder that cannot be written to gives no signature.
func TestNothingIsSignedThatCannotBeKept(t *testing.T) {
	key, dir := newKey(t), t.TempDir()
	w, url := serve(t, dir, key.Public())
	j := newJournal(t, key, "a", 5)
	if err := os.Mkdir(filepath.Join(dir, name(key.Name())+".checkpoint"), 0o700); err != nil {
		t.Fatal(err)
	}
	if status, _, answer := post(t, url, string(request{note: j.sign(t)}.body())); status != 500 || strings.Contains(answer, "— ") {
		t.Errorf("%d %q", status, answer)
	}
	if c, err := w.state.size(key.Name()); err != nil || c.Size != 0 {
		t.Errorf("it counts what it did not keep: %v, %v", c, err)
	}
}

func TestAlteredStateIsRefused(t *testing.T) {
	key, dir := newKey(t), t.TempDir()
	w, err := Open(dir, Options{Trust: []string{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.consider(request{note: newJournal(t, key, "a", 5).sign(t)}.body(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name(key.Name())+".checkpoint")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"another size": func() error {
			return os.WriteFile(path, []byte(strings.Replace(string(b), "\n5\n", "\n4\n", 1)), 0o600)
		},
		"no key": func() error {
			return errors.Join(os.WriteFile(path, b, 0o600), os.Remove(filepath.Join(dir, "key")))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if w, err := Open(dir, Options{}); err == nil {
			w.Close()
			t.Errorf("%s: opened all the same", what)
		}
	}
}

func TestConcurrentRequestsNeverGoBack(t *testing.T) {
	key := newKey(t)
	w, url := serve(t, t.TempDir(), key.Public())
	j := newJournal(t, key, "a", 1)
	if _, err := dial(t, w, url).Cosign(t.Context(), j.sign(t), j.prove); err != nil {
		t.Fatal(err)
	}
	var bodies [][]byte
	for range 20 {
		j.grow(t, "a", 1)
		proof, err := j.prove(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		r := request{old: 1, note: j.sign(t)}
		for _, h := range proof {
			r.proof = append(r.proof, h)
		}
		bodies = append(bodies, r.body())
	}
	var signed sync.Map
	var wg sync.WaitGroup
	for _, b := range bodies {
		wg.Go(func() {
			if line, err := w.consider(b, time.Now()); err == nil {
				signed.Store(line, true)
			}
		})
	}
	wg.Wait()
	n := 0
	signed.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d of requests that all go on from the same checkpoint were signed", n)
	}
}

func TestANumberedLogBeginsAnew(t *testing.T) {
	key := newKey(t)
	w, _ := serve(t, t.TempDir(), key.Public())
	for origin, want := range map[string]bool{
		key.Name(): true, key.Name() + "/2": true, key.Name() + "/x": false, key.Name() + "/2/3": false, "/2": false, "chargehand": false,
	} {
		if got := w.verifier(origin) != nil; got != want {
			t.Errorf("%s: known %v, want %v", origin, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	k, err := NewKey("example.com/w")
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseKey(k.Secret() + "\n")
	if err != nil || again.Public() != k.Public() {
		t.Errorf("%v", err)
	}
	if _, err := note.NewVerifier(k.Public()); err == nil {
		t.Error("a cosigner's key is taken for a log's")
	}
	for _, bad := range []string{"", "x", k.Secret(), strings.Replace(k.Public(), "example", "exemple", 1), k.Public()[:30], newKey(t).Public()} {
		if _, err := NewVerifier(bad); err == nil {
			t.Errorf("%.40q is taken for a key", bad)
		}
	}
	for _, bad := range []string{"", k.Public(), strings.Replace(k.Secret(), "example", "exemple", 1)} {
		if _, err := ParseKey(bad); err == nil {
			t.Errorf("%.40q is taken for a private key", bad)
		}
	}
	if _, err := NewKey("a b"); err == nil {
		t.Error("a name with a space")
	}
}

// TestLyingWitness: an answer that is not the witness's signature of this checkpoint is none.
func TestLyingWitness(t *testing.T) {
	key := newKey(t)
	w, err := Open(t.TempDir(), Options{Trust: []string{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	j := newJournal(t, key, "a", 3)
	line, err := w.consider(request{note: j.sign(t)}.body(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	j.grow(t, "a", 1)
	for name, answer := range map[string]func(http.ResponseWriter){
		"an old signature": func(out http.ResponseWriter) { fmt.Fprint(out, line) },
		"nothing":          func(http.ResponseWriter) {},
		"no size":          func(out http.ResponseWriter) { out.WriteHeader(409); fmt.Fprint(out, "many\n") },
		"too great a size": func(out http.ResponseWriter) { out.WriteHeader(409); fmt.Fprint(out, "99\n") },
		"sizes for ever":   func(out http.ResponseWriter) { out.WriteHeader(409); fmt.Fprint(out, "2\n") },
		"a redirect":       func(out http.ResponseWriter) { out.Header().Set("Location", "/x"); out.WriteHeader(307) },
		"a flood":          func(out http.ResponseWriter) { fmt.Fprint(out, strings.Repeat("x", 1<<20)) },
	} {
		s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { answer(out) }))
		if _, err := dial(t, w, s.URL).Cosign(t.Context(), j.sign(t), j.prove); err == nil {
			t.Errorf("%s was taken for a signature", name)
		}
		s.Close()
	}
	for _, bad := range []string{"", "ftp://x", "127.0.0.1:80", "http://"} {
		if _, err := NewClient(bad, nil); err == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte("old 0\n\nx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := parseRequest(b); err == nil && string(r.body()) != string(b) {
			t.Errorf("%q is read as %q", b, r.body())
		}
	})
}
