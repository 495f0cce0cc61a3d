package audit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/chargehand/chargehand/internal/audit"
)

func key(t *testing.T) audit.Key {
	t.Helper()
	k, err := audit.NewKey("chargehand/journal/abc")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// signed is a checkpoint of a tree with so many leaves.
func signed(t *testing.T, k audit.Key, size int) ([]byte, audit.Checkpoint) {
	t.Helper()
	var tree audit.Tree
	tree.Grow(make([]audit.Hash, size))
	c := tree.Checkpoint(k.Name())
	msg, err := k.SignCheckpoint(c)
	if err != nil {
		t.Fatal(err)
	}
	return msg, c
}

func opener(t *testing.T, lines string) note.Verifiers {
	t.Helper()
	keys, err := audit.Verifiers(lines)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestCheckpointIsANote(t *testing.T) {
	k := key(t)
	msg, want := signed(t, k, 5)
	if lines := strings.Split(string(msg), "\n"); lines[0] != k.Name() || lines[1] != "5" || lines[3] != "" || !strings.HasPrefix(lines[4], "— "+k.Name()+" ") {
		t.Errorf("a checkpoint reads\n%s", msg)
	}
	again, err := audit.ParseKey(k.Secret())
	if err != nil || again.Public() != k.Public() {
		t.Errorf("a key that was kept comes back as %q (%v)", again.Public(), err)
	}
	got, _, err := audit.OpenCheckpoint(msg, opener(t, k.Public()+"\n\n"+k.Public()))
	if err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	if _, _, err := audit.OpenCheckpoint(msg, opener(t, key(t).Public())); err == nil {
		t.Error("a checkpoint was opened with another key of the same name")
	}
	for i := range msg {
		for bit := range 8 {
			changed := bytes.Clone(msg)
			changed[i] ^= 1 << bit
			if c, _, err := audit.OpenCheckpoint(changed, opener(t, k.Public())); err == nil {
				t.Fatalf("byte %d changed: it was opened as %+v", i, c)
			}
		}
	}
}

// TestOneWayToWriteASignature changes the last characters of signatures, whose lowest bits say
// nothing: such a note is refused all the same.
func TestOneWayToWriteASignature(t *testing.T) {
	for range 20 {
		k := key(t)
		msg, _ := signed(t, k, 5)
		for i := len(msg) - 4; i < len(msg); i++ {
			for bit := range 8 {
				changed := bytes.Clone(msg)
				changed[i] ^= 1 << bit
				if _, _, err := audit.OpenCheckpoint(changed, opener(t, k.Public())); err == nil {
					t.Fatalf("%q was opened", changed)
				}
			}
		}
	}
}

func TestWhatIsNoCheckpoint(t *testing.T) {
	_, c := signed(t, key(t), 3)
	if got, err := audit.ParseCheckpoint(c.Text() + "an extension\n"); err != nil || got != c {
		t.Errorf("with an extension: %+v, %v", got, err)
	}
	root := strings.Split(c.Text(), "\n")[2]
	for _, text := range []string{
		"", "\n", c.Origin, c.Origin + "\n3\n", c.Origin + "\n3\n" + root, "\n3\n" + root + "\n",
		c.Origin + "\n03\n" + root + "\n", c.Origin + "\n-3\n" + root + "\n", c.Origin + "\n+3\n" + root + "\n",
		c.Origin + "\n3\n" + root[:40] + "\n", c.Origin + "\n3\n" + root + "=\n", c.Text() + "\n", c.Text() + "\nx\n",
	} {
		if got, err := audit.ParseCheckpoint(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestKeysThatDoNotBelongTogether(t *testing.T) {
	a, b := key(t), key(t)
	secret, _, _ := strings.Cut(a.Secret(), "\n")
	for _, text := range []string{"", secret, secret + "\n" + b.Public(), b.Public() + "\n" + secret, "x\ny"} {
		if _, err := audit.ParseKey(text); err == nil {
			t.Errorf("%q was read as a key", text)
		}
	}
	if _, err := audit.Verifiers("no key"); err == nil {
		t.Error("what is no verifier key was taken for one")
	}
}

// TestTrailSurvivesBeingCut cuts a trail at every byte: what is whole is read, the rest is taken for
// torn, and what is appended then is whole again.
func TestTrailSurvivesBeingCut(t *testing.T) {
	k := key(t)
	path := filepath.Join(t.TempDir(), "checkpoints")
	first, _ := signed(t, k, 1)
	trail, err := audit.NewTrail(path, first)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := signed(t, k, 2)
	if err := trail.Append(second); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(whole, append(bytes.Clone(first), second...)) {
		t.Fatalf("the trail reads %q (%v)", whole, err)
	}
	third, _ := signed(t, k, 3)
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		trail, notes, err := audit.OpenTrail(path)
		if want := n / len(first); err != nil || len(notes) != want {
			t.Fatalf("cut at byte %d: %d notes, want %d (%v)", n, len(notes), want, err)
		}
		if err := trail.Append(third); err != nil {
			t.Fatal(err)
		}
		_, notes, err = audit.OpenTrail(path)
		if err != nil || len(notes) != n/len(first)+1 || !bytes.Equal(notes[len(notes)-1], third) {
			t.Fatalf("cut at byte %d and appended to: %d notes (%v)", n, len(notes), err)
		}
	}
}

// TestTrailForgetsWhatWasTorn appends a note that is shorter than what a crash left of the one before.
func TestTrailForgetsWhatWasTorn(t *testing.T) {
	k := key(t)
	path := filepath.Join(t.TempDir(), "checkpoints")
	first, _ := signed(t, k, 1)
	torn := strings.Repeat("a name that is never so long", 100)
	if err := os.WriteFile(path, append(bytes.Clone(first), torn...), 0o600); err != nil {
		t.Fatal(err)
	}
	trail, _, err := audit.OpenTrail(path)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := signed(t, k, 2)
	if err := trail.Append(second); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, append(bytes.Clone(first), second...)) {
		t.Errorf("%d bytes, want the two notes (%v)", len(got), err)
	}
}

func TestTrailThatIsDamaged(t *testing.T) {
	k := key(t)
	first, _ := signed(t, k, 1)
	second, _ := signed(t, k, 2)
	both := append(bytes.Clone(first), second...)
	for what, b := range map[string][]byte{
		"text before a note":  append([]byte("x\n\ny\n"), both...),
		"text between notes":  append(append(bytes.Clone(first), "torn\n"...), append([]byte("\n"), second...)...),
		"a note without sign": append(bytes.Replace(bytes.Clone(first), []byte("— "), []byte("- "), 1), second...),
	} {
		if _, _, err := audit.Notes(b); err == nil {
			t.Errorf("%s: it was read as a trail", what)
		}
	}
}

func TestTrailOfSomebodyElse(t *testing.T) {
	k := key(t)
	path := filepath.Join(t.TempDir(), "checkpoints")
	first, _ := signed(t, k, 1)
	trail, err := audit.NewTrail(path, first)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := signed(t, k, 2)
	if err := os.WriteFile(path, append(bytes.Clone(first), second...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trail.Append(second); err == nil {
		t.Error("a trail was appended to that somebody else had written to")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := trail.Append(second); err == nil {
		t.Error("a trail was appended to that is gone")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a trail that is gone was made again")
	}
}

func TestTrailBeginsAnewWhenItIsLong(t *testing.T) {
	k := key(t)
	path := filepath.Join(t.TempDir(), "checkpoints")
	msg, _ := signed(t, k, 1)
	trail, err := audit.NewTrail(path, bytes.Repeat(msg, (1<<20)/len(msg)))
	if err != nil {
		t.Fatal(err)
	}
	last, _ := signed(t, k, 2)
	for range 2 {
		if err := trail.Append(last); err != nil {
			t.Fatal(err)
		}
	}
	if _, notes, err := audit.OpenTrail(path); err != nil || len(notes) != 2 || !bytes.Equal(notes[0], last) {
		t.Errorf("%d notes are left (%v)", len(notes), err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("files are left behind: %v (%v)", entries, err)
	}
}

// TestEveryBitOfASignatureCounts sets bits of the last letter that stand for nothing.
//
//guard:signature
func TestEveryBitOfASignatureCounts(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	k := key(t)
	keys, err := audit.Verifiers(k.Public())
	if err != nil {
		t.Fatal(err)
	}
	msg, _ := signed(t, k, 1)
	at := bytes.LastIndexByte(msg, '=') - 1
	i := strings.IndexByte(letters, msg[at])
	if i%4 != 0 {
		t.Fatalf("%q ends with bits that it should not have", msg)
	}
	msg[at] = letters[i+1]
	if _, _, err := audit.OpenCheckpoint(msg, keys); err == nil {
		t.Error("a bit was changed, and nobody noticed")
	}
}

// TestAFileOfAnySizeIsNotRead: what lies where a small file belongs may be of any size.
func TestAFileOfAnySizeIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if _, _, err := audit.OpenTrail(path); err == nil || !strings.Contains(err.Error(), "should not") {
		t.Errorf("err = %v", err)
	}
}
